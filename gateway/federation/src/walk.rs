//! Walks over the code graphs of all repositories: expands the neighbourhood of some roots hop by hop, across repositories along
//! links. Each hop takes one call per worker.

pub mod chain;
pub mod contract;
mod edge;
mod hop;
pub mod impact;
pub mod rank;
mod reach;
mod relation;
mod salience;
pub mod sections;
pub mod tiers;
mod users;
pub mod weights;

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
};
use weights::Weights;

pub use edge::{LinkEvidence, WalkEdge};
pub use hop::{HopResult, hop};
pub use relation::Relation;

/// Maximum number of nodes of a walk: more than the largest budget can show.
const MAX_NODES: usize = 1_000;

/// Maximum number of nodes to expand per hop; the others are collected but not expanded.
const MAX_FRONTIER: usize = 100;

/// Maximum number of edges per root, direction and kind, in walks that collect context: of a function with 5,000 callers, a sample
/// suffices.
const EDGES_OF_ROOT: u32 = 200;

/// Maximum number of edges per other node, direction and kind, in walks that collect context.
pub const OF_THE_NEAREST: u32 = 30;

/// The same in walks that assess impact, after the first hop.
const OF_ALL: u32 = 200;

/// Minimum confidence of an edge that counts as certain rather than inferred.
pub const CERTAIN: f32 = graph::CERTAIN;

/// All kinds of edges but accesses. The users of a common field are many, and have little else in common.
pub const ALL_BUT_ACCESSES: [v1::EdgeKind; 9] = [
    v1::EdgeKind::Calls,
    v1::EdgeKind::Imports,
    v1::EdgeKind::Extends,
    v1::EdgeKind::Implements,
    v1::EdgeKind::References,
    v1::EdgeKind::Tests,
    v1::EdgeKind::Handles,
    v1::EdgeKind::Documents,
    v1::EdgeKind::Defines,
];

/// The bounds and the direction of a walk.
pub struct WalkScope<'a> {
    /// Maximum number of hops from the roots.
    pub depth: usize,
    /// `Out` leads to used nodes, `In` to users.
    pub direction: v1::Direction,
    /// Empty for all.
    pub kinds: &'a [v1::EdgeKind],
    /// True to follow inferred edges too: routes, HTTP calls, and edges with less confidence than `CERTAIN`.
    pub include_inferred: bool,
    /// The repositories that it may enter, those of its roots among them.
    pub enter: &'a BTreeSet<RepoIdx>,
    /// They decide which new nodes are collected and expanded first.
    pub weights: &'a Weights,
}

/// The nodes and edges that a walk collected.
#[derive(Debug, Default, PartialEq)]
pub struct Neighbourhood {
    /// The roots included.
    pub nodes: BTreeMap<NodeRef, WalkNode>,
    /// Edges between collected nodes, each once, in order.
    pub edges: Vec<WalkEdge>,
    /// Number of edges omitted because of the limits.
    pub n_omitted: u64,
    /// Number of edges to direct users omitted because of the limits.
    pub n_direct_omitted: u64,
    /// The methods that a root overrides or implements, if the walk looked for them.
    pub declarations: BTreeSet<NodeRef>,
    /// True if nodes were dropped or not expanded because of the limits.
    pub is_cut: bool,
}

/// A node that a walk collected.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WalkNode {
    /// The distance from the nearest root, in edges.
    pub hops: u32,
    /// Unset if no worker could describe it.
    pub node: Option<v1::GraphNode>,
}

/// Collects the neighbourhood of `roots` within the bounds above.
pub async fn walk(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    roots: &[NodeRef],
    way: &WalkScope<'_>,
    n_edges: u32,
) -> Answer<Neighbourhood> {
    walk_from(call, plan, overlay, roots, way.kinds, way, n_edges).await
}

/// Walks as [`walk`] does, along other kinds of edges from the roots.
pub async fn walk_from(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    roots: &[NodeRef],
    kinds_of_roots: &[v1::EdgeKind],
    way: &WalkScope<'_>,
    n_edges: u32,
) -> Answer<Neighbourhood> {
    let mut progress = WalkProgress::new(roots);
    let mut shortfalls = Shortfalls::default();
    if way.depth > 0 {
        let first = WalkScope { kinds: kinds_of_roots, ..*way };
        let hop = hop(call, plan, overlay, &progress.frontier, &first, EDGES_OF_ROOT).await;
        shortfalls.extend(hop.shortfalls);
        progress.collect(hop.value, 1, &first, MAX_NODES);
    }
    progress.expand_further(call, plan, overlay, way, n_edges, shortfalls).await
}

/// Collects all users of `roots`, and the users of these within the bounds above. Methods that implement a root are among its users, and
/// so are the callers of methods that a root overrides or implements: by dispatch, two edges away.
pub async fn walk_users(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    roots: &[NodeRef],
    way: &WalkScope<'_>,
) -> Answer<Neighbourhood> {
    let mut progress = WalkProgress::new(roots);
    let Answer { value: users, shortfalls } = users::root_users(call, plan, overlay, &progress.frontier, way).await;
    progress.found.n_direct_omitted = users.direct.n_omitted;
    progress.found.declarations = users.declarations;
    progress.collect(users.direct, 1, way, usize::MAX);
    progress.collect_dispatched(users.by_dispatch);
    progress.expand_further(call, plan, overlay, way, OF_ALL, shortfalls).await
}

/// The state of a walk between two hops.
struct WalkProgress {
    found: Neighbourhood,
    strengths: BTreeMap<NodeRef, f64>,
    frontier: BTreeSet<NodeRef>,
    /// Nodes that are two edges away from a root without a node between: they are expanded one hop later.
    dispatched: BTreeSet<NodeRef>,
}

impl WalkProgress {
    fn new(roots: &[NodeRef]) -> WalkProgress {
        let nodes = roots.iter().map(|root| (*root, WalkNode::default())).collect();
        WalkProgress {
            found: Neighbourhood { nodes, ..Neighbourhood::default() },
            strengths: roots.iter().map(|root| (*root, 1.0)).collect(),
            frontier: roots.iter().copied().collect(),
            dispatched: BTreeSet::new(),
        }
    }

    /// Adds the result of a hop, with at most `room` new nodes.
    fn collect(&mut self, hop: HopResult, hops: u32, way: &WalkScope<'_>, room: usize) {
        let HopResult { edges, nodes, n_omitted } = hop;
        let found = &mut self.found;
        found.n_omitted = found.n_omitted.saturating_add(n_omitted);
        let fresh = discovered_nodes(found, &self.strengths, &edges, &nodes, way.weights);
        found.is_cut |= fresh.len() > room.min(MAX_FRONTIER) && hops < way.depth as u32 || fresh.len() > room;
        self.frontier = fresh.iter().take(room.min(MAX_FRONTIER)).map(|(at, _)| *at).collect();
        for (at, strength) in fresh.into_iter().take(room) {
            self.strengths.insert(at, strength);
            found.nodes.insert(at, WalkNode { hops, node: None });
        }
        for (at, node) in nodes {
            if let Some(met) = found.nodes.get_mut(&at) {
                met.node = Some(node);
            }
        }
        found.edges.extend(edges);
    }

    /// Adds the callers of the methods that a root overrides or implements.
    fn collect_dispatched(&mut self, edges: Vec<WalkEdge>) {
        for edge in &edges {
            self.found.nodes.entry(edge.from).or_insert_with(|| WalkNode { hops: edge.length(), node: None });
            let strength = self.strengths.entry(edge.from).or_insert(0.0);
            *strength = strength.max(f64::from(edge.confidence));
        }
        let mut strongest = edges.iter().collect::<Vec<_>>();
        strongest.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.order().cmp(&b.order())));
        self.dispatched = strongest.iter().take(MAX_FRONTIER).map(|edge| edge.from).collect();
        self.found.edges.extend(edges);
    }

    /// Takes the hops after the first one, and describes the nodes that were found through links.
    async fn expand_further(
        mut self,
        call: &CallContext<'_>,
        plan: &Plan,
        overlay: &Overlay,
        way: &WalkScope<'_>,
        n_edges: u32,
        mut shortfalls: Shortfalls,
    ) -> Answer<Neighbourhood> {
        let n_first = if self.found.nodes.len() > MAX_NODES { self.found.nodes.len() } else { 0 };
        for hops in 2..=way.depth as u32 {
            if hops == 3 {
                self.frontier.append(&mut self.dispatched);
            }
            if self.frontier.is_empty() && self.dispatched.is_empty() {
                break;
            }
            let hop = hop(call, &plan.without(&shortfalls), overlay, &self.frontier, way, n_edges).await;
            shortfalls.extend(hop.shortfalls);
            let room = (n_first + MAX_NODES).saturating_sub(self.found.nodes.len());
            self.collect(hop.value, hops, way, room);
        }
        let mut found = self.found;
        let nodes = &found.nodes;
        found.edges.retain(|edge| nodes.contains_key(&edge.from) && nodes.contains_key(&edge.to));
        found.edges.sort_by(|a, b| a.order().cmp(&b.order()).then(b.confidence.total_cmp(&a.confidence)));
        found.edges.dedup_by(|next, first| {
            let is_same = (next.from, next.to, next.relation) == (first.from, first.to, first.relation);
            if is_same {
                first.absorb(next);
            }
            is_same
        });
        let unknown = found.nodes.iter().filter(|(_, met)| met.node.is_none()).map(|(at, _)| *at).collect();
        let described = users::properties(call, &plan.without(&shortfalls), &unknown).await.after(shortfalls);
        for (at, node) in described.value {
            if let Some(met) = found.nodes.get_mut(&at) {
                met.node = Some(node);
            }
        }
        Answer { value: found, shortfalls: described.shortfalls }
    }
}

/// Returns the nodes that a hop discovers, the strongest first.
fn discovered_nodes(
    found: &Neighbourhood,
    strengths: &BTreeMap<NodeRef, f64>,
    edges: &[WalkEdge],
    nodes: &BTreeMap<NodeRef, v1::GraphNode>,
    weights: &Weights,
) -> Vec<(NodeRef, f64)> {
    let mut fresh: BTreeMap<NodeRef, f64> = BTreeMap::new();
    for edge in edges {
        for (here, there, is_along) in [(edge.from, edge.to, true), (edge.to, edge.from, false)] {
            if found.nodes.contains_key(&there) {
                continue;
            }
            let Some(strength) = strengths.get(&here) else { continue };
            let reached = strength * weights.of(edge.relation, is_along) * f64::from(edge.confidence);
            let best = fresh.entry(there).or_default();
            *best = best.max(reached);
        }
    }
    let importance = |at: &NodeRef| nodes.get(at).map_or(0.0, |node| node.importance);
    let mut fresh: Vec<(NodeRef, f64)> = fresh.into_iter().collect();
    fresh.sort_by(|(a, a_strength), (b, b_strength)| {
        let by_strength = b_strength.total_cmp(a_strength);
        by_strength.then(importance(b).total_cmp(&importance(a))).then(a.cmp(b))
    });
    fresh
}
