//! Items: functions, types, traits, implementations and modules, and what they look like from outside.

use model::code::{Base, BaseKind, DefinitionId, Extension, FieldFact, Flags, Parameter, ScopeId, Shape};

use super::{Rust, child_of_kind, is_beside};
use crate::node::Node;

impl Rust<'_, '_> {
    /// Writes an item; says whether the node is one.
    pub(super) fn item(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) -> bool {
        match kind {
            "function_item" | "function_signature_item" => self.function(node, scope),
            "struct_item" | "union_item" => self.structure(node, scope),
            "enum_item" => self.enumeration(node, scope),
            "trait_item" => self.a_trait(node, scope),
            "impl_item" => self.implementation(node, scope),
            "type_item" | "associated_type" => self.alias(node, scope),
            "const_item" | "static_item" => self.constant(node, scope),
            "mod_item" => self.module(node, scope),
            "use_declaration"
            | "extern_crate_declaration"
            | "macro_definition"
            | "attribute_item"
            | "inner_attribute_item"
            | "line_comment"
            | "block_comment"
            | "label"
            | "empty_statement" => {}
            _ => return false,
        }
        true
    }

    pub(super) fn keep(&mut self, definition: Option<DefinitionId>, shape: Shape) {
        if let Some(definition) = definition {
            *self.out.shape(definition) = shape;
        }
    }

    fn defined(&self, node: Node<'_>) -> Option<DefinitionId> {
        node.child_by_field_name("name").and_then(|name| self.out.definition_named(name))
    }

    fn item_flags(&self, node: Node<'_>) -> Flags {
        let is_public = node.child(0).is_some_and(|first| first.kind() == "visibility_modifier");
        self.flags() | if is_public { Flags::EXPORTED } else { Flags::default() }
    }

    fn structure(&mut self, node: Node<'_>, scope: ScopeId) {
        let definition = self.defined(node);
        let inner = self.out.scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, inner);
        if let Some(body) = node.child_by_field_name("body") {
            shape.parameters = self.own_fields(body, definition, inner);
        }
        self.keep(definition, shape);
    }

    /// Writes the fields of a struct or variant; those without names are returned as what makes it.
    fn own_fields(&mut self, body: Node<'_>, owner: Option<DefinitionId>, scope: ScopeId) -> Box<[Parameter]> {
        let mut parameters = Vec::new();
        let mut cursor = body.walk();
        let is_ordered = body.kind() == "ordered_field_declaration_list";
        for child in body.named_children(&mut cursor) {
            match child.kind() {
                "field_declaration" => {
                    let declared = child.child_by_field_name("type").map(|of| self.written(of, scope));
                    let flags = self.item_flags(child);
                    let definition = self.defined(child);
                    self.keep(definition, Shape { flags, declared, ..Shape::default() });
                }
                "visibility_modifier" => {}
                kind if is_ordered && !is_beside(kind) => {
                    let declared = Some(self.written(child, scope));
                    let name = self.out.name(&parameters.len().to_string());
                    parameters.push(Parameter { name, declared, is_optional: false, is_variadic: false });
                    if let Some(owner) = owner {
                        self.out.code.fields.push(FieldFact { owner, name, declared, value: None });
                    }
                }
                _ => {}
            }
        }
        parameters.into()
    }

    fn enumeration(&mut self, node: Node<'_>, scope: ScopeId) {
        let definition = self.defined(node);
        let inner = self.out.scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, inner);
        self.keep(definition, shape);
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut cursor = body.walk();
        for variant in body.named_children(&mut cursor).filter(|child| child.kind() == "enum_variant") {
            let definition = self.defined(variant);
            let fields = variant.child_by_field_name("body");
            let parameters = fields.map_or_else(Box::default, |fields| self.own_fields(fields, definition, inner));
            self.keep(definition, Shape { flags: Flags::STATIC, parameters, ..Shape::default() });
            self.visit_field(variant, "value", inner);
        }
    }

    fn a_trait(&mut self, node: Node<'_>, scope: ScopeId) {
        let definition = self.defined(node);
        let inner = self.out.scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, inner);
        if let Some(bounds) = node.child_by_field_name("bounds") {
            let bounds = self.bounds(bounds, inner);
            shape.bases = bounds.iter().map(|&base| Base { kind: BaseKind::Extend, base }).collect();
        }
        self.keep(definition, shape);
        if let Some(body) = node.child_by_field_name("body") {
            self.statements(body, inner);
        }
    }

    fn implementation(&mut self, node: Node<'_>, scope: ScopeId) {
        let inner = self.out.scope(scope, None);
        let type_parameters = self.type_parameters(node, inner);
        let of = node.child_by_field_name("type").map_or(super::UNKNOWN, |of| self.written(of, inner));
        let implements = node.child_by_field_name("trait").map(|of| self.written(of, inner));
        let mut members = Vec::new();
        if let Some(body) = node.child_by_field_name("body") {
            let mut cursor = body.walk();
            members.extend(body.named_children(&mut cursor).filter_map(|child| self.defined(child)));
            // Written before its members are, so that those in them come after it.
            let extension =
                Extension { of, implements, type_parameters, members: members.as_slice().into(), scope: inner };
            self.out.code.extensions.push(extension);
            self.statements(body, inner);
        }
    }

    fn alias(&mut self, node: Node<'_>, scope: ScopeId) {
        let definition = self.defined(node);
        let inner = self.out.scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, inner);
        let declared = node.child_by_field_name("type").or_else(|| node.child_by_field_name("bounds"));
        shape.declared = declared.map(|of| self.written(of, inner));
        if node.kind() == "associated_type" {
            shape.flags |= Flags::ABSTRACT;
        }
        self.keep(definition, shape);
    }

    fn constant(&mut self, node: Node<'_>, scope: ScopeId) {
        let declared = node.child_by_field_name("type").map(|of| self.written(of, scope));
        let value = node.child_by_field_name("value").map(|value| self.visit(value, scope));
        let Some(name) = node.child_by_field_name("name") else { return };
        match self.out.definition_named(name) {
            Some(definition) => {
                let flags = self.item_flags(node) | Flags::STATIC;
                let values = value.into_iter().collect();
                self.keep(Some(definition), Shape { flags, declared, values, ..Shape::default() });
            }
            // One that stands in a macro has no definition.
            None => {
                let name = self.out.name_of(name);
                self.out.bind(scope, name, declared, value);
            }
        }
    }

    fn module(&mut self, node: Node<'_>, scope: ScopeId) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let definition = self.defined(node);
        let inner = self.out.scope(scope, definition);
        let shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        self.keep(definition, shape);
        self.statements(body, inner);
    }

    pub(super) fn has_modifier(&self, node: Node<'_>, modifier: &str) -> bool {
        child_of_kind(node, "function_modifiers").is_some_and(|all| child_of_kind(all, modifier).is_some())
    }
}
