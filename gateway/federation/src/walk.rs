//! Walks over the code graphs of all repositories: expands the neighbourhood of some roots hop by hop, across repositories along
//! links. Each hop takes one call per worker.

pub mod chain;
pub mod contract;
pub mod impact;
pub mod rank;
mod reach;
mod salience;
pub mod sections;
pub mod tiers;
mod users;
pub mod weights;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use links::{ContractKind, SharedText, join::ContractLink, services::EvidenceStep};
use proto::v1;

use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    nodes::{self, NeighbourQuery, NodeRef},
    overlay::{CrossRepoEdge, Overlay, kind_name},
    plan::Plan,
    repo_idx::RepoIdx,
};
use weights::Weights;

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

/// An edge between two nodes, of one repository or two.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkEdge {
    /// The source, such as a caller.
    pub from: NodeRef,
    /// The target, such as a callee.
    pub to: NodeRef,
    /// The kind of the edge or link.
    pub relation: Relation,
    /// The resolution method, such as `scope` or `import`; `key` for a link.
    pub resolution: String,
    /// In (0, 1].
    pub confidence: f32,
    /// The line of the first use: in the file of `from`, or for a link in that of its user.
    pub line: u32,
    /// The lines of all uses, ascending, as far as they are known. Walks that collect context know the first one.
    pub lines: Vec<u32>,
    /// Number of uses.
    pub sites: u32,
    /// The called method, if `to` overrides or implements it.
    pub through: Option<NodeRef>,
    /// Both sides of a link; unset for an edge within a repository.
    pub evidence: Option<Arc<LinkEvidence>>,
    /// Both sides of further links between the same nodes, such as other settings of one file.
    pub further_evidence: Vec<Arc<LinkEvidence>>,
}

/// The kind of an edge, within a repository or between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// An edge of the code graph of one repository.
    Within(v1::EdgeKind),
    /// Between repositories. True if the definition itself is known, false if only its package is.
    Across(ContractKind, bool),
    /// Between repositories: a use of a definition that inference resolved.
    Use(v1::EdgeKind),
}

/// Both sides of a link, as the code has them.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkEvidence {
    /// The key of the contract, in the notation of the offer.
    pub key: SharedText,
    /// The name within the package; empty except for a package symbol.
    pub member: SharedText,
    /// Repository, path and line of the use.
    pub user: (RepoIdx, SharedText, u32),
    /// Repository, path and line of the offer.
    pub offer: (RepoIdx, SharedText, u32),
    /// The version that the user requires, and the one that the provider gives; each empty if it is not known.
    pub versions: Option<(String, String)>,
    /// Repository, path, line and content of the places that the link was concluded from.
    pub steps: Vec<(RepoIdx, SharedText, u32, String)>,
}

impl LinkEvidence {
    fn of(link: &ContractLink, user: RepoIdx, provider: RepoIdx) -> LinkEvidence {
        let step = |step: &EvidenceStep| (RepoIdx(step.repository), step.path.clone(), step.line, step.content.clone());
        LinkEvidence {
            key: link.key.clone(),
            member: link.member.clone(),
            user: (user, link.user.path.clone(), link.user.line),
            offer: (provider, link.offer.path.clone(), link.offer.line),
            versions: None,
            steps: link.evidence.iter().map(step).collect(),
        }
    }
}

impl Relation {
    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => match kind {
                v1::EdgeKind::Unspecified => "related",
                v1::EdgeKind::Calls => "calls",
                v1::EdgeKind::Imports => "imports",
                v1::EdgeKind::Extends => "extends",
                v1::EdgeKind::Implements => "implements",
                v1::EdgeKind::References => "references",
                v1::EdgeKind::Tests => "tests",
                v1::EdgeKind::Handles => "handles",
                v1::EdgeKind::Documents => "documents",
                v1::EdgeKind::Defines => "defines",
                v1::EdgeKind::Accesses => "accesses",
                v1::EdgeKind::Dispatch => "dispatch",
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Returns the passive form of the name, for the target of the edge.
    pub fn passive(self) -> &'static str {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => match kind {
                v1::EdgeKind::Unspecified => "related",
                v1::EdgeKind::Calls => "called",
                v1::EdgeKind::Imports => "imported",
                v1::EdgeKind::Extends => "extended",
                v1::EdgeKind::Implements => "implemented",
                v1::EdgeKind::References => "referenced",
                v1::EdgeKind::Tests => "tested",
                v1::EdgeKind::Handles => "handler",
                v1::EdgeKind::Documents => "documented",
                v1::EdgeKind::Defines => "defined",
                v1::EdgeKind::Accesses => "accessed",
                v1::EdgeKind::Dispatch => "dispatched",
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Returns true for edges of control flow: calls, methods that a call may run, routes to handlers, and clients to services of other repositories.
    pub fn is_call(self) -> bool {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => {
                matches!(kind, v1::EdgeKind::Calls | v1::EdgeKind::Handles | v1::EdgeKind::Dispatch)
            }
            // An address in a deployment and an image call nothing.
            Relation::Across(kind, is_exact) => {
                is_exact && !matches!(kind, ContractKind::Package | ContractKind::Config | ContractKind::Image)
            }
        }
    }

    /// Returns true if a function reads or writes the target.
    pub fn is_access(self) -> bool {
        matches!(self, Relation::Within(v1::EdgeKind::Accesses) | Relation::Use(v1::EdgeKind::Accesses))
    }

    pub(crate) fn is_link(self) -> bool {
        matches!(self, Relation::Across(..) | Relation::Use(_))
    }
}

impl WalkEdge {
    /// Returns true if the edge is inferred: a route, an HTTP call, or one of several candidates.
    pub fn is_inferred(&self) -> bool {
        let is_route =
            matches!(self.relation, Relation::Within(v1::EdgeKind::Handles) | Relation::Across(ContractKind::Http, _));
        is_route || self.confidence < CERTAIN
    }

    /// Returns true if the target may depend on the source as well, as the server of an rpc does on its definition.
    fn is_bidirectional(&self) -> bool {
        matches!(self.relation, Relation::Across(..) | Relation::Use(v1::EdgeKind::Dispatch))
    }

    pub(crate) fn of_cross_repo_edge(cross_edge: &CrossRepoEdge<'_>) -> WalkEdge {
        let link = cross_edge.link;
        WalkEdge {
            from: cross_edge.from,
            to: cross_edge.to,
            relation: match link.use_kind {
                Some(kind) => Relation::Use(nodes::edge_kind(kind)),
                None => Relation::Across(link.kind, link.is_exact),
            },
            resolution: match link.use_kind {
                Some(_) if !link.kind.is_of_services() => "inference",
                _ => "key",
            }
            .to_owned(),
            confidence: cross_edge.confidence,
            line: link.user.line,
            lines: link.lines.clone(),
            sites: link.n_sites,
            through: None,
            evidence: Some(Arc::new(LinkEvidence {
                versions: cross_edge.dependency().map(|one| (one.required.clone(), one.indexed.clone())),
                ..LinkEvidence::of(link, cross_edge.user, cross_edge.provider)
            })),
            further_evidence: Vec::new(),
        }
    }

    fn from_graph_edge(repo_idx: RepoIdx, edge: &v1::GraphEdge) -> WalkEdge {
        let at = |node| NodeRef { repo_idx, node };
        WalkEdge {
            from: at(edge.from),
            to: at(edge.to),
            relation: Relation::Within(edge.kind()),
            resolution: edge.resolution.clone(),
            confidence: edge.confidence,
            line: edge.line,
            lines: std::iter::once(edge.line).chain(edge.further_lines.iter().copied()).collect(),
            sites: edge.sites,
            through: None,
            evidence: None,
            further_evidence: Vec::new(),
        }
    }

    /// Returns a call of a declaration as an edge to a method that implements it.
    fn dispatched_to(&self, method: NodeRef) -> WalkEdge {
        let dispatch = v1::EdgeKind::Dispatch;
        let is_within = self.from.repo_idx == method.repo_idx;
        WalkEdge {
            to: method,
            relation: if is_within { Relation::Within(dispatch) } else { Relation::Use(dispatch) },
            resolution: graph::Resolution::Dispatch.name().to_owned(),
            confidence: self.confidence * graph::Resolution::Dispatch.confidence(),
            evidence: None,
            further_evidence: Vec::new(),
            through: Some(self.to),
            ..self.clone()
        }
    }

    /// Returns the edge as a step of control flow: a call of a declaration runs one of several methods.
    fn into_step(self) -> WalkEdge {
        match self.relation {
            Relation::Within(v1::EdgeKind::Dispatch) | Relation::Use(v1::EdgeKind::Dispatch) => {
                let confidence = self.confidence * graph::Resolution::Dispatch.confidence();
                WalkEdge { confidence, ..self }
            }
            _ => self,
        }
    }

    /// Adds the uses and the evidence of another edge between the same nodes.
    fn absorb(&mut self, other: &mut WalkEdge) {
        self.lines.append(&mut other.lines);
        self.lines.sort_unstable();
        self.lines.dedup();
        let evidence = other.evidence.take().into_iter().chain(std::mem::take(&mut other.further_evidence));
        for one in evidence {
            if self.evidence.as_ref() != Some(&one) && !self.further_evidence.contains(&one) {
                self.further_evidence.push(one);
            }
        }
    }

    /// Returns the number of edges of the graph that it stands for.
    fn length(&self) -> u32 {
        1 + u32::from(self.through.is_some())
    }

    fn order(&self) -> (NodeRef, NodeRef, Relation, u32) {
        (self.from, self.to, self.relation, self.line)
    }
}

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
fn cross_edges(
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
