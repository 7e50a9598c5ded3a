//! All users of some nodes, fetched page by page: a function may have thousands.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{HopResult, Relation, WalkEdge, WalkScope, hop::cross_edges};
use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    nodes::{NeighbourQuery, NodeRef},
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of edges of one kind of fetch, over all pages. No definition of the largest repositories has more users.
const MAX_EDGES: usize = 200_000;

/// Maximum number of edges and further lines of a page: a message of about a megabyte.
const PAGE_SIZE: u32 = 20_000;

/// Maximum number of nodes of a request.
const MAX_NODES_OF_REQUEST: usize = 10_000;

const DISPATCH: [v1::EdgeKind; 1] = [v1::EdgeKind::Dispatch];
const CALLS: [v1::EdgeKind; 1] = [v1::EdgeKind::Calls];

/// All users of the roots.
pub(super) struct RootUsers {
    /// The edges of direct users, and of the methods that implement a root.
    pub(super) direct: HopResult,
    /// The calls of methods that a root overrides or implements, as edges to this root.
    pub(super) by_dispatch: Vec<WalkEdge>,
    /// The methods that a root overrides or implements.
    pub(super) declarations: BTreeSet<NodeRef>,
}

/// The fetched part of the edges of some nodes.
#[derive(Default)]
struct FetchedEdges {
    edges: Vec<WalkEdge>,
    nodes: BTreeMap<NodeRef, v1::GraphNode>,
    n_omitted: u64,
}

/// Returns all users of the roots.
pub(super) async fn root_users(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    roots: &BTreeSet<NodeRef>,
    way: &WalkScope<'_>,
) -> Answer<RootUsers> {
    let mut shortfalls = Shortfalls::default();
    let min_confidence = if way.include_inferred { 0.0 } else { super::CERTAIN };
    let query = |direction, kinds| NeighbourQuery { direction, kinds, min_confidence, limit: 0, page: None };
    let used = all_edges(call, plan, roots, query(v1::Direction::In, way.kinds)).await;
    shortfalls.extend(used.shortfalls);
    let FetchedEdges { edges, mut nodes, mut n_omitted } = used.value;
    let (declared, mut edges): (Vec<WalkEdge>, Vec<WalkEdge>) =
        edges.into_iter().partition(|edge| edge.relation == Relation::Within(v1::EdgeKind::Dispatch));
    let mut declarations: Vec<WalkEdge> = declared;
    for root in roots {
        let crossing = cross_edges(overlay, call, *root, way, true);
        let is_declaration =
            |edge: &WalkEdge| edge.relation == Relation::Use(v1::EdgeKind::Dispatch) && edge.to == *root;
        let (of_root, users): (Vec<WalkEdge>, Vec<WalkEdge>) = crossing.into_iter().partition(is_declaration);
        declarations.extend(of_root);
        edges.extend(users);
    }
    let mut by_dispatch = Vec::new();
    if way.kinds.contains(&v1::EdgeKind::Dispatch) {
        let remaining = plan.without(&shortfalls);
        let implementing = all_edges(call, &remaining, roots, query(v1::Direction::Out, &DISPATCH)).await;
        shortfalls.extend(implementing.shortfalls);
        n_omitted += implementing.value.n_omitted;
        edges.extend(implementing.value.edges);
        nodes.extend(implementing.value.nodes);
    }
    declarations.retain(|edge| way.include_inferred && way.enter.contains(&edge.from.repo_idx));
    let declared: BTreeSet<NodeRef> = declarations.iter().map(|edge| edge.from).collect();
    if !declared.is_empty() && way.depth > 1 {
        let remaining = plan.without(&shortfalls);
        let called = all_edges(call, &remaining, &declared, query(v1::Direction::In, &CALLS)).await;
        shortfalls.extend(called.shortfalls);
        n_omitted += called.value.n_omitted;
        nodes.extend(called.value.nodes);
        let crossing = declared.iter().flat_map(|at| cross_edges(overlay, call, *at, way, false));
        let is_call = |edge: &WalkEdge| edge.relation == Relation::Use(v1::EdgeKind::Calls);
        let calls: Vec<WalkEdge> = called.value.edges.into_iter().chain(crossing.filter(is_call)).collect();
        by_dispatch = dispatched(&calls, &declarations, roots);
    }
    edges.retain(|edge| way.include_inferred || !edge.is_inferred());
    let direct = HopResult { edges, nodes, n_omitted };
    Answer { value: RootUsers { direct, by_dispatch, declarations: declared }, shortfalls }
}

/// Returns the calls of declarations as edges to the methods that implement them.
fn dispatched(calls: &[WalkEdge], declarations: &[WalkEdge], roots: &BTreeSet<NodeRef>) -> Vec<WalkEdge> {
    let mut methods: BTreeMap<NodeRef, Vec<NodeRef>> = BTreeMap::new();
    declarations.iter().for_each(|edge| methods.entry(edge.from).or_default().push(edge.to));
    let of_call = |call: &WalkEdge| {
        let methods = methods.get(&call.to).into_iter().flatten();
        let edges: Vec<WalkEdge> = methods.map(|method| call.dispatched_to(*method)).collect();
        edges
    };
    calls.iter().filter(|call| !roots.contains(&call.from)).flat_map(of_call).collect()
}

/// Returns all edges of some nodes within their repositories, up to the maximum.
async fn all_edges(
    call: &CallContext<'_>,
    plan: &Plan,
    nodes: &BTreeSet<NodeRef>,
    query: NeighbourQuery<'_>,
) -> Answer<FetchedEdges> {
    let mut by_repo: BTreeMap<RepoIdx, Vec<NodeRef>> = BTreeMap::new();
    nodes.iter().for_each(|at| by_repo.entry(at.repo_idx).or_default().push(*at));
    let (mut found, mut shortfalls) = (FetchedEdges::default(), Shortfalls::default());
    for (repo_idx, nodes) in by_repo {
        for part in nodes.chunks(MAX_NODES_OF_REQUEST) {
            let part: BTreeSet<NodeRef> = part.iter().copied().collect();
            let mut offset = 0;
            loop {
                let page = Some((offset, PAGE_SIZE));
                let remaining = plan.without(&shortfalls);
                let reply = call.neighbours(&remaining, &part, NeighbourQuery { page, ..query }).await;
                shortfalls.extend(reply.shortfalls);
                let Some(page) = reply.value.into_values().next() else { break };
                let n_edges = page.edges.len();
                offset += n_edges as u64;
                found.edges.extend(page.edges.iter().map(|edge| WalkEdge::from_graph_edge(repo_idx, edge)));
                let nodes = page.nodes.into_iter().map(|node| (NodeRef { repo_idx, node: node.id }, node));
                found.nodes.extend(nodes);
                if page.omitted == 0 || n_edges == 0 || found.edges.len() >= MAX_EDGES {
                    found.n_omitted = found.n_omitted.saturating_add(page.omitted);
                    break;
                }
            }
        }
    }
    Answer { value: found, shortfalls }
}

/// Returns the properties of nodes that a walk needs, a bounded number of nodes a request.
pub(super) async fn properties(
    call: &CallContext<'_>,
    plan: &Plan,
    nodes: &BTreeSet<NodeRef>,
) -> Answer<BTreeMap<NodeRef, v1::GraphNode>> {
    // No edge has a confidence above 1: the reply has the nodes of the frontier alone.
    let query = NeighbourQuery {
        direction: v1::Direction::Out,
        kinds: &DISPATCH,
        min_confidence: f32::MAX,
        limit: 1,
        page: None,
    };
    let (mut found, mut shortfalls) = (BTreeMap::new(), Shortfalls::default());
    let nodes: Vec<NodeRef> = nodes.iter().copied().collect();
    for part in nodes.chunks(MAX_NODES_OF_REQUEST) {
        let reply = call.neighbours(&plan.without(&shortfalls), &part.iter().copied().collect(), query).await;
        shortfalls.extend(reply.shortfalls);
        for (repo_idx, neighbourhood) in reply.value {
            let of_repo = neighbourhood.nodes.into_iter().map(|node| (NodeRef { repo_idx, node: node.id }, node));
            found.extend(of_repo);
        }
    }
    Answer { value: found, shortfalls }
}
