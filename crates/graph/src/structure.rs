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
    resolve::{Edge, ResolvedFile},
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
    let edges = GraphEdges::new(codebase, files, contracts, classes);
    let (ranking, counts) = (edges.rank(program), edges.count(program, classes));
    edges.with(ranking, counts)
}

/// The edges of a repository: stated, derived and of contracts. The rest of a [`Structure`] is computed from them, in two parts that do
/// not depend on each other.
pub struct GraphEdges {
    numbers: NodeNumbers,
    n_routes: u32,
    /// Sorted by `from`, `to` and kind, each once.
    edges: Vec<NodeEdge>,
}

/// The importance of each node, and the communities of files.
pub struct GraphRanking {
    importance: Vec<f32>,
    grouping: grouping::Grouping,
}

/// The cycles, users and entry points of a graph.
pub struct GraphCounts {
    cycles: Vec<u32>,
    used_by: Vec<u32>,
    entry_points: Vec<NodeIdx>,
}

impl GraphEdges {
    /// Joins the edges of resolved files, which are in their order, and derives the others.
    pub fn new<'r>(
        codebase: &Codebase<'_>,
        files: impl IntoIterator<Item = &'r ResolvedFile>,
        contracts: &ContractEdges,
        classes: &[FileClass],
    ) -> GraphEdges {
        let program = codebase.program();
        let numbers = NodeNumbers::new(program);
        let mut edges = numbers.edges(files);
        edges.extend(derive::structural(program, &numbers, &edges));
        edges.extend(derive::dispatch(codebase, &edges, &numbers));
        edges.extend(derive::tests(program, &numbers, &edges, classes));
        edges.extend_from_slice(&contracts.edges);
        edges.extend(derive::defines(program, &numbers));
        // Most of the edges are in two sorted runs, which this sort merges.
        edges.sort();
        edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
        GraphEdges { numbers, n_routes: contracts.n_routes, edges }
    }

    /// Ranks the nodes, and groups the files.
    pub fn rank(&self, program: &Program<'_>) -> GraphRanking {
        let weighted: Vec<(u32, u32, f32)> = self.edges.iter().filter_map(weight).collect();
        let importance = pagerank(self.n_nodes(), &weighted);
        let grouping = grouping::group(program, &self.numbers, &self.edges, &importance);
        GraphRanking { importance, grouping }
    }

    /// Finds the cycles and the entry points, and counts the users of nodes.
    pub fn count(&self, program: &Program<'_>, classes: &[FileClass]) -> GraphCounts {
        GraphCounts {
            cycles: cycles::cycles(self.n_nodes(), &self.edges),
            entry_points: entry_points::entry_points(program, &self.numbers, &self.edges, classes),
            used_by: used_by(program, &self.numbers, &self.edges, self.n_nodes()),
        }
    }

    /// Returns the whole graph.
    pub fn with(self, ranking: GraphRanking, counts: GraphCounts) -> Structure {
        Structure {
            n_symbols: self.numbers.n_symbols,
            n_files: self.numbers.n_files,
            n_routes: self.n_routes,
            edges: self.edges,
            importance: ranking.importance,
            community_of: ranking.grouping.community_of,
            communities: ranking.grouping.communities,
            cycles: counts.cycles,
            entry_points: counts.entry_points,
            used_by: counts.used_by,
        }
    }

    fn n_nodes(&self) -> usize {
        (self.numbers.n_symbols + self.numbers.n_files + self.n_routes) as usize
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

/// Counts for each node the nodes that use it with certainty. Accesses do not count: the order of names would favour fields. The edges
/// are sorted.
fn used_by(program: &Program<'_>, numbers: &NodeNumbers, edges: &[NodeEdge], n_nodes: usize) -> Vec<u32> {
    let is_counted = |kind: EdgeKind| !matches!(kind, EdgeKind::Defines | EdgeKind::Dispatch | EdgeKind::Accesses);
    let is_use = |edge: &&NodeEdge| is_counted(edge.kind) && is_certain(edge) && edge.from != edge.to;
    let uses: Vec<&NodeEdge> = edges.iter().filter(is_use).collect();
    // Edges of several kinds between two nodes follow each other.
    let pairs = uses.chunk_by(|one, next| (one.from, one.to) == (next.from, next.to)).map(|edges| edges[0]);
    let mut counts = vec![0; n_nodes];
    let mut between_files: Vec<(u32, u32)> = Vec::new();
    for NodeEdge { from, to, .. } in pairs {
        // A use of a file by a file is one of those between files.
        if !(numbers.is_file(*from) && numbers.is_file(*to)) {
            counts[to.0 as usize] += 1;
        }
        if let (Some(from), Some(to)) = (numbers.file(program, *from), numbers.file(program, *to))
            && from != to
        {
            between_files.push((numbers.n_symbols + to.0, numbers.n_symbols + from.0));
        }
    }
    between_files.sort_unstable();
    between_files.dedup();
    between_files.iter().for_each(|(to, _)| counts[*to as usize] += 1);
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

    fn is_file(&self, node: NodeIdx) -> bool {
        (self.n_symbols..self.n_symbols + self.n_files).contains(&node.0)
    }

    /// Returns the edges of resolved files: first those from definitions, then those from files. Nearly all of both parts are sorted.
    fn edges<'r>(&self, files: impl IntoIterator<Item = &'r ResolvedFile>) -> Vec<NodeEdge> {
        let files: Vec<&ResolvedFile> = files.into_iter().collect();
        let is_of_file = |edge: &Edge| matches!(edge.from, Node::File(_));
        let stated = || files.iter().flat_map(|file| &file.edges);
        let ordered = stated().filter(|edge| !is_of_file(edge)).chain(stated().filter(|edge| is_of_file(edge)));
        ordered
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceFile, resolve};
    use model::Language;

    #[test]
    fn a_user_counts_once_for_a_definition_and_once_for_its_file() {
        let [a, b] =
            ["def f(): pass\ndef g(): f()\n", "import a\nfrom a import f\n\ndef h():\n    f()\n    return f\n"]
                .map(|text| syntax::extract(Language::Python, text.as_bytes()));
        let sources = [("a.py", &a), ("b.py", &b)].map(|(path, facts)| SourceFile { path, facts });
        let codebase = Codebase::new(sources, &[]);
        let resolved: Vec<ResolvedFile> =
            codebase.program().file_indices().map(|file| resolve(&codebase, file)).collect();
        let classes = [FileClass::Source; 2];
        let structure = structure(&codebase, &resolved, &ContractEdges::default(), &classes);
        // `g`, `h` and the import of `b.py` use `f`; the two imports and both uses of `b.py` are one of its file.
        let [f, g, h, file_a, file_b] = [0, 1, 2, 3, 4].map(|node: usize| structure.used_by[node]);
        assert_eq!((f, g, h, file_a, file_b), (3, 0, 0, 1, 0));
    }
}
