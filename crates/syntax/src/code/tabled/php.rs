//! Table of PHP. Names of variables are without their `$`.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, After, Before, Field, Kind, Last, Nth};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("namespace_use_declaration", LoweringRule::Skip),
        ("attribute_list", LoweringRule::Skip),
        ("named_type", LoweringRule::Skip),
        ("primitive_type", LoweringRule::Skip),
        ("optional_type", LoweringRule::Skip),
        ("union_type", LoweringRule::Skip),
        ("anonymous_function_use_clause", LoweringRule::Skip),
        ("use_declaration", LoweringRule::Skip),
        ("base_clause", LoweringRule::Skip),
        ("class_interface_clause", LoweringRule::Skip),
        ("namespace_definition", LoweringRule::Visit(lower_namespace)),
        ("class_declaration", CLASS),
        ("interface_declaration", CLASS),
        ("trait_declaration", CLASS),
        ("enum_declaration", CLASS),
        ("enum_case", LoweringRule::Variable { name: Field("name"), declared: Absent, value: Field("value") }),
        ("const_element", LoweringRule::Variable { name: Nth(0), declared: Absent, value: After("=") }),
        ("const_declaration", LoweringRule::Decorated),
        ("property_declaration", LoweringRule::Visit(lower_properties)),
        ("function_definition", FUNCTION),
        ("method_declaration", FUNCTION),
        ("name", LoweringRule::Name),
        ("variable_name", LoweringRule::Name),
        ("dynamic_variable_name", LoweringRule::Name),
        ("relative_scope", LoweringRule::Name),
        ("qualified_name", LoweringRule::Visit(lower_qualified_name)),
        ("member_access_expression", MEMBER),
        ("nullsafe_member_access_expression", MEMBER),
        ("scoped_property_access_expression", LoweringRule::Member { of: Field("scope"), name: Field("name") }),
        ("class_constant_access_expression", LoweringRule::Visit(lower_class_constant)),
        (
            "function_call_expression",
            LoweringRule::Call { callee: Field("function"), arguments: &[Field("arguments")] },
        ),
        ("member_call_expression", METHOD_CALL),
        ("nullsafe_member_call_expression", METHOD_CALL),
        (
            "scoped_call_expression",
            LoweringRule::MethodCall { of: Field("scope"), name: Field("name"), arguments: &[Field("arguments")] },
        ),
        ("object_creation_expression", LoweringRule::Visit(lower_creation)),
        ("array_creation_expression", LoweringRule::Collection),
        ("string", LoweringRule::Text),
        ("encapsed_string", LoweringRule::Text),
        ("heredoc", LoweringRule::Value(Field("value"))),
        ("heredoc_body", LoweringRule::Text),
        ("nowdoc", LoweringRule::Value(Field("value"))),
        ("nowdoc_body", LoweringRule::Text),
        ("integer", LoweringRule::Literal(Literal::Integer)),
        ("float", LoweringRule::Literal(Literal::Float)),
        ("boolean", LoweringRule::Literal(Literal::Boolean)),
        ("null", LoweringRule::Literal(Literal::Null)),
        ("subscript_expression", LoweringRule::Element { of: Nth(0), index: Nth(1) }),
        (
            "assignment_expression",
            LoweringRule::Assign { target: Field("left"), operator: Absent, value: Field("right") },
        ),
        (
            "augmented_assignment_expression",
            LoweringRule::Assign { target: Field("left"), operator: Field("operator"), value: Field("right") },
        ),
        (
            "binary_expression",
            LoweringRule::Binary { left: Field("left"), operator: Field("operator"), right: Field("right") },
        ),
        ("conditional_expression", LoweringRule::Either(&[Field("body"), Field("alternative")])),
        ("parenthesized_expression", LoweringRule::Last),
        ("cast_expression", LoweringRule::Value(Field("value"))),
        ("match_expression", LoweringRule::Value(Field("body"))),
        ("match_block", LoweringRule::Arms(&["match_conditional_expression", "match_default_expression"])),
        ("match_conditional_expression", LoweringRule::Value(Field("return_expression"))),
        ("match_default_expression", LoweringRule::Value(Field("return_expression"))),
        ("anonymous_function", LAMBDA),
        ("arrow_function", LAMBDA),
        ("foreach_statement", LoweringRule::Visit(lower_foreach)),
        ("return_statement", LoweringRule::Return),
    ],
    entries: &[
        EntryRule { kind: "argument", name: Field("name"), value: Last },
        EntryRule { kind: "array_element_initializer", name: Before("=>"), value: Last },
    ],
    parameters: &[
        ParameterRule {
            kind: "simple_parameter",
            name: Field("name"),
            declared: Field("type"),
            default: Field("default_value"),
            is_variadic: false,
        },
        ParameterRule {
            kind: "property_promotion_parameter",
            name: Field("name"),
            declared: Field("type"),
            default: Field("default_value"),
            is_variadic: false,
        },
        ParameterRule {
            kind: "variadic_parameter",
            name: Field("name"),
            declared: Field("type"),
            default: Absent,
            is_variadic: true,
        },
    ],
    bases: &[
        ("base_clause", BaseKind::Extend),
        ("class_interface_clause", BaseKind::Implement),
        ("use_declaration", BaseKind::Embed),
    ],
    decorations: &["attribute"],
    decoration_groups: &["attribute_list", "attribute_group"],
    decoration_names: &["name", "qualified_name"],
    argument_lists: &["arguments"],
    tuple_patterns: &["list_literal", "array_creation_expression"],
    receivers: &["this", "self", "static"],
    base_receivers: &["parent"],
    concatenations: &["."],
    has_last_results: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule = LoweringRule::Class { name: Field("name"), parameters: Absent, body: Field("body") };

const FUNCTION: LoweringRule = LoweringRule::Function {
    name: Field("name"),
    parameters: Field("parameters"),
    result: Field("return_type"),
    body: Field("body"),
};

const LAMBDA: LoweringRule = LoweringRule::Lambda { parameters: Field("parameters"), body: Field("body") };

const MEMBER: LoweringRule = LoweringRule::Member { of: Field("object"), name: Field("name") };

const METHOD_CALL: LoweringRule =
    LoweringRule::MethodCall { of: Field("object"), name: Field("name"), arguments: &[Field("arguments")] };

fn lower_namespace(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let name = node.child_by_field_name("name");
    if let Some(name) = name.filter(|_| lowering.out.code.package.is_empty()) {
        lowering.out.code.package = lowering.out.text(name).replace('\\', ".");
    }
    lowering.visit_children_except(node, name, scope);
    OPAQUE
}

fn lower_qualified_name(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    lowering.add_path(lowering.out.text(node), scope)
}

/// `A::B`; `A::class` is the type.
fn lower_class_constant(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let (of, name) = (Nth(0).of(node), Nth(1).of(node));
    let is_class = name.is_some_and(|name| lowering.out.text(name) == "class");
    if let Some(of) = of.filter(|_| is_class) {
        let written = lowering.lower_type(of, scope);
        return lowering.out.add_expression(Expression::Type(written));
    }
    let of = of.map_or(OPAQUE, |of| lowering.visit(of, scope));
    lowering.add_member(of, name)
}

/// `new A(b)`, `new class(b) { … }`.
fn lower_creation(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    if let Some(anonymous) = node.named_child_of_kind("anonymous_class") {
        lowering.lower_class(anonymous, None, Absent, Field("body"), scope);
        return OPAQUE;
    }
    lowering.lower_make(node, Nth(0).of(node), &[Kind("arguments")], scope)
}

/// `private A $b = c, $d = e;`
fn lower_properties(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    lowering.collect_decorations(node, scope);
    let declared = node.child_by_field_name("type").and_then(|declared| lowering.lower_declared(declared, scope));
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor).filter(|child| child.kind() == "property_element") {
        let value = element.child_by_field_name("default_value").map(|value| lowering.visit(value, scope));
        if let Some(name) = element.child_by_field_name("name") {
            lowering.declare(element, name, declared, value, scope);
        }
    }
    lowering.decorations.clear();
    OPAQUE
}

/// `foreach (items as $key => $item)`.
fn lower_foreach(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let (items, bound) = (Nth(0).of(node), Nth(1).of(node));
    let item = bound.and_then(|bound| if bound.kind() == "pair" { Last.of(bound) } else { Some(bound) });
    lowering.lower_loop(node, item, items, scope)
}
