//! Statistics over all repositories of a request, which make the scores of one comparable with those of another.

use proto::v1;
use ranking::{QueryParts, Statistics};

use crate::{
    plan::{Group, Plan},
    recent::Recent,
};

/// Replies kept per half of the cache. One takes a few hundred bytes.
const MAX_CACHED: usize = 2_000;

/// Statistics as workers sent them, by what was asked of whom at which generation: they can never be out of date.
pub(crate) type StatisticsCache = Recent<Key, Statistics>;

/// A hash over targets, terms and identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

/// Returns a cache that is empty.
pub(crate) fn cache() -> StatisticsCache {
    Recent::new(MAX_CACHED)
}

/// Returns under which key the statistics of a group are kept.
pub(crate) fn key(plan: &Plan, group: &Group, query: &QueryParts) -> Key {
    let mut hasher = blake3::Hasher::new();
    for position in &group.positions {
        let target = &plan.repository(*position).advertised;
        // Both are of fixed length, so that no two lists run together.
        hasher.update(target.id.as_bytes());
        hasher.update(target.generation.as_bytes());
    }
    let terms = query.terms.iter().map(|term| (b"\0", &term.text));
    for (mark, word) in terms.chain(query.identifiers.iter().map(|identifier| (b"\x01", identifier))) {
        hasher.update(mark);
        hasher.update(word.as_bytes());
    }
    Key(hasher.finalize().into())
}

/// Returns the nouns for a message that was found sound.
pub(crate) fn from_wire(message: v1::CorpusStatistics) -> Statistics {
    Statistics {
        rows: message.rows,
        document_frequencies: message.document_frequencies,
        name_counts: message.name_counts,
    }
}
