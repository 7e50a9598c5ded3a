//! Names imported from namespaces and bases: `using a::b`, `using namespace a`, `namespace b = a`.

use model::code::{Expression, ExpressionId, ScopeId};

use super::super::builder::FILE_SCOPE;
use super::{CodeBuilder, MAX_PATH_PARTS, OPAQUE};
use crate::node::SyntaxNode;

/// Name to which `using namespace` binds the whole namespace.
const ALL_NAMES: &str = "*";

/// Binds an imported name. `using namespace a` is bound to `*`; several such bindings may coexist.
pub(super) fn bind_using(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>, scope: ScopeId) {
    let of = node.named_child(node.named_child_count().saturating_sub(1) as u32);
    let Some(of) = of else { return };
    let value = lower_path(out, of, scope);
    let name = if let Some(alias) = node.child_by_field_name("name") {
        out.intern_node(alias)
    } else if node.has_child("namespace") {
        out.intern(ALL_NAMES)
    } else {
        let last = last_name(of);
        out.intern_node(last)
    };
    out.bind(scope, name, None, Some(value));
}

/// Lowers a path of plain names, without template arguments.
fn lower_path(out: &mut CodeBuilder<'_>, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
    let mut parts = Vec::new();
    collect_names(out, node, &mut parts, 0);
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return OPAQUE };
    let scope = if out.text(node).starts_with("::") { FILE_SCOPE } else { scope };
    let name = out.intern(first);
    let mut at = out.use_name(name, scope);
    for part in parts {
        let name = out.intern(part);
        at = out.add_expression(Expression::Path { of: at, name });
    }
    at
}

/// Collects the names of a path, outermost first.
pub(super) fn collect_names<'t>(out: &CodeBuilder<'t>, node: SyntaxNode<'_>, parts: &mut Vec<&'t str>, depth: usize) {
    if depth > MAX_PATH_PARTS {
        return;
    }
    match node.kind() {
        "qualified_identifier" => {
            for field in ["scope", "name"] {
                if let Some(part) = node.child_by_field_name(field) {
                    collect_names(out, part, parts, depth + 1);
                }
            }
        }
        "nested_namespace_specifier" => {
            super::for_each_child(node, |child| collect_names(out, child, parts, depth + 1));
        }
        "template_type" | "template_function" | "template_method" => {
            if let Some(name) = node.child_by_field_name("name") {
                parts.push(out.text(name));
            }
        }
        "dependent_name" | "dependent_type" => {
            if let Some(inner) = node.named_child(0) {
                collect_names(out, inner, parts, depth + 1);
            }
        }
        _ => parts.push(out.text(node)),
    }
}

/// Returns the last name of a path.
pub(super) fn last_name(node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    let mut at = node;
    for _ in 0..MAX_PATH_PARTS {
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
