//! One step of a walk: the edges at some nodes.

use std::collections::BTreeMap;

use ::graph::{EdgeKind, Resolution};

use super::{NodeView, records::ArchivedEdgeRecord};
use crate::Snapshot;

/// Edges that are looked at per node, before the best are chosen: what 5,000 callers of one function cost is bounded, and
/// still they are all seen.
const MAX_EDGES_PER_NODE: usize = 100_000;

/// Which edges are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeQuery {
    pub wants_out: bool,
    pub wants_in: bool,
    /// Empty: all.
    pub kinds: Vec<EdgeKind>,
    pub min_confidence: f32,
    /// The most edges per node, direction and kind.
    pub limit: usize,
}

/// An edge of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeView {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
    pub resolution: Resolution,
    pub line: u32,
    pub n_sites: u32,
}

/// The edges at some nodes, and the nodes at their ends.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighbours {
    /// Sorted, each once.
    pub edges: Vec<EdgeView>,
    /// In the order of their numbers; those that were asked for among them.
    pub nodes: Vec<NodeView>,
    /// Edges that were left out for the limit.
    pub n_omitted: u64,
}

impl Snapshot {
    /// Returns the edges at nodes; of each node, direction and kind the surest, then those to the most important nodes.
    pub fn neighbours(&self, frontier: &[u32], query: &EdgeQuery) -> Neighbours {
        let mut found = Neighbours::default();
        for node in frontier {
            if query.wants_out {
                self.choose(self.outgoing(*node), |edge| edge.to.to_native(), query, &mut found);
            }
            if query.wants_in {
                self.choose(self.incoming(*node), |edge| edge.from.to_native(), query, &mut found);
            }
        }
        found.edges.sort_unstable();
        found.edges.dedup();
        let mut ids: Vec<u32> = found.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        ids.extend(frontier);
        ids.sort_unstable();
        ids.dedup();
        found.nodes = ids.into_iter().filter_map(|id| self.node(id)).collect();
        found
    }

    /// Returns the edges from a node.
    pub(crate) fn outgoing(&self, node: u32) -> impl Iterator<Item = &ArchivedEdgeRecord> {
        let graph = self.graph();
        run(&graph.out_starts, node).filter_map(|edge| graph.edges.get(edge))
    }

    /// Returns the edges to a node.
    pub(crate) fn incoming(&self, node: u32) -> impl Iterator<Item = &ArchivedEdgeRecord> {
        let graph = self.graph();
        let edges = run(&graph.in_starts, node).filter_map(|index| graph.incoming.get(index));
        edges.filter_map(|edge| graph.edges.get(edge.to_native() as usize))
    }

    fn choose<'a>(
        &'a self,
        edges: impl Iterator<Item = &'a ArchivedEdgeRecord>,
        far_end: impl Fn(&ArchivedEdgeRecord) -> u32,
        query: &EdgeQuery,
        found: &mut Neighbours,
    ) {
        let mut by_kind: BTreeMap<EdgeKind, Vec<&ArchivedEdgeRecord>> = BTreeMap::new();
        for edge in edges.take(MAX_EDGES_PER_NODE) {
            let is_wanted = query.kinds.is_empty() || query.kinds.contains(&edge.kind());
            if is_wanted && edge.resolution().confidence() >= query.min_confidence {
                by_kind.entry(edge.kind()).or_default().push(edge);
            }
        }
        for (_, mut edges) in by_kind {
            if edges.len() > query.limit {
                edges.sort_by(|a, b| {
                    let sure = |edge: &ArchivedEdgeRecord| edge.resolution().confidence();
                    let importance = |edge: &ArchivedEdgeRecord| self.importance(far_end(edge));
                    sure(b)
                        .total_cmp(&sure(a))
                        .then_with(|| importance(b).total_cmp(&importance(a)))
                        .then_with(|| far_end(a).cmp(&far_end(b)))
                });
                found.n_omitted += (edges.len() - query.limit) as u64;
                edges.truncate(query.limit);
            }
            found.edges.extend(edges.into_iter().map(view));
        }
    }
}

fn run(starts: &rkyv::vec::ArchivedVec<rkyv::rend::u32_le>, node: u32) -> std::ops::Range<usize> {
    let bound = |at: usize| starts.get(at).map_or(0, |start| start.to_native() as usize);
    bound(node as usize)..bound(node as usize + 1)
}

pub(crate) fn view(edge: &ArchivedEdgeRecord) -> EdgeView {
    EdgeView {
        from: edge.from.to_native(),
        to: edge.to.to_native(),
        kind: edge.kind(),
        resolution: edge.resolution(),
        line: edge.line.to_native(),
        n_sites: u32::from(edge.n_sites.to_native()),
    }
}
