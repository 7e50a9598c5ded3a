//! One step of a graph traversal: the edges of a set of nodes.

use std::collections::BTreeMap;

use ::graph::{EdgeKind, Resolution};

use super::NodeView;
use crate::{records::graph::ArchivedEdgeRecord, snapshot::Snapshot};

/// Maximum number of edges per node that are considered. It bounds the cost of a node, and exceeds the number of callers
/// of any common function.
const MAX_EDGES_PER_NODE: usize = 100_000;

/// Selects edges of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeQuery {
    /// Include edges from the node.
    pub has_outgoing: bool,
    /// Include edges to the node.
    pub has_incoming: bool,
    /// The kinds to include; empty for all kinds.
    pub kinds: Vec<EdgeKind>,
    /// Minimum confidence, from 0 to 1.
    pub min_confidence: f32,
    /// Maximum number of edges per node, direction and kind.
    pub limit: usize,
    /// The part of all edges that is returned, instead of the best ones of each node.
    pub page: Option<EdgePage>,
}

/// A part of the edges of a set of nodes, in the order of nodes and edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgePage {
    /// Number of edges before it.
    pub offset: usize,
    /// Maximum number of edges and of further lines.
    pub limit: usize,
}

/// An edge of a generation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeView {
    /// The source node.
    pub from: u32,
    /// The target node.
    pub to: u32,
    /// Call, reference, import, ...
    pub kind: EdgeKind,
    /// Method of resolution of the target, which implies a confidence.
    pub resolution: Resolution,
    /// Line of the first use site, in the file of the source node.
    pub line: u32,
    /// Number of use sites.
    pub n_sites: u32,
    /// The lines of further use sites, ascending. Only a page has them.
    pub further_lines: Vec<u32>,
}

/// The edges of a set of nodes, and the nodes at their ends.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighbours {
    /// Sorted and distinct.
    pub edges: Vec<EdgeView>,
    /// Sorted by number, the requested nodes included.
    pub nodes: Vec<NodeView>,
    /// Number of edges beyond the limit.
    pub n_omitted: u64,
}

impl Snapshot {
    /// Returns the edges of nodes. If the limit cuts, edges of higher confidence win, then those of more important nodes.
    pub fn neighbours(&self, frontier: &[u32], query: &EdgeQuery) -> Neighbours {
        let mut found = match query.page {
            Some(page) => self.edge_page(frontier, query, page),
            None => Neighbours::default(),
        };
        for node in frontier.iter().filter(|_| query.page.is_none()) {
            if query.has_outgoing {
                self.add_best_edges(self.outgoing(*node), |edge| edge.to.to_native(), query, &mut found);
            }
            if query.has_incoming {
                self.add_best_edges(self.incoming(*node), |edge| edge.from.to_native(), query, &mut found);
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

    /// Returns the edges of a page, without nodes.
    fn edge_page(&self, frontier: &[u32], query: &EdgeQuery, page: EdgePage) -> Neighbours {
        let is_selected = |edge: &&ArchivedEdgeRecord| {
            (query.kinds.is_empty() || query.kinds.contains(&edge.kind()))
                && edge.resolution().confidence() >= query.min_confidence
        };
        let graph = self.graph();
        let at = |node: u32| {
            let outgoing = node_range(&graph.out_starts, node).filter(|_| query.has_outgoing);
            let incoming = node_range(&graph.in_starts, node).filter(|_| query.has_incoming);
            let incoming = incoming.filter_map(|idx| graph.incoming.get(idx)).map(|idx| idx.to_native() as usize);
            outgoing.chain(incoming)
        };
        let all = frontier.iter().flat_map(|node| at(*node));
        let selected = all.filter_map(|idx| Some((idx, graph.edges.get(idx).filter(is_selected)?)));
        let (mut found, mut size) = (Neighbours::default(), 0);
        for (edge_idx, edge) in selected.skip(page.offset) {
            if size >= page.limit {
                found.n_omitted += 1;
                continue;
            }
            let further_lines: Vec<u32> = graph.lines_after_first(edge_idx).collect();
            size += 1 + further_lines.len();
            found.edges.push(EdgeView { further_lines, ..edge_view(edge) });
        }
        found
    }

    /// Returns the edges from a node.
    pub(crate) fn outgoing(&self, node: u32) -> impl Iterator<Item = &ArchivedEdgeRecord> {
        let graph = self.graph();
        node_range(&graph.out_starts, node).filter_map(|edge| graph.edges.get(edge))
    }

    /// Returns the edges to a node.
    pub(crate) fn incoming(&self, node: u32) -> impl Iterator<Item = &ArchivedEdgeRecord> {
        let graph = self.graph();
        let edges = node_range(&graph.in_starts, node).filter_map(|index| graph.incoming.get(index));
        edges.filter_map(|edge| graph.edges.get(edge.to_native() as usize))
    }

    /// Adds the best edges of each kind, at one node and in one direction.
    fn add_best_edges<'a>(
        &'a self,
        edges: impl Iterator<Item = &'a ArchivedEdgeRecord>,
        far_end: impl Fn(&ArchivedEdgeRecord) -> u32,
        query: &EdgeQuery,
        found: &mut Neighbours,
    ) {
        let mut by_kind: BTreeMap<EdgeKind, Vec<&ArchivedEdgeRecord>> = BTreeMap::new();
        for edge in edges.take(MAX_EDGES_PER_NODE) {
            let is_selected = query.kinds.is_empty() || query.kinds.contains(&edge.kind());
            if is_selected && edge.resolution().confidence() >= query.min_confidence {
                by_kind.entry(edge.kind()).or_default().push(edge);
            }
        }
        for (_, mut edges) in by_kind {
            if edges.len() > query.limit {
                edges.sort_by(|a, b| {
                    let confidence = |edge: &ArchivedEdgeRecord| edge.resolution().confidence();
                    let importance = |edge: &ArchivedEdgeRecord| self.importance(far_end(edge));
                    confidence(b)
                        .total_cmp(&confidence(a))
                        .then_with(|| importance(b).total_cmp(&importance(a)))
                        .then_with(|| far_end(a).cmp(&far_end(b)))
                });
                found.n_omitted += (edges.len() - query.limit) as u64;
                edges.truncate(query.limit);
            }
            found.edges.extend(edges.into_iter().map(edge_view));
        }
    }
}

/// Returns the range of a node, given the start of each range.
pub(super) fn node_range(starts: &rkyv::vec::ArchivedVec<rkyv::rend::u32_le>, node: u32) -> std::ops::Range<usize> {
    let start = |idx: usize| starts.get(idx).map_or(0, |start| start.to_native() as usize);
    start(node as usize)..start(node as usize + 1)
}

fn edge_view(edge: &ArchivedEdgeRecord) -> EdgeView {
    EdgeView {
        from: edge.from.to_native(),
        to: edge.to.to_native(),
        kind: edge.kind(),
        resolution: edge.resolution(),
        line: edge.line.to_native(),
        n_sites: u32::from(edge.n_sites.to_native()),
        further_lines: Vec::new(),
    }
}
