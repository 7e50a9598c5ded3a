//! Templates: their parameters, and the declaration that takes them.

use model::code::{ScopeId, TypeParameter};

use super::{Around, Lowering, UNWRITTEN, each_child, items, types};
use crate::node::Node;

/// `template <class T> …`
pub(super) fn declaration(l: &mut Lowering<'_>, around: &mut Around, node: Node<'_>, scope: ScopeId) {
    let list = node.child_by_field_name("parameters");
    if let Some(list) = list {
        parameters(l, around, list, scope);
    }
    each_child(node, |child| {
        if Some(child) != list && child.kind() != "requires_clause" {
            items::item(l, around, child, scope);
        }
    });
    around.templates.clear();
}

/// Every parameter keeps its place; one that is a value has a name that no type has.
pub(super) fn parameters(l: &mut Lowering<'_>, around: &mut Around, list: Node<'_>, scope: ScopeId) {
    each_child(list, |node| {
        let default = node.child_by_field_name("default_type").map(|of| types::written(l, around, of, scope));
        let default = default.filter(|default| *default != UNWRITTEN);
        let name = match node.kind() {
            "type_parameter_declaration"
            | "optional_type_parameter_declaration"
            | "variadic_type_parameter_declaration" => named_type(node),
            "template_template_parameter_declaration" => {
                let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
                last.and_then(named_type)
            }
            _ => None,
        };
        let name = match name {
            Some(name) => l.name_of(name),
            None => l.name(""),
        };
        around.templates.push(TypeParameter { name, bounds: Box::default(), default });
    });
}

fn named_type(node: Node<'_>) -> Option<Node<'_>> {
    let named = node.child_by_field_name("name");
    let mut cursor = node.walk();
    named.or_else(|| node.named_children(&mut cursor).find(|child| child.kind() == "type_identifier"))
}
