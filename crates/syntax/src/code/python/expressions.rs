//! Expressions, and the calls among them.

use model::code::{Expression, ExpressionId, Literal, NameId, Parameter};

use super::{OPAQUE, Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Writes an expression.
    pub(super) fn expression(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        if !self.out.descend() {
            return OPAQUE;
        }
        let value = self.one_expression(node, place);
        self.out.ascend();
        value
    }

    fn one_expression(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        match node.kind() {
            "identifier" => {
                let name = self.out.name_of(node);
                self.out.use_name(name, place.scope)
            }
            "attribute" => self.member(node, place),
            "call" => self.call(node, place),
            "string" | "concatenated_string" => self.text(node, place),
            "integer" => self.literal(Literal::Integer),
            "float" => self.literal(Literal::Float),
            "true" | "false" => self.literal(Literal::Boolean),
            "none" => self.literal(Literal::Null),
            "parenthesized_expression" => {
                let inner = node.named_children(&mut node.walk()).find(|child| child.kind() != "comment");
                inner.map_or(OPAQUE, |inner| self.expression(inner, place))
            }
            "await" => {
                let of = node.named_child(0).map_or(OPAQUE, |of| self.expression(of, place));
                if of == OPAQUE { OPAQUE } else { self.out.expression(Expression::Awaited { of }) }
            }
            "named_expression" => self.named(node, place),
            "conditional_expression" => self.choice(node, place),
            "boolean_operator" => self.junction(node, place),
            "comparison_operator" | "not_operator" => {
                self.all(node, place);
                self.literal(Literal::Boolean)
            }
            "binary_operator" => self.operation(node, place),
            "subscript" => self.subscript(node, place),
            "list" | "set" => {
                let items = self.items(node, place);
                self.out.expression(Expression::List(items.into()))
            }
            "tuple" | "expression_list" => {
                let items = self.items(node, place);
                self.out.expression(Expression::Tuple(items.into()))
            }
            "dictionary" => self.dictionary(node, place),
            "list_comprehension" | "set_comprehension" | "generator_expression" | "dictionary_comprehension" => {
                self.comprehension(node, place)
            }
            "lambda" => self.lambda(node, place, None),
            "yield" => self.yielded(node, place),
            "assignment" => self.assignment(node, place),
            "comment" | "type" => OPAQUE,
            "ERROR" => {
                self.block(node, place);
                OPAQUE
            }
            _ => {
                self.all(node, place);
                OPAQUE
            }
        }
    }

    /// Writes everything in a node, of which no value comes.
    pub(super) fn all(&mut self, node: Node<'_>, place: Place) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.expression(child, place);
        }
    }

    fn items(&mut self, node: Node<'_>, place: Place) -> Vec<ExpressionId> {
        let mut cursor = node.walk();
        let items = node.named_children(&mut cursor).filter(|item| item.kind() != "comment");
        items.map(|item| self.expression(item, place)).collect()
    }

    fn member(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        if let Some(part) = self.known_part(node) {
            return self.out.use_name(part, place.scope);
        }
        let of = node.child_by_field_id(FIELDS.object).map_or(OPAQUE, |object| self.expression(object, place));
        let Some(name) = node.child_by_field_id(FIELDS.attribute).map(|name| self.out.name_of(name)) else {
            return OPAQUE;
        };
        self.out.expression(Expression::Member { of, name })
    }

    /// A text; what is computed in it stands as `{}`.
    fn text(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let mut text = Some(String::new());
        self.text_of(node, place, &mut text);
        match text {
            Some(text) => self.out.text_literal(&text),
            None => self.literal(Literal::Text(None)),
        }
    }

    fn text_of(&mut self, node: Node<'_>, place: Place, text: &mut Option<String>) {
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor) {
            match part.kind() {
                "string" => self.text_of(part, place, text),
                "string_content" if part.named_child_count() > 0 => *text = None,
                "string_content" => {
                    let content = self.out.text(part);
                    // A longer one is not kept anyway.
                    *text = text.take().filter(|text| text.len() + content.len() < 400).map(|text| text + content);
                }
                "interpolation" => {
                    if let Some(text) = text {
                        text.push_str("{}");
                    }
                    self.all(part, place);
                }
                _ => {}
            }
        }
    }

    /// `name := value`.
    fn named(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let value = node.child_by_field_id(FIELDS.value).map_or(OPAQUE, |value| self.expression(value, place));
        if let Some(name) = node.child_by_field_id(FIELDS.name) {
            let name = self.out.name_of(name);
            self.assign(place.scope, name, None, Some(value));
        }
        value
    }

    /// `a if test else b`.
    fn choice(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let mut cursor = node.walk();
        let parts: Vec<Node> = node.named_children(&mut cursor).filter(|part| part.kind() != "comment").collect();
        let [first, test, second] = parts[..] else {
            self.all(node, place);
            return OPAQUE;
        };
        self.expression(test, place);
        let mark = self.mark();
        let (inner, other) = (self.branch(place), self.branch(place));
        self.assume(test, true, inner.scope);
        let first = self.expression(first, inner);
        self.assume(test, false, other.scope);
        let second = self.expression(second, other);
        self.changes.truncate(mark);
        self.out.expression(Expression::Either([first, second].into()))
    }

    /// `a and b`, `a or b`: the second is asked where the first holds, or does not.
    fn junction(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right))
        else {
            return OPAQUE;
        };
        let is_and = node.child_by_field_id(FIELDS.operator).is_some_and(|operator| operator.kind() == "and");
        let first = self.expression(left, place);
        let inner = self.branch(place);
        let mark = self.mark();
        self.assume(left, is_and, inner.scope);
        let second = self.expression(right, inner);
        let changes = self.changes.split_off(mark);
        // `a and (x := b)` binds in the function, whether or not it comes to it.
        for change in changes.into_iter().filter(|change| !change.is_test()) {
            let value = self.out.use_name(change.name(), inner.scope);
            self.assign(place.scope, change.name(), None, Some(value));
        }
        if is_and { second } else { self.out.expression(Expression::Either([first, second].into())) }
    }

    fn operation(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let left = node.child_by_field_id(FIELDS.left).map_or(OPAQUE, |left| self.expression(left, place));
        let right = node.child_by_field_id(FIELDS.right).map(|right| self.expression(right, place));
        let Some(operator) = node.child_by_field_id(FIELDS.operator) else { return OPAQUE };
        let operator = self.out.name(operator.kind());
        self.out.expression(Expression::Operation { operator, left, right })
    }

    fn subscript(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        if let Some(part) = self.known_part(node) {
            return self.out.use_name(part, place.scope);
        }
        let of = node.child_by_field_id(FIELDS.value).map_or(OPAQUE, |value| self.expression(value, place));
        let mut cursor = node.walk();
        let indices: Vec<Node> = node.children_by_field_name("subscript", &mut cursor).collect();
        let values: Vec<ExpressionId> = indices.iter().map(|index| self.expression(*index, place)).collect();
        match (&indices[..], &values[..]) {
            // A slice is of the same kind as what it is cut from.
            ([slice], _) if slice.kind() == "slice" => of,
            (_, [index]) if of != OPAQUE => self.out.expression(Expression::Element { of, index: Some(*index) }),
            _ if of != OPAQUE => self.out.expression(Expression::Element { of, index: None }),
            _ => OPAQUE,
        }
    }

    /// `{key: value}`; values of keys that are no texts have no name.
    fn dictionary(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let mut entries = Vec::new();
        let mut cursor = node.walk();
        for pair in node.named_children(&mut cursor) {
            if pair.kind() == "pair" {
                entries.push(self.pair(pair, place));
            } else {
                self.expression(pair, place);
            }
        }
        self.out.expression(Expression::Object(entries.into()))
    }

    fn pair(&mut self, pair: Node<'_>, place: Place) -> (NameId, ExpressionId) {
        let key = pair.child_by_field_id(FIELDS.key).map_or(OPAQUE, |key| self.expression(key, place));
        let value = pair.child_by_field_id(FIELDS.value).map_or(OPAQUE, |value| self.expression(value, place));
        let name = match self.out.code.expression(key) {
            Expression::Literal(Literal::Text(Some(name))) => *name,
            _ => self.out.name(""),
        };
        (name, value)
    }

    fn comprehension(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let mark = self.mark();
        let mut inner = self.branch(place);
        let mut cursor = node.walk();
        for clause in node.named_children(&mut cursor) {
            match clause.kind() {
                "for_in_clause" => {
                    let iterated = clause.child_by_field_id(FIELDS.right);
                    let of = iterated.map_or(OPAQUE, |iterated| self.expression(iterated, inner));
                    let item = self.out.expression(Expression::Item { of });
                    if let Some(left) = clause.child_by_field_id(FIELDS.left) {
                        self.target(left, item, inner);
                    }
                }
                "if_clause" => {
                    if let Some(test) = clause.named_child(0) {
                        self.expression(test, inner);
                        inner = self.branch(inner);
                        self.assume(test, true, inner.scope);
                    }
                }
                _ => {}
            }
        }
        let body = node.child_by_field_id(FIELDS.body);
        let value = match body {
            Some(pair) if pair.kind() == "pair" => {
                let (_, value) = self.pair(pair, inner);
                let name = self.out.name("");
                self.out.expression(Expression::Object([(name, value)].into()))
            }
            Some(body) => {
                let item = self.expression(body, inner);
                self.out.expression(Expression::List([item].into()))
            }
            None => OPAQUE,
        };
        self.changes.truncate(mark);
        value
    }

    /// A function without a name; `given` is what its first parameter is given, where that is known.
    pub(super) fn lambda(&mut self, node: Node<'_>, place: Place, given: Option<ExpressionId>) -> ExpressionId {
        let mark = self.mark();
        let scope = self.out.scope(place.around_functions(), None);
        let mut parameters: Vec<Parameter> = Vec::new();
        if let Some(list) = node.child_by_field_id(FIELDS.parameters) {
            let mut cursor = list.walk();
            for parameter in list.named_children(&mut cursor) {
                if let Some(parameter) = self.parameter(parameter, place, scope, scope) {
                    if parameters.is_empty() && given.is_some() {
                        self.out.bind(scope, parameter.name, None, given);
                    }
                    parameters.push(parameter);
                }
            }
        }
        let inner = Place { scope, outer: scope, class: None, is_function: true };
        let result = node.child_by_field_id(FIELDS.body).map_or(OPAQUE, |body| self.expression(body, inner));
        self.changes.truncate(mark);
        let results = [result].into();
        self.out.expression(Expression::Function { scope, parameters: parameters.into(), results, declared: None })
    }

    fn yielded(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let is_from = node.child(1).is_some_and(|second| second.kind() == "from");
        let mut value = node.named_child(0).map_or(OPAQUE, |value| self.expression(value, place));
        if is_from && value != OPAQUE {
            value = self.out.expression(Expression::Item { of: value });
        }
        let Some(function) = self.functions.last_mut() else { return OPAQUE };
        function.is_generator = true;
        function.yielded.push(value);
        match function.sent {
            Some(to) if !is_from => self.out.expression(Expression::Cast { of: value, to }),
            _ => OPAQUE,
        }
    }
}
