//! One order out of the orders of several rankers, each over all repositories.

use rustc_hash::FxHashMap;

/// Rank offset of reciprocal rank fusion; 60 is the value of the original paper (Cormack, Clarke and Büttcher, 2009).
pub const RRF_K: f64 = 60.0;

/// What puts hits in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ranker {
    /// By terms, meaning and messages, blended.
    Text,
    /// By the names of symbols.
    Symbol,
    /// By path.
    Path,
    /// Pages, by their words.
    Page,
}

impl Ranker {
    /// Returns what a rank in the list of this ranker counts beside the same rank in the others.
    ///
    /// A name or a path that somebody wrote out is worth more than the words it is made of.
    fn weight(self) -> f64 {
        match self {
            Ranker::Text => 1.0,
            Ranker::Symbol => 1.5,
            Ranker::Path => 2.0,
            // A page tells about code, which is mostly what is wanted.
            Ranker::Page => 0.9,
        }
    }
}

/// Returns every hit of the lists with the sum of weight / (60 + rank) over the lists that it stands in, by hit.
///
/// Each list holds hits by number, best first, hits that tie in one inner list: they share the rank of the first of
/// them. The caller orders the sums and breaks what ties are left.
pub fn fuse(lists: &[(Ranker, Vec<Vec<usize>>)]) -> Vec<(usize, f64)> {
    let mut sums: FxHashMap<usize, f64> = FxHashMap::default();
    for (ranker, ties) in lists {
        let mut rank = 1;
        for tied in ties {
            for hit_idx in tied {
                *sums.entry(*hit_idx).or_default() += ranker.weight() / (RRF_K + rank as f64);
            }
            rank += tied.len();
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
    fn a_hit_of_two_rankers_beats_one_of_either() {
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
