//! The best files by score, selected with a bounded heap.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// The best files so far. Ties go to the smaller file index.
pub(crate) struct TopFiles {
    limit: usize,
    min_score: f32,
    /// The worst file is on top.
    heap: BinaryHeap<Reverse<ScoredFile>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct ScoredFile {
    score: f32,
    file_idx: u32,
}

impl TopFiles {
    /// Selects at most `limit` files with a score of at least `min_score`.
    pub(crate) fn new(limit: usize, min_score: f32) -> TopFiles {
        TopFiles { limit, min_score, heap: BinaryHeap::with_capacity(limit + 1) }
    }

    /// Considers a file. A score of 0 is ignored.
    pub(crate) fn push(&mut self, score: f32, file_idx: u32) {
        if score > 0.0 && score >= self.min_score {
            self.heap.push(Reverse(ScoredFile { score, file_idx }));
            if self.heap.len() > self.limit {
                self.heap.pop();
            }
        }
    }

    /// Returns the score that a further file must reach.
    pub(crate) fn floor(&self) -> f32 {
        match self.heap.peek() {
            Some(Reverse(worst)) if self.heap.len() == self.limit => self.min_score.max(worst.score),
            _ => self.min_score,
        }
    }

    /// Returns score and file index, best first.
    pub(crate) fn into_sorted(self) -> Vec<(f32, u32)> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(file)| (file.score, file.file_idx)).collect()
    }
}

impl Eq for ScoredFile {}

impl Ord for ScoredFile {
    /// The better file is the greater one.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.file_idx.cmp(&self.file_idx))
    }
}

impl PartialOrd for ScoredFile {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_files_stay_and_ties_go_to_the_first() {
        let mut top = TopFiles::new(3, 0.5);
        for (score, file_idx) in [(1.0, 4), (0.4, 1), (2.0, 3), (1.0, 2), (0.0, 0), (1.0, 9), (0.9, 5)] {
            top.push(score, file_idx);
        }
        assert_eq!(top.floor(), 1.0);
        assert_eq!(top.into_sorted(), [(2.0, 3), (1.0, 2), (1.0, 4)]);
        assert_eq!(TopFiles::new(3, 0.5).floor(), 0.5);
    }
}
