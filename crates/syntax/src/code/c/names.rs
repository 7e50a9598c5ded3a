//! Names taken in from namespaces and bases: `using a::b`, `using namespace a`, `namespace b = a`.

use model::code::{Expression, ExpressionId, ScopeId};

use super::super::lowering::FILE_SCOPE;
use super::{Lowering, OPAQUE, has_word};
use crate::node::Node;

/// What is bound to all names of a namespace at once.
const EVERYTHING: &str = "*";

/// Steps along the parts of a name.
const MAX_PARTS: usize = 48;

/// Binds what is taken in; `using namespace a` is bound to `*`, as often as there is one.
pub(super) fn taken_in(l: &mut Lowering<'_>, node: Node<'_>, scope: ScopeId) {
    let of = node.named_child(node.named_child_count().saturating_sub(1) as u32);
    let Some(of) = of else { return };
    let value = path(l, of, scope);
    let name = if let Some(alias) = node.child_by_field_name("name") {
        l.name_of(alias)
    } else if has_word(node, "namespace") {
        l.name(EVERYTHING)
    } else {
        let last = last_part(of);
        l.name_of(last)
    };
    l.bind(scope, name, None, Some(value));
}

/// Writes a path of plain names; arguments of templates in it are left out.
fn path(l: &mut Lowering<'_>, node: Node<'_>, scope: ScopeId) -> ExpressionId {
    let mut parts = Vec::new();
    flatten(l, node, &mut parts, 0);
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return OPAQUE };
    let scope = if l.text(node).starts_with("::") { FILE_SCOPE } else { scope };
    let name = l.name(first);
    let mut at = l.use_name(name, scope);
    for part in parts {
        let name = l.name(part);
        at = l.expression(Expression::Path { of: at, name });
    }
    at
}

/// Collects the names of a path, outermost first.
pub(super) fn flatten<'t>(l: &Lowering<'t>, node: Node<'_>, parts: &mut Vec<&'t str>, depth: usize) {
    if depth > MAX_PARTS {
        return;
    }
    match node.kind() {
        "qualified_identifier" => {
            for field in ["scope", "name"] {
                if let Some(part) = node.child_by_field_name(field) {
                    flatten(l, part, parts, depth + 1);
                }
            }
        }
        "nested_namespace_specifier" => {
            super::each_child(node, |child| flatten(l, child, parts, depth + 1));
        }
        "template_type" | "template_function" | "template_method" => {
            if let Some(name) = node.child_by_field_name("name") {
                parts.push(l.text(name));
            }
        }
        "dependent_name" | "dependent_type" => {
            if let Some(inner) = node.named_child(0) {
                flatten(l, inner, parts, depth + 1);
            }
        }
        _ => parts.push(l.text(node)),
    }
}

/// Returns the last name of a path.
pub(super) fn last_part(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    for _ in 0..MAX_PARTS {
        let inner = match at.kind() {
            "qualified_identifier" | "template_type" | "template_function" | "template_method" => {
                at.child_by_field_name("name")
            }
            "dependent_name" | "dependent_type" => at.named_child(0),
            "field_expression" => at.child_by_field_name("field"),
            "parenthesized_expression" => at.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}
