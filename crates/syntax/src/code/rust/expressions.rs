//! Expressions: paths, members, calls, and what else types flow through.

use model::code::{Expression, ExpressionId, Literal, ScopeId, TypeExpression, TypeId};

use super::{OPAQUE, Rust, first_child};
use crate::node::Node;

impl Rust<'_, '_> {
    /// Returns the value of an expression or statement; nothing if the node is neither.
    pub(super) fn value(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) -> Option<ExpressionId> {
        let value = match kind {
            "identifier" => {
                let name = self.out.name_of(node);
                self.out.use_name(name, scope)
            }
            "self" => self.out.expression(Expression::This { scope }),
            "scoped_identifier" => self.path(node, scope),
            "field_expression" => self.member(node, scope),
            "call_expression" => self.call(node, scope),
            "generic_function" => self.visit_field(node, "function", scope),
            "macro_invocation" => self.macro_call(node, scope),
            "struct_expression" => self.make(node, scope),
            "expression_statement" => self.statement(node, scope),
            "block" => {
                let inner = self.out.scope(scope, None);
                self.statements(node, inner)
            }
            "async_block" | "unsafe_block" | "try_block" | "const_block" | "gen_block" => {
                let block = node.child_by_field_name("body").or_else(|| super::child_of_kind(node, "block"));
                block.map_or(OPAQUE, |block| self.visit(block, scope))
            }
            "reference_expression" => self.visit_field(node, "value", scope),
            "parenthesized_expression" => first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope)),
            "try_expression" => self.around(node, scope, |of| Expression::Tried { of }),
            "await_expression" => self.around(node, scope, |of| Expression::Awaited { of }),
            "unary_expression" => self.unary(node, scope),
            "binary_expression" => self.binary(node, scope),
            "range_expression" => self.range(node, scope),
            "index_expression" => self.element(node, scope),
            "type_cast_expression" => {
                let of = self.visit_field(node, "value", scope);
                let to = node.child_by_field_name("type").map_or(super::UNKNOWN, |to| self.written(to, scope));
                self.out.expression(Expression::Cast { of, to })
            }
            "tuple_expression" | "unit_expression" => {
                let parts = self.visit_each(node, scope);
                self.out.expression(Expression::Tuple(parts))
            }
            "array_expression" => self.array(node, scope),
            "string_literal" | "raw_string_literal" => self.text(node),
            "integer_literal" => self.literal(Literal::Integer),
            "float_literal" => self.literal(Literal::Float),
            "boolean_literal" => self.literal(Literal::Boolean),
            "char_literal" => self.literal(Literal::Character),
            _ => return self.control(kind, node, scope),
        };
        Some(value)
    }

    fn around(
        &mut self,
        node: Node<'_>,
        scope: ScopeId,
        write: impl FnOnce(ExpressionId) -> Expression,
    ) -> ExpressionId {
        let of = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
        if of == OPAQUE { OPAQUE } else { self.out.expression(write(of)) }
    }

    /// The last statement of a block without a semicolon is its value.
    fn statement(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let value = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
        let n_children = node.child_count();
        let last = n_children.checked_sub(1).and_then(|last| node.child(last));
        // The parser makes up a semicolon where what a macro takes ends.
        if last.is_some_and(|last| last.kind() == ";" && !last.is_missing()) { OPAQUE } else { value }
    }

    /// Writes `a::b`. What stands before the last name is a module or a type.
    fn path(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let Some(name) = node.child_by_field_name("name") else { return OPAQUE };
        let name = self.out.name_of(name);
        match node.child_by_field_name("path") {
            Some(head) => {
                let of = self.head(head, scope);
                self.out.expression(Expression::Path { of, name })
            }
            None => self.out.use_name(name, scope),
        }
    }

    fn head(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let of = match node.kind() {
            "scoped_identifier" => self.path(node, scope),
            "identifier" | "self" | "super" | "crate" if self.out.text(node) != "Self" => {
                let name = self.out.name_of(node);
                self.out.use_name(name, scope)
            }
            "metavariable" => OPAQUE,
            _ => {
                let written = self.written(node, scope);
                self.out.expression(Expression::Type(written))
            }
        };
        self.out.ascend();
        of
    }

    fn member(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let of = self.visit_field(node, "value", scope);
        let Some(name) = node.child_by_field_name("field") else { return OPAQUE };
        let name = self.out.name_of(name);
        self.out.expression(Expression::Member { of, name })
    }

    fn call(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let Some(function) = node.child_by_field_name("function") else { return OPAQUE };
        let (named, type_arguments) = match function.kind() {
            "generic_function" => {
                let types = function.child_by_field_name("type_arguments");
                let types = types.map_or_else(Box::default, |types| self.type_arguments(types, scope));
                (function.child_by_field_name("function").unwrap_or(function), types)
            }
            _ => (function, Box::default()),
        };
        let mut callee = self.visit(named, scope);
        if named.kind() == "parenthesized_expression" {
            // `(a.b)()` calls what the field `b` holds, and no method.
            callee = self.out.expression(Expression::Either([callee].into()));
        }
        let arguments = node.child_by_field_name("arguments");
        let arguments = arguments.map_or_else(Box::default, |list| self.visit_each(list, scope));
        let call = self.out.expression(Expression::Call { callee, type_arguments, arguments });
        let name = match named.kind() {
            "field_expression" => named.child_by_field_name("field"),
            "scoped_identifier" => named.child_by_field_name("name"),
            _ => None,
        };
        self.out.site(call, scope, name.unwrap_or(named));
        call
    }

    /// Writes `A { a: x, ..y }`: no call, but an object of its fields.
    fn make(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let made = node.child_by_field_name("name").map_or(super::UNKNOWN, |name| self.written(name, scope));
        let mut fields = Vec::new();
        if let Some(list) = node.child_by_field_name("body") {
            let mut cursor = list.walk();
            for field in list.named_children(&mut cursor) {
                let (name, value) = match field.kind() {
                    "field_initializer" => {
                        (field.child_by_field_name("field"), self.visit_field(field, "value", scope))
                    }
                    "shorthand_field_initializer" => {
                        let name = super::child_of_kind(field, "identifier");
                        (name, name.map_or(OPAQUE, |name| self.visit(name, scope)))
                    }
                    _ => {
                        self.visit_children(field, scope);
                        continue;
                    }
                };
                if let Some(name) = name {
                    fields.push((self.out.name_of(name), value));
                }
            }
        }
        let fields = self.out.expression(Expression::Object(fields.into()));
        self.out.expression(Expression::Make { made, arguments: [fields].into() })
    }

    fn unary(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let of = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
        match node.child(0).map_or("", |operator| operator.kind()) {
            "*" => self.out.expression(Expression::Dereferenced { of }),
            operator => {
                let operator = self.out.name(operator);
                self.out.expression(Expression::Operation { operator, left: of, right: None })
            }
        }
    }

    fn binary(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let left = self.visit_field(node, "left", scope);
        let right = self.visit_field(node, "right", scope);
        let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
        match operator {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => self.literal(Literal::Boolean),
            operator => {
                let operator = self.out.name(operator);
                self.out.expression(Expression::Operation { operator, left, right: Some(right) })
            }
        }
    }

    fn range(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let ends = self.visit_each(node, scope);
        let operator = self.out.name("..");
        let left = ends.first().copied().unwrap_or(OPAQUE);
        self.out.expression(Expression::Operation { operator, left, right: ends.get(1).copied() })
    }

    fn element(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let parts = self.visit_each(node, scope);
        let Some(of) = parts.first().copied() else { return OPAQUE };
        self.out.expression(Expression::Element { of, index: parts.get(1).copied() })
    }

    /// `[a, b]` and `[a; n]`, of which only `a` is an item.
    fn array(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let items = self.visit_each(node, scope);
        let items = match node.child_by_field_name("length") {
            Some(_) => items.iter().take(1).copied().collect(),
            None => items,
        };
        self.out.expression(Expression::List(items))
    }

    fn text(&mut self, node: Node<'_>) -> ExpressionId {
        if self.out.text(node).starts_with('b') {
            return self.literal(Literal::Bytes);
        }
        let content = super::child_of_kind(node, "string_content");
        match content {
            Some(content) if node.named_child_count() == 1 => {
                let text = self.out.text(content);
                self.out.text_literal(text)
            }
            Some(_) => self.literal(Literal::Text(None)),
            None => self.out.text_literal(""),
        }
    }

    pub(super) fn literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.expression(Expression::Literal(literal))
    }

    /// Returns a type as the value before `::`.
    pub(super) fn own_type(&mut self, scope: ScopeId) -> TypeId {
        self.out.written(TypeExpression::This { scope })
    }
}
