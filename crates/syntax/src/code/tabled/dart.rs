//! Table of Dart.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, Field, Itself, Kind, Last, Nth};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("import_or_export", LoweringRule::Skip),
        ("annotation", LoweringRule::Skip),
        ("annotation_open_paren", LoweringRule::Skip),
        ("type", LoweringRule::Skip),
        ("type_arguments", LoweringRule::Skip),
        ("type_parameters", LoweringRule::Skip),
        ("class_declaration", CLASS),
        ("mixin_declaration", CLASS),
        ("extension_declaration", CLASS),
        ("extension_type_declaration", CLASS),
        ("enum_declaration", CLASS),
        ("member_declaration", LoweringRule::Decorated),
        ("declaration", LoweringRule::Visit(lower_declaration)),
        ("top_level_variable_declaration", LoweringRule::Visit(lower_declaration)),
        ("function_declaration", LoweringRule::Visit(lower_function)),
        ("local_function_declaration", LoweringRule::Visit(lower_function)),
        ("method_declaration", LoweringRule::Visit(lower_function)),
        ("function_body", LoweringRule::Last),
        ("function_expression_body", LoweringRule::Last),
        (
            "initialized_variable_declaration",
            LoweringRule::Variable { name: Field("name"), declared: Kind("type"), value: Field("value") },
        ),
        ("pattern_variable_declaration", LoweringRule::Visit(lower_pattern_variable)),
        ("field_initializer", LoweringRule::Assign { target: Field("name"), operator: Absent, value: Field("value") }),
        ("for_statement", LoweringRule::Loop { item: Field("name"), items: Field("value") }),
        ("return_statement", LoweringRule::Return),
        ("identifier", LoweringRule::Name),
        ("identifier_dollar_escaped", LoweringRule::Name),
        ("this", LoweringRule::This),
        ("super", LoweringRule::Super),
        ("member_expression", MEMBER),
        ("null_aware_member_expression", MEMBER),
        ("null_assertion_expression", LoweringRule::Value(Field("value"))),
        ("instantiation_expression", LoweringRule::Value(Field("function"))),
        ("call_expression", LoweringRule::Call { callee: Field("function"), arguments: &[Field("arguments")] }),
        ("new_expression", LoweringRule::Visit(lower_creation)),
        ("const_object_expression", LoweringRule::Visit(lower_creation)),
        ("cascade", LoweringRule::Visit(lower_cascade)),
        ("function_expression", LoweringRule::Lambda { parameters: Field("parameters"), body: Field("body") }),
        ("set_or_map_literal", LoweringRule::Collection),
        ("list_literal", LoweringRule::Collection),
        ("string_literal", LoweringRule::Joined),
        ("string_literal_single_quotes", LoweringRule::Text),
        ("string_literal_double_quotes", LoweringRule::Text),
        ("string_literal_single_quotes_multiple", LoweringRule::Text),
        ("string_literal_double_quotes_multiple", LoweringRule::Text),
        ("raw_string_literal_single_quotes", LoweringRule::Text),
        ("raw_string_literal_double_quotes", LoweringRule::Text),
        ("template_substitution", LoweringRule::Last),
        ("decimal_integer_literal", LoweringRule::Literal(Literal::Integer)),
        ("decimal_floating_point_literal", LoweringRule::Literal(Literal::Float)),
        ("additive_expression", BINARY),
        ("multiplicative_expression", BINARY),
        ("if_null_expression", LoweringRule::Either(&[Nth(0), Nth(1)])),
        ("conditional_expression", LoweringRule::Either(&[Field("consequence"), Field("alternative")])),
        ("switch_expression", LoweringRule::Arms(&["switch_expression_case"])),
        ("switch_expression_case", LoweringRule::Last),
        ("index_expression", LoweringRule::Element { of: Field("object"), index: Field("index") }),
        ("assignable_expression", LoweringRule::Visit(lower_assignable)),
        (
            "assignment_expression",
            LoweringRule::Assign { target: Field("left"), operator: Field("operator"), value: Field("right") },
        ),
        ("await_expression", LoweringRule::Awaited),
        ("unary_expression", LoweringRule::Last),
        ("parenthesized_expression", LoweringRule::Last),
        ("type_cast_expression", LoweringRule::Value(Nth(0))),
    ],
    entries: &[
        EntryRule { kind: "named_argument", name: Kind("label"), value: Last },
        EntryRule { kind: "map_element", name: Field("key"), value: Field("value") },
    ],
    parameters: &[ParameterRule {
        kind: "formal_parameter",
        name: Last,
        declared: Kind("type"),
        default: Absent,
        is_variadic: false,
    }],
    parameter_groups: &["optional_formal_parameters"],
    bases: &[("superclass", BaseKind::Extend), ("mixins", BaseKind::Embed), ("interfaces", BaseKind::Implement)],
    decorations: &["annotation"],
    decoration_names: &["identifier", "qualified_name"],
    argument_lists: &["arguments", "annotation_arguments"],
    type_arguments: &["type_arguments"],
    tuple_patterns: &["record_pattern"],
    has_bare_fields: true,
    has_last_results: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule = LoweringRule::Class { name: Field("name"), parameters: Absent, body: Field("body") };

const MEMBER: LoweringRule = LoweringRule::Member { of: Field("object"), name: Field("property") };

const BINARY: LoweringRule = LoweringRule::Binary { left: Nth(0), operator: Field("operator"), right: Last };

/// A function or a method: its name and parameters are in its signature.
fn lower_function(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    if let Some(signature) = node.child_by_field_name("signature").or_else(|| node.named_child(0)) {
        lower_signature(lowering, node, signature, scope);
    }
    OPAQUE
}

/// A member without a body, or fields.
fn lower_declaration(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut cursor = node.walk();
    let children: Vec<SyntaxNode> = node.named_children(&mut cursor).collect();
    if let Some(signature) = children.iter().find(|child| child.kind().ends_with("_signature")) {
        lower_signature(lowering, node, *signature, scope);
        return OPAQUE;
    }
    let declared = Kind("type").of(node).and_then(|declared| lowering.lower_declared(declared, scope));
    for list in children.iter().filter(|child| child.kind().ends_with("_list")) {
        let mut inner = list.walk();
        for declarator in list.named_children(&mut inner) {
            let value = declarator.child_by_field_name("value").map(|value| lowering.visit(value, scope));
            if let Some(name) = declarator.child_by_field_name("name") {
                lowering.declare(declarator, name, declared, value, scope);
            }
        }
    }
    OPAQUE
}

fn lower_signature(
    lowering: &mut TabledLowering<'_, '_>,
    node: SyntaxNode<'_>,
    signature: SyntaxNode<'_>,
    scope: ScopeId,
) {
    let mut cursor = signature.walk();
    let inner =
        signature.named_children(&mut cursor).find(|child| child.kind().ends_with("_signature")).unwrap_or(signature);
    let mut names = inner.walk();
    let name = inner.children_by_field_name("name", &mut names).filter(SyntaxNode::is_named).last();
    let definition = name.and_then(|name| lowering.out.definition_at(name));
    lowering.decorate(node, definition, scope);
    let body = lowering.out.open_scope(scope, definition);
    let list = inner.named_child_of_kind("formal_parameter_list");
    let parameters = list.map(|list| lowering.lower_parameters(list, body)).unwrap_or_default();
    let declared = inner.child_by_field_name("return_type").and_then(|of| lowering.lower_declared(of, body));
    lowering.results.push(Vec::new());
    for initializers in [node, inner].into_iter().filter_map(|of| of.named_child_of_kind("initializers")) {
        lowering.visit_children(initializers, body);
    }
    let value = lowering.visit_selected(node, Kind("function_body"), body);
    let values = lowering.finish_results(value);
    if let Some(definition) = definition {
        lowering.set_function(definition, parameters, declared, values, body);
    }
}

/// `var (a, b) = c`.
fn lower_pattern_variable(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let value = Last.of(node).map(|value| lowering.visit(value, scope));
    if let Some(pattern) = Nth(0).of(node) {
        lowering.bind_pattern(pattern, None, value, scope);
    }
    OPAQUE
}

/// `new A(b)`, `const A.b(c)`: with a name in lower case, a call of a named constructor.
fn lower_creation(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let made = node.child_by_field_name("type");
    let text = made.map_or("", |made| lowering.out.text(made));
    let is_named = text.rsplit('.').next().is_some_and(|last| last.starts_with(|first: char| first.is_lowercase()));
    if !is_named || !text.contains('.') {
        return lowering.lower_make(node, made, &[Field("arguments")], scope);
    }
    let callee = lowering.add_path(text, scope);
    let arguments = lowering.lower_arguments(node, &[Field("arguments")], scope);
    let line = node.start_position().row as u32 + 1;
    lowering.add_call(callee, [].into(), arguments, line, scope)
}

/// `a.b`, `a[b]` or `a` as the target of an assignment.
fn lower_assignable(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let Some(object) = node.child_by_field_name("object") else { return lowering.visit_children(node, scope) };
    let of = lowering.visit(object, scope);
    if let Some(property) = node.child_by_field_name("property") {
        return lowering.add_member(of, Some(property));
    }
    let index = lowering.visit_selected(node, Field("index"), scope);
    lowering.out.add_expression(Expression::Element { of, index: Some(index) })
}

/// `a..b = c..d(e)`: every section works on `a`, which is the value.
fn lower_cascade(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let target = lowering.visit_selected(node, Nth(0), scope);
    let mut cursor = node.walk();
    let sections = node.named_children(&mut cursor).filter(|child| child.kind() == "cascade_section");
    for section in sections {
        let Some(selector) = section.named_child(0) else { continue };
        let selected = lower_section(lowering, selector, target, scope);
        if section.has_child("=") {
            let value = lowering.visit_selected(section, Last, scope);
            lowering.assign_expression(selected, value, scope);
        }
    }
    target
}

fn lower_section(
    lowering: &mut TabledLowering<'_, '_>,
    selector: SyntaxNode<'_>,
    target: ExpressionId,
    scope: ScopeId,
) -> ExpressionId {
    let object = selector.child_by_field_name("object");
    let of = match object {
        Some(object) if lowering.out.descend() => {
            let of = lower_section(lowering, object, target, scope);
            lowering.out.ascend();
            of
        }
        _ => target,
    };
    let property = selector.child_by_field_name("property").or_else(|| selector.named_child(0));
    match selector.kind() {
        "cascade_selector" | "cascade_member_expression" => lowering.add_member(of, property),
        "cascade_call_expression" => {
            let callee = lowering.add_member(of, property);
            let arguments = lowering.lower_arguments(selector, &[Field("arguments")], scope);
            let line = property.unwrap_or(selector).start_position().row as u32 + 1;
            lowering.add_call(callee, [].into(), arguments, line, scope)
        }
        _ => lowering.visit_selected(selector, Itself, scope),
    }
}
