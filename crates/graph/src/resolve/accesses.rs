//! Accesses: the fields, properties, enum members, constants and variables that code reads, writes or names.

#[cfg(test)]
mod tests;

use model::code::{Expression, ExpressionId, ScopeId};
use rustc_hash::FxHashSet;

use super::{
    Edge, UnresolvedAccess,
    sites::{MAX_TARGETS, caller, type_symbol},
};
use crate::{
    edge::{EdgeKind, Resolution},
    infer::{Inference, accessed_name, is_accessible, is_function},
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
};

/// Adds the edges of every access in a file; returns those of members of values of an unknown type.
pub(super) fn accesses(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) -> Vec<UnresolvedAccess> {
    let program = cx.program;
    let code = program.code(file);
    let names = AccessibleNames::new(program, file);
    let mut unresolved = Vec::new();
    for access in &code.accesses {
        let name = accessed_name(program, file, access.expression);
        if name.is_some_and(|name| !names.contains(program, name)) {
            continue;
        }
        let found = accessed(cx, file, access.expression);
        let is_found = !found.is_empty();
        add_edges(cx, file, access.expression, (access.scope, access.line), found, edges);
        if let Some(name) = name.filter(|_| !is_found && is_member_of_unknown(cx, file, access.expression)) {
            unresolved.push(UnresolvedAccess { name, line: access.line });
        }
    }
    // The call of a function in a field reads the field, unless its type has a method of the same name.
    for site in &code.sites {
        let Expression::Call { callee, .. } = code.expression(site.expression) else { continue };
        let name = accessed_name(program, file, *callee);
        if name.is_some_and(|name| names.contains(program, name)) {
            let mut found = accessed(cx, file, *callee);
            found.retain(|to| !has_method_of_its_name(program, *to));
            add_edges(cx, file, *callee, (site.scope, site.line), found, edges);
        }
    }
    unresolved
}

/// Returns true for a field whose type has a method of the same name.
fn has_method_of_its_name(program: &Program<'_>, member: SymbolIdx) -> bool {
    let is_method = |symbol: SymbolIdx| is_function(program.definition(symbol).kind);
    let namesakes = program.parent(member).map(|owner| program.members(owner, program.name_of(member)));
    !is_method(member) && namesakes.unwrap_or_default().iter().any(|other| is_method(*other))
}

/// Returns the definitions that an expression accesses.
fn accessed(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Vec<SymbolIdx> {
    let mut found = cx.accessed_definitions(file, expression);
    if !found.is_empty() && !cx.dialect(file).is_access(cx, file, expression) {
        found.clear();
    }
    found
}

/// Adds an edge to each definition that an expression accesses.
fn add_edges(
    cx: &mut Inference<'_>,
    file: FileIdx,
    expression: ExpressionId,
    (scope, line): (ScopeId, u32),
    found: Vec<SymbolIdx>,
    edges: &mut Vec<Edge>,
) {
    if found.len() > MAX_TARGETS {
        return;
    }
    let from = caller(cx, file, scope);
    for to in &found {
        cx.consult(cx.program.file_of(*to));
        let resolution = resolution_of(cx, file, expression, *to, &found);
        edges.push(Edge { from, to: Node::Symbol(*to), kind: EdgeKind::Accesses, resolution, line, n_sites: 1 });
    }
}

/// Returns the way in which a definition was found among all those of an access.
fn resolution_of(
    cx: &mut Inference<'_>,
    file: FileIdx,
    expression: ExpressionId,
    to: SymbolIdx,
    found: &[SymbolIdx],
) -> Resolution {
    let program = cx.program;
    let owner = program.parent(to);
    // The types of a union have a member each. Several members of one type are variants of one definition.
    if found.iter().filter(|other| program.parent(**other) == owner).count() > 1 {
        return Resolution::Ambiguous;
    }
    match program.code(file).expression(expression) {
        Expression::Member { of, .. } | Expression::Path { of, .. } => {
            let receiver = cx.type_of(file, *of);
            let is_inherited = receiver
                .alternatives()
                .iter()
                .all(|ty| type_symbol(ty).is_some_and(|receiver| Some(receiver) != owner));
            if is_inherited { Resolution::Inherited } else { Resolution::Receiver }
        }
        _ if program.file_of(to) == file => Resolution::Scope,
        _ => Resolution::Import,
    }
}

/// Returns true if an expression is a member of a value of an unknown type.
fn is_member_of_unknown(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> bool {
    match cx.program.code(file).expression(expression) {
        Expression::Member { of, .. } => {
            cx.type_of(file, expression).is_unknown() && cx.type_of(file, *of).is_unknown()
        }
        _ => false,
    }
}

/// The names of definitions that can be accessed. An access of another name leaves the program.
struct AccessibleNames<'p> {
    /// The folder of the repository of the file, if there are several. Only accesses to definitions of others are resolved then.
    root: &'p str,
    /// The names that imports of the file give to definitions.
    aliases: FxHashSet<Name>,
}

impl<'p> AccessibleNames<'p> {
    fn new(program: &Program<'p>, file: FileIdx) -> AccessibleNames<'p> {
        let aliases = program.facts(file).imports.iter().filter_map(|import| program.name_named(&import.alias));
        let root = program.root_of_file(file);
        AccessibleNames { root, aliases: aliases.collect() }
    }

    fn contains(&self, program: &Program<'_>, name: Name) -> bool {
        self.aliases.contains(&name) || program.is_accessible_outside(self.root, name, is_accessible)
    }
}
