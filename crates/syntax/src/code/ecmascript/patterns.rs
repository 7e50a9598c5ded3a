//! Destructuring patterns.

use model::code::{Expression, ExpressionId, NameId, ScopeId};

use super::{EcmascriptLowering, LexicalContext};
use crate::node::SyntaxNode;

impl EcmascriptLowering<'_, '_> {
    /// Binds the names of a pattern in a scope to the parts of a value.
    pub(super) fn destructure(
        &mut self,
        pattern: SyntaxNode<'_>,
        of: ExpressionId,
        scope: ScopeId,
        context: LexicalContext,
    ) {
        self.deeper(|lowering| {
            lowering.destructure_into(pattern, of, context, &mut |lowering, name, part| {
                lowering.out.bind(scope, name, None, Some(part))
            });
        });
    }

    /// Calls `take` with each name of a pattern and its part of a value.
    pub(super) fn destructure_into(
        &mut self,
        pattern: SyntaxNode<'_>,
        of: ExpressionId,
        context: LexicalContext,
        take: &mut dyn FnMut(&mut Self, NameId, ExpressionId),
    ) {
        match pattern.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let name = self.out.intern_node(pattern);
                take(self, name, of);
            }
            "object_pattern" => {
                let mut cursor = pattern.walk();
                for part in pattern.named_children(&mut cursor) {
                    self.deeper(|lowering| lowering.destructure_property(part, of, context, take));
                }
            }
            "array_pattern" => self.destructure_items(pattern, of, context, take),
            "assignment_pattern" => {
                let (left, right) = (pattern.child_by_field_name("left"), pattern.child_by_field_name("right"));
                let value = self.with_default(of, right, context);
                if let Some(left) = left {
                    self.deeper(|lowering| lowering.destructure_into(left, value, context, take));
                }
            }
            "rest_pattern" => {
                if let Some(rest) = pattern.named_child(0) {
                    self.deeper(|lowering| lowering.destructure_into(rest, of, context, take));
                }
            }
            _ => {
                self.lower_expression(pattern, context);
            }
        }
    }

    fn destructure_property(
        &mut self,
        part: SyntaxNode<'_>,
        of: ExpressionId,
        context: LexicalContext,
        take: &mut dyn FnMut(&mut Self, NameId, ExpressionId),
    ) {
        match part.kind() {
            "shorthand_property_identifier_pattern" => {
                let name = self.out.intern_node(part);
                let member = self.out.member_at(of, part, context.block);
                take(self, name, member);
            }
            "pair_pattern" => {
                let (Some(key), Some(value)) = (part.child_by_field_name("key"), part.child_by_field_name("value"))
                else {
                    return;
                };
                let name = self.property_name(key);
                let member = self.out.add_expression(Expression::Member { of, name });
                self.out.add_access(member, context.block, key);
                self.destructure_into(value, member, context, take);
            }
            "object_assignment_pattern" => {
                let (Some(left), right) = (part.child_by_field_name("left"), part.child_by_field_name("right")) else {
                    return;
                };
                let name = self.out.intern_node(left);
                let member = self.out.member_at(of, left, context.block);
                let value = self.with_default(member, right, context);
                take(self, name, value);
            }
            "rest_pattern" => self.destructure_into(part, of, context, take),
            _ => {}
        }
    }

    fn destructure_items(
        &mut self,
        pattern: SyntaxNode<'_>,
        of: ExpressionId,
        context: LexicalContext,
        take: &mut dyn FnMut(&mut Self, NameId, ExpressionId),
    ) {
        let mut index = 0;
        let mut cursor = pattern.walk();
        for child in pattern.children(&mut cursor) {
            match child.kind() {
                "," => index += 1,
                "rest_pattern" => self.destructure_into(child, of, context, take),
                _ if child.is_named() => {
                    let part = self.out.add_expression(Expression::Part { of, index });
                    self.deeper(|lowering| lowering.destructure_into(child, part, context, take));
                }
                _ => {}
            }
        }
    }

    /// Returns a value, or its default if it is missing.
    fn with_default(
        &mut self,
        of: ExpressionId,
        default: Option<SyntaxNode<'_>>,
        context: LexicalContext,
    ) -> ExpressionId {
        let Some(default) = default else { return of };
        let default = self.lower_expression(default, context);
        self.add_either(&[of, default])
    }

    /// Returns one of several values.
    pub(super) fn add_either(&mut self, values: &[ExpressionId]) -> ExpressionId {
        self.out.add_expression(Expression::Either(values.into()))
    }
}
