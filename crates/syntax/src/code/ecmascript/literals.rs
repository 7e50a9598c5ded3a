//! Values that are written out: texts, templates, arrays and objects.

use model::code::{Expression, ExpressionId, Literal, TypeExpression, TypeId};

use super::{Ecmascript, Place};
use crate::node::Node;

/// The name under which an object takes in the members of another (`{ ...a }`).
const SPREAD: &str = "...";

impl Ecmascript<'_, '_> {
    pub(super) fn literal(&mut self, literal: Literal) -> ExpressionId {
        self.lowering.expression(Expression::Literal(literal))
    }

    /// Returns a text that is not known.
    pub(super) fn text(&mut self) -> ExpressionId {
        self.literal(Literal::Text(None))
    }

    pub(super) fn string(&mut self, node: Node<'_>) -> ExpressionId {
        let text = self.lowering.text(node);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        if inner.contains('\\') { self.text() } else { self.lowering.text_literal(inner) }
    }

    /// `` `a${b}c` `` is the text `a{}c`.
    pub(super) fn template(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let mut text = String::new();
        let mut is_plain = true;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "string_fragment" => text.push_str(self.lowering.text(part)),
                "template_substitution" => {
                    text.push_str("{}");
                    self.statements(part, at);
                }
                _ => is_plain = false,
            }
        }
        if is_plain { self.lowering.text_literal(&text) } else { self.text() }
    }

    pub(super) fn array(&mut self, node: Node<'_>, expected: Option<TypeId>, at: Place) -> ExpressionId {
        let mut items = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "comment" => {}
                "spread_element" => {
                    let of = child.named_child(0).map_or(ExpressionId(0), |inner| self.expression(inner, at));
                    items.push(self.lowering.expression(Expression::Item { of }));
                }
                _ => {
                    let wanted = expected.map(|of| self.item_of(of));
                    items.push(self.value(child, None, wanted, at));
                }
            }
        }
        self.lowering.expression(Expression::List(items.into_boxed_slice()))
    }

    fn item_of(&mut self, of: TypeId) -> TypeId {
        let name = self.lowering.name("[]");
        self.lowering.written(TypeExpression::Member { of, name })
    }

    /// Lowers an object; `expected` is the type it has to have.
    pub(super) fn object(&mut self, node: Node<'_>, expected: Option<TypeId>, at: Place) -> ExpressionId {
        let mut members = Vec::new();
        let inner = Place { owner: None, object: expected, ..at };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "comment" => {
                    self.read_comment(child, at);
                    continue;
                }
                "pair" => {
                    let (Some(key), Some(value)) =
                        (child.child_by_field_name("key"), child.child_by_field_name("value"))
                    else {
                        continue;
                    };
                    if key.kind() == "computed_property_name" {
                        self.statements(key, at);
                    }
                    let name = self.property_name(key);
                    let definition = self.lowering.definition_named(key);
                    let wanted = expected.map(|of| self.lowering.written(TypeExpression::Member { of, name }));
                    let value = self.value(value, definition, wanted, inner);
                    members.push((name, value));
                }
                "method_definition" => {
                    let Some(key) = child.child_by_field_name("name") else { continue };
                    if key.kind() == "computed_property_name" {
                        self.statements(key, at);
                    }
                    let name = self.property_name(key);
                    let definition = self.lowering.definition_named(key);
                    let wanted = expected.map(|of| self.lowering.written(TypeExpression::Member { of, name }));
                    let value = self.deeper(|code| code.function(child, definition, wanted, inner));
                    members.push((name, value.unwrap_or(ExpressionId(0))));
                }
                "shorthand_property_identifier" => {
                    let name = self.lowering.name_of(child);
                    let value = self.lowering.use_name(name, at.block);
                    members.push((name, value));
                }
                "spread_element" => {
                    let value = child.named_child(0).map_or(ExpressionId(0), |inner| self.expression(inner, at));
                    let name = self.lowering.name(SPREAD);
                    members.push((name, value));
                }
                _ => {}
            }
            self.comment = None;
        }
        self.lowering.expression(Expression::Object(members.into_boxed_slice()))
    }
}
