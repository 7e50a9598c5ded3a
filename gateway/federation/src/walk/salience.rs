//! Salience: factors that demote nodes which are near the root but unrelated to it.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1::{Domain, EdgeKind};

use super::{
    Neighbourhood, Relation, WalkEdge,
    reach::connected_by_use,
    weights::{Intent, Weights},
};
use crate::nodes::NodeRef;

/// Factor of nodes related only by a common container: sibling fields, functions within tests.
const BYSTANDER: f64 = 0.1;

/// Factor of files: an importing or defining file is less relevant than the functions that use the root.
const FILE: f64 = 0.25;

/// Factor of tests of other nodes, which share a callee with the root.
const OTHER_TEST: f64 = 0.3;

/// Factor of nodes that neither use the root nor are used by it, directly or indirectly.
const COMPANION: f64 = 0.3;

/// Returns the factors below 1 of the collected nodes.
pub(super) fn salience(found: &Neighbourhood, roots: &[NodeRef], weights: &Weights) -> BTreeMap<NodeRef, f64> {
    let hops = |at: &NodeRef| found.nodes.get(at).map_or(u32::MAX, |met| met.hops);
    let containers: BTreeSet<NodeRef> = found
        .edges
        .iter()
        .filter(|edge| is_definition(edge) && roots.contains(&edge.to))
        .map(|edge| edge.from)
        .collect();
    // The intent `add` wants siblings of the root.
    let wants_siblings = weights.intent() == Some(Intent::Add);
    let counts = |edge: &WalkEdge| {
        let is_beside = wants_siblings && containers.contains(&edge.from);
        !is_definition(edge) || is_beside || [edge.from, edge.to].iter().any(|end| roots.contains(end))
    };
    let mut tied: BTreeSet<NodeRef> = BTreeSet::new();
    for edge in found.edges.iter().filter(|edge| counts(edge)) {
        for (at, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if hops(&other) < hops(&at) {
                tied.insert(at);
            }
        }
    }
    let connected = connected_by_use(found, roots);
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
            true if !connected.contains(at) && node.domain() != Domain::Docs => COMPANION,
            _ => 1.0,
        };
        let factor: f64 = by_tie * by_kind * by_class;
        if factor < 1.0 {
            factors.insert(*at, factor);
        }
    }
    factors
}

fn is_definition(edge: &WalkEdge) -> bool {
    edge.relation == Relation::Within(EdgeKind::Defines)
}
