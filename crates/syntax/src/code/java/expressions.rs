//! Expressions, as far as types flow through them.

use model::code::{Expression, ExpressionId, Literal, Parameter, ScopeId, TypeExpression, TypeId};

use super::declarations::is_typed_by_place;
use super::types::{UNKNOWN, is_type, n_dimensions, type_in};
use super::{Java, OPAQUE, child_of_kind, first_child, is_comment};
use crate::node::Node;

impl Java<'_, '_> {
    /// Writes an expression; nothing if the node is none.
    pub(super) fn expression(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) -> Option<ExpressionId> {
        Some(match kind {
            "identifier" => {
                let name = self.out.name_of(node);
                self.out.use_name(name, scope)
            }
            "method_invocation" => self.call(node, scope),
            "field_access" => self.field_access(node, scope),
            "string_literal" => self.text(node, scope),
            "decimal_integer_literal" | "hex_integer_literal" | "octal_integer_literal" | "binary_integer_literal" => {
                let literal = self.literal(Literal::Integer);
                if self.out.text(node).ends_with(['l', 'L']) { self.cast(literal, "long", scope) } else { literal }
            }
            "decimal_floating_point_literal" | "hex_floating_point_literal" => {
                let literal = self.literal(Literal::Float);
                if self.out.text(node).ends_with(['f', 'F']) { self.cast(literal, "float", scope) } else { literal }
            }
            "true" | "false" => self.literal(Literal::Boolean),
            "null_literal" => self.literal(Literal::Null),
            "character_literal" => self.literal(Literal::Character),
            "this" => self.out.expression(Expression::This { scope }),
            "super" => self.out.expression(Expression::Super { scope }),
            "parenthesized_expression" => first_child(node).map_or(OPAQUE, |inner| self.visit(inner, scope)),
            "object_creation_expression" => self.creation(node, scope),
            "explicit_constructor_invocation" => self.constructor_call(node, scope),
            "binary_expression" => self.binary(node, scope),
            "unary_expression" => self.unary(node, scope),
            "update_expression" => first_child(node).map_or(OPAQUE, |operand| self.visit(operand, scope)),
            "assignment_expression" => {
                let left = self.visit_field(node, "left", scope);
                let right = self.visit_field(node, "right", scope);
                if is_typed_by_place(self.out.code.expression(right)) {
                    let operator = self.out.name("=");
                    self.out.expression(Expression::Operation { operator, left, right: Some(right) });
                }
                left
            }
            "ternary_expression" => {
                self.visit_field(node, "condition", scope);
                let yes = self.visit_field(node, "consequence", scope);
                let no = self.visit_field(node, "alternative", scope);
                self.out.expression(Expression::Either([yes, no].into()))
            }
            "instanceof_expression" => self.instance_of(node, scope),
            "cast_expression" => self.cast_expression(node, scope),
            "array_access" => {
                let of = self.visit_field(node, "array", scope);
                let index = self.visit_field(node, "index", scope);
                self.out.expression(Expression::Element { of, index: Some(index) })
            }
            "array_creation_expression" => self.array(node, scope),
            "array_initializer" | "element_value_array_initializer" => {
                let items = self.all(node, scope);
                self.out.expression(Expression::List(items))
            }
            "lambda_expression" => self.lambda(node, scope),
            "method_reference" => self.method_reference(node, scope),
            "class_literal" => {
                let written = type_in(node).map_or(UNKNOWN, |written| self.written(written, scope));
                self.out.expression(Expression::Type(written))
            }
            "switch_expression" => self.switch(node, scope),
            _ => return None,
        })
    }

    fn literal(&mut self, literal: Literal) -> ExpressionId {
        self.out.expression(Expression::Literal(literal))
    }

    fn cast(&mut self, of: ExpressionId, name: &str, scope: ScopeId) -> ExpressionId {
        let to = self.written_name(name, scope);
        self.out.expression(Expression::Cast { of, to })
    }

    /// A text keeps what it says where that is one piece without escapes.
    fn text(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
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
            Some(fragment) if is_plain => self.out.text_literal(self.out.text(fragment)),
            None if is_plain => self.out.text_literal(""),
            _ => self.literal(Literal::Text(None)),
        }
    }

    fn all(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        let mut cursor = node.walk();
        let mut values = Vec::new();
        for child in node.named_children(&mut cursor).filter(|child| !is_comment(child.kind())) {
            values.push(self.visit(child, scope));
        }
        values.into()
    }

    pub(super) fn arguments(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        node.child_by_field_name("arguments").map_or([].into(), |list| self.all(list, scope))
    }

    fn call(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let Some(name_node) = node.child_by_field_name("name") else { return OPAQUE };
        let name = self.out.name_of(name_node);
        let callee = match node.child_by_field_name("object") {
            Some(object) => {
                let of = match child_of_kind(node, "super").filter(|other| *other != object) {
                    Some(_) => self.qualified(object, Expression::Super { scope }, scope),
                    None => self.visit(object, scope),
                };
                self.out.expression(Expression::Member { of, name })
            }
            None => self.out.use_name(name, scope),
        };
        let type_arguments = match node.child_by_field_name("type_arguments") {
            Some(list) => self.all_written(list, scope, 0),
            None => [].into(),
        };
        let arguments = self.arguments(node, scope);
        let call = self.out.expression(Expression::Call { callee, type_arguments, arguments });
        self.out.site(call, scope, name_node);
        call
    }

    /// `A.this` and `A.super`: the object seen as an `A`.
    fn qualified(&mut self, object: Node<'_>, of: Expression, scope: ScopeId) -> ExpressionId {
        let path = self.out.text(object);
        let path = path.split('.').map(|part| self.out.name(part.trim())).collect();
        let to = self.out.written(TypeExpression::Named { path, arguments: [].into(), scope });
        let of = self.out.expression(of);
        self.out.expression(Expression::Cast { of, to })
    }

    fn field_access(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let (Some(object), Some(field)) = (node.child_by_field_name("object"), node.child_by_field_name("field"))
        else {
            return OPAQUE;
        };
        if field.kind() == "this" {
            return self.qualified(object, Expression::This { scope }, scope);
        }
        let of = match child_of_kind(node, "super").filter(|other| *other != object) {
            Some(_) => self.qualified(object, Expression::Super { scope }, scope),
            None => self.visit(object, scope),
        };
        let name = self.out.name_of(field);
        self.out.expression(Expression::Member { of, name })
    }

    /// `new A(…)`, with the body of a class without a name or without.
    fn creation(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let Some(type_node) = node.child_by_field_name("type") else { return OPAQUE };
        let outer = node.named_child(0).filter(|outer| outer.start_byte() == node.start_byte());
        let made = match outer.filter(|outer| !is_comment(outer.kind()) && *outer != type_node) {
            Some(outer) => self.inner_type(outer, type_node, scope),
            None => self.written(type_node, scope),
        };
        let arguments = self.arguments(node, scope);
        let expression = self.out.expression(Expression::Make { made, arguments });
        self.out.site(expression, scope, type_node);
        if let Some(body) = child_of_kind(node, "class_body") {
            self.anonymous(body, made, expression, scope);
        }
        expression
    }

    /// The type of `outer.new A(…)`: one within the type of `outer`.
    fn inner_type(&mut self, outer: Node<'_>, type_node: Node<'_>, scope: ScopeId) -> TypeId {
        let outer = self.visit(outer, scope);
        let of = self.out.written(TypeExpression::Of(outer));
        let bare = if type_node.kind() == "generic_type" { first_child(type_node) } else { None };
        let name = self.out.name_of(bare.unwrap_or(type_node));
        self.out.written(TypeExpression::Member { of, name })
    }

    /// `this(…)` and `super(…)`.
    fn constructor_call(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let Some(constructor) = node.child_by_field_name("constructor") else { return OPAQUE };
        self.visit_field(node, "object", scope);
        let callee = self.visit(constructor, scope);
        let arguments = self.arguments(node, scope);
        let call = self.out.expression(Expression::Call { callee, type_arguments: [].into(), arguments });
        self.out.site(call, scope, constructor);
        call
    }

    /// Long sums lean to the left, and are taken down without going deeper.
    fn binary(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
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
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => self.literal(Literal::Boolean),
                _ => {
                    let operator = self.out.name(operator);
                    self.out.expression(Expression::Operation { operator, left: value, right: Some(operand) })
                }
            };
        }
        value
    }

    fn unary(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let left = self.visit_field(node, "operand", scope);
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.out.text(operator));
        if operator == "!" {
            return self.literal(Literal::Boolean);
        }
        let operator = self.out.name(operator);
        self.out.expression(Expression::Operation { operator, left, right: None })
    }

    fn instance_of(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let value = self.visit_field(node, "left", scope);
        if let Some(pattern) = node.child_by_field_name("pattern") {
            self.pattern(pattern, value, scope);
        } else if let (Some(name), Some(written)) =
            (node.child_by_field_name("name"), node.child_by_field_name("right"))
        {
            let declared = self.written(written, scope);
            let name = self.out.name_of(name);
            self.out.bind(scope, name, Some(declared), Some(value));
        }
        self.literal(Literal::Boolean)
    }

    fn cast_expression(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let mut cursor = node.walk();
        let mut types = Vec::new();
        for written in node.children_by_field_name("type", &mut cursor).filter(|child| is_type(child.kind())) {
            types.push(self.written(written, scope));
        }
        let to = match types.len() {
            0 => UNKNOWN,
            1 => types[0],
            _ => self.out.written(TypeExpression::Intersection(types.into())),
        };
        let of = self.visit_field(node, "value", scope);
        self.out.expression(Expression::Cast { of, to })
    }

    /// `new A[n]` and `new A[] {…}`.
    fn array(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let element = node.child_by_field_name("type").map_or(UNKNOWN, |element| self.written(element, scope));
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
        let to = self.list_of(element, depth);
        self.out.expression(Expression::Cast { of, to })
    }

    fn lambda(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let inner = self.out.scope(scope, None);
        let parameters =
            node.child_by_field_name("parameters").map_or([].into(), |list| self.lambda_parameters(list, inner));
        let results = match node.child_by_field_name("body") {
            Some(body) if body.kind() == "block" => {
                self.results.push(Vec::new());
                self.visit_children(body, inner);
                self.results.pop().unwrap_or_default()
            }
            Some(body) => vec![self.visit(body, inner)],
            None => Vec::new(),
        };
        self.out.expression(Expression::Function { scope: inner, parameters, results: results.into(), declared: None })
    }

    fn lambda_parameters(&mut self, list: Node<'_>, scope: ScopeId) -> Box<[Parameter]> {
        match list.kind() {
            "formal_parameters" => self.parameters(list, scope),
            "identifier" => [self.inferred_parameter(list, scope)].into(),
            _ => {
                let mut cursor = list.walk();
                let mut parameters = Vec::new();
                for child in list.named_children(&mut cursor).filter(|child| child.kind() == "identifier") {
                    parameters.push(self.inferred_parameter(child, scope));
                }
                parameters.into()
            }
        }
    }

    fn inferred_parameter(&mut self, node: Node<'_>, scope: ScopeId) -> Parameter {
        let name = self.out.name_of(node);
        self.out.bind(scope, name, None, None);
        Parameter { name, declared: None, is_optional: false, is_variadic: false }
    }

    /// `a::b`, where `a` is a value or a type; the making of a type is its `new`.
    fn method_reference(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let Some(first) = first_child(node) else { return OPAQUE };
        let of = if is_type(first.kind()) {
            let written = self.written(first, scope);
            self.out.expression(Expression::Type(written))
        } else {
            self.visit(first, scope)
        };
        let last = node.child(node.child_count().saturating_sub(1));
        let name = last.map_or("new", |last| self.out.text(last));
        let name = self.out.name(name);
        self.out.expression(Expression::Path { of, name })
    }
}
