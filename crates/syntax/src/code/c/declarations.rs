//! Variables, fields, prototypes and aliases.

use model::code::{Expression, ExpressionId, Flags, ScopeId, TypeId};

use super::declarators::{self, LoweredDeclarator};
use super::{
    CContext, CodeBuilder, OPAQUE, UNKNOWN_TYPE, calls, expressions, for_each_child, functions, has_specifier, types,
};
use crate::node::SyntaxNode;

/// Maximum number of pointers and references around a function declarator.
const MAX_POINTERS: usize = 4;

/// Lowers `T a = b, *c(d);`, a field, or a function prototype.
pub(super) fn lower_declaration(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) {
    let is_prototype = !context.is_in_function && declares_function(node);
    let outer = scope;
    let scope = if is_prototype { out.open_scope(outer, None) } else { outer };
    let base = types::lower_base_type(out, context, node, scope).unwrap_or(UNKNOWN_TYPE);
    let is_static = has_specifier(out, node, "static");
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let lowered = declarators::lower_declarator(out, context, declarator, base, scope);
        let definition = lowered.name.and_then(|name| out.definition_at(name));
        if is_prototype {
            out.code.scopes[scope.index()].definition = definition;
        }
        if let Some(function) = lowered.function {
            if let Some(arguments) = construction_arguments(context, function) {
                lower_construction(out, context, &lowered, arguments, scope);
            } else {
                functions::lower_prototype(out, context, node, &lowered, scope);
            }
            continue;
        }
        let default = lowered.value.or_else(|| node.child_by_field_name("default_value"));
        let value = default.and_then(|value| lower_initial_value(out, context, &lowered, value, scope));
        match definition {
            Some(definition) => {
                let receiver = functions::lower_receiver(out, context, &lowered, scope);
                let is_private = is_static || context.is_hidden;
                let shape = out.shape_mut(definition);
                shape.declared = Some(lowered.declared).filter(|declared| *declared != UNKNOWN_TYPE);
                shape.values = value.into_iter().collect();
                shape.receiver = receiver;
                shape.flags |= if is_private { Flags::PRIVATE } else { Flags::default() };
                shape.flags |= if is_static { Flags::STATIC } else { Flags::default() };
            }
            None => bind_declarator(out, &lowered, scope, value),
        }
    }
    // `if (T a = b)` has its value next to the declarator.
    if let Some(value) = node.child_by_field_name("value") {
        let value = expressions::lower_expression(out, context, value, scope);
        if let Some(binding) = out.code.bindings.last_mut().filter(|_| value != OPAQUE) {
            binding.value = Some(value);
        }
    }
}

/// Returns true if a declaration declares only a function, whose types may refer to its parameters.
fn declares_function(node: SyntaxNode<'_>) -> bool {
    let mut at = node.child_by_field_name("declarator");
    for _ in 0..MAX_POINTERS {
        match at.map(|at| (at, at.kind())) {
            Some((_, "function_declarator" | "operator_cast")) => return true,
            Some((inner, "pointer_declarator")) => at = inner.child_by_field_name("declarator"),
            Some((inner, "reference_declarator")) => at = inner.named_child(0),
            _ => return false,
        }
    }
    false
}

/// Binds a local declaration. Structured bindings take the parts of the value.
pub(super) fn bind_declarator(
    out: &mut CodeBuilder<'_>,
    lowered: &LoweredDeclarator<'_>,
    scope: ScopeId,
    value: Option<ExpressionId>,
) {
    let declared = Some(lowered.declared).filter(|declared| *declared != UNKNOWN_TYPE);
    if let Some(parts) = lowered.parts {
        let mut index = 0;
        for_each_child(parts, |part| {
            let value = value.map(|of| out.add_expression(Expression::Part { of, index }));
            let name = out.intern_node(part);
            out.bind(scope, name, None, value);
            index += 1;
        });
    } else if let Some(name) = lowered.name {
        let name = out.intern_node(name);
        out.bind(scope, name, declared, value);
    }
}

/// Lowers the initial value of a variable. `a(b)` and `a{b}` construct an object of its type.
fn lower_initial_value(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    lowered: &LoweredDeclarator<'_>,
    value: SyntaxNode<'_>,
    scope: ScopeId,
) -> Option<ExpressionId> {
    let is_assigned = out.source[..value.start_byte()].trim_ascii_end().ends_with(b"=");
    match value.kind() {
        "argument_list" => Some(lower_construction(out, context, lowered, value, scope)),
        "initializer_list" if !is_assigned => Some(lower_construction(out, context, lowered, value, scope)),
        _ => {
            expressions::access_designators(out, value, lowered.declared, scope);
            let value = expressions::lower_expression(out, context, value, scope);
            Some(value).filter(|value| *value != OPAQUE)
        }
    }
}

/// Lowers `T a(b)` as a constructor call, if `T` is known.
fn lower_construction(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    lowered: &LoweredDeclarator<'_>,
    arguments: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let arguments = calls::lower_arguments(out, context, arguments, scope);
    if lowered.declared == UNKNOWN_TYPE {
        return arguments.first().copied().unwrap_or(OPAQUE);
    }
    let made = out.add_expression(Expression::Make { made: lowered.declared, arguments });
    if let Some(name) = lowered.name {
        out.add_call_site(made, scope, name);
        if lowered.function.is_some() && context.is_in_function {
            bind_declarator(out, lowered, scope, Some(made));
        }
    }
    made
}

/// Returns the argument list if a function declarator is an object construction. Inside a C++ function, `T a(b, c)`
/// with plain names constructs an object, but the grammar parses it as a prototype.
fn construction_arguments<'t>(context: &CContext, function: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    if !context.is_in_function || !context.is_cpp {
        return None;
    }
    let parameters = function.child_by_field_name("parameters")?;
    let mut n_names = 0;
    let mut n_others = 0;
    for_each_child(parameters, |parameter| {
        let is_name = parameter.kind() == "parameter_declaration"
            && parameter.named_child_count() == 1
            && parameter
                .child_by_field_name("type")
                .is_some_and(|of| matches!(of.kind(), "type_identifier" | "qualified_identifier"));
        if is_name {
            n_names += 1;
        } else {
            n_others += 1;
        }
    });
    (n_names > 0 && n_others == 0).then_some(parameters)
}

/// `typedef T A, *B;`
pub(super) fn lower_typedef(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let Some(base) = node.child_by_field_name("type") else { return };
    let base = types::lower_type(out, context, base, scope);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let mut lowered = declarators::lower_declarator(out, context, declarator, base, scope);
        if let (Some(function), result) = (lowered.function, lowered.declared) {
            lowered.declared = declarators::lower_function_type(out, context, function, result, scope);
        }
        set_alias_type(out, context, lowered.name, lowered.declared, scope);
    }
}

/// `using A = T;`
pub(super) fn lower_alias(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let templates = std::mem::take(&mut context.templates);
    let Some(of) = node.child_by_field_name("type") else { return };
    let name = node.child_by_field_name("name");
    let definition = name.and_then(|name| out.definition_at(name));
    // Only an alias template needs a scope of its own.
    let own = if templates.is_empty() { scope } else { out.open_scope(scope, definition) };
    let of = types::lower_type(out, context, of, own);
    if let Some(definition) = definition {
        out.shape_mut(definition).type_parameters = templates.into();
    }
    set_alias_type(out, context, name, of, scope);
}

/// Sets the type of an alias. A local alias is also bound in its scope.
fn set_alias_type(
    out: &mut CodeBuilder<'_>,
    context: &CContext,
    name: Option<SyntaxNode<'_>>,
    of: TypeId,
    scope: ScopeId,
) {
    let Some(name) = name.filter(|_| of != UNKNOWN_TYPE) else { return };
    if let Some(definition) = out.definition_at(name) {
        out.shape_mut(definition).declared = Some(of);
    }
    if context.is_in_function {
        let name = out.intern_node(name);
        let value = out.add_expression(Expression::Type(of));
        out.bind(scope, name, None, Some(value));
    }
}
