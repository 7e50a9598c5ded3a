//! The base types that provide members which a change removes from their type.

use std::collections::BTreeSet;

use index::{Snapshot, SymbolQuery, SymbolSelector};
use model::{Filter, Language};
use review::{
    ChangedContent, DeclaredType, DefinitionChange, DefinitionChangeKind, DefinitionSide, provider_of_member,
};

/// Maximum number of definitions of one name in unchanged files.
const MAX_NAMED: usize = 20;

/// Returns the base type that provides a member whose name is gone from its type, or may provide it. `changes` are all of the change.
pub(super) fn inherited_from(
    change: &DefinitionChange,
    changes: &[DefinitionChange],
    contents: &[ChangedContent<'_>],
    snapshot: &Snapshot,
) -> Option<String> {
    let is_gone = matches!(change.kind, DefinitionChangeKind::Removed | DefinitionChangeKind::Renamed);
    let old = change.old.as_ref().filter(|old| is_gone && !old.container.is_empty())?;
    let own = type_after(old, changes, contents)?;
    provider_of_member(old.language, &own, &old.name, |base| declared_types(base, contents, snapshot))
}

/// Returns the type of a member after the change, which may have renamed the type or moved it to another file.
fn type_after(
    member: &DefinitionSide,
    changes: &[DefinitionChange],
    contents: &[ChangedContent<'_>],
) -> Option<DeclaredType> {
    let in_place = contents.iter().find(|content| content.old.is_some_and(|content| content.path == member.path))?;
    let in_place = in_place.new.and_then(|new| DeclaredType::qualified(new.facts, &member.container));
    in_place.or_else(|| {
        let is_its_type = |old: &DefinitionSide| old.path == member.path && old.qualified() == member.container;
        let of_type = changes.iter().find(|change| change.old.as_ref().is_some_and(is_its_type))?;
        let new = of_type.new.as_ref()?;
        let file = contents.iter().filter_map(|content| content.new).find(|file| file.path == new.path)?;
        DeclaredType::qualified(file.facts, &new.qualified())
    })
}

/// Returns the types of a name after the change.
fn declared_types(name: &str, contents: &[ChangedContent<'_>], snapshot: &Snapshot) -> Vec<DeclaredType> {
    let changed = contents.iter().filter_map(|content| content.new);
    let mut types: Vec<DeclaredType> = changed.flat_map(|new| DeclaredType::named(new.facts, name)).collect();
    let old_paths: BTreeSet<&str> = contents.iter().filter_map(|content| Some(content.old?.path)).collect();
    let query = SymbolQuery {
        selector: SymbolSelector::Id { path: String::new(), qualified: name.to_owned(), ordinal: 0 },
        filter: Filter::default(),
        file_pattern: String::new(),
        limit: MAX_NAMED,
    };
    let hits = snapshot.symbols(&query).map(|found| found.hits).unwrap_or_default();
    let paths: BTreeSet<String> = hits.into_iter().map(|hit| hit.file.path.to_string()).collect();
    for path in paths.iter().filter(|path| !old_paths.contains(path.as_str())) {
        if let Ok(Some(source)) = snapshot.source(path, None) {
            let facts = syntax::extract(Language::of_path(path), source.text.as_bytes());
            types.extend(DeclaredType::named(&facts, name));
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use model::FileFacts;
    use review::{FileContent, differences};

    use super::*;

    #[test]
    fn members_belong_to_their_type_in_its_new_file() {
        let old_type = "class App:\n    def name(self): pass\n";
        let new_type = "class App(Base):\n    def run(self): pass\n";
        let renamed = "class Base:\n    def name(self): pass\n";
        // The contents of both files after the change, and the bases of the type that had the member.
        for (app, sansio, expected) in [
            (new_type, renamed, Some(&["Base"][..])),
            ("", new_type, Some(&["Base"][..])),
            ("", renamed, Some(&[][..])),
            ("", "def run(): pass\n", None),
        ] {
            let texts = [("app.py", "", app), ("sansio.py", old_type, sansio)];
            let facts = |text: &str| syntax::extract(Language::Python, text.as_bytes());
            let both: Vec<(FileFacts, FileFacts)> =
                texts.iter().map(|(_, old, new)| (facts(old), facts(new))).collect();
            let content = |path, facts, text: &'static str| {
                (!text.is_empty()).then_some(FileContent { path, facts, bytes: text.as_bytes() })
            };
            let contents: Vec<ChangedContent<'_>> = texts
                .iter()
                .zip(&both)
                .map(|((path, old, new), facts)| ChangedContent {
                    old: content(path, &facts.0, old),
                    new: content(path, &facts.1, new),
                })
                .collect();
            let changes = differences(&contents);
            let member = DefinitionSide {
                path: "sansio.py".to_owned(),
                language: Language::Python,
                kind: model::SymbolKind::Method,
                name: "name".to_owned(),
                container: "App".to_owned(),
                ordinal: 1,
                line: 2,
                signature: "def name(self)".to_owned(),
                is_abstract: false,
            };
            let bases = type_after(&member, &changes, &contents).map(|one| one.bases);
            assert_eq!(bases, expected.map(|bases| bases.iter().map(|base| (*base).to_owned()).collect()), "{app}");
        }
    }
}
