//! Statements of Go: their bindings and blocks.

use model::code::{Expression, ExpressionId, ScopeId};

use super::expressions::{self, lower_expression};
use super::fields::FIELDS;
use super::{OPAQUE, ValueSpec, lower_type_declaration, lower_value_spec, types};
use crate::code::CodeBuilder;
use crate::node::SyntaxNode;

/// Maximum number of earlier bindings that are searched for a variable that `:=` reassigns.
const MAX_LOOKBACK: usize = 200;

/// Lowers the statements of a block in an open scope.
pub(super) fn lower_statements(out: &mut CodeBuilder<'_>, scope: ScopeId, block: SyntaxNode<'_>) {
    let mut cursor = block.walk();
    for node in block.named_children(&mut cursor) {
        lower_statement(out, scope, node);
    }
}

/// Lowers a statement or declaration.
pub(super) fn lower_statement(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    out.deeper(|out| lower_node(out, scope, node));
}

fn lower_node(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    match node.kind() {
        "comment" | "fallthrough_statement" | "break_statement" | "continue_statement" | "goto_statement" => {}
        "statement_list" => lower_statements(out, scope, node),
        "short_var_declaration" => lower_short_declaration(out, scope, node),
        "assignment_statement" => lower_assignment(out, scope, node),
        "return_statement" => lower_return(out, scope, node),
        "type_declaration" => lower_type_declaration(out, scope, node),
        "const_declaration" | "var_declaration" | "var_spec_list" => {
            let mut previous = ValueSpec::default();
            let mut cursor = node.walk();
            for spec in node.named_children(&mut cursor) {
                match spec.kind() {
                    "const_spec" => previous = lower_value_spec(out, scope, spec, &previous),
                    "var_spec" => {
                        lower_value_spec(out, scope, spec, &ValueSpec::default());
                    }
                    "var_spec_list" => lower_statement(out, scope, spec),
                    _ => {}
                }
            }
        }
        "range_clause" => lower_range(out, scope, node),
        "receive_statement" => lower_receive(out, scope, node),
        "type_switch_statement" => lower_type_switch(out, scope, node),
        "if_statement"
        | "for_statement"
        | "block"
        | "expression_switch_statement"
        | "select_statement"
        | "expression_case"
        | "default_case"
        | "communication_case" => {
            let inner = out.open_scope(scope, None);
            lower_statements(out, inner, node);
        }
        "expression_list" => {
            lower_expressions(out, scope, Some(node));
        }
        "for_clause"
        | "labeled_statement"
        | "go_statement"
        | "defer_statement"
        | "inc_statement"
        | "dec_statement"
        | "send_statement"
        | "expression_statement"
        | "ERROR" => lower_statements(out, scope, node),
        _ => {
            lower_expression(out, scope, node);
        }
    }
}

/// Lowers every expression of a list.
/// Lowers a list of expressions.
fn lower_expressions(out: &mut CodeBuilder<'_>, scope: ScopeId, list: Option<SyntaxNode<'_>>) -> Vec<ExpressionId> {
    let Some(list) = list else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).map(|node| lower_expression(out, scope, node)).collect()
}

/// Lowers an assignment. Each pair of sides is an operation, so that the values of fields and variables are known.
fn lower_assignment(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let targets = lower_expressions(out, scope, node.child_by_field_id(FIELDS.left));
    let values = lower_expressions(out, scope, node.child_by_field_id(FIELDS.right));
    let is_plain = node.child_by_field_id(FIELDS.operator).is_some_and(|operator| operator.kind() == "=");
    if !is_plain || targets.len() != values.len() {
        return;
    }
    for (left, value) in targets.into_iter().zip(values) {
        if left != OPAQUE && value != OPAQUE {
            let operator = out.intern("=");
            out.add_expression(Expression::Operation { operator, left, right: Some(value) });
        }
    }
}

/// Lowers a return. The first value that the body of a function returns at its top level is a value of the function.
fn lower_return(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let values = lower_expressions(out, scope, node.named_child(0));
    let function = out.code.scopes.get(scope.index()).and_then(|scope| scope.definition);
    if let (Some(function), Some(value)) = (function, values.first().filter(|value| **value != OPAQUE)) {
        out.shape_mut(function).values = Box::new([*value]);
    }
}

/// Binds the names on the left of `:=`.
fn lower_short_declaration(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right)) else {
        return;
    };
    let n_names = left.named_child_count();
    let values = expressions::lower_assigned_values(out, scope, n_names, right);
    let mut cursor = left.walk();
    for (index, name) in left.named_children(&mut cursor).enumerate() {
        let value = values.get(index).copied();
        bind_new_name(out, scope, name, value, n_names > 1);
    }
}

/// Binds a name unless the same scope already has it. A reassigned variable keeps its type.
fn bind_new_name(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    node: SyntaxNode<'_>,
    value: Option<ExpressionId>,
    may_be_old: bool,
) {
    if node.kind() != "identifier" {
        return;
    }
    let text = out.text(node);
    if text == "_" {
        return;
    }
    let name = out.intern(text);
    // While a scope is open, only it and its inner scopes bind names.
    let mut before = out.code.bindings.iter().rev().take(MAX_LOOKBACK).take_while(|one| one.scope >= scope);
    if may_be_old && before.any(|one| one.scope == scope && one.name == name) {
        return;
    }
    out.bind(scope, name, None, value);
}

/// Binds the key and element of a range clause.
fn lower_range(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let Some(right) = node.child_by_field_id(FIELDS.right) else { return };
    let of = lower_expression(out, scope, right);
    let Some(left) = node.child_by_field_id(FIELDS.left) else { return };
    if !node.has_child(":=") {
        lower_expressions(out, scope, Some(left));
        return;
    }
    let of = out.add_expression(Expression::Item { of });
    let mut cursor = left.walk();
    for (index, name) in left.named_children(&mut cursor).enumerate() {
        if out.text(name) != "_" {
            let value = out.add_expression(Expression::Part { of, index: index as u32 });
            bind_new_name(out, scope, name, Some(value), false);
        }
    }
}

/// Binds the received value in a case of `select`.
fn lower_receive(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let Some(right) = node.child_by_field_id(FIELDS.right) else { return };
    let value = lower_expression(out, scope, right);
    let Some(left) = node.child_by_field_id(FIELDS.left) else { return };
    if !node.has_child(":=") {
        lower_expressions(out, scope, Some(left));
        return;
    }
    let mut cursor = left.walk();
    for (index, name) in left.named_children(&mut cursor).enumerate() {
        bind_new_name(out, scope, name, (index == 0).then_some(value), false);
    }
}

/// Binds the variable of a type switch once per case: to the type of the case, or to the value if the case has several
/// types.
fn lower_type_switch(out: &mut CodeBuilder<'_>, outer: ScopeId, node: SyntaxNode<'_>) {
    let scope = out.open_scope(outer, None);
    if let Some(initializer) = node.child_by_field_id(FIELDS.initializer) {
        lower_statement(out, scope, initializer);
    }
    let value = node.child_by_field_id(FIELDS.value).map(|value| lower_expression(out, scope, value));
    let alias = node.child_by_field_id(FIELDS.alias).and_then(|list| list.named_child(0));
    let alias = alias.map(|name| out.intern_node(name));
    let mut cursor = node.walk();
    for case in node.named_children(&mut cursor) {
        if !matches!(case.kind(), "type_case" | "default_case") {
            continue;
        }
        let inner = out.open_scope(scope, None);
        let mut types = case.walk();
        let types: Vec<SyntaxNode> =
            case.children_by_field_name("type", &mut types).filter(SyntaxNode::is_named).collect();
        if let Some(alias) = alias {
            let declared = match types[..] {
                [one] if out.text(one) != "nil" => Some(types::lower_type(out, scope, one)),
                _ => None,
            };
            let value = value.filter(|_| declared.is_none());
            out.bind(inner, alias, declared, value);
        }
        let mut statements = case.walk();
        for list in case.named_children(&mut statements).filter(|child| child.kind() == "statement_list") {
            lower_statements(out, inner, list);
        }
    }
}
