//! The shortest chain of calls between two entities, searched from both ends over all shards and links.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::{Edge, Hop, Way, hop, weights::Weights};
use crate::{call::Call, nodes::At, overlay::Overlay, plan::Plan};

/// Nodes that are visited from one end at most.
const MAX_VISITED: usize = 20_000;

/// Nodes that one hop goes on from at most.
const MAX_FRONTIER: usize = 1_000;

/// Edges per node and kind.
const EDGES_OF_NODE: u32 = 100;

/// Hops from both ends together.
const MAX_HOPS: u32 = 40;

/// Hops from an end once it is clear that there is no chain.
const MAX_HOPS_ALONE: u32 = 5;

/// How far down the members of a type or file belong to it.
const MEMBER_DEPTH: usize = 2;

const CALLS: [v1::EdgeKind; 2] = [v1::EdgeKind::Calls, v1::EdgeKind::Handles];
const MEMBERS: [v1::EdgeKind; 1] = [v1::EdgeKind::Defines];

/// What came of a search.
pub(crate) enum Search {
    /// In order, from the first to the last; none where both ends are one.
    Chain { start: At, edges: Vec<Edge> },
    /// There is none; all that was reached from either end, with its distance from there.
    None { from_start: BTreeMap<At, u32>, to_end: BTreeMap<At, u32>, is_cut: bool },
}

/// One end of a search.
struct End {
    direction: v1::Direction,
    reached: BTreeMap<At, (u32, Option<Edge>)>,
    frontier: BTreeSet<At>,
    hops: u32,
    is_cut: bool,
}

/// Searches a chain. A type or a file is as good as any of its members.
pub(crate) async fn chain(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    (from, to): (At, At),
    enter: &BTreeSet<usize>,
    include_inferred: bool,
) -> Search {
    let weights = Weights::new(None);
    let way = |direction, kinds| Way { depth: 0, direction, kinds, include_inferred, enter, weights: &weights };
    let mut ends = Vec::new();
    for (root, direction) in [(from, v1::Direction::Out), (to, v1::Direction::In)] {
        let members = members(call, plan, overlay, root, enter).await;
        ends.push(End {
            direction,
            reached: members.iter().map(|at| (*at, (0, None))).collect(),
            frontier: members,
            hops: 0,
            is_cut: false,
        });
    }
    let [mut start, mut end] = <[End; 2]>::try_from(ends).unwrap_or_else(|_| unreachable!("two ends were pushed"));
    if let Some(chain) = meeting(&start, &end) {
        return chain;
    }
    while start.hops + end.hops < MAX_HOPS && !(start.frontier.is_empty() || end.frontier.is_empty()) {
        // The end with less before it goes on.
        let goes_on = if start.frontier.len() <= end.frontier.len() { &mut start } else { &mut end };
        let way = way(goes_on.direction, &CALLS[..]);
        let hop = hop(call, plan, overlay, &goes_on.frontier, &way, EDGES_OF_NODE).await;
        goes_on.go_on(hop);
        if let Some(chain) = meeting(&start, &end) {
            return chain;
        }
    }
    // One end is exhausted. The other tells how near it gets.
    for end in [&mut start, &mut end] {
        while !end.frontier.is_empty() && end.hops < MAX_HOPS_ALONE {
            let hop = hop(call, plan, overlay, &end.frontier, &way(end.direction, &CALLS[..]), EDGES_OF_NODE).await;
            end.go_on(hop);
        }
    }
    let is_cut = start.is_cut || end.is_cut || start.hops + end.hops >= MAX_HOPS;
    let distances = |end: End| end.reached.into_iter().map(|(at, (hops, _))| (at, hops)).collect();
    Search::None { from_start: distances(start), to_end: distances(end), is_cut }
}

/// Returns an entity and what is defined in it: a type or a file is used where its members are.
pub(crate) async fn members(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    root: At,
    enter: &BTreeSet<usize>,
) -> BTreeSet<At> {
    let roots = BTreeSet::from([root]);
    members_of_each(call, plan, overlay, &roots, enter).await.remove(&root).unwrap_or(roots)
}

/// Does the same for several at once.
pub(crate) async fn members_of_each(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    roots: &BTreeSet<At>,
    enter: &BTreeSet<usize>,
) -> BTreeMap<At, BTreeSet<At>> {
    let weights = Weights::new(None);
    let direction = v1::Direction::Out;
    let way = Way { depth: 0, direction, kinds: &MEMBERS, include_inferred: true, enter, weights: &weights };
    let mut members: BTreeMap<At, BTreeSet<At>> = roots.iter().map(|root| (*root, BTreeSet::from([*root]))).collect();
    let mut frontier: BTreeSet<At> = roots.clone();
    for _ in 0..MEMBER_DEPTH {
        let Hop { edges, .. } = hop(call, plan, overlay, &frontier, &way, EDGES_OF_NODE).await;
        let mut fresh: BTreeSet<At> = BTreeSet::new();
        // Links lead elsewhere.
        for edge in edges.iter().filter(|edge| !edge.relation.is_link()).take(MAX_FRONTIER * roots.len()) {
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
    members
}

impl End {
    /// Takes the edges of one more hop, the surest first.
    fn go_on(&mut self, hop: Hop) {
        self.hops += 1;
        let Hop { mut edges, nodes, n_omitted } = hop;
        self.is_cut |= n_omitted > 0;
        edges.retain(|edge| edge.relation.is_call());
        edges.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.order().cmp(&b.order())));
        let mut fresh: Vec<At> = Vec::new();
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
        let importance = |at: &At| nodes.get(at).map_or(0.0, |node| node.importance);
        fresh.sort_by(|a, b| importance(b).total_cmp(&importance(a)).then(a.cmp(b)));
        self.is_cut |= fresh.len() > MAX_FRONTIER;
        self.frontier = fresh.into_iter().take(MAX_FRONTIER).collect();
    }

    /// Returns the edges between the root of this end and a node that it reached, from the node on.
    fn trace(&self, mut at: At) -> Vec<Edge> {
        let mut edges = Vec::new();
        while let Some((_, Some(edge))) = self.reached.get(&at) {
            edges.push(edge.clone());
            at = if self.direction == v1::Direction::In { edge.to } else { edge.from };
        }
        edges
    }
}

/// Returns the shortest chain over a node that both ends reached, the surest where several are as short.
fn meeting(start: &End, end: &End) -> Option<Search> {
    let (few, many) = if start.reached.len() <= end.reached.len() { (start, end) } else { (end, start) };
    let common = few.reached.iter().filter_map(|(at, (hops, _))| Some((*at, hops + many.reached.get(at)?.0)));
    let fewest = common.clone().map(|(_, hops)| hops).min()?;
    let chain = |at: At| {
        let mut edges = start.trace(at);
        edges.reverse();
        edges.extend(end.trace(at));
        edges
    };
    let sureness = |edges: &[Edge]| edges.iter().map(|edge| edge.confidence).product::<f32>();
    let mut best: Option<(f32, At, Vec<Edge>)> = None;
    for (at, _) in common.filter(|(_, hops)| *hops == fewest) {
        let edges = chain(at);
        let sure = sureness(&edges);
        if best.as_ref().is_none_or(|(known, ..)| sure > *known) {
            best = Some((sure, at, edges));
        }
    }
    let (_, at, edges) = best?;
    let start = edges.first().map_or(at, |edge| edge.from);
    Some(Search::Chain { start, edges })
}

/// Returns what an entity is defined in.
pub(crate) async fn container(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    at: At,
    enter: &BTreeSet<usize>,
) -> Option<At> {
    let weights = Weights::new(None);
    let direction = v1::Direction::In;
    let way = Way { depth: 0, direction, kinds: &MEMBERS, include_inferred: true, enter, weights: &weights };
    let Hop { edges, .. } = hop(call, plan, overlay, &BTreeSet::from([at]), &way, 1).await;
    edges.iter().find(|edge| !edge.relation.is_link() && edge.to == at).map(|edge| edge.from)
}
