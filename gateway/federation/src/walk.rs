//! Walks over the code graphs of all repositories: expands the neighbourhood of some roots hop by hop, across repositories along
//! links. Each hop takes one call per worker.

pub mod chain;
pub mod impact;
pub mod rank;
mod reach;
mod salience;
pub mod sections;
pub mod tiers;
pub mod weights;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use links::ContractKind;
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

/// Maximum number of edges per root, direction and kind. Of a function with 5,000 callers, a sample suffices.
const EDGES_OF_ROOT: u32 = 200;

/// Maximum number of edges per other node, direction and kind, in walks that collect context.
pub const OF_THE_NEAREST: u32 = 30;

/// The same in walks that assess impact.
pub const OF_ALL: u32 = 200;

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
    /// Whether to follow inferred edges, too: routes, HTTP calls, and edges with less confidence than `CERTAIN`.
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
    /// Number of uses.
    pub sites: u32,
    /// Both sides of a link; unset for an edge within a repository.
    pub evidence: Option<Arc<LinkEvidence>>,
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
    pub key: String,
    /// The name within the package; empty except for a package symbol.
    pub member: String,
    /// Repository, path and line of the use.
    pub user: (RepoIdx, String, u32),
    /// Repository, path and line of the offer.
    pub offer: (RepoIdx, String, u32),
    /// The lines of all uses, if inference found them.
    pub lines: Vec<u32>,
    /// The version that the user requires, and the one that the provider gives; each empty if it is not known.
    pub versions: Option<(String, String)>,
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
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Returns true for edges of control flow: calls, routes to handlers, and clients to services of other repositories.
    pub fn is_call(self) -> bool {
        match self {
            Relation::Within(kind) | Relation::Use(kind) => {
                matches!(kind, v1::EdgeKind::Calls | v1::EdgeKind::Handles)
            }
            Relation::Across(kind, is_exact) => is_exact && kind != ContractKind::Package,
        }
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

    pub(crate) fn of_cross_repo_edge(cross_edge: &CrossRepoEdge<'_>) -> WalkEdge {
        let link = cross_edge.link;
        WalkEdge {
            from: cross_edge.from,
            to: cross_edge.to,
            relation: match link.use_kind {
                Some(kind) => Relation::Use(nodes::edge_kind(kind)),
                None => Relation::Across(link.kind, link.is_exact),
            },
            resolution: if link.use_kind.is_some() { "inference" } else { "key" }.to_owned(),
            confidence: cross_edge.confidence,
            line: link.user.line,
            sites: link.n_sites,
            evidence: Some(Arc::new(LinkEvidence {
                key: link.key.clone(),
                member: link.member.clone(),
                user: (cross_edge.user, link.user.path.clone(), link.user.line),
                offer: (cross_edge.provider, link.offer.path.clone(), link.offer.line),
                lines: link.lines.clone(),
                versions: cross_edge.dependency.map(|one| (one.required.clone(), one.indexed.clone())),
            })),
        }
    }

    fn within(repo_idx: RepoIdx, edge: &v1::GraphEdge) -> WalkEdge {
        let at = |node| NodeRef { repo_idx, node };
        WalkEdge {
            from: at(edge.from),
            to: at(edge.to),
            relation: Relation::Within(edge.kind()),
            resolution: edge.resolution.clone(),
            confidence: edge.confidence,
            line: edge.line,
            sites: edge.sites,
            evidence: None,
        }
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
    let step = NeighbourQuery { direction: way.direction, kinds: way.kinds, min_confidence, limit };
    let Answer { value: replies, shortfalls } = call.neighbours(plan, frontier, step).await;
    let mut hop = HopResult { edges: Vec::new(), nodes: BTreeMap::new(), n_omitted: 0 };
    for (repo_idx, reply) in replies {
        hop.n_omitted = hop.n_omitted.saturating_add(reply.omitted);
        hop.edges.extend(reply.edges.iter().map(|edge| WalkEdge::within(repo_idx, edge)));
        hop.nodes.extend(reply.nodes.into_iter().map(|node| (NodeRef { repo_idx, node: node.id }, node)));
    }
    for at in frontier {
        let goes_there = |cross_edge: &CrossRepoEdge<'_>| match way.direction {
            v1::Direction::Out => cross_edge.from == *at,
            // The server of an rpc depends on its definition like its callers.
            v1::Direction::In => cross_edge.to == *at || cross_edge.link.serves,
            _ => true,
        };
        let may_enter = |cross_edge: &CrossRepoEdge<'_>| {
            [cross_edge.from, cross_edge.to].iter().all(|end| way.enter.contains(&end.repo_idx))
        };
        let cross_edges =
            overlay.at(*at, &call.visible).filter(|cross_edge| goes_there(cross_edge) && may_enter(cross_edge));
        let is_wanted = |edge: &WalkEdge| match edge.relation {
            // An import of a name of another repository breaks with it.
            Relation::Use(v1::EdgeKind::Imports) => true,
            Relation::Use(kind) => way.kinds.is_empty() || way.kinds.contains(&kind),
            _ => true,
        };
        let mut of_node: Vec<WalkEdge> = cross_edges
            .map(|cross_edge| WalkEdge::of_cross_repo_edge(&cross_edge))
            .filter(|edge| is_wanted(edge) && (way.include_inferred || !edge.is_inferred()))
            .collect();
        of_node.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.order().cmp(&b.order())));
        hop.n_omitted += of_node.len().saturating_sub(limit as usize) as u64;
        of_node.truncate(limit as usize);
        hop.edges.extend(of_node);
    }
    hop.edges.retain(|edge| way.include_inferred || !edge.is_inferred());
    hop.edges.sort_by(|a, b| a.order().cmp(&b.order()).then(b.confidence.total_cmp(&a.confidence)));
    Answer { value: hop, shortfalls }
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
    let (mut found, mut shortfalls) = (Neighbourhood::default(), Shortfalls::default());
    let mut strengths: BTreeMap<NodeRef, f64> = roots.iter().map(|root| (*root, 1.0)).collect();
    found.nodes.extend(roots.iter().map(|root| (*root, WalkNode::default())));
    let mut frontier: BTreeSet<NodeRef> = roots.iter().copied().collect();
    for hops in 1..=way.depth as u32 {
        if frontier.is_empty() {
            break;
        }
        let limit = if hops == 1 { EDGES_OF_ROOT } else { n_edges };
        let hop = hop(call, &plan.without(&shortfalls), overlay, &frontier, way, limit).await;
        shortfalls.extend(hop.shortfalls);
        let HopResult { edges, nodes, n_omitted } = hop.value;
        found.n_omitted = found.n_omitted.saturating_add(n_omitted);
        let fresh = fresh(&found, &strengths, &edges, &nodes, way.weights);
        let room = MAX_NODES.saturating_sub(found.nodes.len());
        found.is_cut |= fresh.len() > room.min(MAX_FRONTIER) && hops < way.depth as u32 || fresh.len() > room;
        frontier = fresh.iter().take(room.min(MAX_FRONTIER)).map(|(at, _)| *at).collect();
        for (at, strength) in fresh.into_iter().take(room) {
            strengths.insert(at, strength);
            found.nodes.insert(at, WalkNode { hops, node: None });
        }
        for (at, node) in nodes {
            if let Some(met) = found.nodes.get_mut(&at) {
                met.node = Some(node);
            }
        }
        found.edges.extend(edges);
    }
    let nodes = &found.nodes;
    found.edges.retain(|edge| nodes.contains_key(&edge.from) && nodes.contains_key(&edge.to));
    found.edges.sort_by(|a, b| a.order().cmp(&b.order()).then(b.confidence.total_cmp(&a.confidence)));
    found.edges.dedup_by_key(|edge| (edge.from, edge.to, edge.relation));
    let unknown = found.nodes.iter().filter(|(_, met)| met.node.is_none()).map(|(at, _)| *at).collect();
    let described = describe_unknown(call, &plan.without(&shortfalls), unknown).await.after(shortfalls);
    for (at, card) in described.value {
        if let Some(met) = found.nodes.get_mut(&at) {
            met.node = card.node;
        }
    }
    Answer { value: found, shortfalls: described.shortfalls }
}

/// Returns the nodes that a hop discovers, the strongest first.
fn fresh(
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

/// Fetches the cards of nodes that links of the last hop lead to.
async fn describe_unknown(
    call: &CallContext<'_>,
    plan: &Plan,
    unknown: BTreeSet<NodeRef>,
) -> Answer<BTreeMap<NodeRef, v1::NodeCard>> {
    if unknown.is_empty() { Answer::complete(BTreeMap::new()) } else { call.describe(plan, &unknown).await }
}
