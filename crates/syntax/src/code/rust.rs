//! The code of Rust.
//!
//! References are transparent: `&T` is written as `T`, and `&x` as `x`. `self`, `super` and `crate` at the head of a path are
//! names of these texts, `Self` is a type. A bound such as `Iterator<Item = T>` is written as `Iterator<T>`. What stands in
//! the parentheses of a macro is parsed again as expressions, and read like other code.

mod bodies;
mod conditions;
mod control;
mod expressions;
mod items;
mod macros;
mod patterns;
#[cfg(test)]
mod tests;
mod types;

use model::code::{Expression, ExpressionId, Flags, ScopeId, TypeId};

use super::Lowering;
use super::lowering::FILE_SCOPE;
use crate::node::Node;

/// Writes the code of a file.
pub(super) fn lower(lowering: &mut Lowering<'_>, root: Node<'_>) {
    let mut rust = Rust { out: lowering, results: Vec::new(), n_macros_around: 0, in_test: false, is_elsewhere: false };
    rust.statements(root, FILE_SCOPE);
}

/// A walk through a file.
struct Rust<'l, 't> {
    out: &'l mut Lowering<'t>,
    /// What the open closures return, innermost last; those of open functions stay empty, since their types are declared.
    results: Vec<Vec<ExpressionId>>,
    n_macros_around: u32,
    in_test: bool,
    is_elsewhere: bool,
}

/// An expression of which nothing is known.
const OPAQUE: ExpressionId = ExpressionId(0);

/// A type of which nothing is known.
const UNKNOWN: TypeId = TypeId(0);

impl Rust<'_, '_> {
    /// Writes the statements of a block, module or file, and returns the value of the last one.
    fn statements(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let mut cursor = node.walk();
        let mut last = OPAQUE;
        let mut is_test = false;
        let mut is_elsewhere = false;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "line_comment" | "block_comment" | "label" => continue,
                "attribute_item" => {
                    let text = self.out.text(child);
                    is_test |= conditions::is_of_test(text);
                    is_elsewhere |= conditions::is_elsewhere(text);
                    continue;
                }
                _ => {}
            }
            let was_in_test = self.in_test;
            let was_elsewhere = self.is_elsewhere;
            self.in_test |= is_test;
            self.is_elsewhere |= is_elsewhere;
            // What is bound elsewhere must not hide what is bound here.
            let is_twin = is_elsewhere && child.kind() == "let_declaration";
            let inner = if is_twin { self.out.scope(scope, None) } else { scope };
            let n_sites = self.out.code.sites.len();
            last = self.visit(child, inner);
            if is_elsewhere && !child.kind().ends_with("_item") {
                // A function that is compiled here does not call what this part of it calls.
                self.out.code.sites.truncate(n_sites);
            }
            self.in_test = was_in_test;
            self.is_elsewhere = was_elsewhere;
            (is_test, is_elsewhere) = (false, false);
        }
        last
    }

    /// Writes a statement, an item or an expression, and returns its value.
    fn visit(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let kind = node.kind();
        let value = match self.value(kind, node, scope) {
            Some(value) => value,
            None => {
                if !self.item(kind, node, scope) {
                    self.visit_children(node, scope);
                }
                OPAQUE
            }
        };
        self.out.ascend();
        value
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

    /// Writes every value in a node, one by one.
    fn visit_each(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_beside(child.kind())) {
            values.push(self.visit(child, scope));
        }
        values.into()
    }

    /// Writes one of several values.
    fn either(&mut self, mut choices: Vec<ExpressionId>) -> ExpressionId {
        choices.retain(|choice| *choice != OPAQUE);
        match choices.as_slice() {
            [] => OPAQUE,
            [single] => *single,
            _ => self.out.expression(Expression::Either(choices.into())),
        }
    }

    /// What is said of whatever is declared at this point.
    fn flags(&self) -> Flags {
        let test = if self.in_test { Flags::TEST } else { Flags::default() };
        test | if self.is_elsewhere { Flags::ELSEWHERE } else { Flags::default() }
    }
}

/// Says whether a node of this kind stands beside the code.
fn is_beside(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment" | "attribute_item" | "inner_attribute_item" | "label")
}

/// Returns the first named child that is no comment.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_beside(child.kind()))
}

/// Returns the first child of a kind.
fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}
