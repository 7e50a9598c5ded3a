//! The base types that provide members which a change removes from their type.

use std::collections::BTreeSet;

use index::{Snapshot, SymbolQuery, SymbolSelector};
use model::{Filter, Language};
use review::{ChangedContent, DeclaredType, DefinitionChange, DefinitionChangeKind, provider_of_member};

/// Maximum number of definitions of one name in unchanged files.
const MAX_NAMED: usize = 20;

/// Returns the base type that provides a member whose name is gone from its type, or may provide it.
pub(super) fn inherited_from(
    change: &DefinitionChange,
    contents: &[ChangedContent<'_>],
    snapshot: &Snapshot,
) -> Option<String> {
    let is_gone = matches!(change.kind, DefinitionChangeKind::Removed | DefinitionChangeKind::Renamed);
    let old = change.old.as_ref().filter(|old| is_gone && !old.container.is_empty())?;
    let content = contents.iter().find(|content| content.old.is_some_and(|content| content.path == old.path))?;
    let own = DeclaredType::qualified(content.new?.facts, &old.container)?;
    provider_of_member(old.language, &own, &old.name, |base| declared_types(base, contents, snapshot))
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
