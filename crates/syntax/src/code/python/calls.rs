//! Calls and their arguments.

use model::code::{Expression, ExpressionId, TypeId};

use super::{OPAQUE, PythonLowering, StatementContext, fields::FIELDS};
use crate::node::SyntaxNode;

impl PythonLowering<'_, '_> {
    /// Lowers a call and records its call site.
    pub(super) fn lower_call(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> ExpressionId {
        let Some(function) = node.child_by_field_id(FIELDS.function) else { return OPAQUE };
        let Some(argument_list) = node.child_by_field_id(FIELDS.arguments) else { return OPAQUE };
        if function.kind() == "identifier" && self.out.text(function) == "super" && context.is_function {
            self.lower_children(argument_list, context);
            return self.out.add_expression(Expression::Super { scope: context.scope });
        }
        let callee = self.lower_expression(function, context);
        let cast_to = self.cast_type(function, argument_list, context);
        let arguments = match argument_list.kind() {
            "argument_list" => self.lower_arguments(function, callee, argument_list, context),
            _ => vec![self.lower_expression(argument_list, context)],
        };
        let cast_of = arguments.get(1).copied();
        let call = Expression::Call { callee, type_arguments: Box::new([]), arguments: arguments.into() };
        let call = self.out.add_expression(call);
        let named = match function.kind() {
            "identifier" => Some(function),
            "attribute" => function.child_by_field_id(FIELDS.attribute),
            _ => None,
        };
        if let Some(named) = named {
            self.out.add_call_site(call, context.scope, named);
        }
        match (cast_to, cast_of) {
            (Some(to), Some(of)) => self.out.add_expression(Expression::Cast { of, to }),
            _ => call,
        }
    }

    /// Returns the type in `cast(A, value)`.
    fn cast_type(
        &mut self,
        function: SyntaxNode<'_>,
        argument_list: SyntaxNode<'_>,
        context: StatementContext,
    ) -> Option<TypeId> {
        let is_cast = self.last_name_text(function) == "cast" && argument_list.named_child_count() == 2;
        is_cast.then(|| argument_list.named_child(0).map(|of| self.lower_type(of, context.scope)))?
    }

    /// Lowers positional arguments, then keyword arguments as one dereferenced object.
    fn lower_arguments(
        &mut self,
        function: SyntaxNode<'_>,
        callee: ExpressionId,
        argument_list: SyntaxNode<'_>,
        context: StatementContext,
    ) -> Vec<ExpressionId> {
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        let mut cursor = argument_list.walk();
        for argument in argument_list.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => {}
                "keyword_argument" => {
                    let name = argument.child_by_field_id(FIELDS.name);
                    let is_key = name.is_some_and(|name| self.out.text(name) == "key");
                    let value = match argument.child_by_field_id(FIELDS.value) {
                        Some(key) if is_key && key.kind() == "lambda" => {
                            let items = self.sorted_item(function, callee, arguments.first().copied());
                            self.lower_lambda(key, context, items)
                        }
                        Some(value) => self.lower_expression(value, context),
                        None => OPAQUE,
                    };
                    if let Some(name) = argument.child_by_field_id(FIELDS.name) {
                        // The keyword may name a field of the made object.
                        let name_id = self.out.intern_node(name);
                        let field = self.out.add_expression(Expression::Path { of: callee, name: name_id });
                        self.out.add_access(field, context.scope, name);
                        named.push((self.out.intern_node(name), value));
                    }
                }
                "dictionary_splat" => {
                    self.lower_children(argument, context);
                    named.push((self.out.intern("**"), OPAQUE));
                }
                "lambda" if arguments.is_empty() && matches!(self.out.text(function), "map" | "filter") => {
                    arguments.extend(self.lower_map_arguments(argument, argument_list, context));
                    break;
                }
                _ => arguments.push(self.lower_expression(argument, context)),
            }
        }
        if !named.is_empty() {
            let of = self.out.add_expression(Expression::Object(named.into()));
            arguments.push(self.out.add_expression(Expression::Dereferenced { of }));
        }
        arguments
    }

    /// `map(lambda item: …, items)`: the function takes an item of the next argument.
    fn lower_map_arguments(
        &mut self,
        lambda: SyntaxNode<'_>,
        argument_list: SyntaxNode<'_>,
        context: StatementContext,
    ) -> Vec<ExpressionId> {
        let mut cursor = argument_list.walk();
        let rest: Vec<ExpressionId> = argument_list
            .named_children(&mut cursor)
            .filter(|argument| argument.kind() != "comment" && *argument != lambda)
            .map(|argument| self.lower_expression(argument, context))
            .collect();
        let item = rest.first().map(|items| self.out.add_expression(Expression::Item { of: *items }));
        let function = self.lower_lambda(lambda, context, item);
        std::iter::once(function).chain(rest).collect()
    }

    /// Returns an item of the value that a call sorts by a key: `sorted(items, key=…)`, `items.sort(key=…)`.
    fn sorted_item(
        &mut self,
        function: SyntaxNode<'_>,
        callee: ExpressionId,
        first: Option<ExpressionId>,
    ) -> Option<ExpressionId> {
        let of = match (self.out.text(function), self.out.code.expression(callee)) {
            ("sorted" | "min" | "max", _) => first?,
            (_, Expression::Member { of, name }) if self.out.code.name(*name) == "sort" => *of,
            _ => return None,
        };
        Some(self.out.add_expression(Expression::Item { of }))
    }
}
