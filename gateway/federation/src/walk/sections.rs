//! The relation of each node to the root: caller, callee or related.

use std::collections::HashMap;

use serde::Serialize;

use super::{Neighbourhood, WalkEdge, rank::RankedNode, reach::users_and_callees};
use crate::nodes::NodeRef;

/// The section of an answer that lists a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WalkSection {
    /// Direct and indirect users of the root.
    Callers,
    /// Nodes that the root calls, directly or indirectly.
    Callees,
    /// All tests, and nodes that neither use the root nor are called by it.
    Related,
}

/// A ranked node, and its relation to the root.
#[derive(Debug, Clone, Copy)]
pub struct PlacedNode<'a> {
    /// The node with its relevance.
    pub ranked: RankedNode,
    /// The section that lists it.
    pub section: WalkSection,
    /// The edge on its shortest path to the root.
    pub edge: Option<&'a WalkEdge>,
}

/// Returns the section of every ranked node, in the same order.
///
/// Callers reach the root along calls, references and links, directly or indirectly; the root reaches its callees along calls.
/// Members belong to their type or file: a caller of a method is a caller of its type. Tests are related, since nothing depends
/// on them.
pub fn place<'a>(found: &'a Neighbourhood, roots: &[NodeRef], ranked: &[RankedNode]) -> Vec<PlacedNode<'a>> {
    let (up, down) = users_and_callees(found, roots);
    let nearest = nearest(found);
    let placed = |ranked: &RankedNode| {
        let at = ranked.at;
        let is_test = found.nodes.get(&at).and_then(|met| met.node.as_ref()).is_some_and(|node| node.is_test);
        let (above, below) = (up.get(&at), down.get(&at));
        let (section, edge) = match (above, below) {
            _ if is_test => (WalkSection::Related, nearest.get(&at).copied()),
            (Some((n_up, edge)), Some((n_down, _))) if n_up <= n_down => (WalkSection::Callers, Some(*edge)),
            (_, Some((_, edge))) => (WalkSection::Callees, Some(*edge)),
            (Some((_, edge)), None) => (WalkSection::Callers, Some(*edge)),
            (None, None) => (WalkSection::Related, nearest.get(&at).copied()),
        };
        PlacedNode { ranked: *ranked, section, edge }
    };
    ranked.iter().map(placed).collect()
}

/// Returns the most confident edge of each node to a node that is nearer to the root.
fn nearest(found: &Neighbourhood) -> HashMap<NodeRef, &WalkEdge> {
    let hops = |at: &NodeRef| found.nodes.get(at).map_or(u32::MAX, |met| met.hops);
    let mut nearest: HashMap<NodeRef, &WalkEdge> = HashMap::new();
    for edge in &found.edges {
        for (at, other) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if hops(&other) >= hops(&at) {
                continue;
            }
            let better = |known: &&WalkEdge| known.confidence >= edge.confidence;
            if !nearest.get(&at).is_some_and(better) {
                nearest.insert(at, edge);
            }
        }
    }
    nearest
}
