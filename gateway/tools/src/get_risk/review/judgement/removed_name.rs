//! The effect of a name that is gone on its uses.

use model::Language;
use proto::v1::{self, DefinitionChangeKind};
use review::{PassedArguments, SiteVerdict, judge_lost_base, providers_of_missing_names};

use super::{BothSides, CurrentUse, Evidence, modules::last_of_module, owner};
use crate::get_risk::review::uses::DefinitionUse;

impl Evidence<'_> {
    /// Returns the verdict about a use of a name that is gone.
    pub(super) fn judge_removed_name(&self, sides: &BothSides<'_>, reason: String) -> SiteVerdict {
        let old = sides.change.old.as_ref();
        let file = self.response.files.iter().find(|file| old.is_some_and(|old| old.path == file.old_path));
        let container = &sides.symbol.container;
        let mut own = file.into_iter().flat_map(|file| &file.definitions).filter(|one| one.container == *container);
        let providers = providers_of_missing_names(sides.old.language);
        match own.find(|one| providers.contains(&one.name.as_str())) {
            Some(provider) => SiteVerdict::Maybe(format!("{reason}, and `{}` may provide it", provider.name)),
            None if !sides.change.inherited_from.is_empty() => SiteVerdict::Maybe(format!(
                "{reason}, and the base type `{}` may provide it",
                sides.change.inherited_from
            )),
            None => SiteVerdict::Broken(reason),
        }
    }

    /// Judges an override of a method that is gone.
    pub(super) fn overrides_nothing(&self, sides: &BothSides<'_>, one: &DefinitionUse, reason: String) -> SiteVerdict {
        let user = self.cards.get(&one.user).and_then(|card| card.symbol.as_ref());
        let declaration = user.map_or("", |user| user.signature.as_str());
        match self.judge_removed_name(sides, reason) {
            SiteVerdict::Broken(reason) => {
                let is_renamed = sides.change.kind() == DefinitionChangeKind::Renamed;
                judge_lost_base(sides.old.language, declaration, is_renamed, &reason)
            }
            verdict => verdict,
        }
    }
}

/// Judges a use of a type whose only constructor is gone, and that has another one by default.
pub(super) fn without_constructor(language: Language, calls: &[PassedArguments]) -> SiteVerdict {
    let passes_any = calls.iter().any(|call| call.is_open || call.n_positional + call.names.len() > 0);
    let reason = "its constructor is removed";
    match language {
        _ if !passes_any => SiteVerdict::Fine,
        Language::Java | Language::CSharp => SiteVerdict::Broken(reason.to_owned()),
        _ => SiteVerdict::Maybe(format!("{reason}, and it may inherit another")),
    }
}

/// Returns true if the file of a use, which the change edits too, gets the name from elsewhere now.
pub(super) fn is_bound_again(sides: &BothSides<'_>, one: &DefinitionUse, current: &CurrentUse<'_>) -> bool {
    let is_gone = matches!(sides.change.kind(), DefinitionChangeKind::Removed | DefinitionChangeKind::Renamed);
    let old_path = sides.change.old.as_ref().map_or("", |old| old.path.as_str());
    if !current.is_changed_file || !is_gone || !sides.symbol.container.is_empty() || one.file.1 == old_path {
        return false;
    }
    let name = &sides.symbol.name;
    let is_of_it = |import: &&v1::ImportedName| import.name == *name && import.alias.is_empty();
    let is_of_old = current.imports.iter().filter(is_of_it).any(|import| imports_from(old_path, &import.module));
    let is_imported = current.imports.iter().any(|import| match () {
        () if !import.alias.is_empty() => import.alias == *name,
        () if import.name.is_empty() => last_of_module(&import.module) == name,
        () => import.name == *name && !imports_from(old_path, &import.module),
    });
    let is_declared = current.definitions.iter().any(|other| other.name == *name && other.container.is_empty());
    !is_of_old && (is_imported || is_declared)
}

/// Returns true if all calls on a line name a removed member without its object, and the file imports the name from another type now.
pub(super) fn is_imported_instead(
    symbol: &v1::Symbol,
    calls: &[PassedArguments],
    imports: &[v1::ImportedName],
) -> bool {
    let is_instead = |import: &v1::ImportedName| {
        import.name == symbol.name && import.alias.is_empty() && last_of_module(&import.module) != owner(symbol)
    };
    let is_bare = !calls.is_empty() && calls.iter().all(|call| call.receiver.is_empty());
    !symbol.container.is_empty() && is_bare && imports.iter().any(is_instead)
}

/// Returns true if a module as written may be a file of the own repository.
pub(super) fn imports_from(path: &str, module: &str) -> bool {
    let last = last_of_module(module);
    let is_part = |part: &str| part == last || part.split('.').next() == Some(last);
    last.is_empty() || path.split('/').any(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_without_their_object_may_be_imported_instead() {
        let import = |module: &str, name: &str, alias: &str| v1::ImportedName {
            module: module.to_owned(),
            name: name.to_owned(),
            alias: alias.to_owned(),
            line: 1,
            reexport: false,
        };
        for (container, receiver, import, expected) in [
            ("Tool", Some(""), import("a.Adapters", "make", ""), true),
            ("Tool", Some("tool"), import("a.Adapters", "make", ""), false),
            ("Tool", None, import("a.Adapters", "make", ""), false),
            ("Tool", Some(""), import("a.Tool", "make", ""), false),
            ("Tool", Some(""), import("a.Adapters", "other", ""), false),
            ("Tool", Some(""), import("a.Adapters", "make", "made"), false),
            ("", Some(""), import("a.Adapters", "make", ""), false),
        ] {
            let symbol =
                v1::Symbol { container: container.to_owned(), name: "make".to_owned(), ..v1::Symbol::default() };
            let call = |receiver: &str| PassedArguments { receiver: receiver.to_owned(), ..Default::default() };
            let calls: Vec<PassedArguments> = receiver.map(call).into_iter().collect();
            let imports = [import];
            assert_eq!(
                is_imported_instead(&symbol, &calls, &imports),
                expected,
                "{container} {receiver:?} {imports:?}"
            );
        }
    }
}
