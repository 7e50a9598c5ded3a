//! Walks over the code graphs of all repositories: what lies around some roots, hop by hop, one call per worker and hop,
//! on into other repositories along links.

pub(crate) mod chain;
pub(crate) mod felt;
pub(crate) mod rank;
mod salience;
pub(crate) mod sections;
pub(crate) mod tiers;
pub(crate) mod weights;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use graph::ContractKind;
use proto::v1;

use crate::{
    call::Call,
    nodes::{At, Step},
    overlay::{Leap, Overlay, kind_name},
    plan::Plan,
};
use weights::Weights;

/// Nodes that one walk collects at most: more than the largest budget has lines for.
const MAX_NODES: usize = 1_000;

/// Nodes whose edges are asked for in one hop at most; the others are met, but nothing behind them.
const MAX_FRONTIER: usize = 100;

/// Edges per node, direction and kind of the roots. A function with 5,000 callers is one that is called a lot, whichever of
/// them are named.
const EDGES_OF_ROOT: u32 = 200;

/// The same further out: for who looks for what is near, and for who wants to know all that breaks.
pub(crate) const OF_THE_NEAREST: u32 = 30;
pub(crate) const OF_ALL: u32 = 200;

/// From this confidence on an edge counts as said, rather than as inferred.
pub(crate) const CERTAIN: f32 = graph::CERTAIN;

/// Where a walk goes.
pub(crate) struct Way<'a> {
    pub(crate) depth: usize,
    pub(crate) direction: v1::Direction,
    /// Empty for all.
    pub(crate) kinds: &'a [v1::EdgeKind],
    pub(crate) include_inferred: bool,
    /// Positions of the repositories that it may enter, those of its roots among them.
    pub(crate) enter: &'a BTreeSet<usize>,
    pub(crate) weights: &'a Weights,
}

/// What a walk met.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Neighbourhood {
    pub(crate) nodes: BTreeMap<At, Met>,
    /// Between nodes that were met, each once, in order.
    pub(crate) edges: Vec<Edge>,
    /// Edges that workers left out for the limits.
    pub(crate) n_omitted: u64,
    /// Whether nodes were left out, or left unexplored, for the limits.
    pub(crate) is_cut: bool,
}

/// A node that a walk met.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Met {
    /// The fewest edges from a root.
    pub(crate) hops: u32,
    /// Unset where nobody could be asked.
    pub(crate) node: Option<v1::GraphNode>,
}

/// An edge between two nodes, of one repository or two.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edge {
    pub(crate) from: At,
    pub(crate) to: At,
    pub(crate) relation: Relation,
    pub(crate) resolution: String,
    pub(crate) confidence: f32,
    /// The line of the first use: in the file of `from`, or for a link in that of its user.
    pub(crate) line: u32,
    pub(crate) sites: u32,
    pub(crate) evidence: Option<Arc<Evidence>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Relation {
    Within(v1::EdgeKind),
    /// Between repositories; whether the definition itself is known, or its package alone.
    Across(ContractKind, bool),
}

/// Both sides of a link as they are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) key: String,
    pub(crate) member: String,
    pub(crate) user: (usize, String, u32),
    pub(crate) offer: (usize, String, u32),
}

impl Relation {
    /// Returns the name that users read.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Relation::Within(kind) => match kind {
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
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Returns what is said of the end that it leads to: that is called, where the other calls.
    pub(crate) fn passive(self) -> &'static str {
        match self {
            Relation::Within(kind) => match kind {
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
            },
            Relation::Across(kind, _) => kind_name(kind),
        }
    }

    /// Says whether control goes along it: calls, routes to their handlers, clients to what they call elsewhere.
    pub(crate) fn is_call(self) -> bool {
        match self {
            Relation::Within(kind) => matches!(kind, v1::EdgeKind::Calls | v1::EdgeKind::Handles),
            Relation::Across(kind, is_exact) => is_exact && kind != ContractKind::Package,
        }
    }

    pub(crate) fn is_link(self) -> bool {
        matches!(self, Relation::Across(..))
    }
}

impl Edge {
    /// Says whether nobody wrote it down as such: a route, a call over HTTP, one of several candidates.
    pub(crate) fn is_inferred(&self) -> bool {
        let is_route =
            matches!(self.relation, Relation::Within(v1::EdgeKind::Handles) | Relation::Across(ContractKind::Http, _));
        is_route || self.confidence < CERTAIN
    }

    pub(crate) fn of_leap(leap: &Leap<'_>) -> Edge {
        let link = leap.link;
        Edge {
            from: leap.from,
            to: leap.to,
            relation: Relation::Across(link.kind, link.is_exact),
            resolution: "key".to_owned(),
            confidence: leap.confidence,
            line: link.user.line,
            sites: link.n_sites,
            evidence: Some(Arc::new(Evidence {
                key: link.key.clone(),
                member: link.member.clone(),
                user: (leap.user, link.user.path.clone(), link.user.line),
                offer: (leap.provider, link.offer.path.clone(), link.offer.line),
            })),
        }
    }

    fn within(position: usize, edge: &v1::GraphEdge) -> Edge {
        let at = |node| At { position, node };
        Edge {
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

    fn order(&self) -> (At, At, Relation, u32) {
        (self.from, self.to, self.relation, self.line)
    }
}

/// The edges of one hop, and what was learnt of the nodes at their ends.
pub(crate) struct Hop {
    pub(crate) edges: Vec<Edge>,
    pub(crate) nodes: BTreeMap<At, v1::GraphNode>,
    pub(crate) n_omitted: u64,
}

/// Returns the edges at a frontier, within repositories and between them. A shard that fails is noted in the plan.
pub(crate) async fn hop(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    frontier: &BTreeSet<At>,
    way: &Way<'_>,
    limit: u32,
) -> Hop {
    let min_confidence = if way.include_inferred { 0.0 } else { CERTAIN };
    let step = Step { direction: way.direction, kinds: way.kinds, min_confidence, limit };
    let replies = call.neighbours(plan, frontier, step).await;
    let mut hop = Hop { edges: Vec::new(), nodes: BTreeMap::new(), n_omitted: 0 };
    for (position, reply) in replies {
        hop.n_omitted = hop.n_omitted.saturating_add(reply.omitted);
        hop.edges.extend(reply.edges.iter().map(|edge| Edge::within(position, edge)));
        hop.nodes.extend(reply.nodes.into_iter().map(|node| (At { position, node: node.id }, node)));
    }
    for at in frontier {
        let goes_there = |leap: &Leap<'_>| match way.direction {
            v1::Direction::Out => leap.from == *at,
            // Who serves an rpc depends on it as its callers do.
            v1::Direction::In => leap.to == *at || leap.link.serves,
            _ => true,
        };
        let may_enter = |leap: &Leap<'_>| [leap.from, leap.to].iter().all(|end| way.enter.contains(&end.position));
        let leaps = overlay.at(*at, &call.visible).filter(|leap| goes_there(leap) && may_enter(leap));
        let mut of_node: Vec<Edge> = leaps.map(|leap| Edge::of_leap(&leap)).collect();
        of_node.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.order().cmp(&b.order())));
        hop.n_omitted += of_node.len().saturating_sub(limit as usize) as u64;
        of_node.truncate(limit as usize);
        hop.edges.extend(of_node);
    }
    hop.edges.retain(|edge| way.include_inferred || !edge.is_inferred());
    hop.edges.sort_by(|a, b| a.order().cmp(&b.order()).then(b.confidence.total_cmp(&a.confidence)));
    hop
}

/// Collects what lies around `roots`, within the bounds above.
pub(crate) async fn walk(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    roots: &[At],
    way: &Way<'_>,
    n_edges: u32,
) -> Neighbourhood {
    let mut found = Neighbourhood::default();
    let mut strengths: BTreeMap<At, f64> = roots.iter().map(|root| (*root, 1.0)).collect();
    found.nodes.extend(roots.iter().map(|root| (*root, Met::default())));
    let mut frontier: BTreeSet<At> = roots.iter().copied().collect();
    for hops in 1..=way.depth as u32 {
        if frontier.is_empty() {
            break;
        }
        let limit = if hops == 1 { EDGES_OF_ROOT } else { n_edges };
        let Hop { edges, nodes, n_omitted } = hop(call, plan, overlay, &frontier, way, limit).await;
        found.n_omitted = found.n_omitted.saturating_add(n_omitted);
        let fresh = fresh(&found, &strengths, &edges, &nodes, way.weights);
        let room = MAX_NODES.saturating_sub(found.nodes.len());
        found.is_cut |= fresh.len() > room.min(MAX_FRONTIER) && hops < way.depth as u32 || fresh.len() > room;
        frontier = fresh.iter().take(room.min(MAX_FRONTIER)).map(|(at, _)| *at).collect();
        for (at, strength) in fresh.into_iter().take(room) {
            strengths.insert(at, strength);
            found.nodes.insert(at, Met { hops, node: None });
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
    describe_unknown(call, plan, &mut found).await;
    found
}

/// Returns the nodes that a hop meets for the first time, the strongest first.
fn fresh(
    found: &Neighbourhood,
    strengths: &BTreeMap<At, f64>,
    edges: &[Edge],
    nodes: &BTreeMap<At, v1::GraphNode>,
    weights: &Weights,
) -> Vec<(At, f64)> {
    let mut fresh: BTreeMap<At, f64> = BTreeMap::new();
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
    let importance = |at: &At| nodes.get(at).map_or(0.0, |node| node.importance);
    let mut fresh: Vec<(At, f64)> = fresh.into_iter().collect();
    fresh.sort_by(|(a, a_strength), (b, b_strength)| {
        let by_strength = b_strength.total_cmp(a_strength);
        by_strength.then(importance(b).total_cmp(&importance(a))).then(a.cmp(b))
    });
    fresh
}

/// Asks what those nodes are that a link led to in the last hop.
async fn describe_unknown(call: &Call<'_>, plan: &mut Plan, found: &mut Neighbourhood) {
    let unknown: BTreeSet<At> = found.nodes.iter().filter(|(_, met)| met.node.is_none()).map(|(at, _)| *at).collect();
    if unknown.is_empty() {
        return;
    }
    for (at, card) in call.describe(plan, &unknown).await {
        if let Some(met) = found.nodes.get_mut(&at) {
            met.node = card.node;
        }
    }
}
