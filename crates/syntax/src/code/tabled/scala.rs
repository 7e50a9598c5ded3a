//! Table of Scala.
//!
//! A clause of a partial function that is an argument (`case GET -> Root / "x" => …`) is a call of its pattern with its body
//! as a function, since libraries of routes match requests that way.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, Field, Itself, Kind, Nth};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("import_declaration", LoweringRule::Skip),
        ("annotation", LoweringRule::Skip),
        ("modifiers", LoweringRule::Skip),
        ("extends_clause", LoweringRule::Skip),
        ("class_parameters", LoweringRule::Skip),
        ("parameters", LoweringRule::Skip),
        ("type_parameters", LoweringRule::Skip),
        ("type_arguments", LoweringRule::Skip),
        ("type_identifier", LoweringRule::Skip),
        ("generic_type", LoweringRule::Skip),
        ("package_clause", LoweringRule::Visit(lower_package)),
        ("class_definition", CLASS),
        ("object_definition", CLASS),
        ("trait_definition", CLASS),
        ("enum_definition", CLASS),
        ("function_definition", FUNCTION),
        ("function_declaration", FUNCTION),
        ("val_definition", VALUE),
        ("var_definition", VALUE),
        ("val_declaration", LoweringRule::Variable { name: Field("name"), declared: Field("type"), value: Absent }),
        ("var_declaration", LoweringRule::Variable { name: Field("name"), declared: Field("type"), value: Absent }),
        (
            "given_definition",
            LoweringRule::Variable { name: Field("name"), declared: Field("return_type"), value: Field("body") },
        ),
        ("block", LoweringRule::Last),
        ("indented_block", LoweringRule::Last),
        ("end_marker", LoweringRule::Skip),
        ("parenthesized_expression", LoweringRule::Last),
        ("identifier", LoweringRule::Name),
        ("field_expression", LoweringRule::Member { of: Field("value"), name: Field("field") }),
        ("generic_function", LoweringRule::Value(Field("function"))),
        ("call_expression", LoweringRule::Visit(lower_call)),
        ("instance_expression", LoweringRule::Visit(lower_instance)),
        ("lambda_expression", LoweringRule::Lambda { parameters: Field("parameters"), body: Itself }),
        ("string", LoweringRule::Text),
        ("interpolated_string_expression", LoweringRule::Visit(lower_interpolated)),
        ("interpolated_string", LoweringRule::Text),
        ("interpolation", LoweringRule::Last),
        ("integer_literal", LoweringRule::Literal(Literal::Integer)),
        ("floating_point_literal", LoweringRule::Literal(Literal::Float)),
        ("boolean_literal", LoweringRule::Literal(Literal::Boolean)),
        ("character_literal", LoweringRule::Literal(Literal::Character)),
        ("null_literal", LoweringRule::Literal(Literal::Null)),
        ("infix_expression", LoweringRule::Visit(lower_infix)),
        ("infix_pattern", BINARY),
        ("capture_pattern", LoweringRule::Value(Field("pattern"))),
        (
            "assignment_expression",
            LoweringRule::Assign { target: Field("left"), operator: Absent, value: Field("right") },
        ),
        ("tuple_expression", LoweringRule::Collection),
        ("if_expression", LoweringRule::Either(&[Field("consequence"), Field("alternative")])),
        ("match_expression", LoweringRule::Value(Field("body"))),
        ("case_block", LoweringRule::Arms(&["case_clause"])),
        ("indented_cases", LoweringRule::Arms(&["case_clause"])),
        ("case_clause", LoweringRule::Value(Field("body"))),
        ("try_expression", LoweringRule::Value(Field("body"))),
        ("enumerator", LoweringRule::Visit(lower_enumerator)),
        ("for_expression", LoweringRule::Last),
        ("return_expression", LoweringRule::Return),
    ],
    entries: &[EntryRule { kind: "assignment_expression", name: Field("left"), value: Field("right") }],
    parameters: &[
        ParameterRule {
            kind: "parameter",
            name: Field("name"),
            declared: Field("type"),
            default: Field("default_value"),
            is_variadic: false,
        },
        ParameterRule {
            kind: "class_parameter",
            name: Field("name"),
            declared: Field("type"),
            default: Field("default_value"),
            is_variadic: false,
        },
        ParameterRule {
            kind: "binding",
            name: Field("name"),
            declared: Field("type"),
            default: Absent,
            is_variadic: false,
        },
        ParameterRule { kind: "identifier", name: Itself, declared: Absent, default: Absent, is_variadic: false },
    ],
    parameter_groups: &["parameters", "class_parameters", "bindings"],
    bases: &[("extends_clause", BaseKind::Extend)],
    decorations: &["annotation"],
    decoration_names: &["type_identifier", "stable_type_identifier", "generic_type"],
    argument_lists: &["arguments"],
    type_arguments: &["type_arguments"],
    tuple_patterns: &["tuple_pattern", "identifiers"],
    receivers: &["this"],
    base_receivers: &["super"],
    pairs: &["->"],
    has_bare_fields: true,
    has_last_results: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule = LoweringRule::Class { name: Field("name"), parameters: Itself, body: Field("body") };

const FUNCTION: LoweringRule = LoweringRule::Function {
    name: Field("name"),
    parameters: Itself,
    result: Field("return_type"),
    body: Field("body"),
};

const VALUE: LoweringRule =
    LoweringRule::Variable { name: Field("pattern"), declared: Field("type"), value: Field("value") };

const BINARY: LoweringRule =
    LoweringRule::Binary { left: Field("left"), operator: Field("operator"), right: Field("right") };

fn lower_package(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let name = node.child_by_field_name("name");
    if let Some(name) = name.filter(|_| lowering.out.code.package.is_empty()) {
        lowering.out.code.package = lowering.out.text(name).split_whitespace().collect();
    }
    lowering.visit_children_except(node, name, scope);
    OPAQUE
}

/// `f(a)`, `f { a }`, and `f(a) { b }` as a call with two arguments.
fn lower_call(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let (Some(function), Some(list)) = (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
    else {
        lowering.visit_children(node, scope);
        return OPAQUE;
    };
    let is_block = list.kind() != "arguments";
    let has_list = |call: SyntaxNode<'_>| {
        call.kind() == "call_expression"
            && call.child_by_field_name("arguments").is_some_and(|list| list.kind() == "arguments")
    };
    let inner = Some(function).filter(|inner| is_block && has_list(*inner));
    let callee_node = inner.and_then(|inner| inner.child_by_field_name("function")).unwrap_or(function);
    let type_arguments = lowering.lower_type_arguments(node, callee_node, scope);
    let callee = lowering.visit(callee_node, scope);
    let mut arguments =
        inner.map(|inner| lowering.lower_arguments(inner, &[Field("arguments")], scope)).unwrap_or_default();
    if is_block {
        arguments.push(lower_block(lowering, list, scope));
    } else {
        arguments.extend(lowering.lower_argument_list(list, scope));
    }
    let line = callee_node.end_position().row as u32 + 1;
    lowering.add_call(callee, type_arguments, arguments, line, scope)
}

/// Lowers a block that is an argument as a function.
fn lower_block(lowering: &mut TabledLowering<'_, '_>, block: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let only = block.named_child(0).filter(|_| block.named_child_count() == 1);
    if let Some(function) = only.filter(|only| only.kind() == "lambda_expression") {
        return lowering.visit(function, scope);
    }
    lowering.lower_closure(None, scope, |lowering, inner| {
        if block.kind() != "case_block" {
            return lowering.visit_children(block, inner);
        }
        let mut cursor = block.walk();
        let clauses = block.named_children(&mut cursor).filter(|clause| clause.kind() == "case_clause");
        let mut values = Vec::new();
        for clause in clauses {
            values.push(lower_clause(lowering, clause, inner));
        }
        lowering.add_choice(values)
    })
}

/// `case pattern => body` of a partial function.
fn lower_clause(lowering: &mut TabledLowering<'_, '_>, clause: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let pattern_node = clause.child_by_field_name("pattern");
    let pattern = pattern_node.map_or(OPAQUE, |pattern| lowering.visit(pattern, scope));
    let body = clause.child_by_field_name("body");
    let function =
        lowering.lower_closure(None, scope, |lowering, inner| body.map_or(OPAQUE, |body| lowering.visit(body, inner)));
    let is_request =
        matches!(lowering.out.code.expression(pattern), Expression::Operation { .. } | Expression::Tuple(_));
    if !is_request {
        return function;
    }
    let line = clause.start_position().row as u32 + 1;
    lowering.add_call(pattern, [].into(), vec![function], line, scope)
}

/// `new A(b) { … }`.
fn lower_instance(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut cursor = node.walk();
    let bodies = node.named_children(&mut cursor).filter(|child| child.kind() == "template_body");
    for body in bodies {
        lowering.visit_children(body, scope);
    }
    let applied = Nth(0).of(node).and_then(|of| of.child_by_field_name("base")).unwrap_or(node);
    lowering.lower_make(applied, Nth(0).of(applied), &[Kind("arguments")], scope)
}

/// `s"a $b"`: the interpolator is no part of the text.
fn lower_interpolated(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    lowering.visit_selected(node, Kind("interpolated_string"), scope)
}

/// `a + b`, and `a f b` as a call.
fn lower_infix(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let operator = node.child_by_field_name("operator");
    let Some(name) = operator.filter(|operator| operator.kind() == "identifier") else {
        return lowering.apply(&BINARY, node, scope);
    };
    let of = lowering.visit_selected(node, Field("left"), scope);
    let callee = lowering.add_member(of, Some(name));
    let argument = lowering.visit_selected(node, Field("right"), scope);
    let line = name.start_position().row as u32 + 1;
    lowering.add_call(callee, [].into(), vec![argument], line, scope)
}

/// `a <- items`, `a = value` in a `for`.
fn lower_enumerator(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let (Some(bound), Some(value_node)) = (Nth(0).of(node), Nth(1).of(node)) else {
        lowering.visit_children(node, scope);
        return OPAQUE;
    };
    let value = lowering.visit(value_node, scope);
    let is_item = value != OPAQUE && node.has_child("<-");
    let value = if is_item { lowering.out.add_expression(Expression::Item { of: value }) } else { value };
    lowering.bind_pattern(bound, None, Some(value), scope);
    OPAQUE
}
