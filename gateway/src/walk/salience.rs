//! How much of its rank a node is worth to a reader: what merely stands nearby crowds out nobody.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1::{Domain, EdgeKind};

use super::{
    Edge, Neighbourhood, Relation, sections,
    weights::{Intent, Weights},
};
use crate::nodes::At;

/// For what stands in the same container as something else that was met, and has nothing to do with the root by itself:
/// sibling fields, functions within tests.
const BYSTANDER: f64 = 0.1;

/// For files: one that imports, or defines, says less than the functions that use.
const FILE: f64 = 0.25;

/// For tests of something else than the root, which share a callee with it or the like.
const OTHER_TEST: f64 = 0.3;

/// For what neither uses the root nor is used by it, over whatever: who shares a callee or a caller with it.
const COMPANION: f64 = 0.3;

/// Returns the factor of each node that was met; whatever is not in it counts in full.
pub(super) fn salience(found: &Neighbourhood, roots: &[At], weights: &Weights) -> BTreeMap<At, f64> {
    let hops = |at: &At| found.nodes.get(at).map_or(u32::MAX, |met| met.hops);
    let containers: BTreeSet<At> = found
        .edges
        .iter()
        .filter(|edge| is_definition(edge) && roots.contains(&edge.to))
        .map(|edge| edge.from)
        .collect();
    // Who adds something looks for what stands beside the root.
    let wants_siblings = weights.intent() == Some(Intent::Add);
    let counts = |edge: &Edge| {
        let is_beside = wants_siblings && containers.contains(&edge.from);
        !is_definition(edge) || is_beside || [edge.from, edge.to].iter().any(|end| roots.contains(end))
    };
    let mut tied: BTreeSet<At> = BTreeSet::new();
    for edge in found.edges.iter().filter(|edge| counts(edge)) {
        for (at, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if hops(&other) < hops(&at) {
                tied.insert(at);
            }
        }
    }
    let on_the_way = sections::on_the_way(found, roots);
    let mut factors = BTreeMap::new();
    for (at, met) in &found.nodes {
        let Some(node) = &met.node else { continue };
        let by_tie = if tied.contains(at) || met.hops == 0 { 1.0 } else { BYSTANDER };
        let by_kind = match node.kind.as_str() {
            "file" if node.domain() != Domain::Docs => FILE,
            _ => 1.0,
        };
        let by_class = match met.hops > 1 {
            true if node.is_test => OTHER_TEST,
            true if !on_the_way.contains(at) && node.domain() != Domain::Docs => COMPANION,
            _ => 1.0,
        };
        let factor: f64 = by_tie * by_kind * by_class;
        if factor < 1.0 {
            factors.insert(*at, factor);
        }
    }
    factors
}

fn is_definition(edge: &Edge) -> bool {
    edge.relation == Relation::Within(EdgeKind::Defines)
}
