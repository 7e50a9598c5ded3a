//! Patterns: what destructuring takes out of a value.

use model::code::{Expression, ExpressionId, NameId, ScopeId};

use super::{Ecmascript, Place};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    /// Binds the names of a pattern in a scope to the parts of a value.
    pub(super) fn destructure(&mut self, pattern: Node<'_>, of: ExpressionId, scope: ScopeId, at: Place) {
        self.deeper(|code| {
            code.take_apart(pattern, of, at, &mut |code, name, part| code.lowering.bind(scope, name, None, Some(part)));
        });
    }

    /// Hands each name of a pattern to `take` with its part of a value.
    pub(super) fn take_apart(
        &mut self,
        pattern: Node<'_>,
        of: ExpressionId,
        at: Place,
        take: &mut dyn FnMut(&mut Self, NameId, ExpressionId),
    ) {
        match pattern.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let name = self.lowering.name_of(pattern);
                take(self, name, of);
            }
            "object_pattern" => {
                let mut cursor = pattern.walk();
                for part in pattern.named_children(&mut cursor) {
                    self.deeper(|code| code.take_property(part, of, at, take));
                }
            }
            "array_pattern" => self.take_items(pattern, of, at, take),
            "assignment_pattern" => {
                let (left, right) = (pattern.child_by_field_name("left"), pattern.child_by_field_name("right"));
                let value = self.or_default(of, right, at);
                if let Some(left) = left {
                    self.deeper(|code| code.take_apart(left, value, at, take));
                }
            }
            "rest_pattern" => {
                if let Some(rest) = pattern.named_child(0) {
                    self.deeper(|code| code.take_apart(rest, of, at, take));
                }
            }
            _ => {
                self.expression(pattern, at);
            }
        }
    }

    fn take_property(
        &mut self,
        part: Node<'_>,
        of: ExpressionId,
        at: Place,
        take: &mut dyn FnMut(&mut Self, NameId, ExpressionId),
    ) {
        match part.kind() {
            "shorthand_property_identifier_pattern" => {
                let name = self.lowering.name_of(part);
                let member = self.lowering.expression(Expression::Member { of, name });
                take(self, name, member);
            }
            "pair_pattern" => {
                let (Some(key), Some(value)) = (part.child_by_field_name("key"), part.child_by_field_name("value"))
                else {
                    return;
                };
                let name = self.property_name(key);
                let member = self.lowering.expression(Expression::Member { of, name });
                self.take_apart(value, member, at, take);
            }
            "object_assignment_pattern" => {
                let (Some(left), right) = (part.child_by_field_name("left"), part.child_by_field_name("right")) else {
                    return;
                };
                let name = self.lowering.name_of(left);
                let member = self.lowering.expression(Expression::Member { of, name });
                let value = self.or_default(member, right, at);
                take(self, name, value);
            }
            "rest_pattern" => self.take_apart(part, of, at, take),
            _ => {}
        }
    }

    fn take_items(
        &mut self,
        pattern: Node<'_>,
        of: ExpressionId,
        at: Place,
        take: &mut dyn FnMut(&mut Self, NameId, ExpressionId),
    ) {
        let mut index = 0;
        let mut cursor = pattern.walk();
        for child in pattern.children(&mut cursor) {
            match child.kind() {
                "," => index += 1,
                "rest_pattern" => self.take_apart(child, of, at, take),
                _ if child.is_named() => {
                    let part = self.lowering.expression(Expression::Part { of, index });
                    self.deeper(|code| code.take_apart(child, part, at, take));
                }
                _ => {}
            }
        }
    }

    /// Returns a value that has another in its place where it is missing.
    fn or_default(&mut self, of: ExpressionId, default: Option<Node<'_>>, at: Place) -> ExpressionId {
        let Some(default) = default else { return of };
        let default = self.expression(default, at);
        self.either(&[of, default])
    }

    /// Returns one of several values.
    pub(super) fn either(&mut self, values: &[ExpressionId]) -> ExpressionId {
        self.lowering.expression(Expression::Either(values.into()))
    }
}
