//! The effect of the move of a definition on its uses.

use model::Language;
use review::{PassedArguments, SiteVerdict};

use super::{
    BothSides, CurrentUse,
    modules::{NamedModule, named_module},
    reduced_visibility::java_package,
};
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
    let to = format!("it is in `{}` now", new.path);
    match sides.old.language {
        Language::Go | Language::Java | Language::CSharp if stays_in_package(&old.path, &new.path, user_path) => {
            return SiteVerdict::Fine;
        }
        Language::Go | Language::Java => return SiteVerdict::Broken(to),
        Language::C | Language::Cpp | Language::CSharp => return SiteVerdict::Maybe(to),
        // A module of Python has the names that it imports.
        Language::Python if is_imported => return SiteVerdict::Fine,
        _ if !sides.symbol.container.is_empty() || is_imported => return SiteVerdict::Maybe(to),
        _ => {}
    }
    let named = |module: &str| named_module(module, &old.path, &new.path, user_path);
    let imports = current.imports.iter().filter(|import| import.name == sides.symbol.name);
    let modules: Vec<NamedModule> = imports.map(|import| named(&import.module)).collect();
    let receivers = calls.iter().filter(|call| !call.receiver.is_empty());
    let mut receivers = receivers.map(|call| named(&call.receiver));
    match () {
        () if modules.contains(&NamedModule::Old) || one.file.1 == old.path => SiteVerdict::Broken(to),
        () if receivers.any(|module| module == NamedModule::Old) => SiteVerdict::Broken(to),
        () if modules.is_empty() || modules.contains(&NamedModule::Either) => SiteVerdict::Maybe(to),
        () => SiteVerdict::Fine,
    }
}

/// Returns the file that an import of a name takes it from.
pub(super) fn imported_from(sides: &BothSides<'_>, module: &str, user_path: &str) -> NamedModule {
    let old_path = sides.change.old.as_ref().map_or("", |old| old.path.as_str());
    let moved_to = sides.change.new.as_ref().map(|new| new.path.as_str()).filter(|new| *new != old_path);
    match (sides.old.language, moved_to) {
        (Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Rust, _) => {
            named_module(module, old_path, moved_to.unwrap_or_default(), user_path)
        }
        (_, None) => NamedModule::Old,
        (Language::Java, Some(new_path)) if !stays_in_package(old_path, new_path, user_path) => NamedModule::Old,
        _ => NamedModule::New,
    }
}

/// Returns true for a move within the package, or into that of the user. Users that move along stay in the package.
fn stays_in_package(old_path: &str, new_path: &str, user_path: &str) -> bool {
    java_package(old_path) == java_package(new_path) || java_package(new_path) == java_package(user_path)
}
