//! Templates: their parameters, and the declaration that takes them.

use model::code::{ScopeId, TypeParameter};

use super::{CContext, CodeBuilder, UNKNOWN_TYPE, for_each_child, items, types};
use crate::node::SyntaxNode;

/// `template <class T> …`
pub(super) fn lower_template(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let list = node.child_by_field_name("parameters");
    if let Some(list) = list {
        lower_template_parameters(out, context, list, scope);
    }
    for_each_child(node, |child| {
        if Some(child) != list && child.kind() != "requires_clause" {
            items::lower_item(out, context, child, scope);
        }
    });
    context.templates.clear();
}

/// Lowers template parameters. Each keeps its position; a value parameter has an empty name, which no type has.
pub(super) fn lower_template_parameters(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    list: SyntaxNode<'_>,
    scope: ScopeId,
) {
    for_each_child(list, |node| {
        let default = node.child_by_field_name("default_type").map(|of| types::lower_type(out, context, of, scope));
        let default = default.filter(|default| *default != UNKNOWN_TYPE);
        let name = match node.kind() {
            "type_parameter_declaration"
            | "optional_type_parameter_declaration"
            | "variadic_type_parameter_declaration" => parameter_name(node),
            "template_template_parameter_declaration" => {
                let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
                last.and_then(parameter_name)
            }
            _ => None,
        };
        let name = match name {
            Some(name) => out.intern_node(name),
            None => out.intern(""),
        };
        context.templates.push(TypeParameter { name, bounds: Box::default(), default });
    });
}

fn parameter_name(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let named = node.child_by_field_name("name");
    named.or_else(|| node.named_child_of_kind("type_identifier"))
}
