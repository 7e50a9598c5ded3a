//! Literals: strings, templates, arrays and objects.

use model::code::{DefinitionId, Expression, ExpressionId, Literal, NameId, TypeExpression, TypeId};

use super::{EcmascriptLowering, LexicalContext, OPAQUE};
use crate::node::SyntaxNode;

/// Member name for the spread of another object (`{ ...a }`).
const SPREAD: &str = "...";

impl EcmascriptLowering<'_, '_> {
    pub(super) fn add_literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.add_expression(Expression::Literal(literal))
    }

    /// Returns a string literal with unknown text.
    pub(super) fn add_unknown_text(&mut self) -> ExpressionId {
        self.add_literal(Literal::Text(None))
    }

    pub(super) fn lower_string(&mut self, node: SyntaxNode<'_>) -> ExpressionId {
        let text = self.out.text(node);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        if inner.contains('\\') { self.add_unknown_text() } else { self.out.add_text_literal(inner) }
    }

    /// `` `a${b}c` `` is the text `a{}c`.
    pub(super) fn lower_template(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let mut text = String::new();
        let mut holes = Vec::new();
        let mut is_plain = true;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "string_fragment" => text.push_str(self.out.text(part)),
                "template_substitution" => {
                    text.push_str("{}");
                    let hole = part.named_children(&mut part.walk()).find(|child| child.kind() != "comment");
                    holes.push(hole.map_or(OPAQUE, |hole| self.lower_expression(hole, context)));
                }
                _ => is_plain = false,
            }
        }
        if is_plain { self.out.add_interpolated_text(&text, holes) } else { self.add_unknown_text() }
    }

    pub(super) fn lower_array(
        &mut self,
        node: SyntaxNode<'_>,
        expected: Option<TypeId>,
        context: LexicalContext,
    ) -> ExpressionId {
        let mut items = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "comment" => {}
                "spread_element" => {
                    let of = child.named_child(0).map_or(OPAQUE, |inner| self.lower_expression(inner, context));
                    items.push(self.out.add_expression(Expression::Item { of }));
                }
                _ => {
                    let expected_member = expected.map(|of| self.element_type(of));
                    items.push(self.lower_value(child, None, expected_member, context));
                }
            }
        }
        self.out.add_expression(Expression::List(items.into_boxed_slice()))
    }

    fn element_type(&mut self, of: TypeId) -> TypeId {
        let name = self.out.intern("[]");
        self.out.add_type(TypeExpression::Member { of, name })
    }

    /// Lowers an object literal; `expected` is its expected type.
    pub(super) fn lower_object(
        &mut self,
        node: SyntaxNode<'_>,
        expected: Option<TypeId>,
        context: LexicalContext,
    ) -> ExpressionId {
        let mut members = Vec::new();
        let mut keys = Vec::new();
        let inner = LexicalContext { owner: None, object: expected, ..context };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "comment" => {
                    self.keep_comment(child, context);
                    continue;
                }
                "pair" => {
                    let (Some(key), Some(value)) =
                        (child.child_by_field_name("key"), child.child_by_field_name("value"))
                    else {
                        continue;
                    };
                    let (name, definition, expected_value) = self.lower_key(key, expected, context);
                    keys.push(key);
                    members.push((name, self.lower_value(value, definition, expected_value, inner)));
                }
                "method_definition" => {
                    let Some(key) = child.child_by_field_name("name") else { continue };
                    let (name, definition, expected_value) = self.lower_key(key, expected, context);
                    keys.push(key);
                    let value =
                        self.deeper(|lowering| lowering.lower_function(child, definition, expected_value, inner));
                    members.push((name, value.unwrap_or(OPAQUE)));
                }
                "shorthand_property_identifier" => {
                    let name = self.out.intern_node(child);
                    keys.push(child);
                    let value = self.out.name_at(child, context.block);
                    members.push((name, value));
                }
                "spread_element" => {
                    let value = child.named_child(0).map_or(OPAQUE, |inner| self.lower_expression(inner, context));
                    let name = self.out.intern(SPREAD);
                    members.push((name, value));
                }
                _ => {}
            }
            self.comment = None;
        }
        if let Some(to) = expected.filter(|_| !keys.is_empty()) {
            let of = self.out.add_expression(Expression::Cast { of: OPAQUE, to });
            for key in keys.into_iter().filter(|key| key.kind() != "computed_property_name") {
                let name = self.property_name(key);
                let member = self.out.add_expression(Expression::Member { of, name });
                self.out.add_access(member, context.block, key);
            }
        }
        self.out.add_expression(Expression::Object(members.into_boxed_slice()))
    }

    /// Lowers the key of an object member. Returns its name, its definition, and the expected type of its value.
    fn lower_key(
        &mut self,
        key: SyntaxNode<'_>,
        expected: Option<TypeId>,
        context: LexicalContext,
    ) -> (NameId, Option<DefinitionId>, Option<TypeId>) {
        if key.kind() == "computed_property_name" {
            self.lower_statements(key, context);
        }
        let name = self.property_name(key);
        let definition = self.out.definition_at(key);
        let expected_value = expected.map(|of| self.out.add_type(TypeExpression::Member { of, name }));
        (name, definition, expected_value)
    }
}
