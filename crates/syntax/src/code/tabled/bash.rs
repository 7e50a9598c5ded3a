//! Table of Bash: a command is a call with its words as arguments.

use model::code::{Expression, ExpressionId, ScopeId};

use super::selectors::ChildSelector::{Absent, Field};
use super::table::{LoweringRule, LoweringTable};
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

pub(super) static TABLE: LoweringTable = LoweringTable {
    rules: &[
        (
            "function_definition",
            LoweringRule::Function { name: Field("name"), parameters: Absent, result: Absent, body: Field("body") },
        ),
        (
            "variable_assignment",
            LoweringRule::Variable { name: Field("name"), declared: Absent, value: Field("value") },
        ),
        ("command", LoweringRule::Visit(lower_command)),
        ("variable_name", LoweringRule::Name),
        ("simple_expansion", LoweringRule::Last),
        ("expansion", LoweringRule::Visit(lower_expansion)),
        ("word", LoweringRule::Symbol),
        ("number", LoweringRule::Symbol),
        ("string", LoweringRule::Text),
        ("raw_string", LoweringRule::Text),
        ("concatenation", LoweringRule::Joined),
        ("array", LoweringRule::Collection),
        ("command_substitution", LoweringRule::Last),
        ("pipeline", LoweringRule::Last),
    ],
    ..LoweringTable::EMPTY
};

/// `name argument …`.
fn lower_command(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let Some(name_node) = node.child_by_field_name("name") else {
        lowering.visit_children(node, scope);
        return OPAQUE;
    };
    let callee = lowering.lower_name(name_node, scope);
    let mut arguments = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| *child != name_node && !child.is_extra()) {
        let is_before = child.start_byte() < name_node.start_byte();
        let value = lowering.visit(child, scope);
        if !is_before {
            arguments.push(value);
        }
    }
    let line = name_node.start_position().row as u32 + 1;
    lowering.add_call(callee, [].into(), arguments, line, scope)
}

/// `${a}`, and `${a:-b}` as one of two values.
fn lower_expansion(lowering: &mut TabledLowering<'_, '_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut values = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| !child.is_extra()) {
        values.push(lowering.visit(child, scope));
    }
    let has_default = node.has_child(":-") || node.has_child("-") || node.has_child(":=");
    match values[..] {
        [] => OPAQUE,
        [name, default, ..] if has_default => lowering.out.add_expression(Expression::Either([name, default].into())),
        [name, ..] => name,
    }
}
