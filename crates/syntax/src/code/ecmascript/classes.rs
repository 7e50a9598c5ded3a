//! Classes: bases, members and what decorates them.

use model::ByteSpan;
use model::code::{Base, BaseKind, Decoration, DefinitionId, Expression, ExpressionId, TypeExpression, TypeId};

use super::functions::function_flags;
use super::{Ecmascript, Place};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    /// Lowers a class, which is a definition or a value without a name.
    pub(super) fn class(&mut self, node: Node<'_>, definition: Option<DefinitionId>, at: Place) -> ExpressionId {
        let scope = self.lowering.scope(at.block, definition);
        let inner =
            Place { block: scope, function: scope, this: scope, is_this_bound: false, owner: definition, object: None };
        let type_parameters = self.type_parameters(node, inner);
        let mut bases = Vec::new();
        let mut decorators = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "class_heritage" => self.heritage(child, &mut bases, inner, at),
                "decorator" => decorators.push(child),
                _ => {}
            }
        }
        for decorator in decorators {
            self.decoration(decorator, definition, at);
        }
        if let Some(definition) = definition {
            let flags = function_flags(node);
            let shape = self.lowering.shape(definition);
            shape.flags |= flags;
            shape.type_parameters = type_parameters;
            shape.bases = bases.into_boxed_slice();
            shape.body = Some(scope);
        }
        if let Some(body) = node.child_by_field_name("body") {
            let outer_results = std::mem::take(&mut self.results);
            self.members(body, inner);
            self.results = outer_results;
        }
        match definition {
            Some(definition) => self.lowering.expression(Expression::Definition(definition)),
            None => ExpressionId(0),
        }
    }

    /// `extends a.B<C> implements D`; of JavaScript `extends b()`.
    fn heritage(&mut self, node: Node<'_>, bases: &mut Vec<Base>, inner: Place, at: Place) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "extends_clause" => {
                    let mut arguments = self.type_arguments(child, inner);
                    let mut values = child.walk();
                    for value in child.children_by_field_name("value", &mut values) {
                        let base = self.base(value, std::mem::take(&mut arguments), at);
                        bases.push(Base { kind: BaseKind::Extend, base });
                    }
                }
                "implements_clause" => {
                    let mut types = child.walk();
                    for written in child.named_children(&mut types) {
                        let base = self.written(written, inner);
                        bases.push(Base { kind: BaseKind::Implement, base });
                    }
                }
                _ => {
                    let base = self.base(child, Box::default(), at);
                    bases.push(Base { kind: BaseKind::Extend, base });
                }
            }
        }
    }

    fn base(&mut self, value: Node<'_>, arguments: Box<[TypeId]>, at: Place) -> TypeId {
        if let Some(path) = self.path_of(value) {
            return self.lowering.written(TypeExpression::Named { path, arguments, scope: at.block });
        }
        let value = self.expression(value, at);
        self.lowering.written(TypeExpression::Of(value))
    }

    fn members(&mut self, body: Node<'_>, at: Place) {
        let mut decorators = Vec::new();
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            if member.kind() == "comment" {
                self.read_comment(member, at);
                continue;
            }
            if member.kind() == "decorator" {
                decorators.push(member);
                continue;
            }
            let name = member.child_by_field_name("name").or_else(|| member.child_by_field_name("property"));
            let definition = name.and_then(|name| self.lowering.definition_named(name));
            let inside =
                member.children(&mut member.walk()).filter(|child| child.kind() == "decorator").collect::<Vec<_>>();
            for decorator in decorators.drain(..).chain(inside) {
                self.decoration(decorator, definition, at);
            }
            self.deeper(|code| code.member(member, name, definition, at));
            self.comment = None;
        }
    }

    fn member(&mut self, node: Node<'_>, name: Option<Node<'_>>, definition: Option<DefinitionId>, at: Place) {
        match node.kind() {
            "method_definition" => {
                if let Some(computed) = name.filter(|name| name.kind() == "computed_property_name") {
                    self.expression(computed, at);
                }
                self.function(node, definition, None, at);
            }
            "method_signature" | "abstract_method_signature" => self.signature(node, definition, at),
            "public_field_definition" | "field_definition" => {
                let value = node.child_by_field_name("value");
                let declared = self.declared_type(node, value, at);
                let value = value.map(|value| self.value(value, definition, declared, at));
                let Some(definition) = definition else { return };
                let flags = function_flags(node);
                let is_function = value
                    .is_some_and(|value| *self.lowering.code.expression(value) == Expression::Definition(definition));
                let shape = self.lowering.shape(definition);
                shape.flags |= flags;
                if !is_function {
                    shape.declared = declared;
                    shape.values = value.into_iter().collect();
                }
            }
            "class_static_block" => self.statements(node, at),
            _ => {}
        }
    }

    /// `@a`, `@a.b(c)`.
    pub(super) fn decoration(&mut self, node: Node<'_>, definition: Option<DefinitionId>, at: Place) {
        let Some(inner) = node.named_child(0) else { return };
        let expression = self.expression(inner, at);
        if let Some(definition) = definition {
            let line = inner.start_position().row as u32 + 1;
            let bytes = ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 };
            self.lowering.code.decorations.push(Decoration { definition, expression, line, bytes });
        }
    }
}
