//! Table of Ruby.

use model::code::{BaseKind, Expression, ExpressionId, Literal, ScopeId};

use super::selectors::ChildSelector::{Absent, Field, Itself, Nth};
use super::table::{EntryRule, LoweringRule, LoweringTable, ParameterRule};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        ("class", CLASS),
        ("module", CLASS),
        ("method", METHOD),
        ("singleton_method", METHOD),
        ("body_statement", LoweringRule::Last),
        ("block_body", LoweringRule::Last),
        ("begin", LoweringRule::Last),
        ("then", LoweringRule::Last),
        ("else", LoweringRule::Last),
        ("parenthesized_statements", LoweringRule::Last),
        ("identifier", LoweringRule::Name),
        ("constant", LoweringRule::Name),
        ("global_variable", LoweringRule::Name),
        ("self", LoweringRule::This),
        ("super", LoweringRule::Super),
        ("instance_variable", LoweringRule::Visit(lower_instance_variable)),
        ("class_variable", LoweringRule::Visit(lower_instance_variable)),
        ("scope_resolution", LoweringRule::Member { of: Field("scope"), name: Field("name") }),
        (
            "call",
            LoweringRule::MethodCall {
                of: Field("receiver"),
                name: Field("method"),
                arguments: &[Field("arguments"), Field("block")],
            },
        ),
        ("argument_list", LoweringRule::Last),
        ("block_argument", LoweringRule::Last),
        ("block", BLOCK),
        ("do_block", BLOCK),
        ("lambda", LoweringRule::Visit(lower_lambda)),
        ("string", LoweringRule::Text),
        ("chained_string", LoweringRule::Joined),
        ("interpolation", LoweringRule::Last),
        ("heredoc_beginning", LoweringRule::Visit(|lowering, _, _| lowering.lower_heredoc_start())),
        ("heredoc_body", LoweringRule::Visit(lower_heredoc_body)),
        ("simple_symbol", LoweringRule::Symbol),
        ("hash_key_symbol", LoweringRule::Symbol),
        ("bare_symbol", LoweringRule::Symbol),
        ("bare_string", LoweringRule::Symbol),
        ("delimited_symbol", LoweringRule::Text),
        ("integer", LoweringRule::Literal(Literal::Integer)),
        ("float", LoweringRule::Literal(Literal::Float)),
        ("true", LoweringRule::Literal(Literal::Boolean)),
        ("false", LoweringRule::Literal(Literal::Boolean)),
        ("nil", LoweringRule::Literal(Literal::Null)),
        ("regex", LoweringRule::Literal(Literal::Pattern)),
        ("hash", LoweringRule::Collection),
        ("array", LoweringRule::Collection),
        ("string_array", LoweringRule::Collection),
        ("symbol_array", LoweringRule::Collection),
        ("element_reference", LoweringRule::Element { of: Field("object"), index: Nth(1) }),
        ("assignment", LoweringRule::Assign { target: Field("left"), operator: Absent, value: Field("right") }),
        (
            "operator_assignment",
            LoweringRule::Assign { target: Field("left"), operator: Field("operator"), value: Field("right") },
        ),
        ("binary", LoweringRule::Binary { left: Field("left"), operator: Field("operator"), right: Field("right") }),
        ("conditional", CHOICE),
        ("if", CHOICE),
        ("unless", CHOICE),
        ("case", LoweringRule::Arms(&["when", "else"])),
        ("when", LoweringRule::Value(Field("body"))),
        ("rescue_modifier", LoweringRule::Value(Field("body"))),
        ("for", LoweringRule::Loop { item: Field("pattern"), items: Field("value") }),
        ("return", LoweringRule::Return),
    ],
    entries: &[EntryRule { kind: "pair", name: Field("key"), value: Field("value") }],
    parameters: &[
        ParameterRule { kind: "identifier", name: Itself, declared: Absent, default: Absent, is_variadic: false },
        ParameterRule {
            kind: "optional_parameter",
            name: Field("name"),
            declared: Absent,
            default: Field("value"),
            is_variadic: false,
        },
        ParameterRule {
            kind: "keyword_parameter",
            name: Field("name"),
            declared: Absent,
            default: Field("value"),
            is_variadic: false,
        },
        ParameterRule {
            kind: "splat_parameter",
            name: Field("name"),
            declared: Absent,
            default: Absent,
            is_variadic: true,
        },
        ParameterRule {
            kind: "hash_splat_parameter",
            name: Field("name"),
            declared: Absent,
            default: Absent,
            is_variadic: true,
        },
        ParameterRule {
            kind: "block_parameter",
            name: Field("name"),
            declared: Absent,
            default: Absent,
            is_variadic: false,
        },
    ],
    bases: &[("superclass", BaseKind::Extend)],
    argument_lists: &["argument_list"],
    tuple_patterns: &["left_assignment_list", "destructured_left_assignment"],
    constructor: "new",
    has_last_results: true,
    ..LoweringTable::EMPTY
};

const CLASS: LoweringRule = LoweringRule::Class { name: Field("name"), parameters: Absent, body: Field("body") };

const METHOD: LoweringRule = LoweringRule::Function {
    name: Field("name"),
    parameters: Field("parameters"),
    result: Absent,
    body: Field("body"),
};

const BLOCK: LoweringRule = LoweringRule::Lambda { parameters: Field("parameters"), body: Field("body") };

const CHOICE: LoweringRule = LoweringRule::Either(&[Field("consequence"), Field("alternative")]);

fn lower_heredoc_body(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    lowering.lower_heredoc_body(node, scope);
    OPAQUE
}

/// `@a` is a member of the object.
fn lower_instance_variable(
    lowering: &mut TabledLowering<'_, '_>,
    node: SyntaxNode<'_>,
    scope: ScopeId,
) -> ExpressionId {
    let this = lowering.out.add_expression(Expression::This { scope });
    lowering.add_member(this, Some(node))
}

/// `->(a) { b }`: the parameters are outside of the block.
fn lower_lambda(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let body = node.child_by_field_name("body").and_then(|block| block.child_by_field_name("body"));
    let parameters = node.child_by_field_name("parameters");
    lowering.lower_closure(parameters, scope, |lowering, inner| body.map_or(OPAQUE, |body| lowering.visit(body, inner)))
}
