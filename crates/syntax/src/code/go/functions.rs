//! Functions of Go: declarations, methods, literals and signatures.

use model::code::{Expression, ExpressionId, Flags, Parameter, ScopeId, TypeExpression, TypeId};

use super::fields::FIELDS;
use super::{exported, statements, types};
use crate::code::Lowering;
use crate::code::lowering::FILE_SCOPE;
use crate::node::Node;

/// Writes a function or method with its body.
pub(super) fn function(lowering: &mut Lowering<'_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
    let definition = lowering.definition_named(name);
    let scope = lowering.scope(FILE_SCOPE, definition);
    let receiver = node.child_by_field_id(FIELDS.receiver).and_then(|list| receiver(lowering, scope, list));
    let type_parameters = node.child_by_field_id(FIELDS.type_parameters);
    let type_parameters = type_parameters.map(|list| types::type_parameters(lowering, scope, list)).unwrap_or_default();
    let parameters = node.child_by_field_id(FIELDS.parameters);
    let parameters = parameters.map(|list| self::parameters(lowering, scope, list, Some(scope))).unwrap_or_default();
    let declared = result(lowering, scope, node, Some(scope));
    let is_exported = exported(lowering, name);
    if let Some(definition) = definition {
        let shape = lowering.shape(definition);
        shape.type_parameters = type_parameters;
        shape.parameters = parameters;
        shape.declared = declared;
        shape.receiver = receiver;
        shape.body = Some(scope);
        shape.flags |= is_exported;
    }
    if let Some(body) = node.child_by_field_id(FIELDS.body) {
        statements::within(lowering, scope, body);
    }
}

/// Writes a method of an interface.
pub(super) fn signature(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) {
    let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
    let Some(definition) = lowering.definition_named(name) else { return };
    let parameters = node.child_by_field_id(FIELDS.parameters);
    let parameters = parameters.map(|list| self::parameters(lowering, scope, list, None)).unwrap_or_default();
    let declared = result(lowering, scope, node, None);
    let is_exported = exported(lowering, name);
    let shape = lowering.shape(definition);
    shape.parameters = parameters;
    shape.declared = declared;
    shape.flags |= Flags::ABSTRACT | is_exported;
}

/// Writes a function without a name.
pub(super) fn literal(lowering: &mut Lowering<'_>, scope: ScopeId, node: Node<'_>) -> ExpressionId {
    let within = lowering.scope(scope, None);
    let parameters = node.child_by_field_id(FIELDS.parameters);
    let parameters = parameters.map(|list| self::parameters(lowering, within, list, Some(within))).unwrap_or_default();
    let declared = result(lowering, within, node, Some(within));
    if let Some(body) = node.child_by_field_id(FIELDS.body) {
        statements::within(lowering, within, body);
    }
    lowering.expression(Expression::Function { scope: within, parameters, results: Box::new([]), declared })
}

/// Writes a list of parameters, and binds them in a scope if there is one.
pub(super) fn parameters(
    lowering: &mut Lowering<'_>,
    scope: ScopeId,
    list: Node<'_>,
    bound_in: Option<ScopeId>,
) -> Box<[Parameter]> {
    let mut parameters = Vec::new();
    let mut cursor = list.walk();
    for declaration in list.named_children(&mut cursor) {
        let is_variadic = declaration.kind() == "variadic_parameter_declaration";
        if !is_variadic && declaration.kind() != "parameter_declaration" {
            continue;
        }
        let declared = declaration.child_by_field_id(FIELDS.type_).map(|of| types::written(lowering, scope, of));
        let held = if is_variadic { declared.map(|one| lowering.written(TypeExpression::List(one))) } else { declared };
        let n_before = parameters.len();
        let mut names = declaration.walk();
        for name in declaration.children_by_field_name("name", &mut names).filter(Node::is_named) {
            let name = lowering.name_of(name);
            if let Some(bound_in) = bound_in {
                lowering.bind(bound_in, name, held, None);
            }
            parameters.push(Parameter { name, declared, is_optional: false, is_variadic });
        }
        if parameters.len() == n_before {
            let name = lowering.name("_");
            parameters.push(Parameter { name, declared, is_optional: false, is_variadic });
        }
    }
    parameters.into()
}

/// Writes what a function returns: nothing, one type or a tuple. Named results are bound in a scope if there is one.
pub(super) fn result(
    lowering: &mut Lowering<'_>,
    scope: ScopeId,
    node: Node<'_>,
    bound_in: Option<ScopeId>,
) -> Option<TypeId> {
    let result = node.child_by_field_id(FIELDS.result)?;
    if result.kind() != "parameter_list" {
        return Some(types::written(lowering, scope, result));
    }
    let results = parameters(lowering, scope, result, bound_in);
    let results: Vec<TypeId> = results.iter().map(|one| one.declared.unwrap_or(TypeId(0))).collect();
    match results[..] {
        [] => None,
        [one] => Some(one),
        _ => Some(lowering.written(TypeExpression::Tuple(results.into()))),
    }
}

/// Writes the receiver of a method. The parameters of its type are those of that type, under the names that the method
/// gives them.
fn receiver(lowering: &mut Lowering<'_>, scope: ScopeId, list: Node<'_>) -> Option<TypeId> {
    let receivers = parameters(lowering, scope, list, Some(scope));
    receivers.first().and_then(|one| one.declared)
}
