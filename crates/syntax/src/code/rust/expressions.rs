//! Expressions: paths, members, calls and operators.

use model::code::{Expression, ExpressionId, Literal, ScopeId, TypeExpression, TypeId};

use super::{OPAQUE, RustLowering, UNKNOWN_TYPE, first_child};
use crate::node::SyntaxNode;

/// Types of numbers. No suffix is the end of another one.
const NUMBER_SUFFIXES: [&str; 14] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64"];

impl RustLowering<'_, '_> {
    /// Lowers an expression or statement and returns its value. Returns `None` if the node is neither.
    pub(super) fn lower_value(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) -> Option<ExpressionId> {
        let value = match kind {
            "identifier" => self.out.name_at(node, scope),
            "self" => self.out.add_expression(Expression::This { scope }),
            "scoped_identifier" => self.lower_path(node, scope),
            "field_expression" => self.lower_member(node, scope),
            "call_expression" => self.lower_call(node, scope),
            "generic_function" => self.visit_field(node, "function", scope),
            "macro_invocation" => self.lower_macro_call(node, scope),
            "struct_expression" => self.lower_struct_literal(node, scope),
            "expression_statement" => self.lower_expression_statement(node, scope),
            "block" => {
                let inner = self.out.open_scope(scope, None);
                self.lower_statements(node, inner)
            }
            "unsafe_block" | "try_block" | "const_block" => self.lower_inner_block(node, scope),
            "async_block" | "gen_block" => {
                // Its `return` ends the block, not the function.
                self.results.push(Vec::new());
                let value = self.lower_inner_block(node, scope);
                self.results.pop();
                value
            }
            "reference_expression" => self.visit_field(node, "value", scope),
            "parenthesized_expression" => first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope)),
            "try_expression" => self.lower_wrapped(node, scope, |of| Expression::Tried { of }),
            "await_expression" => self.lower_wrapped(node, scope, |of| Expression::Awaited { of }),
            "unary_expression" => self.lower_unary(node, scope),
            "binary_expression" => self.lower_binary(node, scope),
            "range_expression" => self.lower_range(node, scope),
            "index_expression" => self.lower_index(node, scope),
            "type_cast_expression" => {
                let of = self.visit_field(node, "value", scope);
                let to = node.child_by_field_name("type").map_or(UNKNOWN_TYPE, |to| self.lower_type(to, scope));
                self.out.add_expression(Expression::Cast { of, to })
            }
            "tuple_expression" | "unit_expression" => {
                let parts = self.visit_each(node, scope);
                self.out.add_expression(Expression::Tuple(parts))
            }
            "array_expression" => self.lower_array(node, scope),
            "string_literal" | "raw_string_literal" => self.lower_string(node),
            "integer_literal" => self.lower_number(Literal::Integer, node, scope),
            "float_literal" => self.lower_number(Literal::Float, node, scope),
            "boolean_literal" => self.add_literal(Literal::Boolean),
            "char_literal" => self.add_literal(Literal::Character),
            _ => return self.lower_control_flow(kind, node, scope),
        };
        Some(value)
    }

    fn lower_inner_block(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let block = node.child_by_field_name("body").or_else(|| node.child_of_kind("block"));
        block.map_or(OPAQUE, |block| self.visit(block, scope))
    }

    fn lower_wrapped(
        &mut self,
        node: SyntaxNode<'_>,
        scope: ScopeId,
        write: impl FnOnce(ExpressionId) -> Expression,
    ) -> ExpressionId {
        let of = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
        if of == OPAQUE { OPAQUE } else { self.out.add_expression(write(of)) }
    }

    /// Lowers an expression statement. Without a semicolon its value is the value of the block.
    fn lower_expression_statement(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let value = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
        let n_children = node.child_count();
        let last = n_children.checked_sub(1).and_then(|last| node.child(last));
        // The parser inserts a missing semicolon at the end of macro arguments.
        if last.is_some_and(|last| last.kind() == ";" && !last.is_missing()) { OPAQUE } else { value }
    }

    /// Lowers `a::b`. The path before the last name is a module or a type.
    fn lower_path(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let Some(name) = node.child_by_field_name("name") else { return OPAQUE };
        let name_id = self.out.intern_node(name);
        let path = match node.child_by_field_name("path") {
            Some(head) => {
                let of = self.lower_path_prefix(head, scope);
                self.out.add_expression(Expression::Path { of, name: name_id })
            }
            None => self.out.use_name(name_id, scope),
        };
        self.out.add_access(path, scope, name)
    }

    fn lower_path_prefix(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let of = match node.kind() {
            "scoped_identifier" => self.lower_path(node, scope),
            "identifier" | "self" | "super" | "crate" if self.out.text(node) != "Self" => {
                let name = self.out.intern_node(node);
                self.out.use_name(name, scope)
            }
            "metavariable" => OPAQUE,
            _ => {
                let written = self.lower_type(node, scope);
                self.out.add_expression(Expression::Type(written))
            }
        };
        self.out.ascend();
        of
    }

    fn lower_member(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let of = self.visit_field(node, "value", scope);
        let Some(name) = node.child_by_field_name("field") else { return OPAQUE };
        self.out.member_at(of, name, scope)
    }

    fn lower_call(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let Some(function) = node.child_by_field_name("function") else { return OPAQUE };
        let (named, type_arguments) = match function.kind() {
            "generic_function" => {
                let types = function.child_by_field_name("type_arguments");
                let types = types.map_or_else(Box::default, |types| self.lower_type_arguments(types, scope));
                (function.child_by_field_name("function").unwrap_or(function), types)
            }
            _ => (function, Box::default()),
        };
        let mut callee = self.visit(named, scope);
        if named.kind() == "parenthesized_expression" {
            // `(a.b)()` calls the value of the field `b`, not a method.
            callee = self.out.add_expression(Expression::Either([callee].into()));
        }
        let arguments = node.child_by_field_name("arguments");
        let arguments = arguments.map_or_else(Box::default, |list| self.visit_each(list, scope));
        let call = self.out.add_expression(Expression::Call { callee, type_arguments, arguments });
        let name = |field: &str| named.child_by_field_name(field).unwrap_or(named);
        match named.kind() {
            "field_expression" => self.out.add_call_site(call, scope, name("field")),
            "scoped_identifier" => self.out.add_path_call_site(call, scope, named, name("name")),
            _ => self.out.add_call_site(call, scope, named),
        }
        call
    }

    /// Lowers `A { a: x, ..y }` as an object of its fields, without a call site.
    fn lower_struct_literal(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let type_node = node.child_by_field_name("name");
        let written = type_node.map_or(UNKNOWN_TYPE, |name| self.lower_type(name, scope));
        let mut fields = Vec::new();
        let mut names = Vec::new();
        if let Some(list) = node.child_by_field_name("body") {
            let mut cursor = list.walk();
            for field in list.named_children(&mut cursor) {
                let (name, value) = match field.kind() {
                    "field_initializer" => {
                        (field.child_by_field_name("field"), self.visit_field(field, "value", scope))
                    }
                    "shorthand_field_initializer" => {
                        let name = field.child_of_kind("identifier");
                        (name, name.map_or(OPAQUE, |name| self.visit(name, scope)))
                    }
                    _ => {
                        self.visit_children(field, scope);
                        continue;
                    }
                };
                if let Some(name) = name {
                    names.push(name);
                    fields.push((self.out.intern_node(name), value));
                }
            }
        }
        let fields = self.out.add_expression(Expression::Object(fields.into()));
        let made = self.out.add_expression(Expression::Make { made: written, arguments: [fields].into() });
        if let Some(type_node) = type_node {
            let whole = self.add_whole_variant(made, written, type_node, scope);
            for name in names {
                self.out.member_at(whole, name, scope);
            }
        }
        made
    }

    fn lower_unary(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let of = first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope));
        match node.child(0).map_or("", |operator| operator.kind()) {
            "*" => self.out.add_expression(Expression::Dereferenced { of }),
            operator => {
                let operator = self.out.intern(operator);
                self.out.add_expression(Expression::Operation { operator, left: of, right: None })
            }
        }
    }

    fn lower_binary(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let left = self.visit_field(node, "left", scope);
        let right = self.visit_field(node, "right", scope);
        let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
        match operator {
            "==" | "!=" | "<" | ">" | "<=" | ">=" => {
                self.add_comparison(left, right);
                self.add_literal(Literal::Boolean)
            }
            "&&" | "||" => self.add_literal(Literal::Boolean),
            operator => {
                let operator = self.out.intern(operator);
                self.out.add_expression(Expression::Operation { operator, left, right: Some(right) })
            }
        }
    }

    /// Records that two values have one type, if one of them is a call by path, whose type may follow from the other.
    pub(super) fn add_comparison(&mut self, left: ExpressionId, right: ExpressionId) {
        if self.is_path_call(left) || self.is_path_call(right) {
            self.out.add_expression(Expression::Either([left, right].into()));
        }
    }

    fn lower_range(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let ends = self.visit_each(node, scope);
        let operator = self.out.intern("..");
        let left = ends.first().copied().unwrap_or(OPAQUE);
        self.out.add_expression(Expression::Operation { operator, left, right: ends.get(1).copied() })
    }

    fn lower_index(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let parts = self.visit_each(node, scope);
        let Some(of) = parts.first().copied() else { return OPAQUE };
        self.out.add_expression(Expression::Element { of, index: parts.get(1).copied() })
    }

    /// `[a, b]` and `[a; n]`, in which only `a` is an item.
    fn lower_array(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let items = self.visit_each(node, scope);
        let items = match node.child_by_field_name("length") {
            Some(_) => items.iter().take(1).copied().collect(),
            None => items,
        };
        self.out.add_expression(Expression::List(items))
    }

    fn lower_string(&mut self, node: SyntaxNode<'_>) -> ExpressionId {
        if self.out.text(node).starts_with('b') {
            return self.add_literal(Literal::Bytes);
        }
        let content = node.child_of_kind("string_content");
        match content {
            Some(content) if node.named_child_count() == 1 => {
                let text = self.out.text(content);
                self.out.add_text_literal(text)
            }
            Some(_) => self.add_literal(Literal::Text(None)),
            None => self.out.add_text_literal(""),
        }
    }

    /// Lowers a number. One with a suffix, such as `2u8`, has the type of the suffix.
    fn lower_number(&mut self, literal: Literal, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let of = self.add_literal(literal);
        let text = self.out.text(node);
        let is_hexadecimal = text.starts_with("0x");
        let is_suffix = |suffix: &&&str| text.ends_with(**suffix) && !(is_hexadecimal && suffix.starts_with('f'));
        let Some(suffix) = NUMBER_SUFFIXES.iter().find(is_suffix) else { return of };
        let path = [self.out.intern(suffix)].into();
        let to = self.out.add_type(TypeExpression::Named { path, arguments: Box::default(), scope });
        self.out.add_expression(Expression::Cast { of, to })
    }

    pub(super) fn add_literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.add_expression(Expression::Literal(literal))
    }

    /// Returns the `Self` type.
    pub(super) fn add_self_type(&mut self, scope: ScopeId) -> TypeId {
        self.out.add_type(TypeExpression::This { scope })
    }
}
