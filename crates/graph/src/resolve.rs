//! Resolution of the uses in one file to edges: calls, bases, references, imports.

mod compiler;
mod mentions;
mod references;
mod sites;

use model::Language;

use crate::{
    codebase::Codebase,
    edge::{EdgeKind, Resolution},
    infer::Inference,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
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
    /// The files that resolution looked into, in order. When the interface of one of them changes, this file is resolved
    /// again.
    pub consulted: Vec<FileIdx>,
    /// The number of calls whose target is not known, for diagnosis.
    pub n_unresolved: u32,
}

/// The uses in one file.
#[derive(Debug, Default)]
pub struct FileUses {
    /// One edge for each use and target, in no order.
    pub edges: Vec<Edge>,
    /// The calls whose target is not known. Calls of what is known to be outside of the program do not count.
    pub unresolved: Vec<UnresolvedCall>,
}

/// A call whose target is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnresolvedCall {
    /// The name of the callee; [`Name::NONE`] if it has none.
    pub name: Name,
    /// The line of the call.
    pub line: u32,
}

/// The uses in one file, as a compiler resolved them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompilerUses {
    /// The uses, in any order.
    pub uses: Vec<CompilerUse>,
    /// Types of the file, each with a type that it implements or extends.
    pub bases: Vec<(SymbolIdx, SymbolIdx)>,
}

/// A use of a definition, as a compiler resolved it.
#[derive(Debug, Clone, PartialEq)]
pub struct CompilerUse {
    /// The line.
    pub line: u32,
    /// The name as it is written.
    pub name: String,
    /// The definition, or its parts in several places; none if it is outside of the program or is no definition of the program.
    pub targets: Vec<SymbolIdx>,
}

/// Resolves the uses in one file, without merging them. The uses that a compiler found take precedence.
pub fn uses(codebase: &Codebase<'_>, file: FileIdx, compiler: Option<&CompilerUses>) -> FileUses {
    uses_with(&mut codebase.inference(), file, compiler)
}

/// Resolves the uses in one file. It looks only at the definitions of other files, and only on demand.
pub fn resolve(codebase: &Codebase<'_>, file: FileIdx) -> ResolvedFile {
    resolve_with(codebase, file, None, |_| ()).0
}

/// Resolves the uses in one file, then runs `read` on the same inference: it reuses the inferred types, and the files that it
/// reads count as consulted. The uses that a compiler found take precedence.
pub fn resolve_with<T>(
    codebase: &Codebase<'_>,
    file: FileIdx,
    compiler: Option<&CompilerUses>,
    read: impl FnOnce(&mut Inference<'_>) -> T,
) -> (ResolvedFile, T) {
    let mut cx = codebase.inference();
    let FileUses { edges, unresolved } = uses_with(&mut cx, file, compiler);
    let value = read(&mut cx);
    let n_unresolved = unresolved.len() as u32;
    (ResolvedFile { edges: merge_equal(edges), consulted: cx.consulted(), n_unresolved }, value)
}

fn uses_with(cx: &mut Inference<'_>, file: FileIdx, compiler: Option<&CompilerUses>) -> FileUses {
    let mut edges = Vec::new();
    let unresolved = sites::calls(cx, file, &mut edges);
    references::bases(cx, file, &mut edges);
    if cx.program.language(file) == Language::Markdown {
        mentions::documents(cx, file, &mut edges);
    } else {
        references::uses(cx, file, &mut edges);
    }
    references::imports(cx, file, &mut edges);
    let inferred = FileUses { edges, unresolved };
    match compiler {
        Some(compiler) => compiler::prefer(cx, file, inferred, compiler),
        None => inferred,
    }
}

/// Sorts edges and merges those with the same ends and kind: at the first line, with the surest resolution.
fn merge_equal(mut edges: Vec<Edge>) -> Vec<Edge> {
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

/// Returns the source of an edge: the innermost definition around the use, or the file.
fn use_source(program: &Program<'_>, file: FileIdx, definition: Option<model::code::DefinitionId>) -> Node {
    definition.map_or(Node::File(file), |definition| Node::Symbol(program.symbol(file, definition)))
}
