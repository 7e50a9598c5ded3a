//! The uses that a compiler resolved, in the place of those that were inferred.
//!
//! A compiler decides a name on a line if its index has an occurrence of the name there. Other uses stay as inferred: the absence of
//! an occurrence is no proof, since indexers leave out generated code, macros, and values without a type.

use model::{ReferenceKind, SymbolKind, code::DefinitionId};
use rustc_hash::FxHashSet;

use super::{CompilerUse, CompilerUses, Edge, FoundUses, sites, use_source};
use crate::{
    edge::{EdgeKind, Resolution},
    infer::{Inference, is_accessible, is_function},
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
};

/// Replaces the inferred uses of a file by those that a compiler resolved, as far as it did.
pub(super) fn prefer(cx: &mut Inference<'_>, file: FileIdx, inferred: FoundUses, compiler: &CompilerUses) -> FoundUses {
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
    FoundUses { edges, unresolved: unresolved.collect(), unresolved_accesses: accesses.collect() }
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
    // The use of a constructor names the type, too.
    let is_owner = || edge.kind == EdgeKind::References && known.owners.contains(&(edge.line, to));
    if known.targets.contains(&(edge.line, to)) || is_owner() {
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
    /// The types of the targets that are constructors.
    owners: FxHashSet<(u32, SymbolIdx)>,
    /// The names as written, and those of the targets.
    names: FxHashSet<(u32, &'a str)>,
}

impl<'a> KnownUses<'a> {
    fn new(program: &Program<'a>, uses: &'a [CompilerUse]) -> KnownUses<'a> {
        let (targets, owners, names) = Default::default();
        let mut known = KnownUses { targets, owners, names };
        for one in uses {
            known.names.insert((one.line, &one.name));
            for target in &one.targets {
                known.targets.insert((one.line, *target));
                let is_constructor = program.definition(*target).kind == SymbolKind::Constructor;
                let owner = program.parent(*target).filter(|_| is_constructor);
                known.owners.extend(owner.map(|owner| (one.line, owner)));
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

    fn enclosing_definition(&self, line: u32) -> Option<DefinitionId> {
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
    let around = sites.enclosing_definition(one.line);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Codebase, resolve::uses, testing::with_codebase};

    const FIXTURE: &str = "
//- /a.py
class Pool:
    def __init__(self):
        self.size = 1
    def take(self):
        pass
class Other:
    def take(self):
        pass
def free(): pass
def f(pool, x):
    pool.take()
    free()
    Pool()
    x.free()
    return free
class Big(Pool):
    pass
";

    fn symbol(codebase: &Codebase<'_>, line: u32) -> SymbolIdx {
        let program = codebase.program();
        let mut all = program.symbols_of(FileIdx(0));
        all.find(|symbol| program.definition(*symbol).name_line == line).expect("a definition is on the line")
    }

    /// Checks the edges of `f` at a line, given the uses of a compiler as (line, name, line of the target).
    #[track_caller]
    fn check(line: u32, compiler: &[(u32, &str, Option<u32>)], expected: &[(&str, u32, &str)]) {
        let found = with_codebase(FIXTURE, |codebase| {
            let uses_of = |(line, name, target): &(u32, &str, Option<u32>)| CompilerUse {
                line: *line,
                name: (*name).to_owned(),
                targets: target.map(|line| symbol(codebase, line)).into_iter().collect(),
            };
            let bases = vec![(symbol(codebase, 16), symbol(codebase, 6))];
            let compiler = CompilerUses { uses: compiler.iter().map(uses_of).collect(), bases };
            let edges = uses(codebase, FileIdx(0), Some(&compiler), |_| ()).0.edges;
            let at_line = edges.into_iter().filter(|edge| edge.line == line);
            let mut shown: Vec<(&str, u32, &str)> = at_line
                .filter_map(|edge| match edge.to {
                    Node::Symbol(to) => {
                        Some((edge.kind.name(), codebase.program().definition(to).name_line, edge.resolution.name()))
                    }
                    Node::File(_) => None,
                })
                .collect();
            shown.sort_unstable();
            shown
        });
        assert_eq!(found, expected, "line {line}");
    }

    #[test]
    fn a_use_of_the_compiler_is_added() {
        check(11, &[(11, "take", Some(7))], &[("calls", 7, "compiler")]);
        check(15, &[(15, "free", Some(9))], &[("references", 9, "compiler")]);
    }

    #[test]
    fn an_inferred_call_is_confirmed_or_replaced() {
        check(12, &[], &[("calls", 9, "scope")]);
        check(12, &[(12, "free", Some(9))], &[("calls", 9, "compiler")]);
        check(12, &[(12, "free", None)], &[]);
        check(12, &[(12, "free", Some(4))], &[("calls", 4, "compiler")]);
        // The compiler says nothing about this name.
        check(12, &[(12, "other", None), (11, "free", None)], &[("calls", 9, "scope")]);
    }

    #[test]
    fn a_construction_names_the_type() {
        check(13, &[(13, "Pool", Some(1))], &[("calls", 2, "compiler")]);
    }

    #[test]
    fn bases_are_added() {
        check(16, &[], &[("extends", 1, "declared"), ("extends", 6, "compiler"), ("references", 1, "scope")]);
    }
}
