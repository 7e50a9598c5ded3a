//! Reciprocal rank fusion of several rankers' lists, each over all repositories.

use rustc_hash::FxHashMap;

/// Rank offset of reciprocal rank fusion; 60 is the value of the original paper (Cormack, Clarke and Büttcher, 2009).
pub const RRF_K: f64 = 60.0;

/// A ranker that contributes a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ranker {
    /// Terms, vectors and messages, blended.
    Text,
    /// Symbol names.
    Symbol,
    /// File paths.
    Path,
    /// Generated pages, by their words.
    Page,
}

impl Ranker {
    /// Returns the weight of a rank in this ranker's list.
    ///
    /// A name or path that the user spelled out has more weight than its words.
    fn weight(self) -> f64 {
        match self {
            Ranker::Text => 1.0,
            Ranker::Symbol => 1.5,
            Ranker::Path => 2.0,
            // A page describes code, and code is mostly the wanted result.
            Ranker::Page => 0.9,
        }
    }
}

/// Returns each hit with the sum of weight / (60 + rank) over the lists that contain it, ordered by hit index.
///
/// Each list has hit indices, best first; hits that tie form one inner list and share the rank of its first hit. The
/// caller orders the sums and breaks remaining ties.
pub fn fuse(lists: &[(Ranker, Vec<Vec<usize>>)]) -> Vec<(usize, f64)> {
    let mut sums: FxHashMap<usize, f64> = FxHashMap::default();
    for (ranker, ties) in lists {
        let mut rank = 1;
        for tied_hits in ties {
            for hit_idx in tied_hits {
                *sums.entry(*hit_idx).or_default() += ranker.weight() / (RRF_K + rank as f64);
            }
            rank += tied_hits.len();
        }
    }
    let mut fused: Vec<(usize, f64)> = sums.into_iter().collect();
    fused.sort_unstable_by_key(|(hit_idx, _)| *hit_idx);
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_in_two_lists_beats_hit_in_one() {
        let fused = fuse(&[(Ranker::Text, vec![vec![0], vec![1], vec![2]]), (Ranker::Symbol, vec![vec![3], vec![1]])]);
        let best = fused.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert_eq!(best.0, 1);
    }

    #[test]
    fn ties_share_a_rank() {
        let fused = fuse(&[(Ranker::Path, vec![vec![0, 1], vec![2]])]);
        assert_eq!(fused[0].1, fused[1].1);
        assert_eq!(fused[2].1, 2.0 / 63.0);
    }
}
