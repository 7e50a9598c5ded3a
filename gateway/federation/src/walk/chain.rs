//! The shortest chain of calls between two entities, searched from both ends over all shards and links.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{HopResult, WalkEdge, WalkScope, hop, weights::Weights};
use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of visited nodes per end.
const MAX_VISITED: usize = 20_000;

/// Maximum number of nodes to expand per hop.
const MAX_FRONTIER: usize = 1_000;

/// Edges per node and kind.
const EDGES_OF_NODE: u32 = 100;

/// Maximum number of hops of both ends together.
const MAX_HOPS: u32 = 40;

/// Maximum number of hops of an end once there is no chain.
const MAX_HOPS_ALONE: u32 = 5;

/// Maximum number of members of a type or file.
const MAX_MEMBERS: u32 = 10_000;

/// Nesting depth of members that belong to a type or file.
const MEMBER_DEPTH: usize = 2;

const CALLS: [v1::EdgeKind; 3] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles, v1::EdgeKind::Dispatch];
const MEMBERS: [v1::EdgeKind; 1] = [v1::EdgeKind::Defines];

/// The result of a search.
pub enum ChainSearch {
    /// The shortest chain.
    Chain {
        /// The entity at the start, or one of its members.
        start: NodeRef,
        /// In order from start to end; empty if both ends coincide.
        edges: Vec<WalkEdge>,
    },
    /// No chain was found.
    None {
        /// Nodes reached from the start, with their distance in edges.
        from_start: BTreeMap<NodeRef, u32>,
        /// Nodes that reach the end, with their distance in edges.
        to_end: BTreeMap<NodeRef, u32>,
        /// True if a limit ended the search, so that a chain may exist.
        is_cut: bool,
    },
}

/// One end of a search.
struct SearchEnd {
    direction: v1::Direction,
    reached: BTreeMap<NodeRef, (u32, Option<WalkEdge>)>,
    frontier: BTreeSet<NodeRef>,
    hops: u32,
    is_cut: bool,
}

/// Finds the shortest chain by bidirectional search, from one of some nodes to one of others. A type or a file includes all its members.
pub async fn chain(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    (from, to): (&BTreeSet<NodeRef>, &BTreeSet<NodeRef>),
    enter: &BTreeSet<RepoIdx>,
    include_inferred: bool,
) -> Answer<ChainSearch> {
    let weights = Weights::new(None);
    let way = |direction, kinds| WalkScope { depth: 0, direction, kinds, include_inferred, enter, weights: &weights };
    let mut shortfalls = Shortfalls::default();
    let mut ends = Vec::new();
    for (roots, direction) in [(from, v1::Direction::Out), (to, v1::Direction::In)] {
        let members = members_of_each(call, &plan.without(&shortfalls), overlay, roots, enter).await;
        shortfalls.extend(members.shortfalls);
        let members: BTreeSet<NodeRef> = members.value.into_values().flatten().collect();
        ends.push(SearchEnd {
            direction,
            reached: members.iter().map(|at| (*at, (0, None))).collect(),
            frontier: members,
            hops: 0,
            is_cut: false,
        });
    }
    let [mut start, mut end] =
        <[SearchEnd; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!("two ends were pushed"));
    if let Some(chain) = shortest_joined_chain(&start, &end) {
        return Answer { value: chain, shortfalls };
    }
    while start.hops + end.hops < MAX_HOPS && !(start.frontier.is_empty() || end.frontier.is_empty()) {
        // Expand the end with the smaller frontier.
        let goes_on = if start.frontier.len() <= end.frontier.len() { &mut start } else { &mut end };
        let way = way(goes_on.direction, &CALLS[..]);
        let hop = hop(call, &plan.without(&shortfalls), overlay, &goes_on.frontier, &way, EDGES_OF_NODE).await;
        shortfalls.extend(hop.shortfalls);
        goes_on.add_hop(hop.value);
        if let Some(chain) = shortest_joined_chain(&start, &end) {
            return Answer { value: chain, shortfalls };
        }
    }
    // One end is exhausted. Expand both a little further, to report how near they get.
    for end in [&mut start, &mut end] {
        while !end.frontier.is_empty() && end.hops < MAX_HOPS_ALONE {
            let way = way(end.direction, &CALLS[..]);
            let hop = hop(call, &plan.without(&shortfalls), overlay, &end.frontier, &way, EDGES_OF_NODE).await;
            shortfalls.extend(hop.shortfalls);
            end.add_hop(hop.value);
        }
    }
    let is_cut = start.is_cut || end.is_cut || start.hops + end.hops >= MAX_HOPS;
    let distances = |end: SearchEnd| end.reached.into_iter().map(|(at, (hops, _))| (at, hops)).collect();
    let none = ChainSearch::None { from_start: distances(start), to_end: distances(end), is_cut };
    Answer { value: none, shortfalls }
}

/// Returns an entity with its members: a use of a member is a use of its type or file.
pub async fn members(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    root: NodeRef,
    enter: &BTreeSet<RepoIdx>,
) -> Answer<BTreeSet<NodeRef>> {
    let roots = BTreeSet::from([root]);
    let members = members_of_each(call, plan, overlay, &roots, enter).await;
    members.map(|mut members| members.remove(&root).unwrap_or(roots))
}

/// Returns several entities with their members.
pub async fn members_of_each(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    roots: &BTreeSet<NodeRef>,
    enter: &BTreeSet<RepoIdx>,
) -> Answer<BTreeMap<NodeRef, BTreeSet<NodeRef>>> {
    let weights = Weights::new(None);
    let direction = v1::Direction::Out;
    let way = WalkScope { depth: 0, direction, kinds: &MEMBERS, include_inferred: true, enter, weights: &weights };
    let mut members: BTreeMap<NodeRef, BTreeSet<NodeRef>> =
        roots.iter().map(|root| (*root, BTreeSet::from([*root]))).collect();
    let mut frontier: BTreeSet<NodeRef> = roots.clone();
    let mut shortfalls = Shortfalls::default();
    for _ in 0..MEMBER_DEPTH {
        let hop = hop(call, &plan.without(&shortfalls), overlay, &frontier, &way, MAX_MEMBERS).await;
        shortfalls.extend(hop.shortfalls);
        let mut fresh: BTreeSet<NodeRef> = BTreeSet::new();
        // Links lead to other repositories.
        for edge in
            hop.value.edges.iter().filter(|edge| !edge.relation.is_link()).take(MAX_MEMBERS as usize * roots.len())
        {
            for of_root in members.values_mut().filter(|of_root| of_root.contains(&edge.from)) {
                if of_root.insert(edge.to) {
                    fresh.insert(edge.to);
                }
            }
        }
        frontier = fresh;
        if frontier.is_empty() {
            break;
        }
    }
    Answer { value: members, shortfalls }
}

impl SearchEnd {
    /// Adds the edges of one more hop, in the order of confidence.
    fn add_hop(&mut self, hop: HopResult) {
        self.hops += 1;
        let HopResult { mut edges, nodes, n_omitted } = hop;
        self.is_cut |= n_omitted > 0;
        edges.retain(|edge| edge.relation.is_call());
        edges.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.order().cmp(&b.order())));
        let mut fresh: Vec<NodeRef> = Vec::new();
        for edge in edges {
            let (here, there) = match self.direction {
                v1::Direction::In => (edge.to, edge.from),
                _ => (edge.from, edge.to),
            };
            if !self.frontier.contains(&here) || self.reached.contains_key(&there) {
                continue;
            }
            if self.reached.len() >= MAX_VISITED {
                self.is_cut = true;
                break;
            }
            self.reached.insert(there, (self.hops, Some(edge)));
            fresh.push(there);
        }
        let importance = |at: &NodeRef| nodes.get(at).map_or(0.0, |node| node.importance);
        fresh.sort_by(|a, b| importance(b).total_cmp(&importance(a)).then(a.cmp(b)));
        self.is_cut |= fresh.len() > MAX_FRONTIER;
        self.frontier = fresh.into_iter().take(MAX_FRONTIER).collect();
    }

    /// Returns the edges between the root of this end and a node that it reached, from the node on.
    fn trace(&self, mut at: NodeRef) -> Vec<WalkEdge> {
        let mut edges = Vec::new();
        while let Some((_, Some(edge))) = self.reached.get(&at) {
            edges.push(edge.clone());
            at = if self.direction == v1::Direction::In { edge.to } else { edge.from };
        }
        edges
    }
}

/// Returns the shortest chain over a node that both ends reached, the surest where several are as short.
fn shortest_joined_chain(start: &SearchEnd, end: &SearchEnd) -> Option<ChainSearch> {
    let (few, many) = if start.reached.len() <= end.reached.len() { (start, end) } else { (end, start) };
    let common = few.reached.iter().filter_map(|(at, (hops, _))| Some((*at, hops + many.reached.get(at)?.0)));
    let fewest = common.clone().map(|(_, hops)| hops).min()?;
    let chain = |at: NodeRef| {
        let mut edges = start.trace(at);
        edges.reverse();
        edges.extend(end.trace(at));
        edges
    };
    let sureness = |edges: &[WalkEdge]| edges.iter().map(|edge| edge.confidence).product::<f32>();
    let mut best: Option<(f32, NodeRef, Vec<WalkEdge>)> = None;
    for (at, _) in common.filter(|(_, hops)| *hops == fewest) {
        let edges = chain(at);
        let sure = sureness(&edges);
        if best.as_ref().is_none_or(|(known, ..)| sure > *known) {
            best = Some((sure, at, edges));
        }
    }
    let (_, at, edges) = best?;
    let start = edges.first().map_or(at, |edge| edge.from);
    Some(ChainSearch::Chain { start, edges })
}

/// Returns the container of an entity.
pub async fn container(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    at: NodeRef,
    enter: &BTreeSet<RepoIdx>,
) -> Answer<Option<NodeRef>> {
    let weights = Weights::new(None);
    let direction = v1::Direction::In;
    let way = WalkScope { depth: 0, direction, kinds: &MEMBERS, include_inferred: true, enter, weights: &weights };
    let hop = hop(call, plan, overlay, &BTreeSet::from([at]), &way, 1).await;
    let is_container = |edge: &&WalkEdge| !edge.relation.is_link() && edge.to == at;
    hop.map(|hop| hop.edges.iter().find(is_container).map(|edge| edge.from))
}
