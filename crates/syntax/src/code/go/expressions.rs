//! Expressions of Go.

use model::code::{Expression, ExpressionId, Literal, ScopeId};

use super::fields::FIELDS;
use super::{functions, types};
use crate::code::Lowering;
use crate::node::Node;

/// What is known of nothing.
const OPAQUE: ExpressionId = ExpressionId(0);

/// Writes an expression.
pub(super) fn expression(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    lowering.deeper(|lowering| one(lowering, scope, node)).unwrap_or(OPAQUE)
}

/// Writes the values on the right of an assignment, one for each of `n_names` on the left.
pub(super) fn for_each_of(
    lowering: &mut Lowering<'_>,
    scope: ScopeId,
    n_names: usize,
    list: Node<'_>,
) -> Vec<ExpressionId> {
    let mut cursor = list.walk();
    let nodes: Vec<Node> = list.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
    let values: Vec<ExpressionId> = nodes.iter().map(|node| expression(lowering, scope, *node)).collect();
    match (&values[..], &nodes[..]) {
        ([value], [node]) if n_names > 1 => match without_parentheses(*node).kind() {
            // With a second name on the left these say whether there was a value at all.
            "index_expression" | "type_assertion_expression" | "unary_expression" => vec![*value],
            _ => {
                let of = *value;
                (0..n_names as u32).map(|index| lowering.expression(Expression::Part { of, index })).collect()
            }
        },
        _ => values,
    }
}

fn one(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let written = match node.kind() {
        "identifier" | "type_identifier" | "package_identifier" => {
            let name = lowering.name_of(node);
            return lowering.use_name(name, scope);
        }
        "selector_expression" | "qualified_type" => {
            let (Some(of), Some(field)) = (node.named_child(0), last_named(node)) else { return OPAQUE };
            let of = expression(lowering, scope, of);
            Expression::Member { of, name: lowering.name_of(field) }
        }
        "call_expression" => return call(lowering, scope, node),
        "parenthesized_expression" => return first(lowering, scope, node),
        "unary_expression" => return unary(lowering, scope, node),
        "binary_expression" => return binary(lowering, scope, node),
        "index_expression" => {
            let of = field(lowering, scope, node, FIELDS.operand);
            let index = field(lowering, scope, node, FIELDS.index);
            Expression::Element { of, index: Some(index) }
        }
        "slice_expression" => {
            let of = field(lowering, scope, node, FIELDS.operand);
            for bound in [FIELDS.start, FIELDS.end, FIELDS.capacity] {
                field(lowering, scope, node, bound);
            }
            return of;
        }
        "type_conversion_expression" => return conversion(lowering, scope, node),
        "type_assertion_expression" => {
            let of = field(lowering, scope, node, FIELDS.operand);
            let Some(to) = node.child_by_field_id(FIELDS.type_) else { return of };
            let to = types::written(lowering, scope, to);
            Expression::Cast { of, to }
        }
        "composite_literal" => {
            let Some(made) = node.child_by_field_id(FIELDS.type_) else { return OPAQUE };
            let made = types::written(lowering, scope, made);
            let mut arguments = Vec::new();
            if let Some(body) = node.child_by_field_id(FIELDS.body) {
                elements(lowering, scope, body, &mut arguments);
            }
            Expression::Make { made, arguments: arguments.into() }
        }
        "func_literal" => return functions::literal(lowering, scope, node),
        "interpreted_string_literal" | "raw_string_literal" => return text(lowering, node),
        "int_literal" | "iota" => Expression::Literal(Literal::Integer),
        "float_literal" | "imaginary_literal" => Expression::Literal(Literal::Float),
        "rune_literal" => Expression::Literal(Literal::Character),
        "true" | "false" => Expression::Literal(Literal::Boolean),
        "nil" => Expression::Literal(Literal::Null),
        "comment" => return OPAQUE,
        "generic_type" | "type_instantiation_expression" => {
            let made = types::written(lowering, scope, node);
            Expression::Type(made)
        }
        "variadic_argument" => return first(lowering, scope, node),
        "slice_type" | "array_type" | "map_type" | "channel_type" | "function_type" | "struct_type"
        | "interface_type" | "pointer_type" | "parenthesized_type" => {
            let of = types::written(lowering, scope, node);
            Expression::Type(of)
        }
        _ => {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                expression(lowering, scope, child);
            }
            return OPAQUE;
        }
    };
    lowering.expression(written)
}

fn call(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let Some(function) = node.child_by_field_id(FIELDS.function) else { return OPAQUE };
    if matches!(lowering.text(function), "new" | "make") {
        return new(lowering, scope, node);
    }
    let (callee, type_arguments) = match instantiated(function) {
        Some((generic, argument)) => {
            let callee = expression(lowering, scope, generic);
            (callee, Box::from([types::written(lowering, scope, argument)]))
        }
        None => {
            let callee = expression(lowering, scope, function);
            let list = node.child_by_field_id(FIELDS.type_arguments);
            (callee, list.map(|list| types::arguments(lowering, scope, list)).unwrap_or_default())
        }
    };
    let arguments = node.child_by_field_id(FIELDS.arguments);
    let arguments = arguments.map(|list| all(lowering, scope, list)).unwrap_or_default();
    let called = lowering.expression(Expression::Call { callee, type_arguments, arguments: arguments.into() });
    lowering.site(called, scope, name_of_callee(function));
    called
}

/// Returns the function and the type of `f[T]`, which looks like an element: of two arguments and more the grammar makes
/// no other thing. Those who resolve it know whether `f` is a function.
fn instantiated(function: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let of = Some(function).filter(|function| function.kind() == "index_expression")?;
    let (generic, argument) = (of.child_by_field_id(FIELDS.operand)?, of.child_by_field_id(FIELDS.index)?);
    matches!(argument.kind(), "identifier" | "selector_expression").then_some((generic, argument))
}

/// Writes `[]T(x)` as what it makes of a value. `f[T](x)` looks the same, but may as well be a call.
fn conversion(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let of = field(lowering, scope, node, FIELDS.operand);
    let Some(to) = node.child_by_field_id(FIELDS.type_) else { return of };
    let generic = Some(to).filter(|to| to.kind() == "generic_type").and_then(|to| to.child_by_field_id(FIELDS.type_));
    let Some(function) = generic else {
        let to = types::written(lowering, scope, to);
        return lowering.expression(Expression::Cast { of, to });
    };
    let callee = expression(lowering, scope, function);
    let type_arguments = to.child_by_field_id(FIELDS.type_arguments);
    let type_arguments = type_arguments.map(|list| types::arguments(lowering, scope, list)).unwrap_or_default();
    let called = lowering.expression(Expression::Call { callee, type_arguments, arguments: Box::new([of]) });
    lowering.site(called, scope, name_of_callee(function));
    called
}

/// Writes `new(T)` and `make(T)` as the value of type `T` that comes out. Neither is a call of anything.
fn new(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let Some(arguments) = node.child_by_field_id(FIELDS.arguments) else { return OPAQUE };
    let mut cursor = arguments.walk();
    let mut made = None;
    for argument in arguments.named_children(&mut cursor).filter(|argument| argument.kind() != "comment") {
        if made.is_none() {
            made = Some(types::written(lowering, scope, argument));
        } else {
            expression(lowering, scope, argument);
        }
    }
    made.map_or(OPAQUE, |made| lowering.expression(Expression::Make { made, arguments: Box::new([]) }))
}

/// A receive is awaited; addresses and what pointers point to are the value itself.
fn unary(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let of = field(lowering, scope, node, FIELDS.operand);
    match node.child(0).map(|operator| operator.kind()) {
        Some("<-") => lowering.expression(Expression::Awaited { of }),
        Some("!") => lowering.expression(Expression::Literal(Literal::Boolean)),
        _ => of,
    }
}

fn binary(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let left = field(lowering, scope, node, FIELDS.left);
    let right = field(lowering, scope, node, FIELDS.right);
    let operator = node.child_by_field_id(FIELDS.operator).map_or("", |operator| operator.kind());
    let written = match operator {
        "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=" => Expression::Literal(Literal::Boolean),
        "<<" | ">>" => return left,
        operator => Expression::Operation { operator: lowering.name(operator), left, right: Some(right) },
    };
    lowering.expression(written)
}

/// Writes the values in a literal of a struct, list or map. Names of fields are none.
fn elements(lowering: &mut Lowering<'_>, scope: ScopeId, body: Node<'_>, values: &mut Vec<ExpressionId>) {
    lowering.deeper(|lowering| {
        let mut cursor = body.walk();
        for element in body.named_children(&mut cursor) {
            if element.kind() != "keyed_element" {
                element_value(lowering, scope, element, values);
                continue;
            }
            let key = element.child_by_field_id(FIELDS.key);
            let is_name = key.and_then(|key| key.named_child(0)).is_some_and(|key| key.kind() == "identifier");
            if let Some(key) = key.filter(|_| !is_name) {
                element_value(lowering, scope, key, &mut Vec::new());
            }
            if let Some(value) = element.child_by_field_id(FIELDS.value) {
                element_value(lowering, scope, value, values);
            }
        }
    });
}

fn element_value(lowering: &mut Lowering<'_>, scope: ScopeId, element: Node<'_>, values: &mut Vec<ExpressionId>) {
    let Some(value) = element.named_child(0).filter(|_| element.kind() == "literal_element") else { return };
    if value.kind() == "literal_value" {
        elements(lowering, scope, value, &mut Vec::new());
    } else {
        values.push(expression(lowering, scope, value));
    }
}

fn text(lowering: &mut Lowering<'_>, node: Node<'_>) -> ExpressionId {
    let has_escapes = (0..node.named_child_count())
        .any(|at| node.named_child(at as _).is_some_and(|part| part.kind() == "escape_sequence"));
    if has_escapes {
        return lowering.expression(Expression::Literal(Literal::Text(None)));
    }
    let text = lowering.text(node);
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    lowering.text_literal(inner)
}

/// Returns the node with the name that is called.
fn name_of_callee(mut function: Node<'_>) -> Node<'_> {
    loop {
        let inner = match function.kind() {
            "selector_expression" => return function.child_by_field_id(FIELDS.field).unwrap_or(function),
            "parenthesized_expression" => function.named_child(0),
            "index_expression" => function.child_by_field_id(FIELDS.operand),
            "type_instantiation_expression" | "generic_type" => function.child_by_field_id(FIELDS.type_),
            "qualified_type" => return last_named(function).unwrap_or(function),
            _ => None,
        };
        let Some(inner) = inner else { return function };
        function = inner;
    }
}

fn without_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        let Some(inner) = node.named_child(0) else { return node };
        node = inner;
    }
    node
}

fn all(lowering: &mut Lowering<'_>, scope: ScopeId, list: Node<'_>) -> Vec<ExpressionId> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|argument| argument.kind() != "comment")
        .map(|argument| expression(lowering, scope, argument))
        .collect()
}

fn first(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    node.named_child(0).map_or(OPAQUE, |inner| expression(lowering, scope, inner))
}

fn field(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>, field: u16) -> ExpressionId {
    node.child_by_field_id(field).map_or(OPAQUE, |inner| expression(lowering, scope, inner))
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child((node.named_child_count().checked_sub(1)?) as _)
}
