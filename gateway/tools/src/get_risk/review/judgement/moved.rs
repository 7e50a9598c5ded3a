//! The effect of the move of a definition on its uses.

use model::Language;
use review::{PassedArguments, SiteVerdict};

use super::{BothSides, CurrentUse};
use crate::get_risk::review::uses::DefinitionUse;

/// Judges a use of a definition that is in another file now. Its module may import it for its old users.
pub(super) fn moved(
    sides: &BothSides<'_>,
    one: &DefinitionUse,
    current: &CurrentUse<'_>,
    calls: &[PassedArguments],
    is_imported: bool,
) -> SiteVerdict {
    let (Some(old), Some(new)) = (&sides.change.old, &sides.change.new) else { return SiteVerdict::Fine };
    let is_same_folder = folder(&old.path) == folder(&new.path);
    let to = format!("it is in `{}` now", new.path);
    match sides.old.language {
        Language::Go | Language::Java | Language::CSharp if is_same_folder => return SiteVerdict::Fine,
        Language::Go | Language::Java => return SiteVerdict::Broken(to),
        Language::C | Language::Cpp | Language::CSharp => return SiteVerdict::Maybe(to),
        _ if !sides.symbol.container.is_empty() || is_imported => return SiteVerdict::Maybe(to),
        _ => {}
    }
    let old_module = module_name(&old.path);
    let imports = current.imports.iter().filter(|import| import.name == sides.symbol.name);
    let modules: Vec<&str> = imports.map(|import| last_of_module(&import.module)).collect();
    let is_of_old = modules.contains(&old_module) || calls.iter().any(|call| call.receiver == old_module);
    match () {
        () if is_of_old || one.file.1 == old.path => SiteVerdict::Broken(to),
        () if modules.is_empty() => SiteVerdict::Maybe(to),
        () => SiteVerdict::Fine,
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last name of the module that a file is.
fn module_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.split('.').next().unwrap_or_default() {
        "index" | "mod" | "__init__" | "lib" => folder(path).rsplit('/').next().unwrap_or_default(),
        stem => stem,
    }
}

pub(super) fn last_of_module(module: &str) -> &str {
    module.rsplit(['/', '.', ':']).find(|part| !part.is_empty()).unwrap_or_default()
}
