//! The graph of a whole repository: the edges of all files, derived edges, PageRank, communities, cycles and entry points.

mod cycles;
mod derive;
mod entry_points;
mod grouping;

use model::FileClass;

use crate::{
    codebase::Codebase,
    edge::{CERTAIN, EdgeKind, Resolution},
    pagerank::pagerank,
    program::{FileIdx, Node, Program, SymbolIdx},
    resolve::ResolvedFile,
};

pub use grouping::Community;

/// The number of a node in one repository: symbols first, then files, then routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIdx(pub u32);

/// An edge between nodes of one repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeEdge {
    /// The user.
    pub from: NodeIdx,
    /// The used node.
    pub to: NodeIdx,
    /// The relation between the ends.
    pub kind: EdgeKind,
    /// The way in which the edge was found.
    pub resolution: Resolution,
    /// The line of the first use, in the file of `from`.
    pub line: u32,
    /// The number of uses.
    pub n_sites: u32,
    /// True if the edge follows from other edges instead of the text of one file.
    pub is_derived: bool,
}

/// The graph of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The number of definitions.
    pub n_symbols: u32,
    /// The number of files.
    pub n_files: u32,
    /// The number of routes.
    pub n_routes: u32,
    /// Sorted by `from`, `to` and kind, each once.
    pub edges: Vec<NodeEdge>,
    /// By node: PageRank, with 1 as the mean.
    pub importance: Vec<f32>,
    /// By file: the index of its community.
    pub community_of: Vec<u32>,
    /// The communities, in the order of their first file.
    pub communities: Vec<Community>,
    /// By node: the number of nodes in its cycle, itself included; 0 if it is in none.
    pub cycles: Vec<u32>,
    /// Main functions and route handlers, in order.
    pub entry_points: Vec<NodeIdx>,
    /// By node: the number of nodes that use it with certainty, accesses apart; of a file, the number of files that import it or use its
    /// definitions.
    pub used_by: Vec<u32>,
}

/// The part of the graph that contracts add: routes are nodes, and a contract with both sides in the repository is an edge.
#[derive(Debug, Clone, Default)]
pub struct ContractEdges {
    /// The number of routes. Their nodes follow those of the files.
    pub n_routes: u32,
    /// Edges from or to any node, in any order.
    pub edges: Vec<NodeEdge>,
}

/// Builds the graph of a repository from its resolved files, in the order of files.
pub fn structure<'r>(
    codebase: &Codebase<'_>,
    files: impl IntoIterator<Item = &'r ResolvedFile>,
    contracts: &ContractEdges,
    classes: &[FileClass],
) -> Structure {
    let program = codebase.program();
    let numbers = NodeNumbers::new(program);
    let mut edges = numbers.edges(files);
    edges.extend(derive::structural(program, &numbers, &edges));
    edges.extend(derive::dispatch(codebase, &edges, &numbers));
    edges.extend(derive::tests(program, &numbers, &edges, classes));
    edges.extend_from_slice(&contracts.edges);
    edges.extend(derive::defines(program, &numbers));
    edges.sort_unstable();
    edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
    let n_nodes = (numbers.n_symbols + numbers.n_files + contracts.n_routes) as usize;

    let weighted: Vec<(u32, u32, f32)> = edges.iter().filter_map(weight).collect();
    let importance = pagerank(n_nodes, &weighted);
    let grouping = grouping::group(program, &numbers, &edges, &importance);
    Structure {
        n_symbols: numbers.n_symbols,
        n_files: numbers.n_files,
        n_routes: contracts.n_routes,
        cycles: cycles::cycles(n_nodes, &edges),
        entry_points: entry_points::entry_points(program, &numbers, &edges, classes),
        used_by: used_by(program, &numbers, &edges, n_nodes),
        importance,
        community_of: grouping.community_of,
        communities: grouping.communities,
        edges,
    }
}

/// Returns source, target and weight of an edge for PageRank: the more the source depends on the target, the higher the
/// weight. Uses by tests and mentions in documents do not count.
fn weight(edge: &NodeEdge) -> Option<(u32, u32, f32)> {
    let by_kind = match edge.kind {
        EdgeKind::Calls | EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Handles => 1.0,
        EdgeKind::References => 0.5,
        EdgeKind::Imports => 0.3,
        // A call of the declaration runs one of the methods.
        EdgeKind::Dispatch => Resolution::Dispatch.confidence(),
        // Accesses outnumber all other edges, and say little about the importance of a type that uses do not say.
        EdgeKind::Tests | EdgeKind::Documents | EdgeKind::Defines | EdgeKind::Accesses => return None,
    };
    // A recursive call is no evidence of importance to other definitions.
    (edge.from != edge.to).then(|| (edge.from.0, edge.to.0, by_kind * edge.resolution.confidence()))
}

/// Counts for each node the nodes that use it with certainty. Accesses do not count: the order of names would favour fields.
fn used_by(program: &Program<'_>, numbers: &NodeNumbers, edges: &[NodeEdge], n_nodes: usize) -> Vec<u32> {
    let is_counted = |kind: EdgeKind| !matches!(kind, EdgeKind::Defines | EdgeKind::Dispatch | EdgeKind::Accesses);
    let is_use = |edge: &&NodeEdge| is_counted(edge.kind) && is_certain(edge) && edge.from != edge.to;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for edge in edges.iter().filter(is_use) {
        pairs.push((edge.to.0, edge.from.0));
        if let (Some(from), Some(to)) = (numbers.file(program, edge.from), numbers.file(program, edge.to))
            && from != to
        {
            pairs.push((numbers.n_symbols + to.0, numbers.n_symbols + from.0));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut counts = vec![0; n_nodes];
    pairs.iter().for_each(|(to, _)| counts[*to as usize] += 1);
    counts
}

/// The numbering of a program's nodes.
pub struct NodeNumbers {
    n_symbols: u32,
    n_files: u32,
}

impl NodeNumbers {
    /// Returns the numbering of a program.
    pub fn new(program: &Program<'_>) -> NodeNumbers {
        NodeNumbers { n_symbols: program.n_symbols() as u32, n_files: program.n_files() as u32 }
    }

    /// Returns the number of a definition or a file.
    pub fn node(&self, node: Node) -> NodeIdx {
        match node {
            Node::Symbol(symbol) => NodeIdx(symbol.0),
            Node::File(file) => NodeIdx(self.n_symbols + file.0),
        }
    }

    /// Returns the number of a route, by its place among the routes of all files.
    pub fn route(&self, route_idx: u32) -> NodeIdx {
        NodeIdx(self.n_symbols + self.n_files + route_idx)
    }

    /// Returns the definition of a node; `None` for a file or a route.
    pub(crate) fn symbol(&self, node: NodeIdx) -> Option<SymbolIdx> {
        (node.0 < self.n_symbols).then_some(SymbolIdx(node.0))
    }

    /// Returns the file of a node; `None` for a route.
    pub(crate) fn file(&self, program: &Program<'_>, node: NodeIdx) -> Option<FileIdx> {
        match self.symbol(node) {
            Some(symbol) => Some(program.file_of(symbol)),
            None => (node.0 < self.n_symbols + self.n_files).then(|| FileIdx(node.0 - self.n_symbols)),
        }
    }

    fn edges<'r>(&self, files: impl IntoIterator<Item = &'r ResolvedFile>) -> Vec<NodeEdge> {
        let of_files = files.into_iter().flat_map(|file| &file.edges);
        of_files
            .map(|edge| NodeEdge {
                from: self.node(edge.from),
                to: self.node(edge.to),
                kind: edge.kind,
                resolution: edge.resolution,
                line: edge.line,
                n_sites: edge.n_sites,
                is_derived: false,
            })
            .collect()
    }
}

/// Returns true if an edge is certain.
pub(crate) fn is_certain(edge: &NodeEdge) -> bool {
    edge.resolution.confidence() >= CERTAIN
}
