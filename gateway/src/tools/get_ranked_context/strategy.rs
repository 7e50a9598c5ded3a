//! Three ways to rank what was found.

use std::collections::BTreeMap;

use super::{around::Around, candidate::Candidate};
use crate::nodes::At;

/// What importance takes from the least important and gives to the most important at most: it settles what is nearly as
/// relevant, and no more.
const IMPORTANCE_SWAY: f32 = 0.1;

/// What a place further down loses for each place above it: what ties by relevance keeps the order of the search, unless
/// it is far more important.
const LOSS_PER_PLACE: f32 = 0.01;

/// What the own relevance of a definition counts beside that of those it is tied to.
const OWN_WEIGHT: f32 = 0.5;

/// What a test counts that is only there because it uses what was asked for, and what all but code does by its importance.
const TEST_WEIGHT: f32 = 0.3;

/// Ranks by relevance; importance settles what is nearly as relevant.
pub(super) fn combined(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    for (place, candidate) in candidates.iter_mut().enumerate() {
        let loss = 1.0 + LOSS_PER_PLACE * place as f32;
        let sway = 1.0 + IMPORTANCE_SWAY * (2.0 * candidate.importance() - 1.0);
        // Divided by the most it can be, so that no score is above 1.
        candidate.score = candidate.standing / loss * sway / (1.0 + IMPORTANCE_SWAY);
    }
    in_order(candidates)
}

/// Ranks by importance alone; that of tests and of what is copied in says nothing of the code.
pub(super) fn importance(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let score = |candidate: &Candidate| candidate.importance() * if candidate.is_code() { 1.0 } else { TEST_WEIGHT };
    candidates.iter_mut().for_each(|candidate| candidate.score = score(candidate));
    in_order(candidates)
}

/// Ranks by how much of what is relevant something uses or is used by, and by its own relevance.
pub(super) fn dependency(mut candidates: Vec<Candidate>, around: Around) -> Vec<Candidate> {
    let Around { ties, newcomers } = around;
    candidates.extend(newcomers);
    for candidate in &mut candidates {
        let tied = tie_of(&ties, candidate.at) * if candidate.is_test() { TEST_WEIGHT } else { 1.0 };
        candidate.score = (tied + OWN_WEIGHT * candidate.standing) / (1.0 + OWN_WEIGHT);
    }
    in_order(candidates)
}

fn tie_of(ties: &BTreeMap<At, f32>, at: At) -> f32 {
    ties.get(&at).copied().unwrap_or(0.0).min(1.0)
}

fn in_order(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.retain(|candidate| candidate.score > 0.0);
    candidates.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score).then(b.relevance.total_cmp(&a.relevance));
        by_score.then_with(|| a.place().cmp(&b.place()))
    });
    candidates
}

#[cfg(test)]
mod tests {
    use proto::v1;

    use super::*;

    fn candidate(node: u32, relevance: f32, importance: f32) -> Candidate {
        let lines = Some(v1::Lines { start: node + 1, end: node + 1 });
        let symbol = v1::Symbol { node, importance, lines, ..Default::default() };
        Candidate::of_symbol(0, v1::File { path: "a".to_owned(), ..Default::default() }, symbol, relevance)
    }

    fn nodes(candidates: &[Candidate]) -> Vec<u32> {
        candidates.iter().map(|candidate| candidate.at.node).collect()
    }

    #[test]
    fn importance_settles_near_ties_only() {
        let near = vec![candidate(0, 0.50, 0.1), candidate(1, 0.49, 40.0), candidate(2, 0.3, 1_000.0)];
        assert_eq!(nodes(&combined(near)), [1, 0, 2]);
        let scores = combined(vec![candidate(0, 1.0, f32::MAX), candidate(1, 1.0, 0.0)]);
        assert!(scores.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
    }

    #[test]
    fn importance_ranks_among_what_matches() {
        let found = vec![candidate(0, 1.0, 0.1), candidate(1, 0.5, 40.0), candidate(2, 0.5, 3.0)];
        assert_eq!(nodes(&importance(found)), [1, 2, 0]);
    }

    #[test]
    fn what_the_best_use_comes_before_what_is_as_relevant() {
        let found = vec![candidate(0, 0.6, 1.0), candidate(1, 0.3, 1.0)];
        let ties = [(At { position: 0, node: 7 }, 0.6), (At { position: 0, node: 0 }, 0.1)].into();
        let around = Around { ties, newcomers: vec![candidate(7, 0.0, 1.0)] };
        assert_eq!(nodes(&dependency(found, around)), [7, 0, 1]);
    }

    #[test]
    fn the_order_of_what_ties_is_that_of_places() {
        let found = vec![candidate(2, 0.5, 1.0), candidate(1, 0.5, 1.0)];
        assert_eq!(nodes(&importance(found)), [1, 2]);
    }
}
