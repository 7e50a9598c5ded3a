//! What the best matches use, and what uses them.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::candidate::Candidate;
use crate::{
    call::Call,
    nodes::{At, Step},
    plan::Plan,
};

/// Matches whose surroundings are looked at: what a question is about is among the first.
const MAX_SEEDS: usize = 8;

/// Edges of one of them, by direction and kind.
const MAX_EDGES: u32 = 30;

/// Definitions that come in by an edge alone.
const MAX_NEWCOMERS: usize = 100;

/// What makes one definition matter to another.
const KINDS: [v1::EdgeKind; 5] = [
    v1::EdgeKind::Calls,
    v1::EdgeKind::References,
    v1::EdgeKind::Extends,
    v1::EdgeKind::Implements,
    v1::EdgeKind::Handles,
];

/// What lies around the best matches.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// How much of what is relevant each definition is tied to: the sum of confidence times relevance over its edges.
    pub(super) ties: BTreeMap<At, f32>,
    /// Definitions that were not found by themselves.
    pub(super) newcomers: Vec<Candidate>,
}

/// Returns what lies one step around the best of the matches, which come best first.
pub(super) async fn around(call: &Call<'_>, plan: &mut Plan, candidates: &[Candidate]) -> Around {
    let seeds: BTreeMap<At, f32> = candidates
        .iter()
        .filter(|candidate| candidate.symbol.is_some())
        .take(MAX_SEEDS)
        .map(|candidate| (candidate.at, candidate.standing))
        .collect();
    if seeds.is_empty() {
        return Around::default();
    }
    let step = Step { direction: v1::Direction::Both, kinds: &KINDS, min_confidence: 0.0, limit: MAX_EDGES };
    let found = call.neighbours(plan, &seeds.keys().copied().collect(), step).await;
    let ties = ties(&seeds, &found);
    let known: BTreeSet<At> = candidates.iter().map(|candidate| candidate.at).collect();
    let mut unknown: Vec<(At, f32)> =
        ties.iter().map(|(at, tie)| (*at, *tie)).filter(|(at, _)| !known.contains(at)).collect();
    unknown.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    unknown.truncate(MAX_NEWCOMERS);
    let cards = call.describe(plan, &unknown.into_iter().map(|(at, _)| at).collect()).await;
    let newcomer =
        |(at, card): (At, v1::NodeCard)| Some(Candidate::of_symbol(at.position, card.file?, card.symbol?, 0.0));
    let newcomers = cards.into_iter().filter_map(newcomer).collect();
    Around { ties, newcomers }
}

/// Returns how much each definition is tied to the seeds.
fn ties(seeds: &BTreeMap<At, f32>, found: &BTreeMap<usize, v1::Neighbourhood>) -> BTreeMap<At, f32> {
    let mut ties: BTreeMap<At, f32> = BTreeMap::new();
    for (position, neighbourhood) in found {
        // In one order, so that sums are equal to the bit.
        let mut edges: Vec<&v1::GraphEdge> = neighbourhood.edges.iter().collect();
        edges.sort_by_key(|edge| (edge.from, edge.to, edge.kind));
        for edge in edges.into_iter().filter(|edge| edge.from != edge.to) {
            let [from, to] = [edge.from, edge.to].map(|node| At { position: *position, node });
            for (seed, other) in [(from, to), (to, from)] {
                if let Some(relevance) = seeds.get(&seed) {
                    *ties.entry(other).or_default() += edge.confidence * relevance;
                }
            }
        }
    }
    ties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_add_up_over_seeds_whatever_the_order_of_edges() {
        let at = |node| At { position: 0, node };
        let edge = |from, to, confidence| v1::GraphEdge { from, to, confidence, ..Default::default() };
        let edges = vec![edge(0, 2, 0.5), edge(1, 2, 1.0), edge(3, 0, 1.0), edge(0, 0, 1.0)];
        let seeds = BTreeMap::from([(at(0), 0.8), (at(1), 0.4)]);
        let of = |edges: Vec<v1::GraphEdge>| {
            ties(&seeds, &BTreeMap::from([(0, v1::Neighbourhood { edges, ..Default::default() })]))
        };
        let found = of(edges.clone());
        assert_eq!(found, BTreeMap::from([(at(2), 0.8), (at(3), 0.8)]));
        assert_eq!(found, of(edges.into_iter().rev().collect()));
    }
}
