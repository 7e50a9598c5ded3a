//! Expressions, as far as types flow through them.

use model::code::{Expression, ExpressionId, Literal, Parameter, ScopeId, TypeExpression, TypeId};

use super::declarations::is_context_typed;
use super::types::{first_type, is_type, n_dimensions};
use super::{JavaLowering, OPAQUE, UNKNOWN_TYPE, first_child, is_comment};
use crate::node::SyntaxNode;

/// Maximum number of parts of a text that are searched for a literal.
const MAX_TEXT_PARTS: usize = 8;

impl JavaLowering<'_, '_> {
    /// Lowers an expression. Returns `None` if the node is none.
    pub(super) fn lower_expression(
        &mut self,
        kind: &str,
        node: SyntaxNode<'_>,
        scope: ScopeId,
    ) -> Option<ExpressionId> {
        Some(match kind {
            "identifier" => self.out.name_at(node, scope),
            "method_invocation" => self.lower_call(node, scope),
            "field_access" => self.lower_field_access(node, scope),
            "string_literal" => self.lower_string(node, scope),
            "decimal_integer_literal" | "hex_integer_literal" | "octal_integer_literal" | "binary_integer_literal" => {
                let literal = self.add_literal(Literal::Integer);
                if self.out.text(node).ends_with(['l', 'L']) { self.add_cast(literal, "long", scope) } else { literal }
            }
            "decimal_floating_point_literal" | "hex_floating_point_literal" => {
                let literal = self.add_literal(Literal::Float);
                if self.out.text(node).ends_with(['f', 'F']) { self.add_cast(literal, "float", scope) } else { literal }
            }
            "true" | "false" => self.add_literal(Literal::Boolean),
            "null_literal" => self.add_literal(Literal::Null),
            "character_literal" => self.add_literal(Literal::Character),
            "this" => self.out.add_expression(Expression::This { scope }),
            "super" => self.out.add_expression(Expression::Super { scope }),
            "parenthesized_expression" => first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope)),
            "object_creation_expression" => self.lower_creation(node, scope),
            "explicit_constructor_invocation" => self.lower_constructor_call(node, scope),
            "binary_expression" => self.lower_binary(node, scope),
            "unary_expression" => self.lower_unary(node, scope),
            "update_expression" => first_child(node).map_or(OPAQUE, |operand| self.visit(operand, scope)),
            "assignment_expression" => {
                let left = self.visit_field(node, "left", scope);
                let right = self.visit_field(node, "right", scope);
                // The values of fields are known by their assignments.
                let is_field =
                    matches!(self.out.code.expression(left), Expression::Member { .. }) && node.has_child("=");
                // A branch gives a variable its text: `url = "http://cart/items"`.
                let is_name = matches!(self.out.code.expression(left), Expression::Name { .. }) && node.has_child("=");
                let is_text = is_name && self.may_be_text(right);
                if is_field || is_text || is_context_typed(self.out.code.expression(right)) {
                    let operator = self.out.intern("=");
                    self.out.add_expression(Expression::Operation { operator, left, right: Some(right) });
                }
                left
            }
            "ternary_expression" => {
                self.visit_field(node, "condition", scope);
                let yes = self.visit_field(node, "consequence", scope);
                let no = self.visit_field(node, "alternative", scope);
                self.out.add_expression(Expression::Either([yes, no].into()))
            }
            "instanceof_expression" => self.lower_instanceof(node, scope),
            "cast_expression" => self.lower_cast(node, scope),
            "array_access" => {
                let of = self.visit_field(node, "array", scope);
                let index = self.visit_field(node, "index", scope);
                self.out.add_expression(Expression::Element { of, index: Some(index) })
            }
            "array_creation_expression" => self.lower_array_creation(node, scope),
            "array_initializer" | "element_value_array_initializer" => {
                let items = self.visit_all(node, scope);
                self.out.add_expression(Expression::List(items))
            }
            "lambda_expression" => self.lower_lambda(node, scope),
            "method_reference" => self.lower_method_reference(node, scope),
            "class_literal" => {
                let written = first_type(node).map_or(UNKNOWN_TYPE, |written| self.lower_type(written, scope));
                self.out.add_expression(Expression::Type(written))
            }
            "switch_expression" => self.lower_switch(node, scope),
            _ => return None,
        })
    }

    fn add_literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.add_expression(Expression::Literal(literal))
    }

    fn add_cast(&mut self, of: ExpressionId, name: &str, scope: ScopeId) -> ExpressionId {
        let to = self.builtin_type(name, scope);
        self.out.add_expression(Expression::Cast { of, to })
    }

    /// Lowers a string. Its text is kept if it is one fragment without escapes.
    fn lower_string(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let mut cursor = node.walk();
        let mut fragment = None;
        let mut is_plain = true;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "string_fragment" | "multiline_string_fragment" if fragment.is_none() => fragment = Some(child),
                "string_interpolation" => {
                    is_plain = false;
                    self.visit_children(child, scope);
                }
                _ => is_plain = false,
            }
        }
        match fragment {
            Some(fragment) if is_plain => self.out.add_text_literal(self.out.text(fragment)),
            None if is_plain => self.out.add_text_literal(""),
            _ => self.add_literal(Literal::Text(None)),
        }
    }

    fn visit_all(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_comment(child.kind())) {
            values.push(self.visit(child, scope));
        }
        values.into()
    }

    pub(super) fn lower_arguments(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        node.child_by_field_name("arguments").map_or([].into(), |list| self.visit_all(list, scope))
    }

    fn lower_call(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let Some(name_node) = node.child_by_field_name("name") else { return OPAQUE };
        let name = self.out.intern_node(name_node);
        let callee = match node.child_by_field_name("object") {
            Some(object) => {
                let of = match node.child_of_kind("super").filter(|other| *other != object) {
                    Some(_) => self.lower_qualified_object(object, Expression::Super { scope }, scope),
                    None => self.visit(object, scope),
                };
                self.out.add_expression(Expression::Member { of, name })
            }
            None => self.out.use_name(name, scope),
        };
        let type_arguments = match node.child_by_field_name("type_arguments") {
            Some(list) => self.lower_types(list, scope, 0),
            None => [].into(),
        };
        let arguments = self.lower_arguments(node, scope);
        let call = self.out.add_expression(Expression::Call { callee, type_arguments, arguments });
        self.out.add_call_site(call, scope, name_node);
        call
    }

    /// `A.this` and `A.super`: the object as an `A`.
    fn lower_qualified_object(&mut self, object: SyntaxNode<'_>, of: Expression, scope: ScopeId) -> ExpressionId {
        let path = self.out.text(object);
        let path = path.split('.').map(|part| self.out.intern(part.trim())).collect();
        let to = self.out.add_type(TypeExpression::Named { path, arguments: [].into(), scope });
        let of = self.out.add_expression(of);
        self.out.add_expression(Expression::Cast { of, to })
    }

    fn lower_field_access(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let (Some(object), Some(field)) = (node.child_by_field_name("object"), node.child_by_field_name("field"))
        else {
            return OPAQUE;
        };
        if field.kind() == "this" {
            return self.lower_qualified_object(object, Expression::This { scope }, scope);
        }
        let of = match node.child_of_kind("super").filter(|other| *other != object) {
            Some(_) => self.lower_qualified_object(object, Expression::Super { scope }, scope),
            None => self.visit(object, scope),
        };
        self.out.member_at(of, field, scope)
    }

    /// `new A(…)`, with or without the body of an anonymous class.
    fn lower_creation(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let Some(type_node) = node.child_by_field_name("type") else { return OPAQUE };
        let outer = node.named_child(0).filter(|outer| outer.start_byte() == node.start_byte());
        let made = match outer.filter(|outer| !is_comment(outer.kind()) && *outer != type_node) {
            Some(outer) => self.lower_inner_type(outer, type_node, scope),
            None => self.lower_type(type_node, scope),
        };
        let arguments = self.lower_arguments(node, scope);
        let expression = self.out.add_expression(Expression::Make { made, arguments });
        self.out.add_call_site(expression, scope, type_node);
        if let Some(body) = node.child_of_kind("class_body") {
            self.lower_anonymous_class(body, made, expression, scope);
        }
        expression
    }

    /// Returns the type of `outer.new A(…)`: a member type of the type of `outer`.
    fn lower_inner_type(&mut self, outer: SyntaxNode<'_>, type_node: SyntaxNode<'_>, scope: ScopeId) -> TypeId {
        let outer = self.visit(outer, scope);
        let of = self.out.add_type(TypeExpression::Of(outer));
        let bare = if type_node.kind() == "generic_type" { first_child(type_node) } else { None };
        let name = self.out.intern_node(bare.unwrap_or(type_node));
        self.out.add_type(TypeExpression::Member { of, name })
    }

    /// `this(…)` and `super(…)`.
    fn lower_constructor_call(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let Some(constructor) = node.child_by_field_name("constructor") else { return OPAQUE };
        self.visit_field(node, "object", scope);
        let callee = self.visit(constructor, scope);
        let arguments = self.lower_arguments(node, scope);
        let call = self.out.add_expression(Expression::Call { callee, type_arguments: [].into(), arguments });
        self.out.add_call_site(call, scope, constructor);
        call
    }

    /// Returns true for a text, and for texts and values that are put together: `"http://cart/" + id`.
    fn may_be_text(&self, expression: ExpressionId) -> bool {
        let is_text =
            |one: ExpressionId| matches!(self.out.code.expression(one), Expression::Literal(Literal::Text(_)));
        let mut at = expression;
        for _ in 0..MAX_TEXT_PARTS {
            match self.out.code.expression(at) {
                Expression::Operation { right: Some(right), .. } if is_text(*right) => return true,
                Expression::Operation { left, right: Some(_), .. } => at = *left,
                _ => return is_text(at),
            }
        }
        false
    }

    /// Lowers a chain of binary operators in a loop, since it nests to the left and may be long.
    fn lower_binary(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let mut right = Vec::new();
        let mut at = node;
        while at.kind() == "binary_expression" {
            right.push((at.child_by_field_name("operator"), at.child_by_field_name("right")));
            match at.child_by_field_name("left") {
                Some(left) => at = left,
                None => break,
            }
        }
        let mut value = self.visit(at, scope);
        for (operator, operand) in right.into_iter().rev() {
            let operand = operand.map_or(OPAQUE, |operand| self.visit(operand, scope));
            let operator = operator.map_or("", |operator| self.out.text(operator));
            value = match operator {
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => self.add_literal(Literal::Boolean),
                _ => {
                    let operator = self.out.intern(operator);
                    self.out.add_expression(Expression::Operation { operator, left: value, right: Some(operand) })
                }
            };
        }
        value
    }

    fn lower_unary(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let left = self.visit_field(node, "operand", scope);
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.out.text(operator));
        if operator == "!" {
            return self.add_literal(Literal::Boolean);
        }
        let operator = self.out.intern(operator);
        self.out.add_expression(Expression::Operation { operator, left, right: None })
    }

    fn lower_instanceof(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let value = self.visit_field(node, "left", scope);
        if let Some(pattern) = node.child_by_field_name("pattern") {
            self.bind_pattern(pattern, value, scope);
        } else if let (Some(name), Some(written)) =
            (node.child_by_field_name("name"), node.child_by_field_name("right"))
        {
            let declared = self.lower_type(written, scope);
            let name = self.out.intern_node(name);
            self.out.bind(scope, name, Some(declared), Some(value));
        }
        self.add_literal(Literal::Boolean)
    }

    fn lower_cast(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for written in node.children_by_field_name("type", &mut cursor).filter(|child| is_type(child.kind())) {
            types.push(self.lower_type(written, scope));
        }
        let to = match types.len() {
            0 => UNKNOWN_TYPE,
            1 => types[0],
            _ => self.out.add_type(TypeExpression::Intersection(types.into())),
        };
        let of = self.visit_field(node, "value", scope);
        self.out.add_expression(Expression::Cast { of, to })
    }

    /// `new A[n]` and `new A[] {…}`.
    fn lower_array_creation(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let element = node.child_by_field_name("type").map_or(UNKNOWN_TYPE, |element| self.lower_type(element, scope));
        let mut cursor = node.walk();
        let mut depth = 0;
        let mut of = OPAQUE;
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "dimensions_expr" => {
                    depth += 1;
                    self.visit_children(child, scope);
                }
                "dimensions" => depth += n_dimensions(child),
                "array_initializer" => of = self.visit(child, scope),
                _ => {}
            }
        }
        let to = self.list_type(element, depth);
        self.out.add_expression(Expression::Cast { of, to })
    }

    fn lower_lambda(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let inner = self.out.open_scope(scope, None);
        let parameters =
            node.child_by_field_name("parameters").map_or([].into(), |list| self.lower_lambda_parameters(list, inner));
        let results = match node.child_by_field_name("body") {
            Some(body) if body.kind() == "block" => {
                self.results.push(Vec::new());
                self.visit_children(body, inner);
                self.results.pop().unwrap_or_default()
            }
            Some(body) => vec![self.visit(body, inner)],
            None => Vec::new(),
        };
        self.out.add_expression(Expression::Function {
            scope: inner,
            parameters,
            results: results.into(),
            declared: None,
        })
    }

    fn lower_lambda_parameters(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Box<[Parameter]> {
        match list.kind() {
            "formal_parameters" => self.lower_parameters(list, scope),
            "identifier" => [self.lower_inferred_parameter(list, scope)].into(),
            _ => {
                let mut cursor = list.walk();
                let mut parameters = Vec::new();
                for child in list.named_children(&mut cursor).filter(|child| child.kind() == "identifier") {
                    parameters.push(self.lower_inferred_parameter(child, scope));
                }
                parameters.into()
            }
        }
    }

    fn lower_inferred_parameter(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Parameter {
        let name = self.out.intern_node(node);
        self.out.bind(scope, name, None, None);
        Parameter { name, declared: None, is_optional: false, is_variadic: false }
    }

    /// `a::b`, where `a` is a value or a type. A constructor reference has the name `new`.
    fn lower_method_reference(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let Some(first) = first_child(node) else { return OPAQUE };
        let of = if is_type(first.kind()) {
            let written = self.lower_type(first, scope);
            self.out.add_expression(Expression::Type(written))
        } else {
            self.visit(first, scope)
        };
        let last = node.child(node.child_count().saturating_sub(1));
        let name = last.map_or("new", |last| self.out.text(last));
        let name = self.out.intern(name);
        self.out.add_expression(Expression::Path { of, name })
    }
}
