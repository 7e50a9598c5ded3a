//! Assignments: to names, to members of `this`, and to exports of a module.

use model::code::{Export, Expression, ExpressionId, FieldFact, NameId, TypeExpression};

use super::{EcmascriptLowering, LexicalContext, OPAQUE};
use crate::node::SyntaxNode;

/// Maximum number of assigned values that are kept for a variable declared without a value.
const MAX_VALUES: usize = 4;

/// Fields with a part of an address, whose assignments the links between services follow: `axios.defaults.baseURL = url`.
const ADDRESS_FIELDS: [&str; 2] = ["baseURL", "pathname"];

impl EcmascriptLowering<'_, '_> {
    pub(super) fn lower_assignment(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return OPAQUE;
        };
        match left.kind() {
            "identifier" => {
                let definition = self.out.definition_at(left);
                let value = self.lower_value(right, definition, None, context);
                let name = self.out.intern_node(left);
                self.record_assigned_value(name, value);
                if definition.is_none() {
                    self.out.name_at(left, context.block);
                }
                value
            }
            "member_expression" => self.lower_member_assignment(left, right, context),
            _ => {
                let value = self.lower_expression(right, context);
                self.lower_assignment_target(left, value, context);
                value
            }
        }
    }

    fn lower_member_assignment(
        &mut self,
        left: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> ExpressionId {
        let (Some(object), Some(property)) = (left.child_by_field_name("object"), left.child_by_field_name("property"))
        else {
            return OPAQUE;
        };
        let definition = self.out.definition_at(property);
        let comment = self.comment.clone();
        let jsdoc_type = self.take_jsdoc(context).own;
        let target = self.lower_expression(left, context);
        let expected = self.out.add_type(TypeExpression::Of(target));
        // The value of `module.exports = function f() {}` is the function itself.
        let is_module = self.out.text(left) == "module.exports";
        let expected = (!is_module && self.out.text(object) != "exports").then_some(expected);
        if right.kind().contains("function") && jsdoc_type.is_none() {
            self.comment = comment;
        }
        let value = self.lower_value(right, definition, expected, context);
        let is_own =
            definition.is_some_and(|definition| *self.out.code.expression(value) == Expression::Definition(definition));
        if let Some(definition) = definition.filter(|_| !is_own) {
            self.out.shape_mut(definition).values = Box::new([value]);
        }
        let name = self.out.intern_node(property);
        match object.kind() {
            "this" => {
                if let Some(owner) = context.owner {
                    let field = FieldFact { owner, name, declared: jsdoc_type, value: Some(value) };
                    self.out.code.fields.push(field);
                }
            }
            _ if is_module => self.export_value("=", value),
            "identifier" if self.out.text(object) == "exports" => {
                self.out.code.exports.push(Export { name, value });
            }
            "member_expression" if self.out.text(object) == "module.exports" => {
                self.out.code.exports.push(Export { name, value });
            }
            _ if ADDRESS_FIELDS.contains(&self.out.text(property)) => {
                let operator = self.out.intern("=");
                self.out.add_expression(Expression::Operation { operator, left: target, right: Some(value) });
            }
            _ => {}
        }
        value
    }

    /// Exports a value of the module.
    pub(super) fn export_value(&mut self, name: &str, value: ExpressionId) {
        let name = self.out.intern(name);
        self.out.code.exports.push(Export { name, value });
    }

    /// Assigns to a pattern or any other assignment target.
    pub(super) fn lower_assignment_target(
        &mut self,
        left: SyntaxNode<'_>,
        value: ExpressionId,
        context: LexicalContext,
    ) {
        self.deeper(|lowering| {
            lowering.destructure_into(left, value, context, &mut |lowering, name, part| {
                lowering.record_assigned_value(name, part)
            })
        });
    }

    /// Records a value of a name that was declared without type and value.
    fn record_assigned_value(&mut self, name: NameId, value: ExpressionId) {
        let Some((scope, definition)) = self.untyped.get(&name).and_then(|scopes| scopes.last()).copied() else {
            return;
        };
        if value == OPAQUE || self.is_null(value) {
            return;
        }
        match definition {
            Some(definition) => {
                let shape = self.out.shape_mut(definition);
                if shape.values.len() < MAX_VALUES && shape.body.is_none() {
                    let mut values = std::mem::take(&mut shape.values).into_vec();
                    values.push(value);
                    shape.values = values.into_boxed_slice();
                }
            }
            None => self.out.bind(scope, name, None, Some(value)),
        }
    }

    fn is_null(&self, value: ExpressionId) -> bool {
        matches!(self.out.code.expression(value), Expression::Literal(model::code::Literal::Null))
    }
}
