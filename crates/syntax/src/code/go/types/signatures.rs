//! Signatures of Go: parameters, results, and methods of interfaces.

use model::code::{Flags, Parameter, ScopeId, TypeExpression, TypeId};

use super::lower_type;
use crate::code::CodeBuilder;
use crate::code::builder::UNKNOWN_TYPE;
use crate::code::go::{fields::FIELDS, visibility_flag};
use crate::node::SyntaxNode;

/// Lowers a method of an interface.
pub(in crate::code::go) fn lower_method_signature(out: &mut CodeBuilder<'_>, scope: ScopeId, node: SyntaxNode<'_>) {
    let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
    let Some(definition) = out.definition_at(name) else { return };
    let parameters = node.child_by_field_id(FIELDS.parameters);
    let parameters = parameters.map(|list| lower_parameters(out, scope, list, None)).unwrap_or_default();
    let declared = lower_result(out, scope, node, None);
    let visibility = visibility_flag(out, name);
    let shape = out.shape_mut(definition);
    shape.parameters = parameters;
    shape.declared = declared;
    shape.flags |= Flags::ABSTRACT | visibility;
}

/// Lowers a list of parameters, and binds them in `bound_in` if it is set.
pub(in crate::code::go) fn lower_parameters(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    list: SyntaxNode<'_>,
    bound_in: Option<ScopeId>,
) -> Box<[Parameter]> {
    let mut parameters = Vec::new();
    let mut cursor = list.walk();
    for declaration in list.named_children(&mut cursor) {
        let is_variadic = declaration.kind() == "variadic_parameter_declaration";
        if !is_variadic && declaration.kind() != "parameter_declaration" {
            continue;
        }
        let declared = declaration.child_by_field_id(FIELDS.type_).map(|of| lower_type(out, scope, of));
        let bound_type =
            if is_variadic { declared.map(|one| out.add_type(TypeExpression::List(one))) } else { declared };
        let n_before = parameters.len();
        let mut names = declaration.walk();
        for name in declaration.children_by_field_name("name", &mut names).filter(SyntaxNode::is_named) {
            let name = out.intern_node(name);
            if let Some(bound_in) = bound_in {
                out.bind(bound_in, name, bound_type, None);
            }
            parameters.push(Parameter { name, declared, is_optional: false, is_variadic });
        }
        if parameters.len() == n_before {
            let name = out.intern("_");
            parameters.push(Parameter { name, declared, is_optional: false, is_variadic });
        }
    }
    parameters.into()
}

/// Lowers the result of a function: none, one type, or a tuple. Named results are bound in `bound_in` if it is set.
pub(in crate::code::go) fn lower_result(
    out: &mut CodeBuilder<'_>,
    scope: ScopeId,
    node: SyntaxNode<'_>,
    bound_in: Option<ScopeId>,
) -> Option<TypeId> {
    let result = node.child_by_field_id(FIELDS.result)?;
    if result.kind() != "parameter_list" {
        return Some(lower_type(out, scope, result));
    }
    let results = lower_parameters(out, scope, result, bound_in);
    let results: Vec<TypeId> = results.iter().map(|one| one.declared.unwrap_or(UNKNOWN_TYPE)).collect();
    match results[..] {
        [] => None,
        [one] => Some(one),
        _ => Some(out.add_type(TypeExpression::Tuple(results.into()))),
    }
}
