//! Expressions, as far as types flow through them.

use model::code::{DefinitionId, Expression, ExpressionId, Literal, TypeId};

use super::narrowing::operator;
use super::{EcmascriptLowering, LexicalContext, OPAQUE};
use crate::node::SyntaxNode;

impl EcmascriptLowering<'_, '_> {
    /// Lowers a value that a definition may name, and that may have an expected type.
    pub(super) fn lower_value(
        &mut self,
        node: SyntaxNode<'_>,
        definition: Option<DefinitionId>,
        expected: Option<TypeId>,
        context: LexicalContext,
    ) -> ExpressionId {
        let lowered = self.deeper(|lowering| match node.kind() {
            "arrow_function" | "function_expression" | "generator_function" => {
                let named = node.child_by_field_name("name");
                let own = definition.or_else(|| named.and_then(|name| lowering.out.definition_at(name)));
                lowering.lower_function(node, own, expected, context)
            }
            "class" => {
                let named = node.child_by_field_name("name");
                let own = definition.or_else(|| named.and_then(|name| lowering.out.definition_at(name)));
                lowering.lower_class(node, own, context)
            }
            "object" => lowering.lower_object(node, expected, context),
            "array" => lowering.lower_array(node, expected, context),
            "satisfies_expression" | "non_null_expression" => match node.named_child(0) {
                Some(inner) => lowering.lower_value(inner, definition, expected, context),
                None => OPAQUE,
            },
            "parenthesized_expression" => {
                let Some(inner) = node.named_child(0) else { return OPAQUE };
                let to = lowering.jsdoc_cast(node, context);
                lowering.keep_inner_comment(inner);
                let of = lowering.lower_value(inner, definition, to.or(expected), context);
                lowering.cast(of, to)
            }
            "as_expression" => {
                let Some(inner) = node.named_child(0) else { return OPAQUE };
                let to = node.named_child(1).map(|to| lowering.lower_type(to, context));
                let of = lowering.lower_value(inner, definition, to.or(expected), context);
                lowering.cast(of, to)
            }
            _ => lowering.lower_expression_node(node, context),
        });
        lowered.unwrap_or(OPAQUE)
    }

    /// Returns a value as one of a type, unless it is a definition, which has a type of its own.
    fn cast(&mut self, of: ExpressionId, to: Option<TypeId>) -> ExpressionId {
        match to {
            Some(to) if !matches!(self.out.code.expression(of), Expression::Definition(_)) => {
                self.out.add_expression(Expression::Cast { of, to })
            }
            _ => of,
        }
    }

    /// Lowers an expression.
    pub(super) fn lower_expression(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        self.lower_value(node, None, None, context)
    }

    fn lower_expression_node(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        match node.kind() {
            "identifier" | "shorthand_property_identifier" => self.out.name_at(node, context.block),
            "this" if context.is_this_bound => {
                let name = self.out.intern("this");
                self.out.use_name(name, context.block)
            }
            "this" => self.out.add_expression(Expression::This { scope: context.this }),
            "super" => self.out.add_expression(Expression::Super { scope: context.this }),
            // `import.meta` is an object that the language gives to each module.
            "meta_property" => {
                let name = self.out.intern("import.meta");
                self.out.use_name(name, context.block)
            }
            "member_expression" => self.lower_member(node, context),
            "subscript_expression" => self.lower_subscript(node, context),
            "call_expression" => self.lower_call(node, context),
            "new_expression" => self.lower_new(node, context),
            "await_expression" => {
                let of = self.lower_first(node, context);
                self.out.add_expression(Expression::Awaited { of })
            }
            "yield_expression" => {
                let value = self.lower_first(node, context);
                self.results.push(value);
                OPAQUE
            }
            "assignment_expression" => self.lower_assignment(node, context),
            "augmented_assignment_expression" => self.lower_augmented_assignment(node, context),
            "binary_expression" => self.lower_condition(node, context).0,
            "unary_expression" => {
                self.lower_first(node, context);
                match operator(node) {
                    "typeof" => self.add_unknown_text(),
                    "void" => self.add_literal(Literal::Null),
                    "!" | "delete" => self.add_literal(Literal::Boolean),
                    _ => self.add_literal(Literal::Integer),
                }
            }
            "update_expression" => {
                self.lower_first(node, context);
                self.add_literal(Literal::Integer)
            }
            "ternary_expression" => self.lower_ternary(node, context),
            "sequence_expression" => {
                let mut last = OPAQUE;
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    last = self.lower_expression(child, context);
                }
                last
            }
            "type_assertion" => {
                let (Some(arguments), Some(inner)) = (node.named_child(0), node.named_child(1)) else {
                    return OPAQUE;
                };
                let of = self.lower_expression(inner, context);
                match arguments.named_child(0).map(|to| self.lower_type(to, context)) {
                    Some(to) => self.out.add_expression(Expression::Cast { of, to }),
                    None => of,
                }
            }
            "instantiation_expression" => self.lower_first(node, context),
            "string" => self.lower_string(node),
            "template_string" => self.lower_template(node, context),
            "number" => self.add_literal(Literal::Integer),
            "true" | "false" => self.add_literal(Literal::Boolean),
            "null" | "undefined" => self.add_literal(Literal::Null),
            "regex" => self.add_literal(Literal::Pattern),
            "comment" | "property_identifier" | "statement_identifier" => OPAQUE,
            _ => {
                // JSX, syntax errors and rare nodes: only the calls inside matter.
                self.lower_statements(node, context);
                OPAQUE
            }
        }
    }

    /// Lowers the argument or first child of a node.
    fn lower_first(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let argument = node.child_by_field_name("argument");
        let argument = argument.or_else(|| node.named_child(0).filter(|child| child.kind() != "comment"));
        argument.map_or(OPAQUE, |argument| self.lower_expression(argument, context))
    }

    fn lower_member(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let (Some(object), Some(property)) = (node.child_by_field_name("object"), node.child_by_field_name("property"))
        else {
            return OPAQUE;
        };
        let of = self.lower_expression(object, context);
        self.out.member_at(of, property, context.block)
    }

    /// `a[b]`; `a["b"]` is `a.b`.
    fn lower_subscript(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let Some(object) = node.child_by_field_name("object") else { return OPAQUE };
        let of = self.lower_expression(object, context);
        let index_node = node.child_by_field_name("index");
        let index = index_node.map(|index| self.lower_expression(index, context));
        let text = index.map(|index| self.out.code.expression(index));
        match (text, index_node) {
            (Some(&Expression::Literal(Literal::Text(Some(name)))), Some(index_node)) => {
                let member = self.out.add_expression(Expression::Member { of, name });
                self.out.add_access(member, context.block, index_node)
            }
            _ => self.out.add_expression(Expression::Element { of, index }),
        }
    }

    /// `a ||= b`, `a += b`.
    fn lower_augmented_assignment(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return OPAQUE;
        };
        let first = self.lower_expression(left, context);
        let second = self.lower_expression(right, context);
        match operator(node) {
            "||=" | "??=" | "&&=" => self.add_either(&[first, second]),
            _ => self.add_literal(Literal::Integer),
        }
    }

    /// Lowers arithmetic and comparison operators.
    pub(super) fn lower_operation(
        &mut self,
        operator: &str,
        left: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> ExpressionId {
        let left = self.lower_expression(left, context);
        let right = Some(self.lower_expression(right, context));
        match operator {
            "+" => {
                let operator = self.out.intern(operator);
                self.out.add_expression(Expression::Operation { operator, left, right })
            }
            "<" | ">" | "<=" | ">=" | "in" => self.add_literal(Literal::Boolean),
            _ => self.add_literal(Literal::Integer),
        }
    }

    fn lower_ternary(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let Some(condition) = node.child_by_field_name("condition") else { return OPAQUE };
        let (_, narrowings) = self.lower_condition(condition, context);
        let mut branches = Vec::with_capacity(2);
        for (field, implied) in [("consequence", narrowings.when_true), ("alternative", narrowings.when_false)] {
            let Some(value) = node.child_by_field_name(field) else { continue };
            let mut inner = context;
            if !implied.is_empty() {
                inner = self.open_block(context);
                self.bind_narrowings(implied, inner.block);
            }
            branches.push(self.lower_expression(value, inner));
        }
        self.add_either(&branches)
    }
}
