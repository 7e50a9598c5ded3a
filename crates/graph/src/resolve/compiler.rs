//! The uses that a compiler resolved, in the place of those that were inferred.
//!
//! A compiler decides a name on a line if its index has an occurrence of the name there. Other uses stay as inferred: the absence of
//! an occurrence is no proof, since indexers leave out generated code, macros, and values without a type.

use model::{ReferenceKind, SymbolKind, code::DefinitionId};
use rustc_hash::FxHashSet;

use super::{CompilerUse, CompilerUses, Edge, FileUses, sites, use_source};
use crate::{
    edge::{EdgeKind, Resolution},
    infer::{Inference, is_accessible, is_function},
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
};

/// Replaces the inferred uses of a file by those that a compiler resolved, as far as it did.
pub(super) fn prefer(cx: &mut Inference<'_>, file: FileIdx, inferred: FileUses, compiler: &CompilerUses) -> FileUses {
    let program = cx.program;
    let known = KnownUses::new(program, &compiler.uses);
    let mut edges = Vec::new();
    // Lines with the definitions that both have found there.
    let mut confirmed: FxHashSet<(u32, SymbolIdx)> = FxHashSet::default();
    for edge in inferred.edges {
        match verdict(program, &edge, &known) {
            Verdict::Unknown => edges.push(edge),
            Verdict::Refuted => {}
            Verdict::Confirmed(named) => {
                confirmed.insert((edge.line, named));
                edges.push(Edge { resolution: Resolution::Compiler, ..edge });
            }
        }
    }
    let sites = FileSites::new(program, file);
    for one in &compiler.uses {
        // The parts of one definition, such as overloads, are one symbol for the compiler.
        let Some(to) = one.targets.first() else { continue };
        if one.targets.iter().all(|target| !confirmed.contains(&(one.line, *target))) {
            let edge = edge(cx, file, one, *to, &sites);
            edges.push(Edge { to: Node::Symbol(called(cx, &edge, *to)), ..edge });
        }
        cx.consult(program.file_of(*to));
    }
    let edges = with_bases(program, edges, compiler);
    let is_known = |name: Name, line: u32| name != Name::NONE && known.names.contains(&(line, program.text(name)));
    let unresolved = inferred.unresolved.into_iter().filter(|call| !is_known(call.name, call.line));
    let accesses = inferred.unresolved_accesses.into_iter().filter(|access| !is_known(access.name, access.line));
    FileUses { edges, unresolved: unresolved.collect(), unresolved_accesses: accesses.collect() }
}

/// The answer of the compiler about an inferred edge.
enum Verdict {
    /// It names this definition on the line: the target, or the type that the target constructs.
    Confirmed(SymbolIdx),
    /// It has another target for the name.
    Refuted,
    /// It has no occurrence of the name.
    Unknown,
}

fn verdict(program: &Program<'_>, edge: &Edge, known: &KnownUses<'_>) -> Verdict {
    let Node::Symbol(to) = edge.to else { return Verdict::Unknown };
    if !matches!(edge.kind, EdgeKind::Calls | EdgeKind::References | EdgeKind::Imports | EdgeKind::Accesses) {
        return Verdict::Unknown;
    }
    if known.targets.contains(&(edge.line, to)) {
        return Verdict::Confirmed(to);
    }
    // A construction names the type, and calls its constructor.
    let made = program.parent(to).filter(|_| edge.resolution == Resolution::Construct);
    match made.filter(|made| known.targets.contains(&(edge.line, *made))) {
        Some(made) => Verdict::Confirmed(made),
        None if known.names.contains(&(edge.line, program.definition(to).name.as_str())) => Verdict::Refuted,
        None => Verdict::Unknown,
    }
}

/// The lines of the uses of a compiler.
struct KnownUses<'a> {
    targets: FxHashSet<(u32, SymbolIdx)>,
    /// The names as written, and those of the targets.
    names: FxHashSet<(u32, &'a str)>,
}

impl<'a> KnownUses<'a> {
    fn new(program: &Program<'a>, uses: &'a [CompilerUse]) -> KnownUses<'a> {
        let mut known = KnownUses { targets: FxHashSet::default(), names: FxHashSet::default() };
        for one in uses {
            known.names.insert((one.line, &one.name));
            for target in &one.targets {
                known.targets.insert((one.line, *target));
                known.names.insert((one.line, &program.definition(*target).name));
            }
        }
        known
    }
}

/// The calls, imports and definitions of a file by line.
struct FileSites<'a> {
    calls: FxHashSet<(u32, &'a str)>,
    import_lines: FxHashSet<u32>,
    /// By line: the innermost definition around it.
    innermost: Vec<Option<DefinitionId>>,
}

impl<'a> FileSites<'a> {
    fn new(program: &Program<'a>, file: FileIdx) -> FileSites<'a> {
        let facts = program.facts(file);
        let is_call = |kind| matches!(kind, ReferenceKind::Call | ReferenceKind::Construct);
        let calls = facts.references.iter().filter(|reference| is_call(reference.kind));
        let by_reference = calls.map(|reference| (reference.line, reference.name.as_str()));
        let by_site = facts.code.sites.iter().map(|site| {
            let callee = sites::callee_name(program, file, site.expression);
            (site.line, if callee == Name::NONE { "" } else { program.text(callee) })
        });
        let mut innermost = vec![None; facts.n_lines as usize + 1];
        // A nested definition follows the one around it.
        for (definition, index) in facts.definitions.iter().zip(0..) {
            let (start, end) = (definition.lines.start as usize, definition.lines.end as usize);
            let end = (end + 1).min(innermost.len());
            innermost[start.min(end)..end].fill(Some(DefinitionId(index)));
        }
        FileSites {
            calls: by_reference.chain(by_site).collect(),
            import_lines: facts.imports.iter().map(|import| import.line).collect(),
            innermost,
        }
    }

    fn around(&self, line: u32) -> Option<DefinitionId> {
        self.innermost.get(line as usize).copied().flatten()
    }
}

/// Returns the constructor of a type that an edge calls, if it has one; otherwise the same definition.
fn called(cx: &mut Inference<'_>, edge: &Edge, to: SymbolIdx) -> SymbolIdx {
    if edge.kind != EdgeKind::Calls || !cx.program.definition(to).kind.is_type() {
        return to;
    }
    let dialect = cx.dialect(cx.program.file_of(to));
    match dialect.constructors(cx, to)[..] {
        [constructor] => constructor,
        _ => to,
    }
}

/// Returns the edge of a use that only the compiler found.
fn edge(cx: &Inference<'_>, file: FileIdx, one: &CompilerUse, to: SymbolIdx, sites: &FileSites<'_>) -> Edge {
    let program = cx.program;
    let around = sites.around(one.line);
    let target = program.definition(to).kind;
    let is_called = is_function(target) || target.is_type() || target == SymbolKind::Macro;
    let (from, kind) = if around.is_none() && sites.import_lines.contains(&one.line) {
        (Node::File(file), EdgeKind::Imports)
    } else if is_called && sites.calls.contains(&(one.line, one.name.as_str())) {
        (sites::calling_function(cx, file, around), EdgeKind::Calls)
    } else if is_accessible(program, to) {
        (sites::calling_function(cx, file, around), EdgeKind::Accesses)
    } else {
        (use_source(program, file, around), EdgeKind::References)
    };
    Edge { from, to: Node::Symbol(to), kind, resolution: Resolution::Compiler, line: one.line, n_sites: 1 }
}

/// Adds the bases that the compiler found, and marks those that were inferred, too.
fn with_bases(program: &Program<'_>, mut edges: Vec<Edge>, compiler: &CompilerUses) -> Vec<Edge> {
    let found = compiler.bases.iter().map(|(of, base)| (Node::Symbol(*of), Node::Symbol(*base)));
    let mut missing: FxHashSet<(Node, Node)> = found.collect();
    for edge in edges.iter_mut().filter(|edge| matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements)) {
        if missing.remove(&(edge.from, edge.to)) {
            edge.resolution = Resolution::Compiler;
        }
    }
    for (of, base) in &compiler.bases {
        let (from, to) = (Node::Symbol(*of), Node::Symbol(*base));
        if missing.remove(&(from, to)) {
            let is_interface = matches!(program.definition(*base).kind, SymbolKind::Interface | SymbolKind::Trait);
            let kind = if is_interface { EdgeKind::Implements } else { EdgeKind::Extends };
            let line = program.definition(*of).name_line;
            edges.push(Edge { from, to, kind, resolution: Resolution::Compiler, line, n_sites: 1 });
        }
    }
    edges
}
