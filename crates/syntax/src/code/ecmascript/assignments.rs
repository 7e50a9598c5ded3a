//! Assignments: to names, to members of `this`, and to what a module offers.

use model::code::{Export, Expression, ExpressionId, FieldFact, NameId, TypeExpression};

use super::{Ecmascript, Place};
use crate::node::Node;

/// The most values that a variable declared without one is followed to.
const MAX_VALUES: usize = 4;

impl Ecmascript<'_, '_> {
    pub(super) fn assignment(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return ExpressionId(0);
        };
        match left.kind() {
            "identifier" => {
                let definition = self.lowering.definition_named(left);
                let value = self.value(right, definition, None, at);
                let name = self.lowering.name_of(left);
                self.assign(name, value);
                value
            }
            "member_expression" => self.assign_member(left, right, at),
            _ => {
                let value = self.expression(right, at);
                self.assign_to(left, value, at);
                value
            }
        }
    }

    fn assign_member(&mut self, left: Node<'_>, right: Node<'_>, at: Place) -> ExpressionId {
        let (Some(object), Some(property)) = (left.child_by_field_name("object"), left.child_by_field_name("property"))
        else {
            return ExpressionId(0);
        };
        let definition = self.lowering.definition_named(property);
        let comment = self.comment.clone();
        let told = self.told(at).own;
        let target = self.expression(left, at);
        let expected = self.lowering.written(TypeExpression::Of(target));
        // `module.exports = function f() {}` is the function itself.
        let is_module = self.lowering.text(left) == "module.exports";
        let expected = (!is_module && self.lowering.text(object) != "exports").then_some(expected);
        if right.kind().contains("function") && told.is_none() {
            self.comment = comment;
        }
        let value = self.value(right, definition, expected, at);
        let is_own = definition
            .is_some_and(|definition| *self.lowering.code.expression(value) == Expression::Definition(definition));
        if let Some(definition) = definition.filter(|_| !is_own) {
            self.lowering.shape(definition).values = Box::new([value]);
        }
        let name = self.lowering.name_of(property);
        match object.kind() {
            "this" => {
                if let Some(owner) = at.owner {
                    let field = FieldFact { owner, name, declared: told, value: Some(value) };
                    self.lowering.code.fields.push(field);
                }
            }
            _ if is_module => self.offer("=", value),
            "identifier" if self.lowering.text(object) == "exports" => {
                self.lowering.code.exports.push(Export { name, value });
            }
            "member_expression" if self.lowering.text(object) == "module.exports" => {
                self.lowering.code.exports.push(Export { name, value });
            }
            _ => {}
        }
        value
    }

    /// Offers a value to other files.
    pub(super) fn offer(&mut self, name: &str, value: ExpressionId) {
        let name = self.lowering.name(name);
        self.lowering.code.exports.push(Export { name, value });
    }

    /// Assigns to a pattern or to anything else that can be assigned to.
    pub(super) fn assign_to(&mut self, left: Node<'_>, value: ExpressionId, at: Place) {
        self.deeper(|code| code.take_apart(left, value, at, &mut |code, name, part| code.assign(name, part)));
    }

    /// Tells a name that was declared without a type or value what it is.
    fn assign(&mut self, name: NameId, value: ExpressionId) {
        let Some((scope, definition)) = self.untyped.get(&name).and_then(|scopes| scopes.last()).copied() else {
            return;
        };
        if value == ExpressionId(0) || self.is_null(value) {
            return;
        }
        match definition {
            Some(definition) => {
                let shape = self.lowering.shape(definition);
                if shape.values.len() < MAX_VALUES && shape.body.is_none() {
                    let mut values = std::mem::take(&mut shape.values).into_vec();
                    values.push(value);
                    shape.values = values.into_boxed_slice();
                }
            }
            None => self.lowering.bind(scope, name, None, Some(value)),
        }
    }

    fn is_null(&self, value: ExpressionId) -> bool {
        matches!(self.lowering.code.expression(value), Expression::Literal(model::code::Literal::Null))
    }
}
