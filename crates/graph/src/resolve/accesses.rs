//! Accesses: the fields, properties, enum members, constants and variables that code reads, writes or names; and references to the functions
//! and types that it names as values.

#[cfg(test)]
mod named_value_tests;
#[cfg(test)]
mod tests;

use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};
use rustc_hash::FxHashSet;

use super::{
    Edge, UnresolvedAccess,
    sites::{MAX_TARGETS, caller, type_symbol},
};
use crate::{
    edge::{EdgeKind, Resolution},
    infer::{Inference, accessed_name, is_accessible, is_function, is_named_value},
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
};

/// Adds the edges of every access in a file; returns those of members of values of an unknown type.
pub(super) fn accesses(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) -> Vec<UnresolvedAccess> {
    let program = cx.program;
    let code = program.code(file);
    let names = AccessibleNames::new(program, file);
    let mut unresolved = Vec::new();
    // The definitions that the file names as types or decorators, by line, and those that a function names as values.
    let known: FxHashSet<(SymbolIdx, u32)> = edges.iter().filter_map(referenced).collect();
    let mut of_users: FxHashSet<(Node, SymbolIdx, u32)> = FxHashSet::default();
    for access in &code.accesses {
        let name = accessed_name(program, file, access.expression);
        if name.is_some_and(|name| !names.contains(program, name)) {
            continue;
        }
        let found = accessed(cx, file, access.expression);
        let is_found = !found.is_empty();
        let place = (access.scope, access.line);
        add_edges(cx, file, access.expression, (EdgeKind::Accesses, place), found, edges);
        if !is_found {
            let mut named = named_values(cx, file, access.expression);
            named.retain(|to| !known.contains(&(*to, access.line)));
            if !named.is_empty() {
                let user = caller(cx, file, access.scope);
                named.retain(|to| of_users.insert((user, *to, access.line)));
            }
            add_edges(cx, file, access.expression, (EdgeKind::References, place), named, edges);
        }
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
            add_edges(cx, file, *callee, (EdgeKind::Accesses, (site.scope, site.line)), found, edges);
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

/// Returns the functions and types that an expression names as values. The name of an argument in Python is none.
fn named_values(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Vec<SymbolIdx> {
    let program = cx.program;
    let is_path = matches!(program.code(file).expression(expression), Expression::Path { .. });
    if is_path && program.language(file) == Language::Python {
        return Vec::new();
    }
    cx.named_values(file, expression)
}

/// Returns the definition and the line of a reference.
fn referenced(edge: &Edge) -> Option<(SymbolIdx, u32)> {
    match edge {
        Edge { kind: EdgeKind::References, to: Node::Symbol(to), line, .. } => Some((*to, *line)),
        _ => None,
    }
}

/// Adds an edge to each definition that an expression names.
fn add_edges(
    cx: &mut Inference<'_>,
    file: FileIdx,
    expression: ExpressionId,
    (kind, (scope, line)): (EdgeKind, (ScopeId, u32)),
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
        edges.push(Edge { from, to: Node::Symbol(*to), kind, resolution, line, n_sites: 1 });
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

/// Returns true for definitions whose names code reads.
fn has_references(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    is_accessible(program, symbol) || is_named_value(program, symbol)
}

/// The names of definitions that code reads. An access of another name leaves the program.
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
        self.aliases.contains(&name) || program.is_accessible_outside(self.root, name, has_references)
    }
}
