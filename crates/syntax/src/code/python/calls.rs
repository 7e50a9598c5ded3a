//! Calls and what is given to them.

use model::code::{Expression, ExpressionId, TypeId};

use super::{OPAQUE, Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Writes a call and notes its place.
    pub(super) fn call(&mut self, node: Node<'_>, place: Place) -> ExpressionId {
        let Some(function) = node.child_by_field_id(FIELDS.function) else { return OPAQUE };
        let Some(given) = node.child_by_field_id(FIELDS.arguments) else { return OPAQUE };
        if function.kind() == "identifier" && self.out.text(function) == "super" && place.is_function {
            self.all(given, place);
            return self.out.expression(Expression::Super { scope: place.scope });
        }
        let callee = self.expression(function, place);
        let cast_to = self.cast(function, given, place);
        let arguments = match given.kind() {
            "argument_list" => self.arguments(function, callee, given, place),
            _ => vec![self.expression(given, place)],
        };
        let cast_of = arguments.get(1).copied();
        let call = Expression::Call { callee, type_arguments: Box::new([]), arguments: arguments.into() };
        let call = self.out.expression(call);
        let named = match function.kind() {
            "identifier" => Some(function),
            "attribute" => function.child_by_field_id(FIELDS.attribute),
            _ => None,
        };
        if let Some(named) = named {
            self.out.site(call, place.scope, named);
        }
        match (cast_to, cast_of) {
            (Some(to), Some(of)) => self.out.expression(Expression::Cast { of, to }),
            _ => call,
        }
    }

    /// Returns the type that `cast(A, value)` names.
    fn cast(&mut self, function: Node<'_>, given: Node<'_>, place: Place) -> Option<TypeId> {
        let is_cast = self.last_text(function) == "cast" && given.named_child_count() == 2;
        is_cast.then(|| given.named_child(0).map(|of| self.written(of, place.scope)))?
    }

    /// Arguments by position, then those by name, as what is left of one object.
    fn arguments(
        &mut self,
        function: Node<'_>,
        callee: ExpressionId,
        given: Node<'_>,
        place: Place,
    ) -> Vec<ExpressionId> {
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        let mut cursor = given.walk();
        for argument in given.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => {}
                "keyword_argument" => {
                    let name = argument.child_by_field_id(FIELDS.name);
                    let is_key = name.is_some_and(|name| self.out.text(name) == "key");
                    let value = match argument.child_by_field_id(FIELDS.value) {
                        Some(key) if is_key && key.kind() == "lambda" => {
                            let items = self.sorted(function, callee, arguments.first().copied());
                            self.lambda(key, place, items)
                        }
                        Some(value) => self.expression(value, place),
                        None => OPAQUE,
                    };
                    if let Some(name) = argument.child_by_field_id(FIELDS.name) {
                        named.push((self.out.name_of(name), value));
                    }
                }
                "dictionary_splat" => self.all(argument, place),
                "lambda" if arguments.is_empty() && matches!(self.out.text(function), "map" | "filter") => {
                    arguments.extend(self.mapped(argument, given, place));
                    break;
                }
                _ => arguments.push(self.expression(argument, place)),
            }
        }
        if !named.is_empty() {
            let of = self.out.expression(Expression::Object(named.into()));
            arguments.push(self.out.expression(Expression::Dereferenced { of }));
        }
        arguments
    }

    /// `map(lambda item: …, items)`: the function is given an item of what comes after it.
    fn mapped(&mut self, lambda: Node<'_>, given: Node<'_>, place: Place) -> Vec<ExpressionId> {
        let mut cursor = given.walk();
        let rest: Vec<ExpressionId> = given
            .named_children(&mut cursor)
            .filter(|argument| argument.kind() != "comment" && *argument != lambda)
            .map(|argument| self.expression(argument, place))
            .collect();
        let item = rest.first().map(|items| self.out.expression(Expression::Item { of: *items }));
        let function = self.lambda(lambda, place, item);
        std::iter::once(function).chain(rest).collect()
    }

    /// Returns an item of what a call compares by a key: `sorted(items, key=…)`, `items.sort(key=…)`.
    fn sorted(
        &mut self,
        function: Node<'_>,
        callee: ExpressionId,
        first: Option<ExpressionId>,
    ) -> Option<ExpressionId> {
        let of = match (self.out.text(function), self.out.code.expression(callee)) {
            ("sorted" | "min" | "max", _) => first?,
            (_, Expression::Member { of, name }) if self.out.code.name(*name) == "sort" => *of,
            _ => return None,
        };
        Some(self.out.expression(Expression::Item { of }))
    }
}
