//! Table of Kotlin.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, After, Before, Field, Itself, Kind, Last, Nth, OneOf, Token};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("import", LoweringRule::Skip),
        ("modifiers", LoweringRule::Skip),
        ("user_type", LoweringRule::Skip),
        ("nullable_type", LoweringRule::Skip),
        ("function_type", LoweringRule::Skip),
        ("type_parameters", LoweringRule::Skip),
        ("type_arguments", LoweringRule::Skip),
        ("package_header", LoweringRule::Visit(lower_package)),
        ("class_declaration", CLASS),
        ("object_declaration", CLASS),
        ("object_literal", LoweringRule::Class { name: Absent, parameters: Absent, body: Kind("class_body") }),
        (
            "function_declaration",
            LoweringRule::Function {
                name: Field("name"),
                parameters: Kind("function_value_parameters"),
                result: After(":"),
                body: Kind("function_body"),
            },
        ),
        (
            "secondary_constructor",
            LoweringRule::Function {
                name: Token("constructor"),
                parameters: Kind("function_value_parameters"),
                result: Absent,
                body: Kind("block"),
            },
        ),
        ("function_body", LoweringRule::Visit(lower_function_body)),
        ("block", LoweringRule::Last),
        ("property_declaration", LoweringRule::Visit(lower_property)),
        ("property_delegate", LoweringRule::Last),
        ("getter", LoweringRule::Last),
        (
            "assignment",
            LoweringRule::Assign { target: Field("left"), operator: Field("operator"), value: Field("right") },
        ),
        ("for_statement", LoweringRule::Loop { item: Nth(0), items: Nth(1) }),
        ("return_expression", LoweringRule::Return),
        ("identifier", LoweringRule::Name),
        ("this_expression", LoweringRule::This),
        ("super_expression", LoweringRule::Super),
        ("navigation_expression", LoweringRule::Member { of: Nth(0), name: Last }),
        ("call_expression", LoweringRule::Visit(lower_call)),
        ("callable_reference", LoweringRule::Visit(lower_reference)),
        ("spread_expression", LoweringRule::Last),
        ("annotated_lambda", LoweringRule::Last),
        ("lambda_literal", LoweringRule::Lambda { parameters: Kind("lambda_parameters"), body: Itself }),
        (
            "anonymous_function",
            LoweringRule::Lambda { parameters: Kind("function_value_parameters"), body: Kind("function_body") },
        ),
        ("string_literal", LoweringRule::Text),
        ("multiline_string_literal", LoweringRule::Text),
        ("interpolation", LoweringRule::Last),
        ("number_literal", LoweringRule::Literal(Literal::Integer)),
        ("float_literal", LoweringRule::Literal(Literal::Float)),
        ("character_literal", LoweringRule::Literal(Literal::Character)),
        (
            "binary_expression",
            LoweringRule::Binary { left: Field("left"), operator: Field("operator"), right: Field("right") },
        ),
        ("infix_expression", LoweringRule::Binary { left: Nth(0), operator: Nth(1), right: Nth(2) }),
        ("as_expression", LoweringRule::Cast { of: Nth(0), to: Last }),
        ("index_expression", LoweringRule::Element { of: Nth(0), index: Nth(1) }),
        ("collection_literal", LoweringRule::Collection),
        ("parenthesized_expression", LoweringRule::Last),
        ("unary_expression", LoweringRule::Value(Field("argument"))),
        ("if_expression", LoweringRule::Either(&[Nth(1), Nth(2)])),
        ("when_expression", LoweringRule::Arms(&["when_entry"])),
        ("when_entry", LoweringRule::Last),
        ("try_expression", LoweringRule::Arms(&["block", "catch_block"])),
        ("catch_block", LoweringRule::Value(Kind("block"))),
    ],
    entries: &[EntryRule { kind: "value_argument", name: Before("="), value: Last }],
    parameters: &[
        ParameterRule {
            kind: "parameter",
            name: Before(":"),
            declared: After(":"),
            default: Absent,
            is_variadic: false,
        },
        ParameterRule {
            kind: "class_parameter",
            name: Before(":"),
            declared: After(":"),
            default: After("="),
            is_variadic: false,
        },
        ParameterRule {
            kind: "variable_declaration",
            name: Kind("identifier"),
            declared: After(":"),
            default: Absent,
            is_variadic: false,
        },
    ],
    parameter_groups: &["class_parameters", "multi_variable_declaration"],
    bases: &[("delegation_specifiers", BaseKind::Extend)],
    decorations: &["annotation"],
    decoration_groups: &["modifiers"],
    decoration_names: &["user_type"],
    argument_lists: &["value_arguments"],
    type_arguments: &["type_arguments"],
    tuple_patterns: &["multi_variable_declaration"],
    pairs: &["to"],
    has_bare_fields: true,
    has_last_results: true,
    has_dollar_names: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule = LoweringRule::Class {
    name: Field("name"),
    parameters: Kind("primary_constructor"),
    body: OneOf(&["class_body", "enum_class_body"]),
};

fn lower_package(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, _scope: ScopeId) -> ExpressionId {
    if let Some(name) = node.named_child(0) {
        lowering.out.code.package = lowering.out.text(name).split_whitespace().collect();
    }
    OPAQUE
}

/// `A::class` is a type, and `A::b` a function.
fn lower_reference(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    match node.named_child(0).filter(|_| node.has_child("class")) {
        Some(of) => {
            let written = lowering.lower_type(of, scope);
            lowering.out.add_expression(Expression::Type(written))
        }
        None => Last.of(node).map_or(OPAQUE, |last| lowering.visit(last, scope)),
    }
}

/// A block returns values; an expression is one.
fn lower_function_body(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let value = lowering.visit_children(node, scope);
    if node.has_child("=") { value } else { OPAQUE }
}

/// `val a: B = c`, `val a by lazy { c }`, `val a get() = c`.
fn lower_property(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let name = OneOf(&["variable_declaration", "multi_variable_declaration"]).of(node);
    let declared = name.and_then(|name| After(":").of(name)).and_then(|of| lowering.lower_declared(of, scope));
    let mut values = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| Some(*child) != name) {
        lowering.results.push(Vec::new());
        let value = lowering.visit(child, scope);
        values.extend(lowering.finish_results(value));
    }
    let value = lowering.add_choice(values);
    if let Some(name) = name {
        lowering.declare(node, name, declared, Some(value), scope);
    }
    OPAQUE
}

/// `f(a) { b }` is a call with two arguments, but the tree has a call of a call.
fn lower_call(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let inner = node.named_child(0).filter(|inner| {
        let has_block = node.named_child_of_kind("annotated_lambda").is_some();
        let has_arguments = node.named_child_of_kind("value_arguments").is_some();
        has_block && !has_arguments && inner.kind() == "call_expression"
    });
    let Some(inner) = inner.filter(|inner| inner.named_child_of_kind("value_arguments").is_some()) else {
        return lowering.lower_call(node, Nth(0), &[Kind("value_arguments"), Kind("annotated_lambda")], scope);
    };
    let Some(callee_node) = inner.named_child(0) else { return OPAQUE };
    let type_arguments = lowering.lower_type_arguments(inner, callee_node, scope);
    let callee = lowering.visit(callee_node, scope);
    let mut arguments = lowering.lower_arguments(inner, &[Kind("value_arguments")], scope);
    arguments.extend(lowering.lower_arguments(node, &[Kind("annotated_lambda")], scope));
    let line = callee_node.end_position().row as u32 + 1;
    lowering.add_call(callee, type_arguments, arguments, line, scope)
}
