//! Resolution of the uses in one file to edges: calls, bases, references, imports, accesses.

mod accesses;
mod compiler;
mod mentions;
mod named_sites;
pub(crate) mod references;
mod sites;
mod unresolved_calls;

use std::collections::BTreeMap;

use model::{Language, code::ExpressionId};
use serde::{Deserialize, Serialize};

use crate::{
    codebase::Codebase,
    edge::{EdgeKind, Resolution},
    infer::Inference,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
};

pub use named_sites::{accessed_names, called_names};

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
    /// The accesses to members of values of an unknown type, by name of the member.
    pub unresolved_members: Vec<UnresolvedMember>,
}

/// The accesses to a member name in one file whose receiver type is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedMember {
    /// The name of the member.
    pub name: String,
    /// The line of the first access.
    pub line: u32,
    /// The number of accesses.
    pub n_sites: u32,
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
    /// The accesses to members of values of an unknown type, with the name of a field or enum member of the program.
    pub unresolved_accesses: Vec<UnresolvedAccess>,
}

/// A call whose target is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedCall {
    /// The name of the callee as it is written; [`Name::NONE`] if it has none.
    pub name: Name,
    /// The name of the definitions that the callee may mean: without aliases of imports and variables. [`Name::NONE`] if it can mean
    /// none, as a parameter, or a name that no definition of the program has.
    pub callee: Name,
    /// The line of the call.
    pub line: u32,
    /// The form of the callee.
    pub form: CalleeForm,
    /// The arguments.
    pub arguments: GivenArguments,
    /// The only definitions that the types of the call allow; empty if the types are not known.
    pub candidates: Vec<SymbolIdx>,
}

/// The form of a callee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CalleeForm {
    /// `f()`, `new A()`.
    Bare,
    /// `value.f()`.
    Member,
    /// `module.f()`, `A::f()`: a member of a type or a definition of a module.
    Qualified,
}

/// The arguments of a call, as far as they tell which definitions it can mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenArguments {
    /// Number of positional arguments.
    pub n_positional: u32,
    /// True if there may be more arguments.
    pub is_open: bool,
    /// The names of keyword arguments.
    pub keywords: Vec<String>,
    /// The positions of arguments that are functions.
    pub functions: Vec<u32>,
}

impl GivenArguments {
    /// Returns the arguments of a call of which the language does not tell any.
    pub fn unknown() -> GivenArguments {
        GivenArguments { n_positional: 0, is_open: true, keywords: Vec::new(), functions: Vec::new() }
    }
}

/// An access to a member of a value of an unknown type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnresolvedAccess {
    /// The name of the member.
    pub name: Name,
    /// The line of the access.
    pub line: u32,
}

/// The uses in one file before the details of unresolved calls.
struct FoundUses {
    edges: Vec<Edge>,
    unresolved: Vec<UncertainCall>,
    unresolved_accesses: Vec<UnresolvedAccess>,
}

/// A call whose target is not known, or only one of several possibilities.
struct UncertainCall {
    name: Name,
    line: u32,
    site: ExpressionId,
    targets: Vec<(SymbolIdx, Resolution)>,
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

/// Resolves the uses in one file, without merging them, then runs `read` on the same inference. It returns the files that either
/// consulted, in order. The uses that a compiler found take precedence.
pub fn uses<T>(
    codebase: &Codebase<'_>,
    file: FileIdx,
    compiler: Option<&CompilerUses>,
    read: impl FnOnce(&mut Inference<'_>) -> T,
) -> (FileUses, Vec<FileIdx>, T) {
    let mut cx = codebase.inference();
    let found = uses_with(&mut cx, file);
    let value = read(&mut cx);
    let FoundUses { edges, unresolved, unresolved_accesses } = complete(&mut cx, file, found, compiler);
    // Its queries come last, and change no edge.
    let unresolved = unresolved.iter().map(|call| unresolved_calls::unresolved_call(&mut cx, file, call)).collect();
    (FileUses { edges, unresolved, unresolved_accesses }, cx.consulted(), value)
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
    let found = uses_with(&mut cx, file);
    let value = read(&mut cx);
    let FoundUses { edges, unresolved, unresolved_accesses } = complete(&mut cx, file, found, compiler);
    let (edges, further_lines) = merge_equal(edges);
    let resolved = ResolvedFile {
        edges,
        further_lines,
        consulted: cx.consulted(),
        n_unresolved: unresolved.len() as u32,
        unresolved_members: count_by_name(codebase.program(), &unresolved_accesses),
    };
    (resolved, value)
}

/// Counts accesses by the name of the member.
fn count_by_name(program: &Program<'_>, accesses: &[UnresolvedAccess]) -> Vec<UnresolvedMember> {
    let mut by_name: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for access in accesses {
        by_name.entry(program.text(access.name)).or_default().push(access.line);
    }
    let member = |(name, lines): (&str, Vec<u32>)| UnresolvedMember {
        name: name.to_owned(),
        line: lines.iter().copied().min().unwrap_or_default(),
        n_sites: lines.len() as u32,
    };
    by_name.into_iter().map(member).collect()
}

/// Resolves all uses but accesses.
fn uses_with(cx: &mut Inference<'_>, file: FileIdx) -> FoundUses {
    let mut edges = Vec::new();
    let unresolved = sites::calls(cx, file, &mut edges);
    references::bases(cx, file, &mut edges);
    if cx.program.language(file) == Language::Markdown {
        mentions::documents(cx, file, &mut edges);
    } else {
        references::uses(cx, file, &mut edges);
    }
    references::imports(cx, file, &mut edges);
    FoundUses { edges, unresolved, unresolved_accesses: Vec::new() }
}

/// Adds the accesses of a file to its other uses, and replaces what a compiler knows better. Accesses come last: a type is inferred
/// once, and the order of queries decides the types of circular code.
fn complete(cx: &mut Inference<'_>, file: FileIdx, found: FoundUses, compiler: Option<&CompilerUses>) -> FoundUses {
    let FoundUses { mut edges, unresolved, .. } = found;
    let unresolved_accesses = accesses::accesses(cx, file, &mut edges);
    let inferred = FoundUses { edges, unresolved, unresolved_accesses };
    match compiler {
        Some(compiler) => compiler::prefer(cx, file, inferred, compiler),
        None => inferred,
    }
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
