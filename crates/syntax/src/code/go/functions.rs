//! Functions of Go: declarations, methods and literals.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::fields::FIELDS;
use super::types::{
    lower_type_parameters,
    signatures::{lower_parameters, lower_result},
};
use super::{statements, visibility_flag};
use crate::code::CodeBuilder;
use crate::code::builder::FILE_SCOPE;
use crate::node::SyntaxNode;

/// Lowers a function or method with its body.
pub(super) fn lower_function(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>) {
    let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
    let definition = out.definition_at(name);
    let scope = out.open_scope(FILE_SCOPE, definition);
    let receiver = node.child_by_field_id(FIELDS.receiver).and_then(|list| lower_receiver(out, scope, list));
    let type_parameters = node.child_by_field_id(FIELDS.type_parameters);
    let type_parameters = type_parameters.map(|list| lower_type_parameters(out, scope, list)).unwrap_or_default();
    let parameters = node.child_by_field_id(FIELDS.parameters);
    let parameters = parameters.map(|list| lower_parameters(out, scope, list, Some(scope))).unwrap_or_default();
    let declared = lower_result(out, scope, node, Some(scope));
    let visibility = visibility_flag(out, name);
    if let Some(definition) = definition {
        let shape = out.shape_mut(definition);
        shape.type_parameters = type_parameters;
        shape.parameters = parameters;
        shape.declared = declared;
        shape.receiver = receiver;
        shape.body = Some(scope);
        shape.flags |= visibility;
    }
    if let Some(body) = node.child_by_field_id(FIELDS.body) {
        statements::lower_statements(out, scope, body);
    }
}

/// Lowers a function literal.
pub(super) fn lower_literal(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) -> ExpressionId {
    let within = out.open_scope(scope, None);
    let parameters = node.child_by_field_id(FIELDS.parameters);
    let parameters = parameters.map(|list| lower_parameters(out, within, list, Some(within))).unwrap_or_default();
    let declared = lower_result(out, within, node, Some(within));
    if let Some(body) = node.child_by_field_id(FIELDS.body) {
        statements::lower_statements(out, within, body);
    }
    out.add_expression(Expression::Function { scope: within, parameters, results: Box::new([]), declared })
}

/// Lowers the receiver of a method. Its type arguments are the type parameters, under the names that the method gives
/// them.
fn lower_receiver(out: &mut CodeBuilder<'_>, scope: ScopeId, list: SyntaxNode<'_>) -> Option<TypeId> {
    let receivers = lower_parameters(out, scope, list, Some(scope));
    receivers.first().and_then(|one| one.declared)
}
