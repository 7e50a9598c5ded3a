//! Classes, structs, unions and enums.

use model::code::{Base, BaseKind, Flags, ScopeId};

use super::{CContext, CodeBuilder, UNKNOWN_TYPE, expressions, for_each_child, items, names, types};
use crate::node::SyntaxNode;

/// Lowers a class type. With a body it opens a scope; without a body it is only a reference.
pub(super) fn lower_class(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) {
    let templates = std::mem::take(&mut context.templates);
    let Some(body) = node.child_by_field_name("body") else { return };
    let name = node.child_by_field_name("name");
    let definition = name.and_then(|name| out.definition_at(names::last_name(name)));
    let inner = out.open_scope(scope, definition);
    // A base may refer to the template parameters of the class.
    let of_bases = if templates.is_empty() { scope } else { inner };
    let mut bases = Vec::new();
    for_each_child(node, |child| {
        if child.kind() == "base_class_clause" {
            for_each_child(child, |base| bases.extend(lower_base(out, context, base, of_bases)));
        }
    });
    if let Some(definition) = definition {
        let shape = out.shape_mut(definition);
        shape.type_parameters = templates.into();
        shape.bases = bases.into();
        shape.body = Some(inner);
        shape.flags |= if context.is_hidden { Flags::PRIVATE } else { Flags::default() };
    }
    let own = CContext {
        is_cpp: context.is_cpp,
        is_hidden: context.is_hidden,
        is_conditional: context.is_conditional,
        ..CContext::default()
    };
    let outer = std::mem::replace(context, own);
    if body.kind() == "enumerator_list" {
        for_each_child(body, |enumerator| {
            if let Some(value) = enumerator.child_by_field_name("value") {
                expressions::lower_expression(out, context, value, inner);
            }
        });
    } else {
        items::lower_children(out, context, body, inner);
    }
    *context = outer;
}

fn lower_base(out: &mut CodeBuilder<'_>, context: &mut CContext, node: SyntaxNode<'_>, scope: ScopeId) -> Option<Base> {
    let node = match node.kind() {
        "type_identifier" | "qualified_identifier" | "template_type" => node,
        "parameter_pack_expansion" => node.child_by_field_name("pattern")?,
        _ => return None,
    };
    let base = types::lower_type(out, context, node, scope);
    (base != UNKNOWN_TYPE).then_some(Base { kind: BaseKind::Extend, base })
}
