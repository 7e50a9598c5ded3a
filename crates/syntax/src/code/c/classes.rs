//! Classes, structs, unions and enums.

use model::code::{Base, BaseKind, Flags, ScopeId};

use super::{Around, Lowering, UNWRITTEN, each_child, expressions, items, names, types};
use crate::node::Node;

/// A type with a body opens a scope; one without is only mentioned.
pub(super) fn class(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let templates = std::mem::take(&mut around.templates);
    let Some(body) = node.child_by_field_name("body") else { return };
    let name = node.child_by_field_name("name");
    let definition = name.and_then(|name| l.definition_named(names::last_part(name)));
    let inner = l.scope(scope, definition);
    // A base may be written in terms of the parameters of the class.
    let of_bases = if templates.is_empty() { scope } else { inner };
    let mut bases = Vec::new();
    each_child(node, |child| {
        if child.kind() == "base_class_clause" {
            each_child(child, |base| bases.extend(self::base(l, around, base, of_bases)));
        }
    });
    if let Some(definition) = definition {
        let shape = l.shape(definition);
        shape.type_parameters = templates.into();
        shape.bases = bases.into();
        shape.body = Some(inner);
        shape.flags |= if around.is_hidden { Flags::PRIVATE } else { Flags::default() };
    }
    let own = Around {
        is_cpp: around.is_cpp,
        is_hidden: around.is_hidden,
        is_conditional: around.is_conditional,
        ..Around::default()
    };
    let outer = std::mem::replace(around, own);
    if body.kind() == "enumerator_list" {
        each_child(body, |enumerator| {
            if let Some(value) = enumerator.child_by_field_name("value") {
                expressions::expression(l, around, value, inner);
            }
        });
    } else {
        items::children(l, around, body, inner);
    }
    *around = outer;
}

fn base(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) -> Option<Base> {
    let node = match node.kind() {
        "type_identifier" | "qualified_identifier" | "template_type" => node,
        "parameter_pack_expansion" => node.child_by_field_name("pattern")?,
        _ => return None,
    };
    let base = types::written(l, around, node, scope);
    (base != UNWRITTEN).then_some(Base { kind: BaseKind::Extend, base })
}
