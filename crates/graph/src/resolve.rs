//! Resolution of the uses in one file to edges: calls, bases, references, imports.

mod mentions;
pub(crate) mod references;
mod sites;

use model::Language;

use crate::{
    codebase::Codebase,
    edge::{EdgeKind, Resolution},
    infer::Inference,
    names::Name,
    program::{FileIdx, Node, Program},
};

/// An edge within a repository, with its first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The innermost definition that contains the use; otherwise the file.
    pub from: Node,
    /// The target of the use.
    pub to: Node,
    /// The relation between the ends.
    pub kind: EdgeKind,
    /// The way in which the target was found.
    pub resolution: Resolution,
    /// The line of the first use, in the file of `from`.
    pub line: u32,
    /// The number of uses.
    pub n_sites: u32,
}

/// The edges of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResolvedFile {
    /// Sorted by `from`, `to` and kind, each once.
    pub edges: Vec<Edge>,
    /// The lines of the uses after the first one, sorted, each once.
    pub further_lines: Vec<FurtherLine>,
    /// The files that resolution looked into, in order. When the interface of one of them changes, this file is resolved
    /// again.
    pub consulted: Vec<FileIdx>,
    /// The number of calls whose target is not known, for diagnosis.
    pub n_unresolved: u32,
}

/// A line with uses that an edge has besides its first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FurtherLine {
    /// The source of the edge.
    pub from: Node,
    /// Its target.
    pub to: Node,
    /// Its relation.
    pub kind: EdgeKind,
    /// The line, in the file of `from`.
    pub line: u32,
}

/// The uses in one file.
#[derive(Debug, Default)]
pub struct FileUses {
    /// One edge for each use and target, in no order.
    pub edges: Vec<Edge>,
    /// The calls whose target is not known, or only one of several possibilities. Calls of what is known to be outside of the program do
    /// not count.
    pub unresolved: Vec<UnresolvedCall>,
}

/// A call whose target is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnresolvedCall {
    /// The name of the callee; [`Name::NONE`] if it has none.
    pub name: Name,
    /// The line of the call.
    pub line: u32,
    /// Number of its arguments; `None` if the language does not tell.
    pub n_arguments: Option<u32>,
    /// True for a call of a member of a value.
    pub is_member: bool,
}

/// Resolves the uses in one file, without merging them.
pub fn uses(codebase: &Codebase<'_>, file: FileIdx) -> FileUses {
    uses_with(&mut codebase.inference(), file)
}

/// Resolves the uses in one file. It looks only at the definitions of other files, and only on demand.
pub fn resolve(codebase: &Codebase<'_>, file: FileIdx) -> ResolvedFile {
    resolve_with(codebase, file, |_| ()).0
}

/// Resolves the uses in one file, then runs `read` on the same inference: it reuses the inferred types, and the files that it
/// reads count as consulted.
pub fn resolve_with<T>(
    codebase: &Codebase<'_>,
    file: FileIdx,
    read: impl FnOnce(&mut Inference<'_>) -> T,
) -> (ResolvedFile, T) {
    let mut cx = codebase.inference();
    let FileUses { edges, unresolved } = uses_with(&mut cx, file);
    let value = read(&mut cx);
    let n_unresolved = unresolved.len() as u32;
    let (edges, further_lines) = merge_equal(edges);
    (ResolvedFile { edges, further_lines, consulted: cx.consulted(), n_unresolved }, value)
}

fn uses_with(cx: &mut Inference<'_>, file: FileIdx) -> FileUses {
    let mut edges = Vec::new();
    let unresolved = sites::calls(cx, file, &mut edges);
    references::bases(cx, file, &mut edges);
    if cx.program.language(file) == Language::Markdown {
        mentions::documents(cx, file, &mut edges);
    } else {
        references::uses(cx, file, &mut edges);
    }
    references::imports(cx, file, &mut edges);
    FileUses { edges, unresolved }
}

/// Sorts edges and merges those with the same ends and kind: at the first line, with the surest resolution. Returns the further lines
/// beside them.
fn merge_equal(mut edges: Vec<Edge>) -> (Vec<Edge>, Vec<FurtherLine>) {
    edges.retain(|edge| edge.from != edge.to || edge.kind == EdgeKind::Calls);
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.line));
    let mut further_lines: Vec<FurtherLine> = Vec::new();
    edges.dedup_by(|next, first| {
        let is_same = (next.from, next.to, next.kind) == (first.from, first.to, first.kind);
        if is_same {
            first.n_sites += next.n_sites;
            if next.resolution.confidence() > first.resolution.confidence() {
                first.resolution = next.resolution;
            }
            let Edge { from, to, kind, line, .. } = *next;
            let further = FurtherLine { from, to, kind, line };
            if line != first.line && further_lines.last() != Some(&further) {
                further_lines.push(further);
            }
        }
        is_same
    });
    (edges, further_lines)
}

/// Returns the source of an edge: the innermost definition around the use, or the file.
fn use_source(program: &Program<'_>, file: FileIdx, definition: Option<model::code::DefinitionId>) -> Node {
    definition.map_or(Node::File(file), |definition| Node::Symbol(program.symbol(file, definition)))
}
