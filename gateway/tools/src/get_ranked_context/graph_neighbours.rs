//! Graph neighbours of the best matches: what they use, and what uses them.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::candidate::ContextCandidate;
use federation::{
    answer::Answer,
    call::CallContext,
    nodes::{NeighbourQuery, NodeRef},
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of matches whose neighbours are read: the subject of a question is among the first.
const MAX_SEEDS: usize = 8;

/// Maximum number of edges of one match, by direction and kind.
const MAX_EDGES: u32 = 30;

/// Maximum number of definitions that are added by an edge alone.
const MAX_NEWCOMERS: usize = 100;

/// Edge kinds that make one definition relevant to another.
const KINDS: [v1::EdgeKind; 5] = [
    v1::EdgeKind::Calls,
    v1::EdgeKind::References,
    v1::EdgeKind::Extends,
    v1::EdgeKind::Implements,
    v1::EdgeKind::Handles,
];

/// The neighbours of the best matches.
#[derive(Debug, Default)]
pub(super) struct GraphNeighbours {
    /// The affinity of each definition to the best matches: the sum of confidence times relevance over its edges.
    pub(super) affinities: BTreeMap<NodeRef, f32>,
    /// Definitions that the search did not find, added by an edge.
    pub(super) added: Vec<ContextCandidate>,
}

/// Returns the direct neighbours of the best matches. `candidates` are sorted, best first.
pub(super) async fn neighbours_of(
    call: &CallContext<'_>,
    plan: &Plan,
    candidates: &[ContextCandidate],
) -> Answer<GraphNeighbours> {
    let seeds: BTreeMap<NodeRef, f32> = candidates
        .iter()
        .filter(|candidate| candidate.symbol.is_some())
        .take(MAX_SEEDS)
        .map(|candidate| (candidate.at, candidate.bounded_relevance))
        .collect();
    if seeds.is_empty() {
        return Answer::complete(GraphNeighbours::default());
    }
    let query = NeighbourQuery {
        direction: v1::Direction::Both,
        kinds: &KINDS,
        min_confidence: 0.0,
        limit: MAX_EDGES,
        page: None,
    };
    let found = call.neighbours(plan, &seeds.keys().copied().collect(), query).await;
    let affinities = affinities(&seeds, &found.value);
    let known: BTreeSet<NodeRef> = candidates.iter().map(|candidate| candidate.at).collect();
    let mut unknown: Vec<(NodeRef, f32)> =
        affinities.iter().map(|(at, affinity)| (*at, *affinity)).filter(|(at, _)| !known.contains(at)).collect();
    unknown.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    unknown.truncate(MAX_NEWCOMERS);
    let unknown = unknown.into_iter().map(|(at, _)| at).collect();
    let cards = call.describe(&plan.without(&found.shortfalls), &unknown).await.after(found.shortfalls);
    let added_candidate = |(at, card): (NodeRef, v1::NodeCard)| {
        Some(ContextCandidate::of_symbol(at.repo_idx, card.file?, card.symbol?, 0.0))
    };
    cards.map(|cards| GraphNeighbours { affinities, added: cards.into_iter().filter_map(added_candidate).collect() })
}

/// Returns the affinity of each definition to the seeds.
fn affinities(seeds: &BTreeMap<NodeRef, f32>, found: &BTreeMap<RepoIdx, v1::Neighbourhood>) -> BTreeMap<NodeRef, f32> {
    let mut affinities: BTreeMap<NodeRef, f32> = BTreeMap::new();
    for (repo_idx, neighbourhood) in found {
        // A fixed order makes the floating-point sums reproducible.
        let mut edges: Vec<&v1::GraphEdge> = neighbourhood.edges.iter().collect();
        edges.sort_by_key(|edge| (edge.from, edge.to, edge.kind));
        for edge in edges.into_iter().filter(|edge| edge.from != edge.to) {
            let [from, to] = [edge.from, edge.to].map(|node| NodeRef { repo_idx: *repo_idx, node });
            for (seed, other) in [(from, to), (to, from)] {
                if let Some(relevance) = seeds.get(&seed) {
                    *affinities.entry(other).or_default() += edge.confidence * relevance;
                }
            }
        }
    }
    affinities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_add_up_over_seeds_whatever_the_order_of_edges() {
        let at = |node| NodeRef { repo_idx: RepoIdx(0), node };
        let edge = |from, to, confidence| v1::GraphEdge { from, to, confidence, ..Default::default() };
        let edges = vec![edge(0, 2, 0.5), edge(1, 2, 1.0), edge(3, 0, 1.0), edge(0, 0, 1.0)];
        let seeds = BTreeMap::from([(at(0), 0.8), (at(1), 0.4)]);
        let of = |edges: Vec<v1::GraphEdge>| {
            affinities(&seeds, &BTreeMap::from([(RepoIdx(0), v1::Neighbourhood { edges, ..Default::default() })]))
        };
        let found = of(edges.clone());
        assert_eq!(found, BTreeMap::from([(at(2), 0.8), (at(3), 0.8)]));
        assert_eq!(found, of(edges.into_iter().rev().collect()));
    }
}
