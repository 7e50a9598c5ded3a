//! Control flow: conditions that bind, loops, matches, and what leaves early.

use model::code::{Expression, ExpressionId, ScopeId};

use super::{OPAQUE, Rust, first_child};
use crate::node::Node;

impl Rust<'_, '_> {
    /// Returns the value of control flow; nothing if the node is none.
    pub(super) fn control(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) -> Option<ExpressionId> {
        let value = match kind {
            "let_declaration" => self.local(node, scope),
            "let_condition" => {
                let value = self.visit_field(node, "value", scope);
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    self.pattern(pattern, value, scope);
                }
                OPAQUE
            }
            "if_expression" => self.choice(node, scope),
            "else_clause" => first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope)),
            "match_expression" => self.matching(node, scope),
            "while_expression" => {
                let inner = self.out.scope(scope, None);
                self.visit_field(node, "condition", inner);
                self.visit_field(node, "body", inner);
                OPAQUE
            }
            "loop_expression" => {
                self.visit_field(node, "body", scope);
                OPAQUE
            }
            "for_expression" => {
                let of = self.visit_field(node, "value", scope);
                let inner = self.out.scope(scope, None);
                let item = self.out.expression(Expression::Item { of });
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    self.pattern(pattern, item, inner);
                }
                self.visit_field(node, "body", inner);
                OPAQUE
            }
            "closure_expression" => self.closure(node, scope),
            "return_expression" => {
                let value = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
                if let Some(results) = self.results.last_mut() {
                    results.push(value);
                }
                OPAQUE
            }
            _ => return None,
        };
        Some(value)
    }

    fn local(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let value = self.visit_field(node, "value", scope);
        let declared = node.child_by_field_name("type").map(|declared| self.written(declared, scope));
        self.visit_field(node, "alternative", scope);
        if let Some(pattern) = node.child_by_field_name("pattern") {
            self.typed_pattern(pattern, declared, value, scope);
        }
        OPAQUE
    }

    /// What the condition binds is seen in the consequence, and not in the alternative.
    fn choice(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let inner = self.out.scope(scope, None);
        self.visit_field(node, "condition", inner);
        let consequence = self.visit_field(node, "consequence", inner);
        let alternative = self.visit_field(node, "alternative", scope);
        self.either(vec![consequence, alternative])
    }

    fn matching(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let of = self.visit_field(node, "value", scope);
        let Some(body) = node.child_by_field_name("body") else { return OPAQUE };
        let mut values = Vec::new();
        let mut cursor = body.walk();
        for arm in body.named_children(&mut cursor).filter(|arm| arm.kind() == "match_arm") {
            let inner = self.out.scope(scope, None);
            if let Some(pattern) = arm.child_by_field_name("pattern") {
                if let Some(taken) = first_child(pattern) {
                    self.pattern(taken, of, inner);
                }
                self.visit_field(pattern, "condition", inner);
            }
            values.push(self.visit_field(arm, "value", inner));
        }
        self.either(values)
    }
}
