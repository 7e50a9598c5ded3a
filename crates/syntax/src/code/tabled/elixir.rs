//! Table of Elixir, whose definitions are calls of macros.
//!
//! A `do` block is the last argument of its call, as a function. A keyword list is a dereferenced object.

use model::code::{Expression, ExpressionId, Literal, Parameter, ScopeId, Shape};

use super::expressions::name_text;
use super::selectors::ChildSelector::{Absent, Before, Field, Kind, Last};
use super::table::{EntryRule, LoweringRule, LoweringTable};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("call", LoweringRule::Visit(lower_call)),
        ("identifier", LoweringRule::Name),
        ("alias", LoweringRule::Visit(lower_alias)),
        ("dot", LoweringRule::Member { of: Field("left"), name: Field("right") }),
        ("access_call", LoweringRule::Element { of: Field("target"), index: Field("key") }),
        ("string", LoweringRule::Text),
        ("charlist", LoweringRule::Text),
        ("sigil", LoweringRule::Literal(Literal::Text(None))),
        ("interpolation", LoweringRule::Last),
        ("atom", LoweringRule::Symbol),
        ("quoted_atom", LoweringRule::Symbol),
        ("integer", LoweringRule::Literal(Literal::Integer)),
        ("float", LoweringRule::Literal(Literal::Float)),
        ("boolean", LoweringRule::Literal(Literal::Boolean)),
        ("nil", LoweringRule::Literal(Literal::Null)),
        ("list", LoweringRule::Collection),
        ("tuple", LoweringRule::Visit(lower_tuple)),
        ("map", LoweringRule::Visit(lower_map)),
        ("keywords", LoweringRule::Collection),
        ("binary_operator", LoweringRule::Visit(lower_operator)),
        ("unary_operator", LoweringRule::Visit(lower_attribute)),
        ("anonymous_function", LoweringRule::Visit(lower_function)),
        ("stab_clause", LoweringRule::Visit(lower_clause)),
        ("body", LoweringRule::Last),
        ("block", LoweringRule::Last),
    ],
    entries: &[
        EntryRule { kind: "pair", name: Field("key"), value: Field("value") },
        EntryRule { kind: "binary_operator", name: Before("=>"), value: Last },
    ],
    entry_groups: &["keywords", "map_content"],
    argument_lists: &["arguments"],
    tuple_patterns: &["tuple"],
    concatenations: &["<>"],
    pairs: &["=>"],
    has_last_results: true,
    ..LoweringTable::EMPTY
};

/// A definition, or a call of a function or macro.
fn lower_call(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let Some(target) = node.child_by_field_name("target") else { return OPAQUE };
    let keyword = if target.kind() == "identifier" { lowering.out.text(target) } else { "" };
    match keyword {
        "defmodule" | "defprotocol" | "defimpl" => lower_module(lowering, node, scope),
        "def" | "defp" | "defmacro" | "defmacrop" => lower_definition(lowering, node, scope),
        "alias" | "import" | "require" => OPAQUE,
        _ => lower_plain_call(lowering, node, target, None, scope),
    }
}

/// Lowers a call; `first` is the argument that a pipe passes.
fn lower_plain_call(
    lowering: &mut TabledLowering<'_, '_>,
    node: SyntaxNode<'_>,
    target: SyntaxNode<'_>,
    first: Option<ExpressionId>,
    scope: ScopeId,
) -> ExpressionId {
    let callee = lowering.visit(target, scope);
    let list = node.named_child_of_kind("arguments");
    let block = node.named_child_of_kind("do_block");
    if list.is_none() && block.is_none() && first.is_none() {
        return callee;
    }
    let mut arguments: Vec<ExpressionId> = first.into_iter().collect();
    if let Some(list) = list {
        arguments.extend(lowering.lower_argument_list(list, scope));
    }
    if let Some(block) = block {
        let function = lowering.lower_closure(None, scope, |lowering, inner| lowering.visit_children(block, inner));
        arguments.push(function);
    }
    let line = target.end_position().row as u32 + 1;
    lowering.add_call(callee, [].into(), arguments, line, scope)
}

fn lower_module(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let name = node.named_child_of_kind("arguments").and_then(|list| list.named_child(0));
    lowering.lower_class(node, name, Absent, Kind("do_block"), scope);
    OPAQUE
}

/// `def f(a, b \\ c) when d do … end`, `def f(a), do: b`.
fn lower_definition(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let arguments = node.named_child_of_kind("arguments");
    let Some(head) = arguments.and_then(|arguments| arguments.named_child(0)) else { return OPAQUE };
    let head = head.child_by_field_name("left").unwrap_or(head);
    let name = head.child_by_field_name("target").unwrap_or(head);
    let definition = lowering.out.definition_at(name);
    let inner = lowering.out.open_scope(scope, definition);
    let mut parameters = Vec::new();
    if let Some(list) = head.named_child_of_kind("arguments") {
        let mut cursor = list.walk();
        for pattern in list.named_children(&mut cursor) {
            parameters.extend(lower_parameter(lowering, pattern, inner));
        }
    }
    lowering.results.push(Vec::new());
    let keywords = arguments.and_then(|arguments| arguments.named_child_of_kind("keywords"));
    let value = match (node.named_child_of_kind("do_block"), keywords) {
        (Some(block), _) => lowering.visit_children(block, inner),
        (None, Some(keywords)) => lowering.lower_entries(keywords, inner).members.first().map_or(OPAQUE, |(_, of)| *of),
        (None, None) => OPAQUE,
    };
    let values = lowering.finish_results(value);
    // The clauses of a function are definitions of their own.
    if let Some(definition) = definition {
        let (parameters, values) = (parameters.into(), values.into());
        *lowering.out.shape_mut(definition) = Shape { parameters, values, body: Some(inner), ..Shape::default() };
    }
    OPAQUE
}

/// A parameter: a name, a name with a default, or a pattern.
fn lower_parameter(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> Option<Parameter> {
    let operator = node.child_by_field_name("operator").map(|operator| operator.kind());
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    let (name_node, default) = match (operator, left, right) {
        (Some("\\\\"), Some(left), default) => (left, default),
        // `%{…} = name` and `name = %{…}`.
        (Some("="), Some(left), Some(right)) => (if left.kind() == "identifier" { left } else { right }, None),
        _ => (node, None),
    };
    if name_node.kind() != "identifier" {
        bind_names(lowering, name_node, None, scope);
        let name = lowering.out.intern("_");
        return Some(Parameter { name, declared: None, is_optional: false, is_variadic: false });
    }
    let name = lowering.out.intern(name_text(lowering.out.text(name_node)));
    let value = default.map(|default| lowering.visit(default, scope));
    lowering.bind(scope, name, None, value);
    Some(Parameter { name, declared: None, is_optional: default.is_some(), is_variadic: false })
}

/// Binds the names of a pattern. A part of a tuple or of a map is a part of the value.
fn bind_names(
    lowering: &mut TabledLowering<'_, '_>,
    pattern: SyntaxNode<'_>,
    value: Option<ExpressionId>,
    scope: ScopeId,
) {
    match pattern.kind() {
        "identifier" | "tuple" => lowering.bind_pattern(pattern, None, value, scope),
        "map" | "map_content" | "keywords" | "list" | "struct" | "arguments" if lowering.out.descend() => {
            let mut cursor = pattern.walk();
            for part in pattern.named_children(&mut cursor) {
                bind_names(lowering, part, value, scope);
            }
            lowering.out.ascend();
        }
        "pair" => {
            let (Some(key), Some(bound)) = (pattern.child_by_field_name("key"), pattern.child_by_field_name("value"))
            else {
                return;
            };
            let name = lowering.key_name(key);
            let member = value.filter(|of| *of != OPAQUE);
            let member = member.map(|of| lowering.out.add_expression(Expression::Member { of, name }));
            if bound.kind() == "identifier" {
                lowering.bind_pattern(bound, None, member, scope);
            }
        }
        _ => {}
    }
}

/// `A.B` is a chain of members.
fn lower_alias(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    lowering.add_path(lowering.out.text(node), scope)
}

fn lower_tuple(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let parts = lowering.lower_entries(node, scope).items;
    lowering.out.add_expression(Expression::Tuple(parts.into()))
}

/// `%{a: b}`, and `%A{b: c}` as a creation.
fn lower_map(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let entries = node.named_child_of_kind("map_content").map(|content| lowering.lower_collection(content, scope));
    let Some(made) = node.named_child_of_kind("struct") else {
        return entries.unwrap_or_else(|| lowering.out.add_expression(Expression::Object([].into())));
    };
    let line = made.start_position().row as u32 + 1;
    let made = lowering.lower_type(made, scope);
    lowering.add_make(made, entries.into_iter().collect(), line, scope)
}

/// `a = b` binds, `a |> f(b)` calls, and other operators join values.
fn lower_operator(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return OPAQUE;
    };
    let operator = node.child_by_field_name("operator").map_or("", |operator| lowering.out.text(operator));
    match operator {
        "=" | "<-" => {
            let value = lowering.visit(right, scope);
            bind_names(lowering, left, Some(value), scope);
            value
        }
        "|>" => {
            let first = lowering.visit(left, scope);
            match right.child_by_field_name("target") {
                Some(target) if right.kind() == "call" => lower_plain_call(lowering, right, target, Some(first), scope),
                _ => lowering.visit(right, scope),
            }
        }
        operator => {
            let left = lowering.visit(left, scope);
            let right = lowering.visit(right, scope);
            lowering.add_operation(operator, left, right)
        }
    }
}

/// `@a b` sets an attribute of the module, and `@a` reads it.
fn lower_attribute(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let Some(operand) = node.child_by_field_name("operand") else { return OPAQUE };
    if node.child(0).is_none_or(|operator| operator.kind() != "@") {
        return lowering.visit(operand, scope);
    }
    let Some(target) = operand.child_by_field_name("target") else { return lowering.visit(operand, scope) };
    if matches!(lowering.out.text(target), "doc" | "moduledoc" | "typedoc" | "spec" | "type" | "typep" | "callback") {
        return OPAQUE;
    }
    let value = operand.named_child_of_kind("arguments").map(|list| lowering.visit_children(list, scope));
    match lowering.out.definition_at(target) {
        Some(definition) => lowering.set_variable(definition, None, value),
        None => lowering.bind_pattern(target, None, value, scope),
    }
    OPAQUE
}

/// `fn a, b -> c end`.
fn lower_function(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let only = node.named_child(0).filter(|only| only.kind() == "stab_clause" && node.named_child_count() == 1);
    let Some(clause) = only else {
        return lowering.lower_closure(None, scope, |lowering, inner| lowering.visit_children(node, inner));
    };
    let inner = lowering.out.open_scope(scope, None);
    let mut parameters = Vec::new();
    if let Some(list) = clause.child_by_field_name("left") {
        let mut cursor = list.walk();
        for pattern in list.named_children(&mut cursor) {
            parameters.extend(lower_parameter(lowering, pattern, inner));
        }
    }
    let result = lowering.visit_selected(clause, Field("right"), inner);
    let (parameters, results) = (parameters.into(), [result].into());
    lowering.out.add_expression(Expression::Function { scope: inner, parameters, results, declared: None })
}

/// `pattern -> body`.
fn lower_clause(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    if let Some(patterns) = node.child_by_field_name("left") {
        bind_names(lowering, patterns, None, scope);
    }
    lowering.visit_selected(node, Field("right"), scope)
}
