//! Three ranking strategies.

use std::collections::BTreeMap;

use super::{candidate::ContextCandidate, graph_neighbours::GraphNeighbours};
use federation::nodes::NodeRef;

/// Maximum factor by which importance lowers or raises a score: it only decides between nearly equal relevances.
const IMPORTANCE_SWAY: f32 = 0.1;

/// Penalty per rank of the search: equally relevant candidates keep the search order unless one is far more important.
const LOSS_PER_PLACE: f32 = 0.01;

/// Weight of a definition's own relevance relative to its affinity.
const OWN_WEIGHT: f32 = 0.5;

/// Weight of a test that is present only because it uses a match, and weight of non-code by importance.
const TEST_WEIGHT: f32 = 0.3;

/// Ranks by relevance; importance decides between nearly equal ones.
pub(super) fn combined(mut candidates: Vec<ContextCandidate>) -> Vec<ContextCandidate> {
    for (idx, candidate) in candidates.iter_mut().enumerate() {
        let loss = 1.0 + LOSS_PER_PLACE * idx as f32;
        let sway = 1.0 + IMPORTANCE_SWAY * (2.0 * candidate.importance() - 1.0);
        // Divided by its maximum, so that no score exceeds 1.
        candidate.score = candidate.bounded_relevance / loss * sway / (1.0 + IMPORTANCE_SWAY);
    }
    sorted_by_score(candidates)
}

/// Ranks by importance. The importance of tests and vendored files says nothing about the code.
pub(super) fn importance(mut candidates: Vec<ContextCandidate>) -> Vec<ContextCandidate> {
    let score =
        |candidate: &ContextCandidate| candidate.importance() * if candidate.is_code() { 1.0 } else { TEST_WEIGHT };
    candidates.iter_mut().for_each(|candidate| candidate.score = score(candidate));
    sorted_by_score(candidates)
}

/// Ranks by affinity to relevant definitions in both directions, and by own relevance.
pub(super) fn dependency(mut candidates: Vec<ContextCandidate>, neighbours: GraphNeighbours) -> Vec<ContextCandidate> {
    let GraphNeighbours { affinities, added } = neighbours;
    candidates.extend(added);
    for candidate in &mut candidates {
        let affinity = affinity_of(&affinities, candidate.at) * if candidate.is_test() { TEST_WEIGHT } else { 1.0 };
        candidate.score = (affinity + OWN_WEIGHT * candidate.bounded_relevance) / (1.0 + OWN_WEIGHT);
    }
    sorted_by_score(candidates)
}

fn affinity_of(affinities: &BTreeMap<NodeRef, f32>, at: NodeRef) -> f32 {
    affinities.get(&at).copied().unwrap_or(0.0).min(1.0)
}

fn sorted_by_score(mut candidates: Vec<ContextCandidate>) -> Vec<ContextCandidate> {
    candidates.retain(|candidate| candidate.score > 0.0);
    candidates.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score).then(b.relevance.total_cmp(&a.relevance));
        by_score.then_with(|| a.sort_key().cmp(&b.sort_key()))
    });
    candidates
}

#[cfg(test)]
mod tests {
    use proto::v1;

    use federation::repo_idx::RepoIdx;

    use super::*;

    fn candidate(node: u32, relevance: f32, importance: f32) -> ContextCandidate {
        let lines = Some(v1::Lines { start: node + 1, end: node + 1 });
        let symbol = v1::Symbol { node, importance, lines, ..Default::default() };
        ContextCandidate::of_symbol(
            RepoIdx(0),
            v1::File { path: "a".to_owned(), ..Default::default() },
            symbol,
            relevance,
        )
    }

    fn nodes(candidates: &[ContextCandidate]) -> Vec<u32> {
        candidates.iter().map(|candidate| candidate.at.node).collect()
    }

    #[test]
    fn importance_decides_between_nearly_equal_scores_only() {
        let near = vec![candidate(0, 0.50, 0.1), candidate(1, 0.49, 40.0), candidate(2, 0.3, 1_000.0)];
        assert_eq!(nodes(&combined(near)), [1, 0, 2]);
        let scores = combined(vec![candidate(0, 1.0, f32::MAX), candidate(1, 1.0, 0.0)]);
        assert!(scores.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
    }

    #[test]
    fn importance_ranks_the_matches() {
        let found = vec![candidate(0, 1.0, 0.1), candidate(1, 0.5, 40.0), candidate(2, 0.5, 3.0)];
        assert_eq!(nodes(&importance(found)), [1, 2, 0]);
    }

    #[test]
    fn callees_of_the_best_precede_equally_relevant_definitions() {
        let found = vec![candidate(0, 0.6, 1.0), candidate(1, 0.3, 1.0)];
        let affinities =
            [(NodeRef { repo_idx: RepoIdx(0), node: 7 }, 0.6), (NodeRef { repo_idx: RepoIdx(0), node: 0 }, 0.1)].into();
        let neighbours = GraphNeighbours { affinities, added: vec![candidate(7, 0.0, 1.0)] };
        assert_eq!(nodes(&dependency(found, neighbours)), [7, 0, 1]);
    }

    #[test]
    fn equal_scores_are_ordered_by_location() {
        let found = vec![candidate(2, 0.5, 1.0), candidate(1, 0.5, 1.0)];
        assert_eq!(nodes(&importance(found)), [1, 2]);
    }
}
