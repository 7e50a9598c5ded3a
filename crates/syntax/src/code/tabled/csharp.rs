//! Table of C#.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, After, Field, Itself, Kind, Last, Nth};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("using_directive", LoweringRule::Skip),
        ("attribute_list", LoweringRule::Skip),
        ("base_list", LoweringRule::Skip),
        ("parameter_list", LoweringRule::Skip),
        ("type_argument_list", LoweringRule::Skip),
        ("type_parameter_list", LoweringRule::Skip),
        ("implicit_type", LoweringRule::Skip),
        ("array_type", LoweringRule::Skip),
        ("nullable_type", LoweringRule::Skip),
        ("interpolation_brace", LoweringRule::Skip),
        ("interpolation_format_clause", LoweringRule::Skip),
        ("namespace_declaration", LoweringRule::Visit(lower_namespace)),
        ("file_scoped_namespace_declaration", LoweringRule::Visit(lower_namespace)),
        ("class_declaration", CLASS),
        ("struct_declaration", CLASS),
        ("record_declaration", CLASS),
        ("interface_declaration", CLASS),
        ("enum_declaration", CLASS),
        (
            "enum_member_declaration",
            LoweringRule::Variable { name: Field("name"), declared: Absent, value: Field("value") },
        ),
        ("field_declaration", LoweringRule::Decorated),
        ("event_field_declaration", LoweringRule::Decorated),
        ("property_declaration", LoweringRule::Visit(lower_property)),
        (
            "method_declaration",
            LoweringRule::Function {
                name: Field("name"),
                parameters: Field("parameters"),
                result: Field("returns"),
                body: Field("body"),
            },
        ),
        (
            "local_function_statement",
            LoweringRule::Function {
                name: Field("name"),
                parameters: Field("parameters"),
                result: Field("type"),
                body: Field("body"),
            },
        ),
        (
            "constructor_declaration",
            LoweringRule::Function {
                name: Field("name"),
                parameters: Field("parameters"),
                result: Absent,
                body: Field("body"),
            },
        ),
        ("arrow_expression_clause", LoweringRule::Last),
        ("variable_declaration", LoweringRule::Visit(lower_variables)),
        ("declaration_pattern", TYPED_NAME),
        ("declaration_expression", TYPED_NAME),
        ("catch_declaration", TYPED_NAME),
        ("foreach_statement", LoweringRule::Loop { item: Field("left"), items: Field("right") }),
        ("return_statement", LoweringRule::Return),
        ("yield_statement", LoweringRule::Return),
        ("identifier", LoweringRule::Name),
        ("generic_name", LoweringRule::Name),
        ("predefined_type", LoweringRule::Name),
        ("this", LoweringRule::This),
        ("base", LoweringRule::Super),
        ("qualified_name", LoweringRule::Member { of: Field("qualifier"), name: Field("name") }),
        ("alias_qualified_name", LoweringRule::Value(Field("name"))),
        ("member_access_expression", LoweringRule::Member { of: Field("expression"), name: Field("name") }),
        ("conditional_access_expression", LoweringRule::Visit(lower_conditional_access)),
        ("invocation_expression", LoweringRule::Call { callee: Field("function"), arguments: &[Field("arguments")] }),
        (
            "object_creation_expression",
            LoweringRule::Make { made: Field("type"), arguments: &[Field("arguments"), Field("initializer")] },
        ),
        (
            "implicit_object_creation_expression",
            LoweringRule::Make { made: Absent, arguments: &[Kind("argument_list"), Kind("initializer_expression")] },
        ),
        ("initializer_expression", LoweringRule::Collection),
        ("collection_expression", LoweringRule::Collection),
        ("collection_element", LoweringRule::Last),
        ("anonymous_object_creation_expression", LoweringRule::Visit(lower_anonymous_object)),
        ("array_creation_expression", LoweringRule::Value(Kind("initializer_expression"))),
        ("implicit_array_creation_expression", LoweringRule::Value(Kind("initializer_expression"))),
        ("element_access_expression", LoweringRule::Element { of: Field("expression"), index: Field("subscript") }),
        ("bracketed_argument_list", LoweringRule::Last),
        ("argument", LoweringRule::Last),
        ("string_literal", LoweringRule::Text),
        ("verbatim_string_literal", LoweringRule::Text),
        ("raw_string_literal", LoweringRule::Text),
        ("interpolated_string_expression", LoweringRule::Text),
        ("interpolation", LoweringRule::Value(Nth(1))),
        ("integer_literal", LoweringRule::Literal(Literal::Integer)),
        ("real_literal", LoweringRule::Literal(Literal::Float)),
        ("boolean_literal", LoweringRule::Literal(Literal::Boolean)),
        ("character_literal", LoweringRule::Literal(Literal::Character)),
        ("null_literal", LoweringRule::Literal(Literal::Null)),
        (
            "binary_expression",
            LoweringRule::Binary { left: Field("left"), operator: Field("operator"), right: Field("right") },
        ),
        ("parenthesized_expression", LoweringRule::Last),
        ("postfix_unary_expression", LoweringRule::Last),
        ("conditional_expression", LoweringRule::Either(&[Field("consequence"), Field("alternative")])),
        ("switch_expression", LoweringRule::Arms(&["switch_expression_arm"])),
        ("switch_expression_arm", LoweringRule::Last),
        ("await_expression", LoweringRule::Awaited),
        ("cast_expression", LoweringRule::Cast { of: Field("value"), to: Field("type") }),
        ("as_expression", LoweringRule::Cast { of: Field("left"), to: Field("right") }),
        ("typeof_expression", LoweringRule::Type(Field("type"))),
        (
            "assignment_expression",
            LoweringRule::Assign { target: Field("left"), operator: Field("operator"), value: Field("right") },
        ),
        ("lambda_expression", LoweringRule::Lambda { parameters: Field("parameters"), body: Field("body") }),
        ("anonymous_method_expression", LoweringRule::Lambda { parameters: Field("parameters"), body: Kind("block") }),
    ],
    entries: &[
        EntryRule { kind: "argument", name: Field("name"), value: Last },
        EntryRule { kind: "attribute_argument", name: Field("name"), value: Last },
        EntryRule { kind: "assignment_expression", name: Field("left"), value: Field("right") },
    ],
    parameters: &[
        ParameterRule {
            kind: "parameter",
            name: Field("name"),
            declared: Field("type"),
            default: After("="),
            is_variadic: false,
        },
        ParameterRule {
            kind: "implicit_parameter",
            name: Itself,
            declared: Absent,
            default: Absent,
            is_variadic: false,
        },
    ],
    bases: &[("base_list", BaseKind::Extend)],
    decorations: &["attribute"],
    decoration_groups: &["attribute_list"],
    decoration_names: &["identifier", "qualified_name", "generic_name"],
    argument_lists: &["argument_list", "attribute_argument_list"],
    type_arguments: &["type_argument_list"],
    tuple_patterns: &["tuple_pattern", "tuple_expression"],
    has_bare_fields: true,
    has_last_results: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule =
    LoweringRule::Class { name: Field("name"), parameters: Kind("parameter_list"), body: Field("body") };

const TYPED_NAME: LoweringRule = LoweringRule::Variable { name: Field("name"), declared: Field("type"), value: Absent };

/// The first namespace of a file is its package.
fn lower_namespace(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let name = node.child_by_field_name("name");
    if let Some(name) = name.filter(|_| lowering.out.code.package.is_empty()) {
        lowering.out.code.package = lowering.out.text(name).split_whitespace().collect();
    }
    lowering.visit_children_except(node, name, scope);
    OPAQUE
}

/// `A b = c, d = e;`
fn lower_variables(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let declared = node.child_by_field_name("type").and_then(|declared| lowering.lower_declared(declared, scope));
    let mut cursor = node.walk();
    for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
        let value = After("=").of(declarator).map(|value| lowering.visit(value, scope));
        if let Some(name) = declarator.child_by_field_name("name").or_else(|| declarator.named_child(0)) {
            lowering.declare(declarator, name, declared, value, scope);
        }
    }
    OPAQUE
}

/// A property has its initial value, or the values that its getter returns.
fn lower_property(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let Some(name) = node.child_by_field_name("name") else { return OPAQUE };
    let definition = lowering.out.definition_at(name);
    lowering.decorate(node, definition, scope);
    let declared = node.child_by_field_name("type").and_then(|declared| lowering.lower_declared(declared, scope));
    let body = lowering.out.open_scope(scope, definition);
    lowering.results.push(Vec::new());
    let mut value = OPAQUE;
    if let Some(accessors) = node.child_by_field_name("accessors") {
        let mut cursor = accessors.walk();
        for accessor in accessors.named_children(&mut cursor) {
            if let Some(body_node) = accessor.child_by_field_name("body") {
                let returned = lowering.visit(body_node, body);
                lowering.add_result(returned);
            }
        }
    }
    if let Some(initial) = node.child_by_field_name("value") {
        value = lowering.visit(initial, body);
    }
    let values = lowering.finish_results(value);
    if let Some(definition) = definition {
        let shape = lowering.out.shape_mut(definition);
        shape.declared = declared;
        shape.values = values.into();
    }
    OPAQUE
}

/// `a?.b`, `a?[b]`.
fn lower_conditional_access(
    lowering: &mut TabledLowering<'_, '_>,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let condition = lowering.visit_selected(node, Field("condition"), scope);
    // The grammar reads `await a?.b()` as an access to `await a`.
    let of = match lowering.out.code.expression(condition) {
        Expression::Awaited { of } => *of,
        _ => condition,
    };
    let Some(accessed) = Last.of(node) else { return of };
    match accessed.kind() {
        "member_binding_expression" => lowering.add_member(of, accessed.child_by_field_name("name")),
        "element_binding_expression" => {
            let index = lowering.visit_children(accessed, scope);
            lowering.out.add_expression(Expression::Element { of, index: Some(index) })
        }
        _ => lowering.visit(accessed, scope),
    }
}

/// `new { A = b, c }`.
fn lower_anonymous_object(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut members = Vec::new();
    let mut cursor = node.walk();
    let children: Vec<SyntaxNode> = node.children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let mut at = 0;
    while let Some(child) = children.get(at) {
        let is_named = children.get(at + 1).is_some_and(|next| next.kind() == "=");
        let value = if is_named { children.get(at + 2) } else { Some(child) };
        if let Some(value) = value.filter(|value| value.is_named()) {
            let name = lowering.key_name(*child);
            let value = lowering.visit(*value, scope);
            members.push((name, value));
        }
        at += if is_named { 3 } else { 1 };
    }
    lowering.out.add_expression(Expression::Object(members.into()))
}
