//! The effect of the move of a definition on its uses.

use model::Language;
use review::{PassedArguments, SiteVerdict};

use super::{BothSides, CurrentUse, sight::java_package};
use crate::get_risk::review::uses::DefinitionUse;

/// Judges a use of a definition that is in another file now, in a file with this path after the change. Its module may import it for its old users.
pub(super) fn moved(
    sides: &BothSides<'_>,
    one: &DefinitionUse,
    current: &CurrentUse<'_>,
    calls: &[PassedArguments],
    is_imported: bool,
    user_path: &str,
) -> SiteVerdict {
    let (Some(old), Some(new)) = (&sides.change.old, &sides.change.new) else { return SiteVerdict::Fine };
    // Users that move along stay in the package.
    let is_same_folder =
        java_package(&old.path) == java_package(&new.path) || java_package(&new.path) == java_package(user_path);
    let to = format!("it is in `{}` now", new.path);
    match sides.old.language {
        Language::Go | Language::Java | Language::CSharp if is_same_folder => return SiteVerdict::Fine,
        Language::Go | Language::Java => return SiteVerdict::Broken(to),
        Language::C | Language::Cpp | Language::CSharp => return SiteVerdict::Maybe(to),
        _ if !sides.symbol.container.is_empty() || is_imported => return SiteVerdict::Maybe(to),
        _ => {}
    }
    let imports = current.imports.iter().filter(|import| import.name == sides.symbol.name);
    let modules: Vec<NamedModule> = imports.map(|import| named_module(&import.module, &old.path, &new.path)).collect();
    let receivers = calls.iter().filter(|call| !call.receiver.is_empty());
    let mut receivers = receivers.map(|call| named_module(&call.receiver, &old.path, &new.path));
    match () {
        () if modules.contains(&NamedModule::Old) || one.file.1 == old.path => SiteVerdict::Broken(to),
        () if receivers.any(|module| module == NamedModule::Old) => SiteVerdict::Broken(to),
        () if modules.is_empty() || modules.contains(&NamedModule::Either) => SiteVerdict::Maybe(to),
        () => SiteVerdict::Fine,
    }
}

/// The file that a module as written is, of two with a definition before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedModule {
    Old,
    New,
    Either,
    Other,
}

/// Compares a module as written with the ends of both paths.
fn named_module(module: &str, old_path: &str, new_path: &str) -> NamedModule {
    let written: Vec<&str> = module.split(['/', '.', ':']).filter(|part| !part.is_empty()).collect();
    let n_equal = |path: &str| {
        let parts = module_parts(path);
        written.iter().rev().zip(parts.iter().rev()).take_while(|(one, other)| one == other).count()
    };
    match (n_equal(old_path), n_equal(new_path)) {
        (0, 0) => NamedModule::Other,
        (old, new) if old > new => NamedModule::Old,
        (old, new) if old < new => NamedModule::New,
        _ => NamedModule::Either,
    }
}

/// Returns the names of the folders and of the module that a file is.
fn module_parts(path: &str) -> Vec<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    let own = Some(stem).filter(|stem| !matches!(*stem, "index" | "mod" | "__init__" | "lib"));
    folder.split('/').filter(|part| !part.is_empty()).chain(own).collect()
}

pub(super) fn last_of_module(module: &str) -> &str {
    module.rsplit(['/', '.', ':']).find(|part| !part.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_compared_by_the_ends_of_paths() {
        for (module, old, new, expected) in [
            (".helpers", "src/app/helpers.py", "src/app/scaffold.py", NamedModule::Old),
            ("app.scaffold", "src/app/helpers.py", "src/app/scaffold.py", NamedModule::New),
            ("._dispatch.asgi", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::Old),
            ("._transports.asgi", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::New),
            (".asgi", "x/_dispatch/asgi.py", "x/_transports/asgi.py", NamedModule::Either),
            ("./a/b", "src/a/b/index.ts", "src/a/c.ts", NamedModule::Old),
            ("crate::a", "src/a.rs", "src/a/mod.rs", NamedModule::Either),
            ("os", "src/a.py", "src/b.py", NamedModule::Other),
        ] {
            assert_eq!(named_module(module, old, new), expected, "{module} {old} {new}");
        }
    }
}
