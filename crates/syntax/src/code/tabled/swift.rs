//! Table of Swift.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, After, Field, Itself, Kind, Nth};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("import_declaration", LoweringRule::Skip),
        ("modifiers", LoweringRule::Skip),
        ("user_type", LoweringRule::Skip),
        ("type_arguments", LoweringRule::Skip),
        ("type_annotation", LoweringRule::Skip),
        ("type_parameters", LoweringRule::Skip),
        ("inheritance_specifier", LoweringRule::Skip),
        ("class_declaration", CLASS),
        ("protocol_declaration", CLASS),
        ("enum_entry", LoweringRule::Visit(lower_variants)),
        ("function_declaration", FUNCTION),
        ("protocol_function_declaration", FUNCTION),
        ("init_declaration", FUNCTION),
        ("property_declaration", LoweringRule::Visit(lower_property)),
        ("protocol_property_declaration", LoweringRule::Visit(lower_property)),
        ("function_body", LoweringRule::Last),
        ("computed_property", LoweringRule::Last),
        ("statements", LoweringRule::Visit(lower_statements)),
        ("if_statement", LoweringRule::Visit(lower_conditional_binding)),
        ("guard_statement", LoweringRule::Visit(lower_conditional_binding)),
        ("while_statement", LoweringRule::Visit(lower_conditional_binding)),
        ("for_statement", LoweringRule::Loop { item: Field("item"), items: Field("collection") }),
        ("control_transfer_statement", LoweringRule::Visit(lower_transfer)),
        ("simple_identifier", LoweringRule::Name),
        ("self_expression", LoweringRule::This),
        ("super_expression", LoweringRule::Super),
        ("navigation_expression", LoweringRule::Member { of: Field("target"), name: Field("suffix") }),
        ("prefix_expression", LoweringRule::Value(Field("target"))),
        ("postfix_expression", LoweringRule::Value(Field("target"))),
        ("call_expression", LoweringRule::Visit(lower_call)),
        ("constructor_expression", LoweringRule::Visit(lower_construction)),
        ("lambda_literal", LoweringRule::Lambda { parameters: Field("type"), body: Kind("statements") }),
        ("line_string_literal", LoweringRule::Text),
        ("multi_line_string_literal", LoweringRule::Text),
        ("raw_string_literal", LoweringRule::Text),
        ("interpolated_expression", LoweringRule::Value(Field("value"))),
        ("integer_literal", LoweringRule::Literal(Literal::Integer)),
        ("real_literal", LoweringRule::Literal(Literal::Float)),
        ("boolean_literal", LoweringRule::Literal(Literal::Boolean)),
        ("array_literal", LoweringRule::Collection),
        ("dictionary_literal", LoweringRule::Visit(lower_dictionary)),
        ("additive_expression", BINARY),
        ("multiplicative_expression", BINARY),
        ("nil_coalescing_expression", LoweringRule::Either(&[Field("value"), Field("if_nil")])),
        ("ternary_expression", LoweringRule::Either(&[Field("if_true"), Field("if_false")])),
        ("try_expression", LoweringRule::Value(Field("expr"))),
        ("await_expression", LoweringRule::Awaited),
        ("as_expression", LoweringRule::Cast { of: Field("expr"), to: Field("name") }),
        ("tuple_expression", LoweringRule::Last),
        (
            "assignment",
            LoweringRule::Assign { target: Field("target"), operator: Field("operator"), value: Field("result") },
        ),
        ("directly_assignable_expression", LoweringRule::Last),
    ],
    entries: &[EntryRule { kind: "value_argument", name: Field("name"), value: Field("value") }],
    parameters: &[
        ParameterRule {
            kind: "parameter",
            name: Field("name"),
            declared: After(":"),
            default: Absent,
            is_variadic: false,
        },
        ParameterRule {
            kind: "lambda_parameter",
            name: Field("name"),
            declared: After(":"),
            default: Absent,
            is_variadic: false,
        },
    ],
    parameter_groups: &["lambda_function_type_parameters"],
    bases: &[("inheritance_specifier", BaseKind::Extend)],
    decorations: &["attribute"],
    decoration_groups: &["modifiers"],
    decoration_names: &["user_type"],
    argument_lists: &["value_arguments"],
    type_arguments: &["type_arguments"],
    tuple_patterns: &["pattern"],
    has_bare_fields: true,
    has_last_results: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule = LoweringRule::Class { name: Field("name"), parameters: Absent, body: Field("body") };

const FUNCTION: LoweringRule =
    LoweringRule::Function { name: Field("name"), parameters: Itself, result: After("->"), body: Field("body") };

const BINARY: LoweringRule = LoweringRule::Binary { left: Field("lhs"), operator: Field("op"), right: Field("rhs") };

/// Only a single expression is the result of its function.
fn lower_statements(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let value = lowering.visit_children(node, scope);
    if node.named_child_count() == 1 { value } else { OPAQUE }
}

/// `let a: B = c`, `var a: B { c }`.
fn lower_property(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let declared = Kind("type_annotation").of(node).and_then(|annotation| After(":").of(annotation));
    let declared = declared.and_then(|declared| lowering.lower_declared(declared, scope));
    let pattern = node.child_by_field_name("name");
    let name = pattern.map(|pattern| pattern.child_by_field_name("bound_identifier").unwrap_or(pattern));
    lowering.results.push(Vec::new());
    let initial = lowering.visit_selected(node, Field("value"), scope);
    let computed = lowering.visit_selected(node, Field("computed_value"), scope);
    lowering.add_result(initial);
    let values = lowering.finish_results(computed);
    let value = lowering.add_choice(values);
    if let Some(name) = name {
        lowering.declare(node, name, declared, Some(value), scope);
    }
    OPAQUE
}

/// `case a = b, c`.
fn lower_variants(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut cursor = node.walk();
    let children: Vec<SyntaxNode> = node.children(&mut cursor).filter(|child| !child.is_extra()).collect();
    for (at, child) in children.iter().enumerate().filter(|(_, child)| child.kind() == "simple_identifier") {
        let has_value = children.get(at + 1).is_some_and(|next| next.kind() == "=");
        let value = children.get(at + 2).copied().filter(|_| has_value);
        let value = value.map(|value| lowering.visit(value, scope));
        if let Some(definition) = lowering.out.definition_at(*child) {
            lowering.set_variable(definition, None, value);
        }
    }
    OPAQUE
}

/// `if let a = b`, `guard let a = b`.
fn lower_conditional_binding(
    lowering: &mut TabledLowering<'_, '_>,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let bound = node.child_by_field_name("bound_identifier");
    let value_node = bound.and_then(|_| After("=").of(node));
    if let (Some(bound), Some(value)) = (bound, value_node) {
        let value = lowering.visit(value, scope);
        lowering.bind_pattern(bound, None, Some(value), scope);
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if Some(child) != bound && Some(child) != value_node {
            lowering.visit(child, scope);
        }
    }
    OPAQUE
}

/// `return a`; `throw a` and `break` return nothing.
fn lower_transfer(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let value = lowering.visit_children(node, scope);
    if node.has_child("return") {
        lowering.add_result(value);
    }
    OPAQUE
}

/// `f(a: b) { c }`, and `a[b]`, which the grammar takes for a call.
fn lower_call(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let (Some(callee_node), Some(suffix)) = (Nth(0).of(node), Kind("call_suffix").of(node)) else {
        lowering.visit_children(node, scope);
        return OPAQUE;
    };
    let list = suffix.named_child_of_kind("value_arguments");
    let is_element = list.is_some_and(|list| list.child(0).is_some_and(|open| open.kind() == "["));
    let type_arguments = lowering.lower_type_arguments(node, callee_node, scope);
    let callee = lowering.visit(callee_node, scope);
    let mut arguments = list.map(|list| lowering.lower_argument_list(list, scope)).unwrap_or_default();
    if is_element {
        return lowering.out.add_expression(Expression::Element { of: callee, index: arguments.first().copied() });
    }
    let mut cursor = suffix.walk();
    for block in suffix.named_children(&mut cursor).filter(|child| child.kind() == "lambda_literal") {
        arguments.push(lowering.visit(block, scope));
    }
    let line = callee_node.end_position().row as u32 + 1;
    lowering.add_call(callee, type_arguments, arguments, line, scope)
}

/// `A<B>(c)`.
fn lower_construction(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let suffix = Kind("constructor_suffix").of(node).unwrap_or(node);
    let arguments = lowering.lower_arguments(suffix, &[Kind("value_arguments"), Kind("lambda_literal")], scope);
    let made = node.child_by_field_name("constructed_type");
    let line = made.unwrap_or(node).end_position().row as u32 + 1;
    let made = made.map_or(super::UNKNOWN_TYPE, |made| lowering.lower_type(made, scope));
    lowering.add_make(made, arguments, line, scope)
}

/// `["a": b]`.
fn lower_dictionary(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut cursor = node.walk();
    let parts: Vec<SyntaxNode> = node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let mut members = Vec::new();
    for pair in parts.chunks(2) {
        if let [key, value] = pair {
            let name = lowering.key_name(*key);
            let value = lowering.visit(*value, scope);
            members.push((name, value));
        }
    }
    lowering.out.add_expression(Expression::Object(members.into()))
}
