//! Statistics over all repositories of a request, which make the scores of one comparable with those of another.

use std::{collections::HashMap, sync::Mutex};

use proto::v1;
use ranking::{QueryParts, Statistics};

use crate::plan::{Group, Plan};

/// Replies kept per half of the cache. One takes a few hundred bytes.
const MAX_CACHED: usize = 2_000;

/// Statistics as workers sent them, by what was asked of whom at which generation: they can never be out of date.
#[derive(Default)]
pub(crate) struct StatisticsCache {
    halves: Mutex<Halves>,
}

/// What was used since the younger half began, and what was used in the half before it.
#[derive(Default)]
struct Halves {
    young: HashMap<Key, Statistics>,
    old: HashMap<Key, Statistics>,
}

/// A hash over targets, terms and identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

impl StatisticsCache {
    pub(crate) fn get(&self, key: Key) -> Option<Statistics> {
        let mut halves = self.halves.lock().expect("no holder of this lock panics");
        if let Some(statistics) = halves.young.get(&key) {
            return Some(statistics.clone());
        }
        let statistics = halves.old.remove(&key)?;
        halves.insert(key, statistics.clone());
        Some(statistics)
    }

    pub(crate) fn insert(&self, key: Key, statistics: Statistics) {
        self.halves.lock().expect("no holder of this lock panics").insert(key, statistics);
    }
}

impl Halves {
    fn insert(&mut self, key: Key, statistics: Statistics) {
        if self.young.len() >= MAX_CACHED {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, statistics);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let cache = StatisticsCache::default();
        let key = |n: usize| Key(*blake3::hash(&n.to_le_bytes()).as_bytes());
        let kept = Statistics { rows: 7, ..Statistics::default() };
        cache.insert(key(0), kept.clone());
        for n in 1..5 * MAX_CACHED {
            cache.insert(key(n), Statistics::default());
            assert_eq!(cache.get(key(0)).as_ref(), Some(&kept));
        }
        let halves = cache.halves.lock().unwrap();
        assert!(halves.young.len() <= MAX_CACHED && halves.old.len() <= MAX_CACHED);
        drop(halves);
        assert_eq!(cache.get(key(1)), None);
    }
}
