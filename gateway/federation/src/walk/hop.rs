//! One hop of a walk: the edges at a frontier, within repositories and along links.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{CERTAIN, Relation, WalkEdge, WalkScope};
use crate::{
    answer::Answer,
    call::CallContext,
    nodes::{NeighbourQuery, NodeRef},
    overlay::{CrossRepoEdge, Overlay},
    plan::Plan,
};

/// The edges of one hop, and the nodes at their ends.
pub struct HopResult {
    /// By source, target, relation and line.
    pub edges: Vec<WalkEdge>,
    /// The frontier, and the ends of edges within repositories. Ends of links may be missing.
    pub nodes: BTreeMap<NodeRef, v1::GraphNode>,
    /// Number of edges beyond the limit of each node.
    pub n_omitted: u64,
}

/// Returns the edges at a frontier, within repositories and between them.
pub async fn hop(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    frontier: &BTreeSet<NodeRef>,
    way: &WalkScope<'_>,
    limit: u32,
) -> Answer<HopResult> {
    let min_confidence = if way.include_inferred { 0.0 } else { CERTAIN };
    let step = NeighbourQuery { direction: way.direction, kinds: way.kinds, min_confidence, limit, page: None };
    let Answer { value: replies, shortfalls } = call.neighbours(plan, frontier, step).await;
    let mut hop = HopResult { edges: Vec::new(), nodes: BTreeMap::new(), n_omitted: 0 };
    for (repo_idx, reply) in replies {
        hop.n_omitted = hop.n_omitted.saturating_add(reply.omitted);
        hop.edges.extend(reply.edges.iter().map(|edge| WalkEdge::from_graph_edge(repo_idx, edge)));
        hop.nodes.extend(reply.nodes.into_iter().map(|node| (NodeRef { repo_idx, node: node.id }, node)));
    }
    for at in frontier {
        let mut of_node = cross_edges(overlay, call, *at, way, false);
        of_node.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.order().cmp(&b.order())));
        hop.n_omitted += of_node.len().saturating_sub(limit as usize) as u64;
        of_node.truncate(limit as usize);
        hop.edges.extend(of_node);
    }
    hop.edges = hop.edges.into_iter().map(WalkEdge::into_step).collect();
    hop.edges.retain(|edge| way.include_inferred || !edge.is_inferred());
    hop.edges.sort_by(|a, b| a.order().cmp(&b.order()).then(b.confidence.total_cmp(&a.confidence)));
    Answer { value: hop, shortfalls }
}

/// Returns the links at a node that a walk takes. `has_implementations` adds those from a method to the methods that implement it.
pub(super) fn cross_edges(
    overlay: &Overlay,
    call: &CallContext<'_>,
    at: NodeRef,
    way: &WalkScope<'_>,
    has_implementations: bool,
) -> Vec<WalkEdge> {
    let is_dispatch = |cross_edge: &CrossRepoEdge<'_>| cross_edge.link.use_kind == Some(graph::EdgeKind::Dispatch);
    let goes_there = |cross_edge: &CrossRepoEdge<'_>| match way.direction {
        v1::Direction::Out => cross_edge.from == at,
        // The server of an rpc depends on its definition like its callers.
        v1::Direction::In => {
            cross_edge.to == at || cross_edge.link.serves && (has_implementations || !is_dispatch(cross_edge))
        }
        _ => true,
    };
    let may_enter = |cross_edge: &CrossRepoEdge<'_>| {
        [cross_edge.from, cross_edge.to].iter().all(|end| way.enter.contains(&end.repo_idx))
    };
    let is_wanted = |edge: &WalkEdge| match edge.relation {
        // An import of a name of another repository breaks with it.
        Relation::Use(v1::EdgeKind::Imports) => true,
        Relation::Use(kind) => way.kinds.is_empty() || way.kinds.contains(&kind),
        _ => true,
    };
    overlay
        .edges_at(at, &call.visible)
        .filter(|cross_edge| goes_there(cross_edge) && may_enter(cross_edge))
        .map(|cross_edge| WalkEdge::of_cross_repo_edge(&cross_edge))
        .filter(|edge| is_wanted(edge) && (way.include_inferred || !edge.is_inferred()))
        .collect()
}
