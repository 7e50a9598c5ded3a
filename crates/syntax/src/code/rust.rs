//! Lowering of Rust.
//!
//! References are transparent: `&T` is written as `T`, and `&x` as `x`. `self`, `super` and `crate` at the start of a
//! path are plain names, and `Self` is a type. A bound such as `Iterator<Item = T>` is written as `Iterator<T>`. Macro
//! arguments are parsed again as expressions, and lowered like other code.

mod attributes;
mod cfg_conditions;
mod control_flow;
mod expressions;
mod format_strings;
mod functions;
mod items;
mod macros;
mod patterns;
#[cfg(test)]
mod tests;
mod types;

use model::code::{Expression, ExpressionId, Flags, ScopeId};

use super::CodeBuilder;
use super::builder::{FILE_SCOPE, OPAQUE, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

/// Lowers a file.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    let mut rust =
        RustLowering { out, results: Vec::new(), macro_depth: 0, is_in_test: false, is_other_platform: false };
    rust.lower_statements(root, FILE_SCOPE);
}

/// The lowering of a file.
struct RustLowering<'l, 't> {
    out: &'l mut CodeBuilder<'t>,
    /// Results of the enclosing closures, innermost last. Those of functions stay empty, since their types are
    /// declared.
    results: Vec<Vec<ExpressionId>>,
    macro_depth: u32,
    is_in_test: bool,
    is_other_platform: bool,
}

impl RustLowering<'_, '_> {
    /// Lowers the statements of a block, module or file, and returns the value of the last one.
    fn lower_statements(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let mut cursor = node.walk();
        let mut last = OPAQUE;
        let mut is_test = false;
        let mut is_other_platform = false;
        let mut attributes = Vec::new();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "line_comment" | "block_comment" | "label" => continue,
                "attribute_item" => {
                    let text = self.out.text(child);
                    is_test |= cfg_conditions::is_test_only(text);
                    is_other_platform |= cfg_conditions::is_other_platform(text);
                    attributes.push(child);
                    continue;
                }
                _ => {}
            }
            let was_in_test = self.is_in_test;
            let was_other_platform = self.is_other_platform;
            self.is_in_test |= is_test;
            self.is_other_platform |= is_other_platform;
            // A binding for another platform must not hide one for this platform.
            let is_other_binding = is_other_platform && child.kind() == "let_declaration";
            let inner = if is_other_binding { self.out.open_scope(scope, None) } else { scope };
            let n_sites = self.out.code.sites.len();
            last = self.visit(child, inner);
            self.lower_attributes(&std::mem::take(&mut attributes), child, inner);
            if is_other_platform && !child.kind().ends_with("_item") {
                // Calls compiled only for another platform are not calls of the enclosing function.
                self.out.code.sites.truncate(n_sites);
            }
            self.is_in_test = was_in_test;
            self.is_other_platform = was_other_platform;
            (is_test, is_other_platform) = (false, false);
        }
        last
    }

    /// Lowers a statement, an item or an expression, and returns its value.
    fn visit(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let kind = node.kind();
        let value = match self.lower_value(kind, node, scope) {
            Some(value) => value,
            None => {
                if !self.lower_item(kind, node, scope) {
                    self.visit_children(node, scope);
                }
                OPAQUE
            }
        };
        self.out.ascend();
        value
    }

    fn visit_children(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, scope);
        }
    }

    fn visit_field(&mut self, node: SyntaxNode<'_>, field: &str, scope: ScopeId) -> ExpressionId {
        node.child_by_field_name(field).map_or(OPAQUE, |child| self.visit(child, scope))
    }

    /// Lowers every value in a node.
    fn visit_each(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_ignorable(child.kind())) {
            values.push(self.visit(child, scope));
        }
        values.into()
    }

    /// Returns one of several values.
    fn add_either(&mut self, mut choices: Vec<ExpressionId>) -> ExpressionId {
        choices.retain(|choice| *choice != OPAQUE);
        match choices.as_slice() {
            [] => OPAQUE,
            [single] => *single,
            _ => self.out.add_expression(Expression::Either(choices.into())),
        }
    }

    /// Returns the flags that apply to every declaration at this point.
    fn context_flags(&self) -> Flags {
        let test = if self.is_in_test { Flags::TEST } else { Flags::default() };
        test | if self.is_other_platform { Flags::ELSEWHERE } else { Flags::default() }
    }
}

/// Returns true for comments, attributes and labels, which are not code.
fn is_ignorable(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment" | "attribute_item" | "inner_attribute_item" | "label")
}

/// Returns the first named child that is code.
fn first_child(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !is_ignorable(child.kind()))
}
