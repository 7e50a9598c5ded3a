//! Expressions, as far as types flow through them.

use model::code::{Expression, ExpressionId, Literal, Parameter, ScopeId, TypeId};

use super::super::builder::FILE_SCOPE;
use super::{
    CContext, CodeBuilder, MAX_PATH_PARTS, OPAQUE, calls, declarators, for_each_child, functions, items, names,
    templates, types,
};
use crate::node::SyntaxNode;

/// Lowers an expression.
pub(super) fn lower_expression(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    out.deeper(|out| lower_node(out, context, node, scope)).unwrap_or(OPAQUE)
}

fn lower_node(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    match node.kind() {
        // A type can occur here, where the grammar parses `T a(b)` as a function.
        "identifier" => out.name_at(node, scope),
        "type_identifier" => {
            let name = out.intern_node(node);
            out.use_name(name, scope)
        }
        "this" => out.add_expression(Expression::This { scope }),
        "call_expression" => calls::lower_call(out, context, node, scope),
        "field_expression" => lower_member(out, context, node, scope),
        "qualified_identifier" => lower_path(out, context, node, scope),
        "template_function" | "template_type" => match node.child_by_field_name("name") {
            Some(name) => {
                let name = out.intern_node(name);
                out.use_name(name, scope)
            }
            None => OPAQUE,
        },
        "string_literal" | "raw_string_literal" => lower_string(out, node),
        "concatenated_string" => match node.named_child(0).filter(|first| first.kind() == "string_literal") {
            Some(first) => lower_string(out, first),
            None => out.add_expression(Expression::Literal(Literal::Text(None))),
        },
        "number_literal" => lower_number(out, node),
        "char_literal" => out.add_expression(Expression::Literal(Literal::Character)),
        "true" | "false" => out.add_expression(Expression::Literal(Literal::Boolean)),
        "null" | "nullptr" => out.add_expression(Expression::Literal(Literal::Null)),
        "sizeof_expression" | "alignof_expression" | "offsetof_expression" => {
            lower_children(out, context, node, scope);
            out.add_expression(Expression::Literal(Literal::Integer))
        }
        "parenthesized_expression" => match node.named_child(0).filter(|_| node.named_child_count() == 1) {
            Some(inner) if inner.kind() == "compound_statement" => {
                items::lower_item(out, context, inner, scope);
                OPAQUE
            }
            Some(inner) => lower_expression(out, context, inner, scope),
            None => lower_children(out, context, node, scope),
        },
        "pointer_expression" | "unary_expression" => lower_unary(out, context, node, scope),
        "binary_expression" | "fold_expression" => lower_binary(out, context, node, scope),
        "update_expression" => lower_operand(out, context, node, "argument", scope),
        "assignment_expression" => {
            let left = lower_operand(out, context, node, "left", scope);
            lower_operand(out, context, node, "right", scope);
            left
        }
        "comma_expression" => {
            lower_operand(out, context, node, "left", scope);
            lower_operand(out, context, node, "right", scope)
        }
        "conditional_expression" => {
            lower_operand(out, context, node, "condition", scope);
            let consequence = lower_operand(out, context, node, "consequence", scope);
            let alternative = lower_operand(out, context, node, "alternative", scope);
            out.add_expression(Expression::Either([consequence, alternative].into()))
        }
        "cast_expression" => {
            let to = node.child_by_field_name("type").map(|to| types::lower_type(out, context, to, scope));
            let of = lower_operand(out, context, node, "value", scope);
            to.map_or(of, |to| out.add_expression(Expression::Cast { of, to }))
        }
        "subscript_expression" => lower_subscript(out, context, node, scope),
        "new_expression" => calls::lower_new(out, context, node, scope),
        "compound_literal_expression" => calls::lower_compound_literal(out, context, node, scope),
        "initializer_list" => lower_initializer_list(out, context, node, scope),
        "initializer_pair" => lower_operand(out, context, node, "value", scope),
        "lambda_expression" => lower_lambda(out, context, node, scope),
        "parameter_pack_expansion" => {
            let left = lower_operand(out, context, node, "pattern", scope);
            let operator = out.intern("...");
            out.add_expression(Expression::Operation { operator, left, right: None })
        }
        "co_await_expression" => {
            let of = lower_operand(out, context, node, "argument", scope);
            out.add_expression(Expression::Awaited { of })
        }
        "type_descriptor" => {
            let of = types::lower_type(out, context, node, scope);
            out.add_expression(Expression::Type(of))
        }
        "requires_expression"
        | "gnu_asm_expression"
        | "preproc_defined"
        | "field_identifier"
        | "escape_sequence"
        | "template_argument_list"
        | "comment" => OPAQUE,
        "delete_expression"
        | "generic_expression"
        | "extension_expression"
        | "user_defined_literal"
        | "subscript_argument_list"
        | "argument_list"
        | "field_designator"
        | "subscript_designator"
        | "seh_leave_statement"
        | "co_yield_statement"
        | "bitfield_clause" => lower_children(out, context, node, scope),
        // A statement in place of an expression, or a syntax error.
        _ if node.child_count() == 0 => OPAQUE,
        _ => {
            items::lower_children(out, context, node, scope);
            OPAQUE
        }
    }
}

fn lower_children(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    for_each_child(node, |child| {
        lower_expression(out, context, child, scope);
    });
    OPAQUE
}

fn lower_operand(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    field: &str,
    scope: ScopeId,
) -> ExpressionId {
    node.child_by_field_name(field).map_or(OPAQUE, |child| lower_expression(out, context, child, scope))
}

/// `a.b`, and `a->b` as `(*a).b`.
fn lower_member(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let mut of = lower_operand(out, context, node, "argument", scope);
    let Some(field) = node.child_by_field_name("field") else { return of };
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    if operator == "->" {
        of = out.add_expression(Expression::Dereferenced { of });
    } else if operator != "." {
        return OPAQUE;
    }
    // `a.B::f` is the `f` that `a` inherits from `B`.
    if field.kind() == "qualified_identifier"
        && let Some(to) = types::lower_qualifier(out, context, field, scope)
    {
        of = out.add_expression(Expression::Cast { of, to });
    }
    out.member_at(of, names::last_name(field), scope)
}

/// `a::b<T>::c`
fn lower_path(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let Some(last) = node.child_by_field_name("name") else { return OPAQUE };
    let Some(first) = node.child_by_field_name("scope") else {
        // `::a`
        return lower_expression(out, context, last, FILE_SCOPE);
    };
    let mut at = lower_path_start(out, context, first, scope);
    let mut rest = last;
    for _ in 0..MAX_PATH_PARTS {
        if rest.kind() != "qualified_identifier" {
            break;
        }
        let (Some(of), Some(name)) = (rest.child_by_field_name("scope"), rest.child_by_field_name("name")) else {
            return OPAQUE;
        };
        let of = out.intern_node(names::last_name(of));
        at = out.add_expression(Expression::Path { of: at, name: of });
        rest = name;
    }
    let last = names::last_name(rest);
    let name = out.intern_node(last);
    let path = out.add_expression(Expression::Path { of: at, name });
    out.add_access(path, scope, last)
}

fn lower_path_start(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    match node.kind() {
        "template_type" | "dependent_name" | "decltype" => {
            let of = types::lower_type(out, context, node, scope);
            out.add_expression(Expression::Type(of))
        }
        _ => {
            let name = out.intern_node(node);
            out.use_name(name, scope)
        }
    }
}

fn lower_string(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>) -> ExpressionId {
    let whole = out.text(node);
    let plain = whole.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|text| !text.contains('\\'));
    match plain {
        Some(plain) => out.add_text_literal(plain),
        None if whole.starts_with('L') => OPAQUE,
        None => out.add_expression(Expression::Literal(Literal::Text(None))),
    }
}

fn lower_number(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>) -> ExpressionId {
    let text = out.text(node);
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let is_float = text.contains('.') || !is_hex && text.contains(['e', 'E', 'f', 'F']);
    let literal = if is_float { Literal::Float } else { Literal::Integer };
    out.add_expression(Expression::Literal(literal))
}

fn lower_unary(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    let of = lower_operand(out, context, node, "argument", scope);
    if operator == "*" {
        return out.add_expression(Expression::Dereferenced { of });
    }
    let operator = out.intern(operator);
    out.add_expression(Expression::Operation { operator, left: of, right: None })
}

/// Lowers a chain of binary operators in a loop, since it nests to the left and may be long.
fn lower_binary(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let mut chain = vec![node];
    let mut first = node.child_by_field_name("left");
    while let Some(left) = first.filter(|left| left.kind() == "binary_expression") {
        chain.push(left);
        first = left.child_by_field_name("left");
    }
    let mut at = first.map_or(OPAQUE, |first| lower_expression(out, context, first, scope));
    for link in chain.into_iter().rev() {
        let right = lower_operand(out, context, link, "right", scope);
        let operator = out.intern(link.child_by_field_name("operator").map_or("", |operator| operator.kind()));
        at = out.add_expression(Expression::Operation { operator, left: at, right: Some(right) });
    }
    at
}

/// Lowers `a[b]`. C has one index, C++ a list of them.
fn lower_subscript(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let of = lower_operand(out, context, node, "argument", scope);
    let index = match node.child_by_field_name("indices") {
        Some(indices) => calls::lower_arguments(out, context, indices, scope).first().copied(),
        None => node.child_by_field_name("index").map(|index| lower_expression(out, context, index, scope)),
    };
    out.add_expression(Expression::Element { of, index })
}

/// Records an access for each designator in a list that initializes a value of a type.
pub(super) fn access_designators(out: &mut CodeBuilder<'_>, list: SyntaxNode<'_>, of: TypeId, scope: ScopeId) {
    if list.kind() == "initializer_list" && has_designators(list) {
        let of = out.add_expression(Expression::Cast { of: OPAQUE, to: of });
        access_designated_members(out, list, of, scope);
    }
}

/// Returns true if a list or one directly inside it has designators.
fn has_designators(list: SyntaxNode<'_>) -> bool {
    let mut cursor = list.walk();
    list.named_children(&mut cursor).any(|item| {
        item.kind() == "initializer_pair"
            || item.kind() == "initializer_list" && item.child_of_kind("initializer_pair").is_some()
    })
}

fn access_designated_members(out: &mut CodeBuilder<'_>, list: SyntaxNode<'_>, of: ExpressionId, scope: ScopeId) {
    out.deeper(|out| {
        for_each_child(list, |item| {
            let (mut at, mut inner) = (of, None);
            match item.kind() {
                "initializer_list" => {
                    at = out.add_expression(Expression::Element { of, index: None });
                    inner = Some(item);
                }
                "initializer_pair" => {
                    for_each_child(item, |part| match part.kind() {
                        "field_designator" => {
                            if let Some(name) = part.named_child(0) {
                                at = out.member_at(at, name, scope);
                            }
                        }
                        "subscript_designator" => at = out.add_expression(Expression::Element { of: at, index: None }),
                        _ => {}
                    });
                    inner = item.child_by_field_name("value").filter(|value| value.kind() == "initializer_list");
                }
                _ => {}
            }
            if let Some(inner) = inner {
                access_designated_members(out, inner, at, scope);
            }
        });
    });
}

fn lower_initializer_list(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let items = calls::lower_arguments(out, context, node, scope);
    out.add_expression(Expression::List(items))
}

fn lower_lambda(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let inner = out.open_scope(scope, None);
    let outer_templates = std::mem::take(&mut context.templates);
    if let Some(list) = node.child_by_field_name("template_parameters") {
        templates::lower_template_parameters(out, context, list, inner);
    }
    context.templates = outer_templates;
    let declarator = node.child_by_field_name("declarator");
    let list = declarator.and_then(|declarator| declarator.child_by_field_name("parameters"));
    let parameters: Vec<Parameter> =
        list.map(|list| functions::lower_parameters(out, context, list, inner, true)).unwrap_or_default();
    let declared =
        declarator.and_then(|declarator| declarators::lower_trailing_return_type(out, context, declarator, inner));
    if let Some(captures) = node.child_by_field_name("captures") {
        for_each_child(captures, |capture| {
            if capture.kind() == "lambda_capture_initializer" {
                let value = lower_operand(out, context, capture, "right", scope);
                if let Some(left) = capture.child_by_field_name("left") {
                    let name = out.intern_node(left);
                    out.bind(inner, name, None, Some(value));
                }
            }
        });
    }
    let outer_results = context.results.replace(Vec::new());
    let was_in_function = std::mem::replace(&mut context.is_in_function, true);
    if let Some(body) = node.child_by_field_name("body") {
        items::lower_children(out, context, body, inner);
    }
    context.is_in_function = was_in_function;
    let results = std::mem::replace(&mut context.results, outer_results).unwrap_or_default().into();
    out.add_expression(Expression::Function { scope: inner, parameters: parameters.into(), results, declared })
}
