//! Definitions that match a name, over all repositories, best first.

use std::cmp::Ordering;

use model::{FileClass, SymbolKind};
use proto::v1;

use crate::{fan_out::Replies, plan::Plan, repo_idx::RepoIdx};

/// A definition that matched.
pub struct DefinitionMatch {
    /// The repository of its file.
    pub repo_idx: RepoIdx,
    /// The path from the root of the repository, unsanitised.
    pub path: String,
    /// The hash of the file's content.
    pub blob: String,
    /// The class of its file, such as source or test.
    pub class: FileClass,
    /// The definition as its worker sent it.
    pub symbol: v1::Symbol,
    /// The kind of match of its name; lower values are better.
    pub tier: v1::NameTier,
    /// Number of edits from the requested name; 0 except for the fuzzy tier.
    pub distance: u32,
}

/// Returns all hits, best first: by tier, source before tests, number of users, types before callables before values, and place.
pub fn rank(plan: &Plan, replies: Replies<v1::SymbolsResponse>) -> Vec<DefinitionMatch> {
    let of_hit = |repo_idx: Option<&RepoIdx>, hit: v1::SymbolHit| {
        let (tier, file) = (hit.tier(), hit.file?);
        let class = file.class().into();
        Some(DefinitionMatch {
            repo_idx: *repo_idx?,
            path: file.path,
            blob: file.blob,
            class,
            symbol: hit.symbol?,
            tier,
            distance: hit.distance,
        })
    };
    let mut matches: Vec<DefinitionMatch> = Vec::new();
    for (group, reply) in replies {
        let repo_idxs = plan.by_id(&group);
        let hits = reply.hits.into_iter();
        matches.extend(hits.filter_map(|hit| of_hit(repo_idxs.get(hit.repository.as_str()), hit)));
    }
    matches.sort_by(by_rank);
    matches
}

fn by_rank(a: &DefinitionMatch, b: &DefinitionMatch) -> Ordering {
    let name = |found: &DefinitionMatch| (found.tier, found.distance, found.class != FileClass::Source);
    let kind = |found: &DefinitionMatch| ranking::name::kind_order(SymbolKind::parse(&found.symbol.kind));
    let place = |found: &DefinitionMatch| (found.symbol.lines.unwrap_or_default().start, found.symbol.ordinal);
    let by_use = || b.symbol.used_by.cmp(&a.symbol.used_by);
    let by_place = || a.path.cmp(&b.path).then_with(|| place(a).cmp(&place(b)));
    let by_kind = || (kind(a), a.repo_idx).cmp(&(kind(b), b.repo_idx));
    name(a).cmp(&name(b)).then_with(by_use).then_with(by_kind).then_with(by_place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_broken_one_after_the_other() {
        use v1::NameTier::*;
        let found = |tier, distance, class, used_by, kind: SymbolKind, repo_idx, path: &str, line| DefinitionMatch {
            repo_idx: RepoIdx(repo_idx),
            path: path.to_owned(),
            blob: String::new(),
            class,
            symbol: v1::Symbol {
                kind: kind.name().to_owned(),
                used_by,
                lines: Some(v1::Lines { start: line, end: line }),
                ..Default::default()
            },
            tier,
            distance,
        };
        // Each is worse than its predecessor by the next sort key, and better by all later keys.
        let in_order = [
            found(Exact, 2, FileClass::Test, 0, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 1, FileClass::Test, 0, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 2, FileClass::Source, 0, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 2, FileClass::Test, 1, SymbolKind::Field, 9, "z", 9),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Class, 9, "z", 9),
            // All classes but source are equal.
            found(Fuzzy, 2, FileClass::Docs, 0, SymbolKind::Field, 1, "z", 9),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Field, 2, "a", 9),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Field, 2, "b", 1),
            found(Fuzzy, 2, FileClass::Test, 0, SymbolKind::Field, 2, "b", 2),
        ];
        assert!(in_order.is_sorted_by(|a, b| by_rank(a, b) == Ordering::Less));
    }
}
