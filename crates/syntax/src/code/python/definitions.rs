//! Functions and classes: their parameters, decorators and bodies.

use model::{
    ByteSpan,
    code::{Base, BaseKind, Decoration, DefinitionId, Expression, Flags, ScopeId, TypeId},
};

use super::{Function, Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Writes what stands after decorators, and those.
    pub(super) fn decorated(&mut self, node: Node<'_>, place: Place) {
        let Some(decorated) = node.child_by_field_id(FIELDS.definition) else { return };
        let definition = decorated.child_by_field_id(FIELDS.name).and_then(|name| self.out.definition_named(name));
        let mut decorators = Vec::new();
        let mut cursor = node.walk();
        for decorator in node.named_children(&mut cursor).filter(|child| child.kind() == "decorator") {
            let Some(written) = decorator.named_child(0) else { continue };
            let expression = self.expression(written, place);
            decorators.push(written);
            if let Some(definition) = definition {
                let bytes = ByteSpan { start: decorator.start_byte() as u32, end: decorator.end_byte() as u32 };
                let line = written.start_position().row as u32 + 1;
                self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
            }
        }
        match decorated.kind() {
            "class_definition" => self.class(decorated, place),
            _ => self.function(decorated, place, &decorators),
        }
    }

    /// Writes a function.
    pub(super) fn function(&mut self, node: Node<'_>, place: Place, decorators: &[Node<'_>]) {
        let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
        let definition = self.out.definition_named(name);
        let is_method = place.class.is_some();
        let flags = self.flags(node, name, decorators, is_method);
        let signature = self.out.scope(place.scope, definition);
        let body = self.out.scope(place.around_functions(), definition);
        let mark = self.mark();
        let loops = std::mem::take(&mut self.loops);
        self.functions.push(Function::new(body));

        let mut type_parameters = self.type_parameters(node, signature);
        let mut parameters = Vec::new();
        if let Some(list) = node.child_by_field_id(FIELDS.parameters) {
            let mut cursor = list.walk();
            let mut receiver = place.class.filter(|_| !flags.has(Flags::STATIC));
            for parameter in list.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
                match receiver.take() {
                    Some(class) => self.receiver(parameter, class, signature, body),
                    None => parameters.extend(self.parameter(parameter, place, signature, body)),
                }
            }
        }
        let result = node.child_by_field_id(FIELDS.return_type);
        let declared = result.map(|declared| self.written(declared, signature));
        let sent = result.and_then(|result| self.sent(result, signature));
        if let Some(function) = self.functions.last_mut() {
            function.sent = sent;
        }
        type_parameters.extend(self.free_type_variables(place));

        let inner = Place { scope: body, outer: body, class: None, is_function: true };
        if let Some(block) = node.child_by_field_id(FIELDS.body) {
            self.block(block, inner);
        }
        self.changes.truncate(mark);
        self.loops = loops;
        let Some(function) = self.functions.pop() else { return };
        let Some(definition) = definition else { return };
        let shape = self.out.shape(definition);
        shape.flags = flags;
        if function.is_generator {
            shape.flags |= Flags::GENERATOR;
        }
        shape.type_parameters = type_parameters.into();
        shape.parameters = parameters.into();
        shape.declared = declared;
        shape.values = if function.is_generator { function.yielded } else { function.results }.into();
        shape.body = Some(body);
        self.name_definition(name, definition, place);
    }

    /// Returns the type that `Generator[A, B, C]` is sent.
    fn sent(&mut self, result: Node<'_>, scope: ScopeId) -> Option<TypeId> {
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
        let is_generator = matches!(self.last_text(name), "Generator" | "AsyncGenerator");
        is_generator.then(|| self.written(second, scope))
    }

    /// What is defined within a function or a class is bound like a value; what a module defines is known anyway.
    fn name_definition(&mut self, name: Node<'_>, definition: DefinitionId, place: Place) {
        if !place.is_function && place.class.is_none() {
            return;
        }
        let name = self.out.name_of(name);
        let value = self.out.expression(Expression::Definition(definition));
        self.assign(place.scope, name, None, Some(value));
    }

    fn flags(&self, node: Node<'_>, name: Node<'_>, decorators: &[Node<'_>], is_method: bool) -> Flags {
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
            match self.last_text(written) {
                "staticmethod" => flags |= Flags::STATIC,
                "classmethod" => flags |= Flags::CLASS_METHOD,
                "abstractmethod" => flags |= Flags::ABSTRACT,
                "abstractproperty" => flags |= Flags::ABSTRACT | Flags::PROPERTY,
                "overload" => flags |= Flags::DECLARATION,
                "setter" | "getter" | "deleter" => flags |= Flags::PROPERTY,
                other if is_method && other.ends_with("property") => flags |= Flags::PROPERTY,
                _ => {}
            }
        }
        flags
    }

    /// Writes a class.
    pub(super) fn class(&mut self, node: Node<'_>, place: Place) {
        let Some(name) = node.child_by_field_id(FIELDS.name) else { return };
        let definition = self.out.definition_named(name);
        let scope = self.out.scope(place.scope, definition);
        let mut type_parameters = self.type_parameters(node, scope);
        let mut bases = Vec::new();
        if let Some(list) = node.child_by_field_id(FIELDS.superclasses) {
            let mut cursor = list.walk();
            for base in list.named_children(&mut cursor) {
                match base.kind() {
                    "comment" => {}
                    "keyword_argument" => {
                        if let Some(value) = base.child_by_field_id(FIELDS.value) {
                            self.expression(value, place);
                        }
                    }
                    "identifier" | "attribute" => {
                        bases.push(Base { kind: BaseKind::Extend, base: self.written(base, place.scope) });
                    }
                    "subscript" => {
                        self.class_type_variables(base, &mut type_parameters);
                        bases.push(Base { kind: BaseKind::Extend, base: self.written(base, scope) });
                    }
                    _ => {
                        let value = self.expression(base, place);
                        let base = self.out.written(model::code::TypeExpression::Of(value));
                        bases.push(Base { kind: BaseKind::Extend, base });
                    }
                }
            }
        }
        if let Some(definition) = definition {
            let shape = self.out.shape(definition);
            shape.bases = bases.into();
            shape.type_parameters = type_parameters.into();
            shape.body = Some(scope);
        }
        let inner = Place { scope, outer: place.around_functions(), class: definition, is_function: false };
        let mark = self.mark();
        if let Some(body) = node.child_by_field_id(FIELDS.body) {
            self.block(body, inner);
        }
        self.changes.truncate(mark);
        if let Some(definition) = definition {
            self.name_definition(name, definition, place);
        }
    }

    /// `type A = B`.
    pub(super) fn type_alias(&mut self, node: Node<'_>, place: Place) {
        let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right))
        else {
            return;
        };
        let Some(name) = left.named_child(0) else { return };
        let name = if name.kind() == "generic_type" { name.named_child(0).unwrap_or(name) } else { name };
        let written = self.written(right, place.scope);
        if let Some(definition) = self.out.definition_named(name) {
            self.out.shape(definition).declared = Some(written);
        }
    }
}
