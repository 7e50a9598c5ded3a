//! Corpus statistics over all repositories of a request: they make scores comparable between repositories.

use proto::v1;
use ranking::{QueryParts, Statistics};

use crate::{
    cache::RecentCache,
    plan::{Group, Plan},
    principal::Principal,
};

/// Capacity of each generation of the cache. An entry takes a few hundred bytes.
const MAX_CACHED: usize = 2_000;

/// Statistics by caller, targets, generations and terms. The generations are part of the key, so that entries are never
/// stale. Callers share no entry, since a fast answer would reveal that another one asked the same.
pub type StatisticsCache = RecentCache<StatisticsKey, Statistics>;

/// A hash over caller, targets, terms and identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatisticsKey([u8; 32]);

/// Returns an empty cache.
pub fn cache() -> StatisticsCache {
    RecentCache::new(MAX_CACHED)
}

/// Returns the cache key of the statistics of a group.
pub fn key(principal: &Principal, plan: &Plan, group: &Group, query: &QueryParts) -> StatisticsKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(principal.name().len() as u64).to_le_bytes());
    hasher.update(principal.name().as_bytes());
    for repo_idx in &group.repo_idxs {
        let target = &plan.repository(*repo_idx).advertised;
        // Both have a fixed length, so that the concatenation is unambiguous.
        hasher.update(target.id.as_bytes());
        hasher.update(target.generation.as_bytes());
    }
    let terms = query.terms.iter().map(|term| (b"\0", &term.text));
    for (mark, word) in terms.chain(query.identifiers.iter().map(|identifier| (b"\x01", identifier))) {
        hasher.update(mark);
        hasher.update(word.as_bytes());
    }
    StatisticsKey(hasher.finalize().into())
}

/// Converts a validated message.
pub fn from_wire(message: v1::CorpusStatistics) -> Statistics {
    Statistics {
        rows: message.rows,
        document_frequencies: message.document_frequencies,
        name_counts: message.name_counts,
    }
}

/// A query with the statistics of its terms and identifiers over all repositories.
pub struct CountedQuery {
    /// The parsed query; a stem may have been replaced by its word.
    pub parts: QueryParts,
    /// Global counts, in the order of the terms and identifiers of `parts`.
    pub statistics: Statistics,
}

impl CountedQuery {
    /// Creates a query. A stem that occurs nowhere is replaced by its unstemmed word, if that occurs.
    pub fn new(mut parts: QueryParts, mut statistics: Statistics) -> CountedQuery {
        parts.replace_absent_stems(&mut statistics);
        CountedQuery { parts, statistics }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{directory::Directory, plan::Visible};

    #[test]
    fn entries_belong_to_one_caller() {
        let plan = Visible::new(Arc::new(Directory::build(&[])), &Principal::local()).plan_for(Vec::new(), true);
        let group = Group { worker_idx: 0, repo_idxs: Vec::new() };
        let key_of = |principal: &Principal| key(principal, &plan, &group, &QueryParts::default());
        let caller = |name: &str| Principal::limited(name, ["*".to_owned()]);
        assert_eq!(key_of(&caller("a")), key_of(&caller("a")));
        assert_ne!(key_of(&caller("a")), key_of(&caller("b")));
    }
}
