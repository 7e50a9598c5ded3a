//! The code of Java.
//!
//! A class body is a scope of the class, the body of a method one of the method; the body of a class without a name is a
//! scope of nobody, and stands in `Code::anonymous`. Pattern variables are bound in the block around them.

mod declarations;
mod expressions;
mod statements;
mod types;

use model::code::{ExpressionId, ScopeId};
use tree_sitter::Node;

use declarations::Around;

use super::Lowering;
use super::lowering::{FILE_SCOPE, MAX_DEPTH};

/// Writes the code of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    Java { out: lowering, depth: 0, types: Vec::new(), results: Vec::new(), yields: Vec::new() }.file(root);
}

/// A walk through a file.
struct Java<'l, 't> {
    out: &'l mut Lowering<'t>,
    depth: u32,
    /// The types around, innermost last.
    types: Vec<Around>,
    /// What the open functions return, innermost last.
    results: Vec<Vec<ExpressionId>>,
    /// What the open `switch`es give, innermost last.
    yields: Vec<Vec<ExpressionId>>,
}

/// An expression of which nothing is known.
const OPAQUE: ExpressionId = ExpressionId(0);

impl Java<'_, '_> {
    fn file(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        for child in root.named_children(&mut cursor) {
            match child.kind() {
                "package_declaration" => self.package(child),
                "import_declaration" | "module_declaration" => {}
                _ => {
                    self.visit(child, FILE_SCOPE);
                }
            }
        }
    }

    fn package(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let name =
            node.named_children(&mut cursor).find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"));
        if let Some(name) = name {
            self.out.code.package = self.out.text(name).split_whitespace().collect();
        }
    }

    /// Writes a statement, a declaration or an expression, and returns its value.
    fn visit(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        if self.depth >= MAX_DEPTH {
            return OPAQUE;
        }
        self.depth += 1;
        let value = self.visit_node(node, scope);
        self.depth -= 1;
        value
    }

    fn visit_node(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let kind = node.kind();
        if let Some(value) = self.expression(kind, node, scope) {
            return value;
        }
        if !self.statement(kind, node, scope) && !self.declaration(kind, node, scope) {
            self.visit_children(node, scope);
        }
        OPAQUE
    }

    fn visit_children(&mut self, node: Node<'_>, scope: ScopeId) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, scope);
        }
    }

    fn visit_field(&mut self, node: Node<'_>, field: &str, scope: ScopeId) -> ExpressionId {
        node.child_by_field_name(field).map_or(OPAQUE, |child| self.visit(child, scope))
    }
}

/// Returns the first named child that is no comment.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_comment(child.kind()))
}

fn is_comment(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment")
}

/// Returns the first child of a kind, which may be no named one.
fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}
