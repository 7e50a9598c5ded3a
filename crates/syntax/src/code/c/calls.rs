//! Calls and object construction.

use model::code::{Expression, ExpressionId, ScopeId, TypeExpression, TypeId};

use super::{
    CContext, CodeBuilder, MAX_PATH_PARTS, OPAQUE, UNKNOWN_TYPE, declarators, expressions, for_each_child, names, types,
};
use crate::node::SyntaxNode;

/// Casts, which have the syntax of template calls.
const CASTS: [&str; 4] = ["static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"];

/// Functions of the standard library that return their argument. They are lowered as operators.
const PASS_THROUGH: [&str; 4] = ["std::move", "std::forward", "::std::move", "::std::forward"];

/// Lowers `f(a)`, and casts with the same syntax.
pub(super) fn lower_call(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let Some(function) = node.child_by_field_name("function") else { return OPAQUE };
    let list = node.child_by_field_name("arguments");
    let arguments_of = |out: &mut CodeBuilder<'_>, context: &mut CContext| match list {
        Some(list) => lower_arguments(out, context, list, scope),
        None => Box::default(),
    };
    match function.kind() {
        "primitive_type" | "sized_type_specifier" => {
            let to = types::lower_type(out, context, function, scope);
            let of = arguments_of(out, context).first().copied().unwrap_or(OPAQUE);
            return out.add_expression(Expression::Cast { of, to });
        }
        "template_function" => {
            let name = function.child_by_field_name("name");
            if name.is_some_and(|name| CASTS.contains(&out.text(name))) {
                let to = types::lower_template_arguments(out, context, function, scope)
                    .first()
                    .copied()
                    .unwrap_or(UNKNOWN_TYPE);
                let of = arguments_of(out, context).first().copied().unwrap_or(OPAQUE);
                return out.add_expression(Expression::Cast { of, to });
            }
        }
        "qualified_identifier" => {
            let text = out.text(function);
            if PASS_THROUGH.contains(&text.split('<').next().unwrap_or_default().trim_end()) {
                let left = arguments_of(out, context).first().copied().unwrap_or(OPAQUE);
                let operator = out.intern(if text.contains("move") { "move" } else { "forward" });
                return out.add_expression(Expression::Operation { operator, left, right: None });
            }
        }
        _ => {}
    }
    let last = names::last_name(function);
    let type_arguments = lower_call_template_arguments(out, context, function, scope);
    let callee = expressions::lower_expression(out, context, function, scope);
    let arguments = arguments_of(out, context);
    let call = out.add_expression(Expression::Call { callee, type_arguments, arguments });
    out.add_call_site(call, scope, last);
    call
}

/// Returns the template arguments of a call: `T` in `a.f<T>(b)`.
fn lower_call_template_arguments(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    function: SyntaxNode<'_>,
    scope: ScopeId,
) -> Box<[TypeId]> {
    let mut at = function;
    for _ in 0..MAX_PATH_PARTS {
        let inner = match at.kind() {
            "template_function" | "template_method" => return types::lower_template_arguments(out, context, at, scope),
            "field_expression" => at.child_by_field_name("field"),
            "qualified_identifier" => at.child_by_field_name("name"),
            "dependent_name" => at.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Box::default()
}

/// Lowers arguments in parentheses or braces.
pub(super) fn lower_arguments(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    list: SyntaxNode<'_>,
    scope: ScopeId,
) -> Box<[ExpressionId]> {
    let mut arguments = Vec::new();
    for_each_child(list, |argument| {
        // The grammar may have parsed `T a(b, c)` as a function with parameters.
        let argument = match argument.kind() {
            "parameter_declaration" => argument.child_by_field_name("type").unwrap_or(argument),
            _ => argument,
        };
        arguments.push(expressions::lower_expression(out, context, argument, scope));
    });
    arguments.into()
}

/// `new T(a)` returns a pointer to the new object.
pub(super) fn lower_new(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    if let Some(placement) = node.child_by_field_name("placement") {
        lower_arguments(out, context, placement, scope);
    }
    let Some(of) = node.child_by_field_name("type") else { return OPAQUE };
    let made = types::lower_type(out, context, of, scope);
    let is_array = node.child_by_field_name("declarator");
    if let Some(declarator) = is_array {
        declarators::lower_declarator(out, context, declarator, made, scope);
    }
    let list = node.child_by_field_name("arguments");
    let arguments = list.map(|list| lower_arguments(out, context, list, scope)).unwrap_or_default();
    if made == UNKNOWN_TYPE {
        return OPAQUE;
    }
    let made = out.add_expression(Expression::Make { made, arguments });
    if is_array.is_none() {
        out.add_call_site(made, scope, names::last_name(of));
    }
    let operator = out.intern("&");
    out.add_expression(Expression::Operation { operator, left: made, right: None })
}

/// `T{a}`, or `(T){a}` in C, which calls nothing.
pub(super) fn lower_compound_literal(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let Some(of) = node.child_by_field_name("type") else { return OPAQUE };
    let made = types::lower_type(out, context, of, scope);
    let list = node.child_by_field_name("value");
    if let Some(list) = list {
        expressions::access_designators(out, list, made, scope);
    }
    let arguments = list.map(|list| lower_arguments(out, context, list, scope)).unwrap_or_default();
    if of.kind() == "type_descriptor" {
        return out.add_expression(Expression::Cast { of: OPAQUE, to: made });
    }
    let made = out.add_expression(Expression::Make { made, arguments });
    out.add_call_site(made, scope, names::last_name(of));
    made
}

/// Lowers a constructor initializer `A(b)`: of a base, of the type itself, or of a field.
pub(super) fn lower_initializer(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) {
    let Some(of) = node.named_child(0) else { return };
    // A field takes precedence over a type of the same name.
    let made = match of.kind() {
        "field_identifier" => {
            let named = out.name_at(of, scope);
            out.add_type(TypeExpression::Of(named))
        }
        _ => types::lower_type(out, context, of, scope),
    };
    let mut list = None;
    for_each_child(node, |child| {
        if matches!(child.kind(), "argument_list" | "initializer_list") {
            list = Some(child);
        }
    });
    let arguments = list.map(|list| lower_arguments(out, context, list, scope)).unwrap_or_default();
    let made = out.add_expression(Expression::Make { made, arguments });
    out.add_call_site(made, scope, names::last_name(of));
}
