//! Control flow: conditions that bind, loops, matches and early exits.

use model::code::{Expression, ExpressionId, ScopeId};

use super::{OPAQUE, RustLowering, first_child};
use crate::node::SyntaxNode;

impl RustLowering<'_, '_> {
    /// Lowers control flow and returns its value. Returns `None` if the node is none.
    pub(super) fn lower_control_flow(
        &mut self,
        kind: &str,
        node: SyntaxNode<'_>,
        scope: ScopeId,
    ) -> Option<ExpressionId> {
        let value = match kind {
            "let_declaration" => self.lower_let(node, scope),
            "let_condition" => {
                let value = self.visit_field(node, "value", scope);
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    self.bind_pattern(pattern, value, scope);
                }
                OPAQUE
            }
            "if_expression" => self.lower_if(node, scope),
            "else_clause" => first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope)),
            "match_expression" => self.lower_match(node, scope),
            "while_expression" => {
                let inner = self.out.open_scope(scope, None);
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
                let inner = self.out.open_scope(scope, None);
                let item = self.out.add_expression(Expression::Item { of });
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    self.bind_pattern(pattern, item, inner);
                }
                self.visit_field(node, "body", inner);
                OPAQUE
            }
            "closure_expression" => self.lower_closure(node, scope),
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

    fn lower_let(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let value = self.visit_field(node, "value", scope);
        let declared = node.child_by_field_name("type").map(|declared| self.lower_type(declared, scope));
        self.visit_field(node, "alternative", scope);
        if let Some(pattern) = node.child_by_field_name("pattern") {
            self.bind_typed_pattern(pattern, declared, value, scope);
        }
        OPAQUE
    }

    /// Lowers `if`. Bindings of the condition are visible in the consequence, but not in the alternative.
    fn lower_if(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let inner = self.out.open_scope(scope, None);
        self.visit_field(node, "condition", inner);
        let consequence = self.visit_field(node, "consequence", inner);
        let alternative = self.visit_field(node, "alternative", scope);
        self.add_either(vec![consequence, alternative])
    }

    fn lower_match(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let of = self.visit_field(node, "value", scope);
        let Some(body) = node.child_by_field_name("body") else { return OPAQUE };
        let mut values = Vec::new();
        let mut cursor = body.walk();
        for arm in body.named_children(&mut cursor).filter(|arm| arm.kind() == "match_arm") {
            let inner = self.out.open_scope(scope, None);
            if let Some(pattern) = arm.child_by_field_name("pattern") {
                if let Some(inner_pattern) = first_child(pattern) {
                    self.bind_pattern(inner_pattern, of, inner);
                }
                self.visit_field(pattern, "condition", inner);
            }
            values.push(self.visit_field(arm, "value", inner));
        }
        self.add_either(values)
    }
}
