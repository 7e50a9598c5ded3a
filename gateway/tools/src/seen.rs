//! Code that the caller already has: a note with its id and the call that returns it replaces the code.

use std::collections::{BTreeMap, HashSet};

use federation::{fetch::FetchedSource, nodes::NodeRef, plan::Plan, symbol_ref};
use proto::v1;

use crate::{arguments::suggested, get_context::item::path_of};

/// The ids in the argument `seen`.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenCode {
    ids: HashSet<String>,
}

impl SeenCode {
    /// Reads symbol ids, with their repository or without.
    pub(crate) fn new(ids: Option<Vec<String>>) -> SeenCode {
        SeenCode { ids: ids.into_iter().flatten().map(|id| id.trim().to_owned()).collect() }
    }

    /// Returns the note in place of the code of a definition, given its id within the repository; nothing if the caller does not have it.
    pub(crate) fn note(&self, repo: &str, id: &str) -> Option<String> {
        if self.ids.is_empty() {
            return None;
        }
        let full_id = format!("{repo}//{id}");
        let is_seen = self.ids.contains(&full_id) || self.ids.contains(id);
        is_seen.then(|| format!("seen: get_symbol {} without `seen` returns it", suggested("symbol_id", &full_id)))
    }

    /// Returns the source of a definition, or the note in its place.
    pub(crate) fn replace(
        &self,
        repo: &str,
        path: &str,
        symbol: Option<&v1::Symbol>,
        fetched: FetchedSource,
    ) -> FetchedSource {
        match symbol.and_then(|symbol| self.note(repo, &symbol_ref::id(path, symbol))) {
            Some(text) => FetchedSource { text, ..fetched },
            None => fetched,
        }
    }

    /// Does the same for nodes of the code graph.
    pub(crate) fn replace_nodes(
        &self,
        plan: &Plan,
        cards: &BTreeMap<NodeRef, v1::NodeCard>,
        sources: BTreeMap<NodeRef, FetchedSource>,
    ) -> BTreeMap<NodeRef, FetchedSource> {
        let replace = |(at, fetched): (NodeRef, FetchedSource)| match cards.get(&at) {
            Some(card) => (at, self.replace(plan.alias(at.repo_idx), path_of(card), card.symbol.as_ref(), fetched)),
            None => (at, fetched),
        };
        sources.into_iter().map(replace).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_and_without_a_repository_are_known() {
        let ids = ["api//src/a.rs::open", " src/b.rs::B.close "].map(str::to_owned);
        let seen = SeenCode::new(Some(ids.to_vec()));
        let note = seen.note("api", "src/a.rs::open").expect("it is seen");
        assert_eq!(note, "seen: get_symbol symbol_id=\"api//src/a.rs::open\" without `seen` returns it");
        for (repo, id, is_seen) in
            [("web", "src/a.rs::open", false), ("web", "src/b.rs::B.close", true), ("api", "src/a.rs::opened", false)]
        {
            assert_eq!(seen.note(repo, id).is_some(), is_seen, "{repo} {id}");
        }
        assert_eq!(SeenCode::new(None).note("api", "src/a.rs::open"), None);
    }
}
