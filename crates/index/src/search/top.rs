//! The best of many, as they come.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Keeps the best files by score; of those that tie, the first ones.
pub(crate) struct Top {
    limit: usize,
    least: f32,
    /// The worst on top.
    kept: BinaryHeap<Reverse<Entry>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    score: f32,
    file_idx: u32,
}

impl Top {
    /// Keeps at most `limit` files, of those that are not below `floor`.
    pub(crate) fn new(limit: usize, floor: f32) -> Top {
        Top { limit, least: floor, kept: BinaryHeap::with_capacity(limit + 1) }
    }

    /// Takes a file into account; one without a score is none.
    pub(crate) fn push(&mut self, score: f32, file_idx: u32) {
        if score > 0.0 && score >= self.least {
            self.kept.push(Reverse(Entry { score, file_idx }));
            if self.kept.len() > self.limit {
                self.kept.pop();
            }
        }
    }

    /// Returns the score below which nothing is kept.
    pub(crate) fn floor(&self) -> f32 {
        match self.kept.peek() {
            Some(Reverse(worst)) if self.kept.len() == self.limit => self.least.max(worst.score),
            _ => self.least,
        }
    }

    /// Returns score and file, best first.
    pub(crate) fn into_sorted(self) -> Vec<(f32, u32)> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(entry)| (entry.score, entry.file_idx)).collect()
    }
}

impl Eq for Entry {}

impl Ord for Entry {
    /// The better is the greater.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.file_idx.cmp(&self.file_idx))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_and_the_first_of_those_that_tie() {
        let mut top = Top::new(3, 0.5);
        for (score, file_idx) in [(1.0, 4), (0.4, 1), (2.0, 3), (1.0, 2), (0.0, 0), (1.0, 9), (0.9, 5)] {
            top.push(score, file_idx);
        }
        assert_eq!(top.floor(), 1.0);
        assert_eq!(top.into_sorted(), [(2.0, 3), (1.0, 2), (1.0, 4)]);
        assert_eq!(Top::new(3, 0.5).floor(), 0.5);
    }
}
