//! From the uses of names in one file to edges: who is called, built on, referred to, imported.

mod mentions;
mod references;
mod sites;

use model::Language;

use crate::{
    contracts::{self, Contracts},
    edge::{EdgeKind, Resolution},
    infer::Inference,
    program::{FileIdx, Program, SymbolIdx},
};

/// One end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Symbol(SymbolIdx),
    File(FileIdx),
}

/// An edge within a repository, with the first place that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The innermost definition around the use; the file where there is none.
    pub from: Node,
    pub to: Node,
    pub kind: EdgeKind,
    pub resolution: Resolution,
    /// The line of the first use, in the file of `from`.
    pub line: u32,
    /// How many uses there are.
    pub n_sites: u32,
}

/// What became of the uses in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// Sorted by `from`, `to` and kind, each once.
    pub edges: Vec<Edge>,
    /// The files that were looked into, in order: when what one of them offers changes, this file is resolved anew.
    pub consulted: Vec<FileIdx>,
    /// Calls of which no target was found, for diagnosis.
    pub n_unresolved: u32,
    pub contracts: Contracts,
}

/// Resolves the uses in one file. Of all other files only what they define is looked at, as far as it is asked for.
pub fn resolve(program: &Program<'_>, file: FileIdx) -> Resolved {
    let mut cx = Inference::new(program);
    let mut edges = Vec::new();
    let n_unresolved = sites::calls(&mut cx, file, &mut edges);
    references::bases(&mut cx, file, &mut edges);
    if program.language(file) == Language::Markdown {
        mentions::documents(&mut cx, file, &mut edges);
    } else {
        references::uses(&mut cx, file, &mut edges);
    }
    references::imports(&mut cx, file, &mut edges);
    let contracts = contracts::contracts(&mut cx, file);
    Resolved { edges: settle(edges), consulted: cx.consulted(), n_unresolved, contracts }
}

/// Sorts edges, and makes one of those that say the same: at the first line, by the surest way.
fn settle(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.retain(|edge| edge.from != edge.to || edge.kind == EdgeKind::Calls);
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.line));
    edges.dedup_by(|next, first| {
        let is_same = (next.from, next.to, next.kind) == (first.from, first.to, first.kind);
        if is_same {
            first.n_sites += next.n_sites;
            if next.resolution.confidence() > first.resolution.confidence() {
                first.resolution = next.resolution;
            }
        }
        is_same
    });
    edges
}

/// Returns the innermost definition around a use, as the end of an edge: a function, method or type; the file where the
/// use stands in none.
fn user(program: &Program<'_>, file: FileIdx, definition: Option<model::code::DefinitionId>) -> Node {
    definition.map_or(Node::File(file), |definition| Node::Symbol(program.symbol(file, definition)))
}
