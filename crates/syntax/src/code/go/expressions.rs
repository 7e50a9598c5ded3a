//! Expressions of Go.

use model::code::{Expression, ExpressionId, Literal, NameId, ScopeId};

use super::fields::FIELDS;
use super::{OPAQUE, functions, types};
use crate::code::CodeBuilder;
use crate::node::SyntaxNode;

/// Lowers an expression.
pub(super) fn lower_expression(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    out.deeper(|out| lower_node(out, scope, node)).unwrap_or(OPAQUE)
}

/// Lowers the right side of an assignment. Returns one value for each of the `n_names` names on the left.
pub(super) fn lower_assigned_values(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    n_names: usize,
    list: SyntaxNode<'_>,
) -> Vec<ExpressionId> {
    let mut cursor = list.walk();
    let nodes: Vec<SyntaxNode> = list.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
    let values: Vec<ExpressionId> = nodes.iter().map(|node| lower_expression(out, scope, *node)).collect();
    match (&values[..], &nodes[..]) {
        ([value], [node]) if n_names > 1 => match without_parentheses(*node).kind() {
            // With a second name on the left, these report whether there is a value.
            "index_expression" | "type_assertion_expression" | "unary_expression" => vec![*value],
            _ => {
                let of = *value;
                (0..n_names as u32).map(|index| out.add_expression(Expression::Part { of, index })).collect()
            }
        },
        _ => values,
    }
}

fn lower_node(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let written = match node.kind() {
        "identifier" | "type_identifier" | "package_identifier" => {
            return out.name_at(node, scope);
        }
        "selector_expression" | "qualified_type" => {
            let (Some(of), Some(field)) = (node.named_child(0), last_named_child(node)) else { return OPAQUE };
            let of = lower_expression(out, scope, of);
            return out.member_at(of, field, scope);
        }
        "call_expression" => return lower_call(out, scope, node),
        "parenthesized_expression" => return lower_first(out, scope, node),
        "unary_expression" => return lower_unary(out, scope, node),
        "binary_expression" => return lower_binary(out, scope, node),
        "index_expression" => {
            let of = lower_field(out, scope, node, FIELDS.operand);
            let index = lower_field(out, scope, node, FIELDS.index);
            Expression::Element { of, index: Some(index) }
        }
        "slice_expression" => {
            let of = lower_field(out, scope, node, FIELDS.operand);
            for bound in [FIELDS.start, FIELDS.end, FIELDS.capacity] {
                lower_field(out, scope, node, bound);
            }
            return of;
        }
        "type_conversion_expression" => return lower_conversion(out, scope, node),
        "type_assertion_expression" => {
            let of = lower_field(out, scope, node, FIELDS.operand);
            let Some(to) = node.child_by_field_id(FIELDS.type_) else { return of };
            let to = types::lower_type(out, scope, to);
            Expression::Cast { of, to }
        }
        "composite_literal" => {
            let Some(made) = node.child_by_field_id(FIELDS.type_) else { return OPAQUE };
            let (written, made) = (made, types::lower_type(out, scope, made));
            let body = node.child_by_field_id(FIELDS.body);
            let mut keys = FieldKeys::default();
            let arguments = body.map(|body| lower_elements(out, scope, body, Some(written), &mut keys));
            let arguments = arguments.unwrap_or_default();
            let made = out.add_expression(Expression::Make { made, arguments: arguments.into() });
            access_keys(out, scope, made, keys);
            return made;
        }
        "func_literal" => return functions::lower_literal(out, scope, node),
        "interpreted_string_literal" | "raw_string_literal" => return lower_string(out, node),
        "int_literal" | "iota" => Expression::Literal(Literal::Integer),
        "float_literal" | "imaginary_literal" => Expression::Literal(Literal::Float),
        "rune_literal" => Expression::Literal(Literal::Character),
        "true" | "false" => Expression::Literal(Literal::Boolean),
        "nil" => Expression::Literal(Literal::Null),
        "comment" => return OPAQUE,
        "generic_type" | "type_instantiation_expression" => {
            let made = types::lower_type(out, scope, node);
            Expression::Type(made)
        }
        "variadic_argument" => return lower_first(out, scope, node),
        "slice_type" | "array_type" | "map_type" | "channel_type" | "function_type" | "struct_type"
        | "interface_type" | "pointer_type" | "parenthesized_type" => {
            let of = types::lower_type(out, scope, node);
            Expression::Type(of)
        }
        _ => {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                lower_expression(out, scope, child);
            }
            return OPAQUE;
        }
    };
    out.add_expression(written)
}

fn lower_call(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let Some(function) = node.child_by_field_id(FIELDS.function) else { return OPAQUE };
    if matches!(out.text(function), "new" | "make") {
        return lower_new(out, scope, node);
    }
    let (callee, type_arguments) = match instantiation(function) {
        Some((generic, argument)) => {
            let callee = lower_expression(out, scope, generic);
            (callee, Box::from([types::lower_type(out, scope, argument)]))
        }
        None => {
            let callee = lower_expression(out, scope, function);
            let list = node.child_by_field_id(FIELDS.type_arguments);
            (callee, list.map(|list| types::lower_type_arguments(out, scope, list)).unwrap_or_default())
        }
    };
    let arguments = node.child_by_field_id(FIELDS.arguments);
    let arguments = arguments.map(|list| lower_all(out, scope, list)).unwrap_or_default();
    let called = out.add_expression(Expression::Call { callee, type_arguments, arguments: arguments.into() });
    out.add_call_site(called, scope, callee_name(function));
    called
}

/// Returns the function and the type argument of `f[T]`, which the grammar parses as an index expression; only two or
/// more arguments have a node of their own. Resolution knows whether `f` is a function.
fn instantiation(function: SyntaxNode<'_>) -> Option<(SyntaxNode<'_>, SyntaxNode<'_>)> {
    let of = Some(function).filter(|function| function.kind() == "index_expression")?;
    let (generic, argument) = (of.child_by_field_id(FIELDS.operand)?, of.child_by_field_id(FIELDS.index)?);
    matches!(argument.kind(), "identifier" | "selector_expression").then_some((generic, argument))
}

/// Lowers the conversion `[]T(x)`. `f[T](x)` looks the same, but may be a call.
fn lower_conversion(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let of = lower_field(out, scope, node, FIELDS.operand);
    let Some(to) = node.child_by_field_id(FIELDS.type_) else { return of };
    let generic = Some(to).filter(|to| to.kind() == "generic_type").and_then(|to| to.child_by_field_id(FIELDS.type_));
    let Some(function) = generic else {
        let to = types::lower_type(out, scope, to);
        return out.add_expression(Expression::Cast { of, to });
    };
    let callee = lower_expression(out, scope, function);
    let type_arguments = to.child_by_field_id(FIELDS.type_arguments);
    let type_arguments = type_arguments.map(|list| types::lower_type_arguments(out, scope, list)).unwrap_or_default();
    let called = out.add_expression(Expression::Call { callee, type_arguments, arguments: Box::new([of]) });
    out.add_call_site(called, scope, callee_name(function));
    called
}

/// Lowers `new(T)` and `make(T)` as a value of type `T`, without a call site.
fn lower_new(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let Some(arguments) = node.child_by_field_id(FIELDS.arguments) else { return OPAQUE };
    let mut cursor = arguments.walk();
    let mut made = None;
    for argument in arguments.named_children(&mut cursor).filter(|argument| argument.kind() != "comment") {
        if made.is_none() {
            made = Some(types::lower_type(out, scope, argument));
        } else {
            lower_expression(out, scope, argument);
        }
    }
    made.map_or(OPAQUE, |made| out.add_expression(Expression::Make { made, arguments: Box::new([]) }))
}

/// A receive is an await. Address and dereference operators are transparent.
fn lower_unary(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let of = lower_field(out, scope, node, FIELDS.operand);
    match node.child(0).map(|operator| operator.kind()) {
        Some("<-") => out.add_expression(Expression::Awaited { of }),
        Some("!") => out.add_expression(Expression::Literal(Literal::Boolean)),
        _ => of,
    }
}

fn lower_binary(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let left = lower_field(out, scope, node, FIELDS.left);
    let right = lower_field(out, scope, node, FIELDS.right);
    let operator = node.child_by_field_id(FIELDS.operator).map_or("", |operator| operator.kind());
    let written = match operator {
        "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=" => Expression::Literal(Literal::Boolean),
        "<<" | ">>" => return left,
        operator => Expression::Operation { operator: out.intern(operator), left, right: Some(right) },
    };
    out.add_expression(written)
}

/// The names before `:` in a literal of a struct: its fields.
#[derive(Default)]
struct FieldKeys<'n> {
    names: Vec<SyntaxNode<'n>>,
    /// Those of the literals without a type inside.
    inner: Vec<FieldKeys<'n>>,
}

/// Records an access for each name before `:`, as a member of the made value.
fn access_keys(out: &mut CodeBuilder<'_>, scope: ScopeId, made: ExpressionId, keys: FieldKeys<'_>) {
    for name in keys.names {
        out.member_at(made, name, scope);
    }
    let inner: Vec<FieldKeys<'_>> = keys.inner.into_iter().filter(|keys| !keys.is_empty()).collect();
    if inner.is_empty() {
        return;
    }
    let element = out.add_expression(Expression::Element { of: made, index: None });
    for keys in inner {
        access_keys(out, scope, element, keys);
    }
}

impl FieldKeys<'_> {
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.inner.iter().all(FieldKeys::is_empty)
    }
}

/// Returns the type of the elements of a list or map as written; `None` for another type, which may be a struct.
fn element_type<'n>(written: SyntaxNode<'n>) -> Option<SyntaxNode<'n>> {
    match written.kind() {
        "map_type" => written.child_by_field_id(FIELDS.value),
        "slice_type" | "array_type" | "implicit_length_array_type" => written.child_by_field_id(FIELDS.element),
        _ => None,
    }
}

/// Lowers a literal of a struct, list or map, of a type as written. Returns its values without keys; those of named
/// fields are in one object behind the others.
fn lower_elements<'n>(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    body: SyntaxNode<'n>,
    written: Option<SyntaxNode<'n>>,
    keys: &mut FieldKeys<'n>,
) -> Vec<ExpressionId> {
    let values = out.deeper(|out| {
        let mut values = Vec::new();
        let mut fields: Vec<(NameId, ExpressionId)> = Vec::new();
        let element_type = written.and_then(element_type);
        let mut cursor = body.walk();
        for element in body.named_children(&mut cursor) {
            if element.kind() != "keyed_element" {
                values.extend(lower_element(out, scope, element, element_type, keys));
                continue;
            }
            let key = element.child_by_field_id(FIELDS.key);
            let name = key.and_then(|key| key.named_child(0)).filter(|key| key.kind() == "identifier");
            let field = name.filter(|_| element_type.is_none());
            match (field, key) {
                (Some(field), _) => keys.names.push(field),
                (None, Some(key)) => _ = lower_element(out, scope, key, None, &mut FieldKeys::default()),
                (None, None) => {}
            }
            let value = element.child_by_field_id(FIELDS.value);
            let value = value.and_then(|value| lower_element(out, scope, value, element_type, keys));
            match (field, value) {
                (Some(field), Some(value)) => fields.push((out.intern_node(field), value)),
                (_, value) => values.extend(value),
            }
        }
        if !fields.is_empty() {
            values.push(out.add_expression(Expression::Object(fields.into())));
        }
        values
    });
    values.unwrap_or_default()
}

/// Lowers an element of a literal. A nested literal without a type has no value.
fn lower_element<'n>(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    element: SyntaxNode<'n>,
    written: Option<SyntaxNode<'n>>,
    keys: &mut FieldKeys<'n>,
) -> Option<ExpressionId> {
    let value = element.named_child(0).filter(|_| element.kind() == "literal_element")?;
    if value.kind() == "literal_value" {
        let mut inner = FieldKeys::default();
        lower_elements(out, scope, value, written, &mut inner);
        keys.inner.push(inner);
        return None;
    }
    Some(lower_expression(out, scope, value))
}

fn lower_string(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>) -> ExpressionId {
    let has_escapes = (0..node.named_child_count())
        .any(|at| node.named_child(at as _).is_some_and(|part| part.kind() == "escape_sequence"));
    if has_escapes {
        return out.add_expression(Expression::Literal(Literal::Text(None)));
    }
    let text = out.text(node);
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    out.add_text_literal(inner)
}

/// Returns the node of the called name.
fn callee_name(mut function: SyntaxNode<'_>) -> SyntaxNode<'_> {
    loop {
        let inner = match function.kind() {
            "selector_expression" => return function.child_by_field_id(FIELDS.field).unwrap_or(function),
            "parenthesized_expression" => function.named_child(0),
            "index_expression" => function.child_by_field_id(FIELDS.operand),
            "type_instantiation_expression" | "generic_type" => function.child_by_field_id(FIELDS.type_),
            "qualified_type" => return last_named_child(function).unwrap_or(function),
            _ => None,
        };
        let Some(inner) = inner else { return function };
        function = inner;
    }
}

fn without_parentheses(mut node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    while node.kind() == "parenthesized_expression" {
        let Some(inner) = node.named_child(0) else { return node };
        node = inner;
    }
    node
}

fn lower_all(out: &mut CodeBuilder<'_>, scope: ScopeId, list: SyntaxNode<'_>) -> Vec<ExpressionId> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|argument| argument.kind() != "comment")
        .map(|argument| lower_expression(out, scope, argument))
        .collect()
}

fn lower_first(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    node.named_child(0).map_or(OPAQUE, |inner| lower_expression(out, scope, inner))
}

fn lower_field(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>, field: u16) -> ExpressionId {
    node.child_by_field_id(field).map_or(OPAQUE, |inner| lower_expression(out, scope, inner))
}

fn last_named_child(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    node.named_child((node.named_child_count().checked_sub(1)?) as _)
}
