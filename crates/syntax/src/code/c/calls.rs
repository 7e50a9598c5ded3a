//! Calls and the making of objects.

use model::code::{Expression, ExpressionId, ScopeId, TypeExpression, TypeId};

use super::{Around, Lowering, OPAQUE, UNWRITTEN, declarators, each_child, expressions, names, types};
use crate::node::Node;

/// Casts that look like calls of templates.
const CASTS: [&str; 4] = ["static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"];

/// Functions of the standard library that give their argument back: written as operators.
const PASSES: [&str; 4] = ["std::move", "std::forward", "::std::move", "::std::forward"];

/// `f(a)`, and what is written like it.
pub(super) fn call(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let Some(function) = node.child_by_field_name("function") else { return OPAQUE };
    let list = node.child_by_field_name("arguments");
    let arguments_of = |l: &mut Lowering<'_>, around: &mut Around| match list {
        Some(list) => arguments(l, around, list, scope),
        None => Box::default(),
    };
    match function.kind() {
        "primitive_type" | "sized_type_specifier" => {
            let to = types::written(l, around, function, scope);
            let of = arguments_of(l, around).first().copied().unwrap_or(OPAQUE);
            return l.expression(Expression::Cast { of, to });
        }
        "template_function" => {
            let name = function.child_by_field_name("name");
            if name.is_some_and(|name| CASTS.contains(&l.text(name))) {
                let to = types::arguments(l, around, function, scope).first().copied().unwrap_or(UNWRITTEN);
                let of = arguments_of(l, around).first().copied().unwrap_or(OPAQUE);
                return l.expression(Expression::Cast { of, to });
            }
        }
        "qualified_identifier" => {
            let text = l.text(function);
            if PASSES.contains(&text.split('<').next().unwrap_or_default().trim_end()) {
                let left = arguments_of(l, around).first().copied().unwrap_or(OPAQUE);
                let operator = l.name(if text.contains("move") { "move" } else { "forward" });
                return l.expression(Expression::Operation { operator, left, right: None });
            }
        }
        _ => {}
    }
    let last = names::last_part(function);
    let type_arguments = type_arguments(l, around, function, scope);
    let callee = expressions::expression(l, around, function, scope);
    let arguments = arguments_of(l, around);
    let call = l.expression(Expression::Call { callee, type_arguments, arguments });
    l.site(call, scope, last);
    call
}

/// Returns what a template is called with: `T` of `a.f<T>(b)`.
fn type_arguments(l: &mut Lowering<'_>, around: &mut Around, function: Node<'_>, scope: ScopeId) -> Box<[TypeId]> {
    let mut at = function;
    for _ in 0..48 {
        let inner = match at.kind() {
            "template_function" | "template_method" => return types::arguments(l, around, at, scope),
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

/// Lowers arguments, in parentheses or in braces.
pub(super) fn arguments(
    l: &mut Lowering<'_>,
    around: &mut Around,
    list: Node<'_>,
    scope: ScopeId,
) -> Box<[ExpressionId]> {
    let mut arguments = Vec::new();
    each_child(list, |argument| {
        // `T a(b, c)` may have been read as a function with parameters.
        let argument = match argument.kind() {
            "parameter_declaration" => argument.child_by_field_name("type").unwrap_or(argument),
            _ => argument,
        };
        arguments.push(expressions::expression(l, around, argument, scope));
    });
    arguments.into()
}

/// `new T(a)` gives a pointer to what it makes.
pub(super) fn new(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    if let Some(placement) = node.child_by_field_name("placement") {
        arguments(l, around, placement, scope);
    }
    let Some(of) = node.child_by_field_name("type") else { return OPAQUE };
    let made = types::written(l, around, of, scope);
    let is_array = node.child_by_field_name("declarator");
    if let Some(declarator) = is_array {
        declarators::declared(l, around, declarator, made, scope);
    }
    let list = node.child_by_field_name("arguments");
    let arguments = list.map(|list| arguments(l, around, list, scope)).unwrap_or_default();
    if made == UNWRITTEN {
        return OPAQUE;
    }
    let made = l.expression(Expression::Make { made, arguments });
    if is_array.is_none() {
        l.site(made, scope, names::last_part(of));
    }
    let operator = l.name("&");
    l.expression(Expression::Operation { operator, left: made, right: None })
}

/// `T{a}`, or the `(T){a}` of C, which calls nothing.
pub(super) fn compound(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let Some(of) = node.child_by_field_name("type") else { return OPAQUE };
    let made = types::written(l, around, of, scope);
    let list = node.child_by_field_name("value");
    let arguments = list.map(|list| arguments(l, around, list, scope)).unwrap_or_default();
    if of.kind() == "type_descriptor" {
        return l.expression(Expression::Cast { of: OPAQUE, to: made });
    }
    let made = l.expression(Expression::Make { made, arguments });
    l.site(made, scope, names::last_part(of));
    made
}

/// `A(b)` in front of the body of a constructor: of a base, of the type itself, or of a field.
pub(super) fn initialiser(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let Some(of) = node.named_child(0) else { return };
    // As a name it is a field before it is a type.
    let made = match of.kind() {
        "field_identifier" => {
            let name = l.name_of(of);
            let named = l.use_name(name, scope);
            l.written(TypeExpression::Of(named))
        }
        _ => types::written(l, around, of, scope),
    };
    let mut list = None;
    each_child(node, |child| {
        if matches!(child.kind(), "argument_list" | "initializer_list") {
            list = Some(child);
        }
    });
    let arguments = list.map(|list| arguments(l, around, list, scope)).unwrap_or_default();
    let made = l.expression(Expression::Make { made, arguments });
    l.site(made, scope, names::last_part(of));
}
