//! What a node is to the root: who calls it, what it calls, and what else has to do with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::Serialize;

use super::{Neighbourhood, Relation, WalkEdge, rank::RankedNode};
use crate::nodes::NodeRef;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WalkSection {
    Callers,
    Callees,
    Related,
}

/// A ranked node, and its relation to the root.
#[derive(Debug, Clone, Copy)]
pub struct PlacedNode<'a> {
    pub ranked: RankedNode,
    pub section: WalkSection,
    /// The edge on its shortest path to the root.
    pub edge: Option<&'a WalkEdge>,
}

/// Reached nodes, each with its distance and its last edge.
type ReachedNodes<'a> = HashMap<NodeRef, (u32, &'a WalkEdge)>;

/// Says of every ranked node what it is to the root, in the same order.
///
/// Callers are those from whom calls, references and links lead to the root, be it over others; callees those to whom
/// calls lead from it. What a type or file defines belongs to it: who calls a method calls the type. Tests are related:
/// they call, but nobody depends on them.
pub fn place<'a>(found: &'a Neighbourhood, roots: &[NodeRef], ranked: &[RankedNode]) -> Vec<PlacedNode<'a>> {
    let (up, down) = ways(found, roots);
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

/// Returns the direct and indirect users and callees of the roots.
pub(super) fn on_the_way(found: &Neighbourhood, roots: &[NodeRef]) -> BTreeSet<NodeRef> {
    let (up, down) = ways(found, roots);
    up.into_keys().chain(down.into_keys()).collect()
}

/// Returns what is reached from the roots against the direction of uses, and along that of calls.
fn ways<'a>(found: &'a Neighbourhood, roots: &[NodeRef]) -> (ReachedNodes<'a>, ReachedNodes<'a>) {
    let is_use = |edge: &WalkEdge| {
        edge.relation.is_call() || matches!(edge.relation, Relation::Within(proto::v1::EdgeKind::References))
    };
    let sources = with_members(found, roots);
    let up = reached(found, &sources, |edge| is_use(edge).then_some((edge.to, edge.from)));
    let down = reached(found, &sources, |edge| edge.relation.is_call().then_some((edge.from, edge.to)));
    (up, down)
}

/// Returns the roots and their members.
fn with_members(found: &Neighbourhood, roots: &[NodeRef]) -> Vec<NodeRef> {
    let is_member = |edge: &&WalkEdge| {
        edge.relation == Relation::Within(proto::v1::EdgeKind::Defines) && roots.contains(&edge.from)
    };
    let members = found.edges.iter().filter(is_member).map(|edge| edge.to);
    roots.iter().copied().chain(members).collect()
}

/// Returns what is reached from the roots along edges in one direction: in how many steps, and by which edge.
fn reached<'a>(
    found: &'a Neighbourhood,
    sources: &[NodeRef],
    step: impl Fn(&WalkEdge) -> Option<(NodeRef, NodeRef)>,
) -> ReachedNodes<'a> {
    let mut next: BTreeMap<NodeRef, Vec<(NodeRef, &WalkEdge)>> = BTreeMap::new();
    for edge in &found.edges {
        if let Some((here, there)) = step(edge) {
            next.entry(here).or_default().push((there, edge));
        }
    }
    let mut reached: ReachedNodes<'_> = HashMap::new();
    let mut queue: VecDeque<(NodeRef, u32)> = sources.iter().map(|source| (*source, 0)).collect();
    while let Some((here, n_steps)) = queue.pop_front() {
        for (there, edge) in next.get(&here).into_iter().flatten() {
            if sources.contains(there) || reached.contains_key(there) {
                continue;
            }
            reached.insert(*there, (n_steps + 1, edge));
            queue.push_back((*there, n_steps + 1));
        }
    }
    reached
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
