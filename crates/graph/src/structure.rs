//! The graph of a whole repository: the edges of all files side by side, and what only the whole tells: importance,
//! communities, cycles, where runs begin, what tests exercise.

mod cycles;
mod derive;
mod entry_points;
mod grouping;
mod satisfied;

use model::FileClass;

use crate::{
    edge::{CERTAIN, EdgeKind, Resolution},
    pagerank::pagerank,
    program::{FileIdx, Program, SymbolIdx},
    resolve::{Node, Resolved},
};

pub use grouping::Community;

/// A node, as a number of one repository: the symbols first, then the files, then the routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIdx(pub u32);

/// An edge between nodes of one repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeEdge {
    pub from: NodeIdx,
    pub to: NodeIdx,
    pub kind: EdgeKind,
    pub resolution: Resolution,
    /// The line of the first use, in the file of `from`.
    pub line: u32,
    pub n_sites: u32,
    /// Follows from other edges, rather than from the text of one file.
    pub is_derived: bool,
}

/// The graph of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    pub n_symbols: u32,
    pub n_files: u32,
    pub n_routes: u32,
    /// Sorted by `from`, `to` and kind, each once.
    pub edges: Vec<NodeEdge>,
    /// By node: PageRank, with 1 as the mean.
    pub importance: Vec<f32>,
    /// By file: its community.
    pub community_of: Vec<u32>,
    pub communities: Vec<Community>,
    /// By node: how many nodes lie in a cycle with it, itself included; 0 if none does.
    pub cycles: Vec<u32>,
    /// Where runs begin, in order.
    pub entry_points: Vec<NodeIdx>,
    /// By node: how many others call it, refer to it, test it or build on it; of a file, how many other files import it or
    /// use what it defines.
    pub used_by: Vec<u32>,
}

/// Builds the graph of a repository from what was resolved in each of its files, in the order of files.
pub fn structure(program: &Program<'_>, resolved: &[Resolved], classes: &[FileClass]) -> Structure {
    let numbers = Numbers::new(program);
    let mut edges = numbers.edges(resolved);
    edges.extend(satisfied::satisfied(program, &numbers, &edges));
    edges.extend(derive::dispatch(program, &numbers, &edges));
    edges.extend(derive::tests(program, &numbers, &edges, classes));
    edges.extend(derive::handles(&numbers, resolved));
    edges.extend(derive::contracts(program, &numbers, resolved));
    edges.extend(derive::defines(program, &numbers));
    edges.sort_unstable();
    edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
    let n_routes = resolved.iter().map(|file| file.contracts.routes.len()).sum::<usize>() as u32;
    let n_nodes = (numbers.n_symbols + numbers.n_files + n_routes) as usize;

    let weighted: Vec<(u32, u32, f32)> = edges.iter().filter_map(weight).collect();
    let importance = pagerank(n_nodes, &weighted);
    let grouping = grouping::group(program, &numbers, &edges, &importance);
    Structure {
        n_symbols: numbers.n_symbols,
        n_files: numbers.n_files,
        n_routes,
        cycles: cycles::cycles(n_nodes, &edges),
        entry_points: entry_points::entry_points(program, &numbers, &edges, classes),
        used_by: used_by(program, &numbers, &edges, n_nodes),
        importance,
        community_of: grouping.community_of,
        communities: grouping.communities,
        edges,
    }
}

/// Returns what an edge passes on of its user's importance: the more, the more its target is needed. What tests use is
/// not what the product needs, and a mention in a document needs nothing.
fn weight(edge: &NodeEdge) -> Option<(u32, u32, f32)> {
    let by_kind = match edge.kind {
        EdgeKind::Calls | EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Handles => 1.0,
        EdgeKind::References => 0.5,
        EdgeKind::Imports => 0.3,
        EdgeKind::Tests | EdgeKind::Documents | EdgeKind::Defines => return None,
    };
    // A call from a function to itself says nothing of how much others need it.
    (edge.from != edge.to).then(|| (edge.from.0, edge.to.0, by_kind * edge.resolution.confidence()))
}

/// Counts for each node the others that use it for certain.
fn used_by(program: &Program<'_>, numbers: &Numbers, edges: &[NodeEdge], n_nodes: usize) -> Vec<u32> {
    let is_use = |edge: &&NodeEdge| edge.kind != EdgeKind::Defines && is_certain(edge) && edge.from != edge.to;
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

/// How the nodes of a program are numbered.
pub(crate) struct Numbers {
    pub(crate) n_symbols: u32,
    pub(crate) n_files: u32,
}

impl Numbers {
    fn new(program: &Program<'_>) -> Numbers {
        Numbers { n_symbols: program.n_symbols() as u32, n_files: program.n_files() as u32 }
    }

    pub(crate) fn node(&self, node: Node) -> NodeIdx {
        match node {
            Node::Symbol(symbol) => NodeIdx(symbol.0),
            Node::File(file) => NodeIdx(self.n_symbols + file.0),
        }
    }

    /// Returns the definition that a node is, if it is one.
    pub(crate) fn symbol(&self, node: NodeIdx) -> Option<SymbolIdx> {
        (node.0 < self.n_symbols).then_some(SymbolIdx(node.0))
    }

    /// Returns the file that a definition stands in, or that a node is; nothing for routes.
    pub(crate) fn file(&self, program: &Program<'_>, node: NodeIdx) -> Option<FileIdx> {
        match self.symbol(node) {
            Some(symbol) => Some(program.file_of(symbol)),
            None => (node.0 < self.n_symbols + self.n_files).then(|| FileIdx(node.0 - self.n_symbols)),
        }
    }

    fn edges(&self, resolved: &[Resolved]) -> Vec<NodeEdge> {
        let of_files = resolved.iter().flat_map(|file| &file.edges);
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

/// Says whether an edge is taken for a fact.
pub(crate) fn is_certain(edge: &NodeEdge) -> bool {
    edge.resolution.confidence() >= CERTAIN
}
