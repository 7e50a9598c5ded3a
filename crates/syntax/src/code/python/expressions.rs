//! Expressions, including the calls among them.

use model::code::{Expression, ExpressionId, Literal, NameId, Parameter};

use super::{OPAQUE, PythonLowering, StatementContext, fields::FIELDS};
use crate::node::SyntaxNode;

/// Maximum length in bytes of a string that is collected. The builder keeps no text of this length.
const MAX_STRING_BYTES: usize = 400;

impl PythonLowering<'_, '_> {
    /// Lowers an expression.
    pub(super) fn lower_expression(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let value = self.lower_expression_node(node, context);
        self.out.ascend();
        value
    }

    fn lower_expression_node(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        match node.kind() {
            "identifier" => self.out.name_at(node, context.scope),
            "attribute" => self.lower_member(node, context),
            "call" => self.lower_call(node, context),
            "string" | "concatenated_string" => self.lower_string(node, context),
            "integer" => self.add_literal(Literal::Integer),
            "float" => self.add_literal(Literal::Float),
            "true" | "false" => self.add_literal(Literal::Boolean),
            "none" => self.add_literal(Literal::Null),
            "parenthesized_expression" => {
                let inner = node.named_children(&mut node.walk()).find(|child| child.kind() != "comment");
                inner.map_or(OPAQUE, |inner| self.lower_expression(inner, context))
            }
            "await" => {
                let of = node.named_child(0).map_or(OPAQUE, |of| self.lower_expression(of, context));
                if of == OPAQUE { OPAQUE } else { self.out.add_expression(Expression::Awaited { of }) }
            }
            "named_expression" => self.lower_named_expression(node, context),
            "conditional_expression" => self.lower_conditional_expression(node, context),
            "boolean_operator" => self.lower_boolean_operator(node, context),
            "comparison_operator" | "not_operator" => {
                self.lower_children(node, context);
                self.add_literal(Literal::Boolean)
            }
            "binary_operator" => self.lower_operation(node, context),
            "subscript" => self.lower_subscript(node, context),
            "list" | "set" => {
                let items = self.lower_items(node, context);
                self.out.add_expression(Expression::List(items.into()))
            }
            "tuple" | "expression_list" => {
                let items = self.lower_items(node, context);
                self.out.add_expression(Expression::Tuple(items.into()))
            }
            "dictionary" => self.lower_dictionary(node, context),
            "list_comprehension" | "set_comprehension" | "generator_expression" | "dictionary_comprehension" => {
                self.lower_comprehension(node, context)
            }
            "lambda" => self.lower_lambda(node, context, None),
            "yield" => self.lower_yield(node, context),
            "assignment" => self.lower_assignment(node, context),
            "comment" | "type" => OPAQUE,
            "ERROR" => {
                self.lower_block(node, context);
                OPAQUE
            }
            _ => {
                self.lower_children(node, context);
                OPAQUE
            }
        }
    }

    /// Lowers all children of a node without a value.
    pub(super) fn lower_children(&mut self, node: SyntaxNode<'_>, context: StatementContext) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.lower_expression(child, context);
        }
    }

    fn lower_items(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Vec<ExpressionId> {
        let mut cursor = node.walk();
        let items = node.named_children(&mut cursor).filter(|item| item.kind() != "comment");
        items.map(|item| self.lower_expression(item, context)).collect()
    }

    fn lower_member(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        if let Some(part) = self.tracked_member(node) {
            self.access_tracked(part, node, context.scope);
            return self.out.use_name(part, context.scope);
        }
        let of = node.child_by_field_id(FIELDS.object).map_or(OPAQUE, |object| self.lower_expression(object, context));
        let Some(name) = node.child_by_field_id(FIELDS.attribute) else { return OPAQUE };
        self.out.member_at(of, name, context.scope)
    }

    /// Lowers a string. Interpolations are written as `{}`.
    fn lower_string(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let mut text = Some(String::new());
        let mut holes = Vec::new();
        self.append_text(node, context, &mut text, &mut holes);
        match text {
            Some(text) => self.out.add_interpolated_text(&text, holes),
            None => self.add_literal(Literal::Text(None)),
        }
    }

    fn append_text(
        &mut self,
        node: SyntaxNode<'_>,
        context: StatementContext,
        text: &mut Option<String>,
        holes: &mut Vec<ExpressionId>,
    ) {
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "string" => self.append_text(part, context, text, holes),
                "string_content" if part.named_child_count() > 0 => *text = None,
                "string_content" => {
                    let content = self.out.text(part);
                    *text = text
                        .take()
                        .filter(|text| text.len() + content.len() < MAX_STRING_BYTES)
                        .map(|text| text + content);
                }
                "interpolation" => {
                    if let Some(text) = text {
                        text.push_str("{}");
                    }
                    let mut inner = part.walk();
                    let values: Vec<ExpressionId> =
                        part.named_children(&mut inner).map(|child| self.lower_expression(child, context)).collect();
                    holes.push(values.first().copied().unwrap_or(OPAQUE));
                }
                _ => {}
            }
        }
    }

    /// `name := value`.
    fn lower_named_expression(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let value = node.child_by_field_id(FIELDS.value).map_or(OPAQUE, |value| self.lower_expression(value, context));
        if let Some(name) = node.child_by_field_id(FIELDS.name) {
            let name = self.out.intern_node(name);
            self.assign(context.scope, name, None, Some(value));
        }
        value
    }

    /// `a if test else b`.
    fn lower_conditional_expression(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let mut cursor = node.walk();
        let parts: Vec<SyntaxNode> = node.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect();
        let [first, test, second] = parts[..] else {
            self.lower_children(node, context);
            return OPAQUE;
        };
        self.lower_expression(test, context);
        let mark = self.mark();
        let (inner, other) = (self.open_branch(context), self.open_branch(context));
        self.narrow_by_test(test, true, inner.scope);
        let first = self.lower_expression(first, inner);
        self.narrow_by_test(test, false, other.scope);
        let second = self.lower_expression(second, other);
        self.changes.truncate(mark);
        self.out.add_expression(Expression::Either([first, second].into()))
    }

    /// `a and b`, `a or b`: the second operand is evaluated only if the first one holds, or fails.
    fn lower_boolean_operator(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right))
        else {
            return OPAQUE;
        };
        let is_and = node.child_by_field_id(FIELDS.operator).is_some_and(|operator| operator.kind() == "and");
        let first = self.lower_expression(left, context);
        let inner = self.open_branch(context);
        let mark = self.mark();
        self.narrow_by_test(left, is_and, inner.scope);
        let second = self.lower_expression(right, inner);
        let changes = self.changes.split_off(mark);
        // `a and (x := b)` binds in the function, even if `b` is not evaluated.
        for change in changes.into_iter().filter(|change| !change.is_test()) {
            let value = self.out.use_name(change.name(), inner.scope);
            self.assign(context.scope, change.name(), None, Some(value));
        }
        if is_and { second } else { self.out.add_expression(Expression::Either([first, second].into())) }
    }

    fn lower_operation(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let left = node.child_by_field_id(FIELDS.left).map_or(OPAQUE, |left| self.lower_expression(left, context));
        let right = node.child_by_field_id(FIELDS.right).map(|right| self.lower_expression(right, context));
        let Some(operator) = node.child_by_field_id(FIELDS.operator) else { return OPAQUE };
        let operator = self.out.intern(operator.kind());
        self.out.add_expression(Expression::Operation { operator, left, right })
    }

    fn lower_subscript(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        if let Some(part) = self.tracked_member(node) {
            return self.out.use_name(part, context.scope);
        }
        let of = node.child_by_field_id(FIELDS.value).map_or(OPAQUE, |value| self.lower_expression(value, context));
        let mut cursor = node.walk();
        let indices: Vec<SyntaxNode> = node.children_by_field_name("subscript", &mut cursor).collect();
        let values: Vec<ExpressionId> = indices.iter().map(|index| self.lower_expression(*index, context)).collect();
        match (&indices[..], &values[..]) {
            // A slice has the type of the sliced value.
            ([slice], _) if slice.kind() == "slice" => of,
            (_, [index]) if of != OPAQUE => self.out.add_expression(Expression::Element { of, index: Some(*index) }),
            _ if of != OPAQUE => self.out.add_expression(Expression::Element { of, index: None }),
            _ => OPAQUE,
        }
    }

    /// `{key: value}`. A value whose key is not a string has an empty name.
    fn lower_dictionary(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let mut entries = Vec::new();
        let mut cursor = node.walk();
        for pair in node.named_children(&mut cursor) {
            if pair.kind() == "pair" {
                entries.push(self.lower_pair(pair, context));
            } else {
                self.lower_expression(pair, context);
            }
        }
        self.out.add_expression(Expression::Object(entries.into()))
    }

    fn lower_pair(&mut self, pair: SyntaxNode<'_>, context: StatementContext) -> (NameId, ExpressionId) {
        let key = pair.child_by_field_id(FIELDS.key).map_or(OPAQUE, |key| self.lower_expression(key, context));
        let value = pair.child_by_field_id(FIELDS.value).map_or(OPAQUE, |value| self.lower_expression(value, context));
        let name = match self.out.code.expression(key) {
            Expression::Literal(Literal::Text(Some(name))) => *name,
            _ => self.out.intern(""),
        };
        (name, value)
    }

    fn lower_comprehension(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let mark = self.mark();
        let mut inner = self.open_branch(context);
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor) {
            match clause.kind() {
                "for_in_clause" => {
                    let iterated = clause.child_by_field_id(FIELDS.right);
                    let of = iterated.map_or(OPAQUE, |iterated| self.lower_expression(iterated, inner));
                    let item = self.out.add_expression(Expression::Item { of });
                    if let Some(left) = clause.child_by_field_id(FIELDS.left) {
                        self.bind_target(left, item, inner);
                    }
                }
                "if_clause" => {
                    if let Some(test) = clause.named_child(0) {
                        self.lower_expression(test, inner);
                        inner = self.open_branch(inner);
                        self.narrow_by_test(test, true, inner.scope);
                    }
                }
                _ => {}
            }
        }
        let body = node.child_by_field_id(FIELDS.body);
        let value = match body {
            Some(pair) if pair.kind() == "pair" => {
                let (_, value) = self.lower_pair(pair, inner);
                let name = self.out.intern("");
                self.out.add_expression(Expression::Object([(name, value)].into()))
            }
            Some(body) => {
                let item = self.lower_expression(body, inner);
                self.out.add_expression(Expression::List([item].into()))
            }
            None => OPAQUE,
        };
        self.changes.truncate(mark);
        value
    }

    /// Lowers a lambda. `first_argument` is the argument of its first parameter, if known.
    pub(super) fn lower_lambda(
        &mut self,
        node: SyntaxNode<'_>,
        context: StatementContext,
        first_argument: Option<ExpressionId>,
    ) -> ExpressionId {
        let mark = self.mark();
        let scope = self.out.open_scope(context.nested_function_scope(), None);
        let mut parameters: Vec<Parameter> = Vec::new();
        if let Some(list) = node.child_by_field_id(FIELDS.parameters) {
            let mut cursor = list.walk();
            for parameter in list.named_children(&mut cursor) {
                if let Some(parameter) = self.lower_parameter(parameter, context, scope, scope) {
                    if parameters.is_empty() && first_argument.is_some() {
                        self.out.bind(scope, parameter.name, None, first_argument);
                    }
                    parameters.push(parameter);
                }
            }
        }
        let inner = StatementContext { scope, outer: scope, class: None, is_function: true, is_fallback: false };
        let result = node.child_by_field_id(FIELDS.body).map_or(OPAQUE, |body| self.lower_expression(body, inner));
        self.changes.truncate(mark);
        let results = [result].into();
        self.out.add_expression(Expression::Function { scope, parameters: parameters.into(), results, declared: None })
    }

    fn lower_yield(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let is_from = node.child(1).is_some_and(|second| second.kind() == "from");
        let mut value = node.named_child(0).map_or(OPAQUE, |value| self.lower_expression(value, context));
        if is_from && value != OPAQUE {
            value = self.out.add_expression(Expression::Item { of: value });
        }
        let Some(function) = self.functions.last_mut() else { return OPAQUE };
        function.is_generator = true;
        function.yielded.push(value);
        match function.sent {
            Some(to) if !is_from => self.out.add_expression(Expression::Cast { of: value, to }),
            _ => OPAQUE,
        }
    }
}
