//! Expressions, as far as types flow through them.

use model::code::{DefinitionId, Expression, ExpressionId, Literal, TypeId};

use super::conditions::operator;
use super::{Ecmascript, Place};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    /// Lowers a value that a definition may be the name of, and that may have to be of a type.
    pub(super) fn value(
        &mut self,
        node: Node<'_>,
        definition: Option<DefinitionId>,
        expected: Option<TypeId>,
        at: Place,
    ) -> ExpressionId {
        let lowered = self.deeper(|code| match node.kind() {
            "arrow_function" | "function_expression" | "generator_function" => {
                let named = node.child_by_field_name("name");
                let own = definition.or_else(|| named.and_then(|name| code.lowering.definition_named(name)));
                code.function(node, own, expected, at)
            }
            "class" => {
                let named = node.child_by_field_name("name");
                let own = definition.or_else(|| named.and_then(|name| code.lowering.definition_named(name)));
                code.class(node, own, at)
            }
            "object" => code.object(node, expected, at),
            "array" => code.array(node, expected, at),
            "parenthesized_expression" | "satisfies_expression" | "non_null_expression" => match node.named_child(0) {
                Some(inner) => code.value(inner, definition, expected, at),
                None => ExpressionId(0),
            },
            "as_expression" => {
                let Some(inner) = node.named_child(0) else { return ExpressionId(0) };
                let to = node.named_child(1).map(|to| code.written(to, at));
                let of = code.value(inner, definition, to.or(expected), at);
                match to {
                    Some(to) if !matches!(code.lowering.code.expression(of), Expression::Definition(_)) => {
                        code.lowering.expression(Expression::Cast { of, to })
                    }
                    _ => of,
                }
            }
            _ => code.expression_here(node, at),
        });
        lowered.unwrap_or(ExpressionId(0))
    }

    /// Lowers an expression.
    pub(super) fn expression(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        self.value(node, None, None, at)
    }

    fn expression_here(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        match node.kind() {
            "identifier" | "shorthand_property_identifier" => {
                let name = self.lowering.name_of(node);
                self.lowering.use_name(name, at.block)
            }
            "this" if at.is_this_bound => {
                let name = self.lowering.name("this");
                self.lowering.use_name(name, at.block)
            }
            "this" => self.lowering.expression(Expression::This { scope: at.this }),
            "super" => self.lowering.expression(Expression::Super { scope: at.this }),
            "member_expression" => self.member_of(node, at),
            "subscript_expression" => self.subscript(node, at),
            "call_expression" => self.call(node, at),
            "new_expression" => self.make(node, at),
            "await_expression" => {
                let of = self.first(node, at);
                self.lowering.expression(Expression::Awaited { of })
            }
            "yield_expression" => {
                let value = self.first(node, at);
                self.results.push(value);
                ExpressionId(0)
            }
            "assignment_expression" => self.assignment(node, at),
            "augmented_assignment_expression" => self.augmented(node, at),
            "binary_expression" => self.condition(node, at).0,
            "unary_expression" => {
                self.first(node, at);
                match operator(node) {
                    "typeof" => self.text(),
                    "void" => self.literal(Literal::Null),
                    "!" | "delete" => self.literal(Literal::Boolean),
                    _ => self.literal(Literal::Integer),
                }
            }
            "update_expression" => {
                self.first(node, at);
                self.literal(Literal::Integer)
            }
            "ternary_expression" => self.ternary(node, at),
            "sequence_expression" => {
                let mut last = ExpressionId(0);
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    last = self.expression(child, at);
                }
                last
            }
            "type_assertion" => {
                let (Some(arguments), Some(inner)) = (node.named_child(0), node.named_child(1)) else {
                    return ExpressionId(0);
                };
                let of = self.expression(inner, at);
                match arguments.named_child(0).map(|to| self.written(to, at)) {
                    Some(to) => self.lowering.expression(Expression::Cast { of, to }),
                    None => of,
                }
            }
            "instantiation_expression" => self.first(node, at),
            "string" => self.string(node),
            "template_string" => self.template(node, at),
            "number" => self.literal(Literal::Integer),
            "true" | "false" => self.literal(Literal::Boolean),
            "null" | "undefined" => self.literal(Literal::Null),
            "regex" => self.literal(Literal::Pattern),
            "comment" | "property_identifier" | "statement_identifier" => ExpressionId(0),
            _ => {
                // JSX, errors of the parser and what is rare: only the calls in it matter.
                self.statements(node, at);
                ExpressionId(0)
            }
        }
    }

    /// Lowers the first part of a node.
    fn first(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let argument = node.child_by_field_name("argument");
        let argument = argument.or_else(|| node.named_child(0).filter(|child| child.kind() != "comment"));
        argument.map_or(ExpressionId(0), |argument| self.expression(argument, at))
    }

    fn member_of(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let (Some(object), Some(property)) = (node.child_by_field_name("object"), node.child_by_field_name("property"))
        else {
            return ExpressionId(0);
        };
        let of = self.expression(object, at);
        let name = self.lowering.name_of(property);
        self.lowering.expression(Expression::Member { of, name })
    }

    /// `a[b]`; `a["b"]` is `a.b`.
    fn subscript(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let Some(object) = node.child_by_field_name("object") else { return ExpressionId(0) };
        let of = self.expression(object, at);
        let index = node.child_by_field_name("index").map(|index| self.expression(index, at));
        let text = index.map(|index| self.lowering.code.expression(index));
        match text {
            Some(&Expression::Literal(Literal::Text(Some(name)))) => {
                self.lowering.expression(Expression::Member { of, name })
            }
            _ => self.lowering.expression(Expression::Element { of, index }),
        }
    }

    /// `a ||= b`, `a += b`.
    fn augmented(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return ExpressionId(0);
        };
        let first = self.expression(left, at);
        let second = self.expression(right, at);
        match operator(node) {
            "||=" | "??=" | "&&=" => self.either(&[first, second]),
            _ => self.literal(Literal::Integer),
        }
    }

    /// Lowers `left + right` and the like.
    pub(super) fn operation(&mut self, operator: &str, left: Node<'_>, right: Node<'_>, at: Place) -> ExpressionId {
        let left = self.expression(left, at);
        let right = Some(self.expression(right, at));
        match operator {
            "+" => {
                let operator = self.lowering.name(operator);
                self.lowering.expression(Expression::Operation { operator, left, right })
            }
            "<" | ">" | "<=" | ">=" | "in" => self.literal(Literal::Boolean),
            _ => self.literal(Literal::Integer),
        }
    }

    fn ternary(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let Some(condition) = node.child_by_field_name("condition") else { return ExpressionId(0) };
        let (_, known) = self.condition(condition, at);
        let mut both = Vec::with_capacity(2);
        for (field, told) in [("consequence", known.when_true), ("alternative", known.when_false)] {
            let Some(value) = node.child_by_field_name(field) else { continue };
            let mut inner = at;
            if !told.is_empty() {
                inner = self.block_in(at);
                self.know(told, inner.block);
            }
            both.push(self.expression(value, inner));
        }
        self.either(&both)
    }
}
