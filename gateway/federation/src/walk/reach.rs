//! Reachability: the nodes that use the roots, and those that the roots call, directly and indirectly.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use proto::v1::EdgeKind;

use super::{Neighbourhood, Relation, WalkEdge};
use crate::nodes::NodeRef;

/// Reached nodes, each with its distance and its last edge.
pub(super) type ReachedNodes<'a> = HashMap<NodeRef, (u32, &'a WalkEdge)>;

/// Returns the direct and indirect users and callees of the roots.
pub(super) fn connected_by_use(found: &Neighbourhood, roots: &[NodeRef]) -> BTreeSet<NodeRef> {
    let (up, down) = users_and_callees(found, roots);
    up.into_keys().chain(down.into_keys()).collect()
}

/// Returns the direct and indirect users of the roots, and their direct and indirect callees.
pub(super) fn users_and_callees<'a>(
    found: &'a Neighbourhood,
    roots: &[NodeRef],
) -> (ReachedNodes<'a>, ReachedNodes<'a>) {
    let is_use = |edge: &WalkEdge| {
        edge.relation.is_call()
            || matches!(
                edge.relation,
                Relation::Within(EdgeKind::References | EdgeKind::Accesses)
                    | Relation::Use(EdgeKind::References | EdgeKind::Accesses)
            )
    };
    let sources = with_members(found, roots);
    let up = reached(found, &sources, |edge| is_use(edge).then_some((edge.to, edge.from)));
    let down = reached(found, &sources, |edge| edge.relation.is_call().then_some((edge.from, edge.to)));
    (up, down)
}

/// Returns the roots and their members.
fn with_members(found: &Neighbourhood, roots: &[NodeRef]) -> Vec<NodeRef> {
    let is_member =
        |edge: &&WalkEdge| edge.relation == Relation::Within(EdgeKind::Defines) && roots.contains(&edge.from);
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
