//! Functions and classes: their parameters, decorators and bodies.

use model::{
    ByteSpan,
    code::{Base, BaseKind, Decoration, DefinitionId, Expression, Flags, Parameter, ScopeId, TypeId},
};

use super::{OpenFunction, PythonLowering, StatementContext, fields::FIELDS};
use crate::node::SyntaxNode;

impl PythonLowering<'_, '_> {
    /// Lowers decorators and the definition after them.
    pub(super) fn lower_decorated(&mut self, node: SyntaxNode<'_>, context: StatementContext) {
        let Some(decorated) = node.child_by_field_id(FIELDS.definition) else { return };
        let definition = decorated.child_by_field_id(FIELDS.name).and_then(|name| self.out.definition_at(name));
        let mut decorators = Vec::new();
        let mut cursor = node.walk();
        for decorator in node.named_children(&mut cursor).filter(|child| child.kind() == "decorator") {
            let Some(written) = decorator.named_child(0) else { continue };
            let expression = self.lower_expression(written, context);
            decorators.push(written);
            if let Some(definition) = definition {
                let bytes = ByteSpan { start: decorator.start_byte() as u32, end: decorator.end_byte() as u32 };
                let line = written.start_position().row as u32 + 1;
                self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
            }
        }
        match decorated.kind() {
            "class_definition" => self.lower_class(decorated, context),
            _ => self.lower_function(decorated, context, &decorators),
        }
    }

    /// Lowers a function.
    pub(super) fn lower_function(
        &mut self,
        node: SyntaxNode<'_>,
        context: StatementContext,
        decorators: &[SyntaxNode<'_>],
    ) {
        let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
        let definition = self.out.definition_at(name);
        let is_method = context.class.is_some();
        let mut flags = self.function_flags(node, name, decorators, is_method);
        if context.is_fallback {
            flags |= Flags::CONDITIONAL;
        }
        let signature = self.out.open_scope(context.scope, definition);
        let body = self.out.open_scope(context.nested_function_scope(), definition);
        let mark = self.mark();
        let loops = std::mem::take(&mut self.loops);
        self.functions.push(OpenFunction::new(body));

        let mut type_parameters = self.lower_type_parameters(node, signature);
        let parameters = self.lower_parameters(node, context, flags, signature, body);
        let result = node.child_by_field_id(FIELDS.return_type);
        let declared = result.map(|declared| self.lower_type(declared, signature));
        let sent = result.and_then(|result| self.lower_send_type(result, signature));
        if let Some(function) = self.functions.last_mut() {
            function.sent = sent;
        }
        type_parameters.extend(self.take_free_type_variables(context));

        let inner = StatementContext { scope: body, outer: body, class: None, is_function: true, is_fallback: false };
        if let Some(block) = node.child_by_field_id(FIELDS.body) {
            self.lower_block(block, inner);
        }
        self.changes.truncate(mark);
        self.loops = loops;
        let Some(function) = self.functions.pop() else { return };
        let Some(definition) = definition else { return };
        let shape = self.out.shape_mut(definition);
        shape.flags = flags;
        if function.is_generator {
            shape.flags |= Flags::GENERATOR;
        }
        shape.type_parameters = type_parameters.into();
        shape.parameters = parameters.into();
        shape.declared = declared;
        shape.values = if function.is_generator { function.yielded } else { function.results }.into();
        shape.body = Some(body);
        self.bind_definition(name, definition, context);
    }

    /// Lowers the parameters of a function except the receiver of a method, and binds all of them.
    fn lower_parameters(
        &mut self,
        node: SyntaxNode<'_>,
        context: StatementContext,
        flags: Flags,
        signature: ScopeId,
        body: ScopeId,
    ) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        if let Some(list) = node.child_by_field_id(FIELDS.parameters) {
            let mut cursor = list.walk();
            let mut receiver = context.class.filter(|_| !flags.has(Flags::STATIC));
            for parameter in list.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
                match receiver.take() {
                    Some(class) => self.lower_receiver(parameter, class, signature, body),
                    None => parameters.extend(self.lower_parameter(parameter, context, signature, body)),
                }
            }
        }
        parameters
    }

    /// Returns the send type of `Generator[A, B, C]`.
    fn lower_send_type(&mut self, result: SyntaxNode<'_>, scope: ScopeId) -> Option<TypeId> {
        let written = result.named_child(0)?;
        let (name, second) = match written.kind() {
            "subscript" => {
                let mut cursor = written.walk();
                let second = written.children_by_field_name("subscript", &mut cursor).nth(1);
                (written.child_by_field_id(FIELDS.value)?, second?)
            }
            "generic_type" => (written.named_child(0)?, written.named_child(1)?.named_child(1)?),
            _ => return None,
        };
        let is_generator = matches!(self.last_name_text(name), "Generator" | "AsyncGenerator");
        is_generator.then(|| self.lower_type(second, scope))
    }

    /// Binds a definition in a function or class like a value. Definitions of a module need no binding.
    fn bind_definition(&mut self, name: SyntaxNode<'_>, definition: DefinitionId, context: StatementContext) {
        if !context.is_function && context.class.is_none() {
            return;
        }
        let name = self.out.intern_node(name);
        let value = self.out.add_expression(Expression::Definition(definition));
        self.assign(context.scope, name, None, Some(value));
    }

    fn function_flags(
        &self,
        node: SyntaxNode<'_>,
        name: SyntaxNode<'_>,
        decorators: &[SyntaxNode<'_>],
        is_method: bool,
    ) -> Flags {
        let mut flags = Flags::default();
        if node.child(0).is_some_and(|first| first.kind() == "async") {
            flags |= Flags::ASYNC;
        }
        if is_method && matches!(self.out.text(name), "__new__" | "__init_subclass__" | "__class_getitem__") {
            flags |= Flags::CLASS_METHOD;
        }
        for decorator in decorators {
            let written = match decorator.kind() {
                "call" => decorator.child_by_field_id(FIELDS.function).unwrap_or(*decorator),
                _ => *decorator,
            };
            match self.last_name_text(written) {
                "staticmethod" => flags |= Flags::STATIC,
                "classmethod" => flags |= Flags::CLASS_METHOD,
                "abstractmethod" => flags |= Flags::ABSTRACT,
                "abstractproperty" => flags |= Flags::ABSTRACT | Flags::PROPERTY,
                "overload" => flags |= Flags::DECLARATION,
                "setter" | "getter" | "deleter" => flags |= Flags::PROPERTY,
                // `reify` of Pyramid and aiohttp computes a value once.
                other if is_method && (other == "reify" || other.ends_with("property")) => flags |= Flags::PROPERTY,
                _ => {}
            }
        }
        flags
    }

    /// Lowers a class.
    pub(super) fn lower_class(&mut self, node: SyntaxNode<'_>, context: StatementContext) {
        let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
        let definition = self.out.definition_at(name);
        let scope = self.out.open_scope(context.scope, definition);
        let mut type_parameters = self.lower_type_parameters(node, scope);
        let mut bases = Vec::new();
        if let Some(list) = node.child_by_field_id(FIELDS.superclasses) {
            let mut cursor = list.walk();
            for base in list.named_children(&mut cursor) {
                match base.kind() {
                    "comment" => {}
                    "keyword_argument" => {
                        if let Some(value) = base.child_by_field_id(FIELDS.value) {
                            self.lower_expression(value, context);
                        }
                    }
                    "identifier" | "attribute" => {
                        bases.push(Base { kind: BaseKind::Extend, base: self.lower_type(base, context.scope) });
                    }
                    "subscript" => {
                        self.collect_class_type_variables(base, &mut type_parameters);
                        bases.push(Base { kind: BaseKind::Extend, base: self.lower_type(base, scope) });
                    }
                    _ => {
                        let value = self.lower_expression(base, context);
                        let base = self.out.add_type(model::code::TypeExpression::Of(value));
                        bases.push(Base { kind: BaseKind::Extend, base });
                    }
                }
            }
        }
        if let Some(definition) = definition {
            let shape = self.out.shape_mut(definition);
            shape.bases = bases.into();
            if context.is_fallback {
                shape.flags |= Flags::CONDITIONAL;
            }
            shape.type_parameters = type_parameters.into();
            shape.body = Some(scope);
        }
        let inner = StatementContext {
            scope,
            outer: context.nested_function_scope(),
            class: definition,
            is_function: false,
            is_fallback: false,
        };
        let mark = self.mark();
        if let Some(body) = node.child_by_field_id(FIELDS.body) {
            self.lower_block(body, inner);
        }
        self.changes.truncate(mark);
        if let Some(definition) = definition {
            self.bind_definition(name, definition, context);
        }
    }

    /// `type A = B`.
    pub(super) fn lower_type_alias(&mut self, node: SyntaxNode<'_>, context: StatementContext) {
        let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right))
        else {
            return;
        };
        let Some(name) = left.named_child(0) else { return };
        let name = if name.kind() == "generic_type" { name.named_child(0).unwrap_or(name) } else { name };
        let written = self.lower_type(right, context.scope);
        if let Some(definition) = self.out.definition_at(name) {
            self.out.shape_mut(definition).declared = Some(written);
        }
    }
}
