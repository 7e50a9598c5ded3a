//! Name lookup: scopes first, then classes with their bases, then namespaces.

mod candidates;
mod members;
mod named_definitions;

use model::{
    Language,
    code::{Expression, Flags, ScopeId, TypeExpression},
};

use named_definitions::NamedDefinitions;

use super::{
    CDialect,
    namespaces::{GLOBAL, Namespace},
};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum nesting depth of scopes, classes and namespaces.
const MAX_DEPTH: usize = 400;

/// Kind of entity to look up: one name may denote both a type and a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LookupKind {
    Value,
    /// A type, or a namespace.
    Type,
}

/// The position where a name is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct UseSite {
    pub(super) file: FileIdx,
    pub(super) scope: ScopeId,
    /// Number of bindings before the use; later bindings are not visible.
    pub(super) n_before: u32,
}

impl CDialect {
    /// Resolves an unqualified name. A lookup of a type returns the type itself or a namespace.
    pub(super) fn resolve_name(&self, cx: &mut Inference<'_>, at: UseSite, name: Name, kind: LookupKind) -> Ty {
        let program = cx.program;
        let code = program.code(at.file);
        let mut next = Some(at.scope);
        for _ in 0..MAX_DEPTH {
            let Some(scope_id) = next else { break };
            let Some(scope) = code.scopes.get(scope_id.index()) else { break };
            if let Some(found) = self.resolve_binding(cx, at, scope_id, name, kind) {
                return found;
            }
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(at.file, definition);
                if let Some(namespace) = self.namespaces.of_module(symbol) {
                    return self.resolve_in_enclosing_namespaces(cx, at.file, namespace, name, kind);
                }
                if let Some(found) = self.resolve_in_definition(cx, at.file, symbol, name, kind) {
                    return found;
                }
            }
            next = scope.parent;
        }
        let mut found = self.resolve_in_enclosing_namespaces(cx, at.file, GLOBAL, name, kind);
        for namespace in self.namespaces.opened_by_macros() {
            if found.is_unknown() {
                found = self.resolve_in_namespace(cx, at.file, *namespace, name, kind).unwrap_or(Ty::Unknown);
            }
        }
        match found {
            // An unresolved `::f` comes from outside of the repository.
            Ty::Unknown if at.scope == ScopeId(0) && program.language(at.file) == Language::Cpp => Ty::External,
            found => found,
        }
    }

    /// Returns the value bound to a name in a scope. A variable of unknown type still hides outer names.
    fn resolve_binding(
        &self,
        cx: &mut Inference<'_>,
        at: UseSite,
        scope: ScopeId,
        name: Name,
        kind: LookupKind,
    ) -> Option<Ty> {
        let bound = cx.program.bindings(at.file, scope, name);
        let n_seen = bound.partition_point(|binding| *binding < at.n_before);
        let binding = *bound.get(n_seen.checked_sub(1)?)?;
        let code = cx.program.code(at.file);
        let value = code.bindings[binding as usize].value.map(|value| code.expression(value));
        let is_using = matches!(value, Some(Expression::Path { .. } | Expression::Type(_)));
        match kind {
            LookupKind::Value => Some(or_external(cx.binding_value(at.file, binding))),
            LookupKind::Type if is_using => {
                Some(cx.binding_value(at.file, binding)).filter(|ty| matches!(ty, Ty::Class(_) | Ty::Module(_)))
            }
            LookupKind::Type => None,
        }
    }

    /// Resolves a name inside a function or type: template parameters, then members of the enclosing types. For a
    /// function that is defined outside of its namespace (`void a::f() {}`), searches that namespace.
    fn resolve_in_definition(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        enclosing: SymbolIdx,
        name: Name,
        kind: LookupKind,
    ) -> Option<Ty> {
        let program = cx.program;
        let is_type = |symbol: SymbolIdx| program.definition(symbol).kind.is_type();
        if let Some(parameter) = own_parameter(program, enclosing, name) {
            return Some(parameter);
        }
        if !is_type(enclosing) {
            let inside = program.members(enclosing, name);
            let types: Vec<SymbolIdx> = inside.iter().copied().filter(|symbol| is_type(*symbol)).collect();
            if let Some(found) = self.resolve_definitions(cx, file, &NamedDefinitions::of_scope(&types), kind) {
                return Some(found);
            }
        }
        let is_friend = program.shape(enclosing).flags.has(Flags::FRIEND);
        let mut owner =
            if is_type(enclosing) { Some(enclosing) } else { program.parent(enclosing).filter(|_| !is_friend) };
        let mut last = None;
        for _ in 0..MAX_DEPTH {
            let Some(class) = owner.filter(|owner| is_type(*owner)) else { break };
            if let Some(found) = own_parameter(program, class, name) {
                return Some(found);
            }
            if let Some(found) = self.resolve_in_class(cx, file, class, name, kind) {
                return Some(found);
            }
            last = Some(class);
            owner = program.parent(class);
        }
        let enclosing_namespace = match last {
            Some(class) if program.file_of(class) != file || !is_type(enclosing) => {
                Some(self.namespaces.enclosing(program, program.file_of(class), class))
            }
            Some(_) => None,
            None => self.receiver_namespace(program, file, enclosing),
        }?;
        let found = self.resolve_in_enclosing_namespaces(cx, file, enclosing_namespace, name, kind);
        (!found.is_unknown()).then_some(found)
    }

    /// Returns the namespace that qualifies a function definition (`void a::f() {}`).
    fn receiver_namespace(&self, program: &Program<'_>, file: FileIdx, function: SymbolIdx) -> Option<Namespace> {
        let receiver = program.shape(function).receiver?;
        let TypeExpression::Named { path, .. } = program.code(file).written(receiver) else { return None };
        let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
        self.namespaces.find(self.namespaces.enclosing(program, file, function), &path)
    }
}

/// Returns a template parameter of a definition by name.
fn own_parameter(program: &Program<'_>, of: SymbolIdx, name: Name) -> Option<Ty> {
    let file = program.file_of(of);
    let parameters = &program.shape(of).type_parameters;
    let index = parameters.iter().position(|parameter| program.name(file, parameter.name) == name)?;
    Some(Ty::Parameter { of, index: index as u32 })
}

/// Replaces `Unknown` by `External`: a name that has a definition is never resolved by its name alone.
pub(super) fn or_external(ty: Ty) -> Ty {
    if ty.is_unknown() { Ty::External } else { ty }
}
