//! Expressions, as far as types flow through them.

use model::code::{Expression, ExpressionId, Literal, Parameter, ScopeId};

use super::super::lowering::FILE_SCOPE;
use super::{Around, Lowering, OPAQUE, calls, declarators, each_child, functions, items, names, templates, types};
use crate::node::Node;

/// Lowers an expression.
pub(super) fn expression(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    l.deeper(|l| write(l, around, node, scope)).unwrap_or(OPAQUE)
}

fn write(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    match node.kind() {
        // A type stands where a grammar takes `T a(b)` for a function.
        "identifier" | "type_identifier" => {
            let name = l.name_of(node);
            l.use_name(name, scope)
        }
        "this" => l.expression(Expression::This { scope }),
        "call_expression" => calls::call(l, around, node, scope),
        "field_expression" => member(l, around, node, scope),
        "qualified_identifier" => path(l, around, node, scope),
        "template_function" | "template_type" => match node.child_by_field_name("name") {
            Some(name) => {
                let name = l.name_of(name);
                l.use_name(name, scope)
            }
            None => OPAQUE,
        },
        "string_literal" | "raw_string_literal" => text(l, node),
        "concatenated_string" => match node.named_child(0).filter(|first| first.kind() == "string_literal") {
            Some(first) => text(l, first),
            None => l.expression(Expression::Literal(Literal::Text(None))),
        },
        "number_literal" => number(l, node),
        "char_literal" => l.expression(Expression::Literal(Literal::Character)),
        "true" | "false" => l.expression(Expression::Literal(Literal::Boolean)),
        "null" | "nullptr" => l.expression(Expression::Literal(Literal::Null)),
        "sizeof_expression" | "alignof_expression" | "offsetof_expression" => {
            inside(l, around, node, scope);
            l.expression(Expression::Literal(Literal::Integer))
        }
        "parenthesized_expression" => match node.named_child(0).filter(|_| node.named_child_count() == 1) {
            Some(inner) if inner.kind() == "compound_statement" => {
                items::item(l, around, inner, scope);
                OPAQUE
            }
            Some(inner) => expression(l, around, inner, scope),
            None => inside(l, around, node, scope),
        },
        "pointer_expression" | "unary_expression" => unary(l, around, node, scope),
        "binary_expression" | "fold_expression" => binary(l, around, node, scope),
        "update_expression" => operand(l, around, node, "argument", scope),
        "assignment_expression" => {
            let left = operand(l, around, node, "left", scope);
            operand(l, around, node, "right", scope);
            left
        }
        "comma_expression" => {
            operand(l, around, node, "left", scope);
            operand(l, around, node, "right", scope)
        }
        "conditional_expression" => {
            operand(l, around, node, "condition", scope);
            let consequence = operand(l, around, node, "consequence", scope);
            let alternative = operand(l, around, node, "alternative", scope);
            l.expression(Expression::Either([consequence, alternative].into()))
        }
        "cast_expression" => {
            let to = node.child_by_field_name("type").map(|to| types::written(l, around, to, scope));
            let of = operand(l, around, node, "value", scope);
            to.map_or(of, |to| l.expression(Expression::Cast { of, to }))
        }
        "subscript_expression" => subscript(l, around, node, scope),
        "new_expression" => calls::new(l, around, node, scope),
        "compound_literal_expression" => calls::compound(l, around, node, scope),
        "initializer_list" => list(l, around, node, scope),
        "initializer_pair" => operand(l, around, node, "value", scope),
        "lambda_expression" => lambda(l, around, node, scope),
        "parameter_pack_expansion" => {
            let left = operand(l, around, node, "pattern", scope);
            let operator = l.name("...");
            l.expression(Expression::Operation { operator, left, right: None })
        }
        "co_await_expression" => {
            let of = operand(l, around, node, "argument", scope);
            l.expression(Expression::Awaited { of })
        }
        "type_descriptor" => {
            let of = types::written(l, around, node, scope);
            l.expression(Expression::Type(of))
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
        | "bitfield_clause" => inside(l, around, node, scope),
        // A statement where an expression was expected, or broken syntax.
        _ if node.child_count() == 0 => OPAQUE,
        _ => {
            items::children(l, around, node, scope);
            OPAQUE
        }
    }
}

fn inside(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    each_child(node, |child| {
        expression(l, around, child, scope);
    });
    OPAQUE
}

fn operand(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, field: &str, scope: ScopeId) -> ExpressionId {
    node.child_by_field_name(field).map_or(OPAQUE, |child| expression(l, around, child, scope))
}

/// `a.b`, and `a->b` as `(*a).b`.
fn member(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let mut of = operand(l, around, node, "argument", scope);
    let Some(field) = node.child_by_field_name("field") else { return of };
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    if operator == "->" {
        of = l.expression(Expression::Dereferenced { of });
    } else if operator != "." {
        return OPAQUE;
    }
    // `a.B::f` is the `f` that `a` has from `B`.
    if field.kind() == "qualified_identifier"
        && let Some(to) = types::qualifier(l, around, field, scope)
    {
        of = l.expression(Expression::Cast { of, to });
    }
    let last = names::last_part(field);
    let name = l.name_of(last);
    l.expression(Expression::Member { of, name })
}

/// `a::b<T>::c`
fn path(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let Some(last) = node.child_by_field_name("name") else { return OPAQUE };
    let Some(first) = node.child_by_field_name("scope") else {
        // `::a`
        return expression(l, around, last, FILE_SCOPE);
    };
    let mut at = part(l, around, first, scope);
    let mut rest = last;
    for _ in 0..48 {
        if rest.kind() != "qualified_identifier" {
            break;
        }
        let (Some(of), Some(name)) = (rest.child_by_field_name("scope"), rest.child_by_field_name("name")) else {
            return OPAQUE;
        };
        let of = l.name_of(names::last_part(of));
        at = l.expression(Expression::Path { of: at, name: of });
        rest = name;
    }
    let name = l.name_of(names::last_part(rest));
    l.expression(Expression::Path { of: at, name })
}

fn part(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    match node.kind() {
        "template_type" | "dependent_name" | "decltype" => {
            let of = types::written(l, around, node, scope);
            l.expression(Expression::Type(of))
        }
        _ => {
            let name = l.name_of(node);
            l.use_name(name, scope)
        }
    }
}

fn text(l: &mut Lowering<'_>, node: Node<'_>) -> ExpressionId {
    let whole = l.text(node);
    let plain = whole.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|text| !text.contains('\\'));
    match plain {
        Some(plain) => l.text_literal(plain),
        None if whole.starts_with('L') => OPAQUE,
        None => l.expression(Expression::Literal(Literal::Text(None))),
    }
}

fn number(l: &mut Lowering<'_>, node: Node<'_>) -> ExpressionId {
    let text = l.text(node);
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let is_float = text.contains('.') || !is_hex && text.contains(['e', 'E', 'f', 'F']);
    let literal = if is_float { Literal::Float } else { Literal::Integer };
    l.expression(Expression::Literal(literal))
}

fn unary(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
    let of = operand(l, around, node, "argument", scope);
    if operator == "*" {
        return l.expression(Expression::Dereferenced { of });
    }
    let operator = l.name(operator);
    l.expression(Expression::Operation { operator, left: of, right: None })
}

/// A chain of operators leans to the left, and is walked rather than descended.
fn binary(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let mut chain = vec![node];
    let mut first = node.child_by_field_name("left");
    while let Some(left) = first.filter(|left| left.kind() == "binary_expression") {
        chain.push(left);
        first = left.child_by_field_name("left");
    }
    let mut at = first.map_or(OPAQUE, |first| expression(l, around, first, scope));
    for link in chain.into_iter().rev() {
        let right = operand(l, around, link, "right", scope);
        let operator = l.name(link.child_by_field_name("operator").map_or("", |operator| operator.kind()));
        at = l.expression(Expression::Operation { operator, left: at, right: Some(right) });
    }
    at
}

/// `a[b]`: C has one index, C++ a list of them.
fn subscript(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let of = operand(l, around, node, "argument", scope);
    let index = match node.child_by_field_name("indices") {
        Some(indices) => calls::arguments(l, around, indices, scope).first().copied(),
        None => node.child_by_field_name("index").map(|index| expression(l, around, index, scope)),
    };
    l.expression(Expression::Element { of, index })
}

fn list(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let items = calls::arguments(l, around, node, scope);
    l.expression(Expression::List(items))
}

fn lambda(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let inner = l.scope(scope, None);
    let outer_templates = std::mem::take(&mut around.templates);
    if let Some(list) = node.child_by_field_name("template_parameters") {
        templates::parameters(l, around, list, inner);
    }
    around.templates = outer_templates;
    let declarator = node.child_by_field_name("declarator");
    let list = declarator.and_then(|declarator| declarator.child_by_field_name("parameters"));
    let parameters: Vec<Parameter> =
        list.map(|list| functions::parameters(l, around, list, inner, true)).unwrap_or_default();
    let declared = declarator.and_then(|declarator| declarators::trailing(l, around, declarator, inner));
    if let Some(captures) = node.child_by_field_name("captures") {
        each_child(captures, |capture| {
            if capture.kind() == "lambda_capture_initializer" {
                let value = operand(l, around, capture, "right", scope);
                if let Some(left) = capture.child_by_field_name("left") {
                    let name = l.name_of(left);
                    l.bind(inner, name, None, Some(value));
                }
            }
        });
    }
    let outer_results = around.results.replace(Vec::new());
    let was_in_function = std::mem::replace(&mut around.in_function, true);
    if let Some(body) = node.child_by_field_name("body") {
        items::children(l, around, body, inner);
    }
    around.in_function = was_in_function;
    let results = std::mem::replace(&mut around.results, outer_results).unwrap_or_default().into();
    l.expression(Expression::Function { scope: inner, parameters: parameters.into(), results, declared })
}
