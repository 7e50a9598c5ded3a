//! Declarations of types: interfaces, aliases, enums and namespaces, with their members.

use model::code::{Base, BaseKind, DefinitionId, Expression, FieldFact, NameId, TypeExpression, TypeId};

use super::functions::function_flags;
use super::{Ecmascript, Place};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    pub(super) fn interface(&mut self, node: Node<'_>, at: Place) {
        let Some(definition) = self.definition_of(node) else { return };
        let inner = self.type_scope(definition, at);
        let type_parameters = self.type_parameters(node, inner);
        let mut bases = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() == "extends_type_clause") {
            let mut types = child.walk();
            for base in child.named_children(&mut types) {
                let base = self.written(base, inner);
                bases.push(Base { kind: BaseKind::Extend, base });
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            for (name, declared) in self.type_members(body, inner) {
                // What has a definition is a member by that; signatures without a name have none.
                if matches!(self.lowering.code.name(name), "new" | "()" | "[]") {
                    let field = FieldFact { owner: definition, name, declared: Some(declared), value: None };
                    self.lowering.code.fields.push(field);
                }
            }
        }
        let shape = self.lowering.shape(definition);
        shape.type_parameters = type_parameters;
        shape.bases = bases.into_boxed_slice();
        shape.body = Some(inner.block);
    }

    pub(super) fn alias(&mut self, node: Node<'_>, at: Place) {
        let Some(definition) = self.definition_of(node) else { return };
        let inner = self.type_scope(definition, at);
        let type_parameters = self.type_parameters(node, inner);
        let declared = node.child_by_field_name("value").map(|value| self.written(value, inner));
        let shape = self.lowering.shape(definition);
        shape.type_parameters = type_parameters;
        shape.declared = declared;
        shape.body = Some(inner.block);
    }

    pub(super) fn enumeration(&mut self, node: Node<'_>, at: Place) {
        if let (Some(name), Some(definition)) = (node.child_by_field_name("name"), self.definition_of(node)) {
            let itself = self.lowering.expression(Expression::Definition(definition));
            self.bind_definition(name, itself, at.block);
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            if let Some(value) = member.child_by_field_name("value") {
                self.expression(value, at);
            }
        }
    }

    /// `namespace A { … }`, `declare module 'a' { … }`.
    pub(super) fn namespace(&mut self, node: Node<'_>, at: Place) {
        let definition = self.definition_of(node);
        let scope = self.lowering.scope(at.block, definition);
        let inner =
            Place { block: scope, function: scope, this: scope, is_this_bound: false, owner: None, object: None };
        if let Some(definition) = definition {
            self.lowering.shape(definition).body = Some(scope);
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.statements(body, inner);
        }
    }

    /// Returns the members of an object type, each with its type. A member that is a definition is that definition.
    pub(super) fn type_members(&mut self, body: Node<'_>, at: Place) -> Vec<(NameId, TypeId)> {
        let mut members = Vec::new();
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let entry = self.deeper(|code| code.type_member(member, at)).flatten();
            members.extend(entry);
        }
        members
    }

    fn type_member(&mut self, node: Node<'_>, at: Place) -> Option<(NameId, TypeId)> {
        match node.kind() {
            "method_signature" => {
                let name = node.child_by_field_name("name")?;
                let definition = self.lowering.definition_named(name);
                self.signature(node, definition, at);
                let written = match definition {
                    Some(definition) => {
                        let itself = self.lowering.expression(Expression::Definition(definition));
                        self.lowering.written(TypeExpression::Of(itself))
                    }
                    None => self.function_type(node, "return_type", at),
                };
                Some((self.property_name(name), written))
            }
            "property_signature" => {
                let name = node.child_by_field_name("name")?;
                let written = node.child_by_field_name("type").and_then(|annotation| self.annotation(annotation, at));
                if let Some(definition) = self.lowering.definition_named(name) {
                    self.lowering.shape(definition).declared = written;
                }
                Some((self.property_name(name), written.unwrap_or(TypeId(0))))
            }
            "construct_signature" => {
                let written = self.function_type(node, "type", at);
                Some((self.lowering.name("new"), written))
            }
            "call_signature" => {
                let written = self.function_type(node, "return_type", at);
                Some((self.lowering.name("()"), written))
            }
            "index_signature" => {
                let written = node.child_by_field_name("type").and_then(|annotation| self.annotation(annotation, at));
                Some((self.lowering.name("[]"), written?))
            }
            _ => None,
        }
    }

    /// Lowers a method without a body.
    pub(super) fn signature(&mut self, node: Node<'_>, definition: Option<DefinitionId>, at: Place) {
        let Some(definition) = definition else { return };
        let scope = self.lowering.scope(at.block, Some(definition));
        let inner = Place { block: scope, ..at };
        let type_parameters = self.type_parameters(node, inner);
        let parameters = self.signature_parameters(node, inner);
        let declared =
            node.child_by_field_name("return_type").and_then(|annotation| self.annotation(annotation, inner));
        let flags = function_flags(node);
        let shape = self.lowering.shape(definition);
        shape.flags |= flags;
        shape.type_parameters = type_parameters;
        shape.parameters = parameters;
        // Without a type it is `any`, and there is no body that would tell more.
        shape.declared = Some(declared.unwrap_or(TypeId(0)));
        shape.body = Some(scope);
    }

    fn definition_of(&mut self, node: Node<'_>) -> Option<DefinitionId> {
        let name = node.child_by_field_name("name")?;
        self.lowering.definition_named(name)
    }

    fn type_scope(&mut self, definition: DefinitionId, at: Place) -> Place {
        let scope = self.lowering.scope(at.block, Some(definition));
        Place { block: scope, this: scope, is_this_bound: false, ..at }
    }
}
