//! Statements of Go: what they bind, and the blocks they open.

use model::code::{Expression, ExpressionId, ScopeId};

use super::expressions::{self, expression};
use super::fields::FIELDS;
use super::{Repeated, type_declaration, types, values};
use crate::code::Lowering;
use crate::node::Node;

/// How far back it is looked for a variable that `:=` assigns to, rather than making a new one.
const MAX_LOOKBACK: usize = 200;

/// Writes what stands in a block, in a scope that is open already.
pub(super) fn within(lowering: &mut Lowering<'_>, scope: ScopeId, block: Node<'_>) {
    let mut cursor = block.walk();
    for node in block.named_children(&mut cursor) {
        statement(lowering, scope, node);
    }
}

/// Writes a statement or declaration.
pub(super) fn statement(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    lowering.deeper(|lowering| one(lowering, scope, node));
}

fn one(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    match node.kind() {
        "comment" | "fallthrough_statement" | "break_statement" | "continue_statement" | "goto_statement" => {}
        "statement_list" => within(lowering, scope, node),
        "short_var_declaration" => short(lowering, scope, node),
        "assignment_statement" => {
            each(lowering, scope, node.child_by_field_id(FIELDS.left));
            each(lowering, scope, node.child_by_field_id(FIELDS.right));
        }
        "return_statement" => each(lowering, scope, node.named_child(0)),
        "type_declaration" => type_declaration(lowering, scope, node),
        "const_declaration" | "var_declaration" | "var_spec_list" => {
            let mut said = Repeated::default();
            let mut cursor = node.walk();
            for spec in node.named_children(&mut cursor) {
                match spec.kind() {
                    "const_spec" => said = values(lowering, scope, spec, &said),
                    "var_spec" => {
                        values(lowering, scope, spec, &Repeated::default());
                    }
                    "var_spec_list" => statement(lowering, scope, spec),
                    _ => {}
                }
            }
        }
        "range_clause" => range(lowering, scope, node),
        "receive_statement" => receive(lowering, scope, node),
        "type_switch_statement" => type_switch(lowering, scope, node),
        "if_statement"
        | "for_statement"
        | "block"
        | "expression_switch_statement"
        | "select_statement"
        | "expression_case"
        | "default_case"
        | "communication_case" => {
            let inner = lowering.scope(scope, None);
            within(lowering, inner, node);
        }
        "expression_list" => each(lowering, scope, Some(node)),
        "for_clause"
        | "labeled_statement"
        | "go_statement"
        | "defer_statement"
        | "inc_statement"
        | "dec_statement"
        | "send_statement"
        | "expression_statement"
        | "ERROR" => within(lowering, scope, node),
        _ => {
            expression(lowering, scope, node);
        }
    }
}

/// Writes every expression of a list.
fn each(lowering: &mut Lowering<'_>, scope: ScopeId, list: Option<Node<'_>>) {
    let Some(list) = list else { return };
    let mut cursor = list.walk();
    for node in list.named_children(&mut cursor) {
        expression(lowering, scope, node);
    }
}

/// Binds the names on the left of `:=`.
fn short(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right)) else {
        return;
    };
    let n_names = left.named_child_count();
    let values = expressions::for_each_of(lowering, scope, n_names, right);
    let mut cursor = left.walk();
    for (index, name) in left.named_children(&mut cursor).enumerate() {
        let value = values.get(index).copied();
        bind_new(lowering, scope, name, value, n_names > 1);
    }
}

/// Binds a name unless it is one that stands already in the same scope: a type stays what it was.
fn bind_new(
    lowering: &mut Lowering<'_>,
    scope: ScopeId,
    node: Node<'_>,
    value: Option<ExpressionId>,
    may_be_old: bool,
) {
    if node.kind() != "identifier" {
        return;
    }
    let text = lowering.text(node);
    if text == "_" {
        return;
    }
    let name = lowering.name(text);
    // While a scope is open, only it and those within it bind names.
    let mut before = lowering.code.bindings.iter().rev().take(MAX_LOOKBACK).take_while(|one| one.scope >= scope);
    if may_be_old && before.any(|one| one.scope == scope && one.name == name) {
        return;
    }
    lowering.bind(scope, name, None, value);
}

/// Binds the key and the element of what is ranged over.
fn range(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    let Some(right) = node.child_by_field_id(FIELDS.right) else { return };
    let of = expression(lowering, scope, right);
    let Some(left) = node.child_by_field_id(FIELDS.left) else { return };
    if !has_token(node, ":=") {
        return each(lowering, scope, Some(left));
    }
    let of = lowering.expression(Expression::Item { of });
    let mut cursor = left.walk();
    for (index, name) in left.named_children(&mut cursor).enumerate() {
        if lowering.text(name) != "_" {
            let value = lowering.expression(Expression::Part { of, index: index as u32 });
            bind_new(lowering, scope, name, Some(value), false);
        }
    }
}

/// Binds what is received in a case of `select`.
fn receive(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    let Some(right) = node.child_by_field_id(FIELDS.right) else { return };
    let value = expression(lowering, scope, right);
    let Some(left) = node.child_by_field_id(FIELDS.left) else { return };
    if !has_token(node, ":=") {
        return each(lowering, scope, Some(left));
    }
    let mut cursor = left.walk();
    for (index, name) in left.named_children(&mut cursor).enumerate() {
        bind_new(lowering, scope, name, (index == 0).then_some(value), false);
    }
}

/// Binds the variable of a type switch once per case: to the type of the case, or to the value where there are several.
fn type_switch(lowering: &mut Lowering<'_>, outer: ScopeId, node: Node<'_>) {
    let scope = lowering.scope(outer, None);
    if let Some(initializer) = node.child_by_field_id(FIELDS.initializer) {
        statement(lowering, scope, initializer);
    }
    let value = node.child_by_field_id(FIELDS.value).map(|value| expression(lowering, scope, value));
    let alias = node.child_by_field_id(FIELDS.alias).and_then(|list| list.named_child(0));
    let alias = alias.map(|name| lowering.name_of(name));
    let mut cursor = node.walk();
    for case in node.named_children(&mut cursor) {
        if !matches!(case.kind(), "type_case" | "default_case") {
            continue;
        }
        let inner = lowering.scope(scope, None);
        let mut types = case.walk();
        let types: Vec<Node> = case.children_by_field_name("type", &mut types).filter(Node::is_named).collect();
        if let Some(alias) = alias {
            let declared = match types[..] {
                [one] if lowering.text(one) != "nil" => Some(types::written(lowering, scope, one)),
                _ => None,
            };
            let value = value.filter(|_| declared.is_none());
            lowering.bind(inner, alias, declared, value);
        }
        let mut statements = case.walk();
        for list in case.named_children(&mut statements).filter(|child| child.kind() == "statement_list") {
            within(lowering, inner, list);
        }
    }
}

fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == token)
}
