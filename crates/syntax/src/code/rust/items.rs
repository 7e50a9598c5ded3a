//! Items: functions, types, traits, implementations and modules, and their shapes.

use model::Language;
use model::code::{Base, BaseKind, DefinitionId, Extension, FieldFact, Flags, NameId, Parameter, ScopeId, Shape};

use super::{RustLowering, UNKNOWN_TYPE, is_ignorable};
use crate::grammar;
use crate::node::SyntaxNode;

impl RustLowering<'_, '_> {
    /// Lowers an item. Returns false if the node is none.
    pub(super) fn lower_item(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) -> bool {
        match kind {
            "function_item" | "function_signature_item" => self.lower_function(node, scope),
            "struct_item" | "union_item" => self.lower_struct(node, scope),
            "enum_item" => self.lower_enum(node, scope),
            "trait_item" => self.lower_trait(node, scope),
            "impl_item" => self.lower_impl(node, scope),
            "type_item" | "associated_type" => self.lower_type_alias(node, scope),
            "const_item" | "static_item" => self.lower_constant(node, scope),
            "mod_item" => self.lower_module(node, scope),
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

    pub(super) fn set_shape(&mut self, definition: Option<DefinitionId>, shape: Shape) {
        if let Some(definition) = definition {
            *self.out.shape_mut(definition) = shape;
        }
    }

    fn definition_of(&self, node: SyntaxNode<'_>) -> Option<DefinitionId> {
        node.child_by_field_name("name").and_then(|name| self.out.definition_at(name))
    }

    fn item_flags(&self, node: SyntaxNode<'_>) -> Flags {
        let is_public = node.child(0).is_some_and(|first| first.kind() == "visibility_modifier");
        self.context_flags() | if is_public { Flags::EXPORTED } else { Flags::default() }
    }

    fn lower_struct(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let definition = self.definition_of(node);
        let inner = self.out.open_scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, inner);
        if let Some(body) = node.child_by_field_name("body") {
            shape.parameters = self.lower_fields(body, definition, inner);
        }
        self.set_shape(definition, shape);
    }

    /// Lowers the fields of a struct or variant. Returns tuple fields as constructor parameters.
    fn lower_fields(&mut self, body: SyntaxNode<'_>, owner: Option<DefinitionId>, scope: ScopeId) -> Box<[Parameter]> {
        let mut parameters = Vec::new();
        let mut cursor = body.walk();
        let is_ordered = body.kind() == "ordered_field_declaration_list";
        for child in body.named_children(&mut cursor) {
            match child.kind() {
                "field_declaration" => {
                    let declared = child.child_by_field_name("type").map(|of| self.lower_type(of, scope));
                    let flags = self.item_flags(child);
                    let definition = self.definition_of(child);
                    self.set_shape(definition, Shape { flags, declared, ..Shape::default() });
                }
                "visibility_modifier" => {}
                kind if is_ordered && !is_ignorable(kind) => {
                    let declared = Some(self.lower_type(child, scope));
                    let name = self.out.intern(&parameters.len().to_string());
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

    fn lower_enum(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let definition = self.definition_of(node);
        let inner = self.out.open_scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, inner);
        self.set_shape(definition, shape);
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut cursor = body.walk();
        for variant in body.named_children(&mut cursor).filter(|child| child.kind() == "enum_variant") {
            let definition = self.definition_of(variant);
            let fields = variant.child_by_field_name("body");
            let parameters = fields.map_or_else(Box::default, |fields| self.lower_fields(fields, definition, inner));
            self.set_shape(definition, Shape { flags: Flags::STATIC, parameters, ..Shape::default() });
            self.visit_field(variant, "value", inner);
        }
    }

    fn lower_trait(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let definition = self.definition_of(node);
        let inner = self.out.open_scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, inner);
        if let Some(bounds) = node.child_by_field_name("bounds") {
            let bounds = self.lower_bounds(bounds, inner);
            shape.bases = bounds.iter().map(|&base| Base { kind: BaseKind::Extend, base }).collect();
        }
        self.set_shape(definition, shape);
        if let Some(body) = node.child_by_field_name("body") {
            self.lower_statements(body, inner);
        }
    }

    fn lower_impl(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let inner = self.out.open_scope(scope, None);
        let type_parameters = self.lower_type_parameters(node, inner);
        let of = node.child_by_field_name("type").map_or(UNKNOWN_TYPE, |of| self.lower_type(of, inner));
        let implements = node.child_by_field_name("trait").map(|of| self.lower_type(of, inner));
        if let Some(body) = node.child_by_field_name("body") {
            let (members, generated) = self.members_of(body);
            let (members, generated) = (members.into(), generated.into());
            // Added before the members are lowered, so that extensions inside them come after it.
            let extension = Extension { of, implements, type_parameters, members, generated, scope: inner };
            self.out.code.extensions.push(extension);
            self.lower_statements(body, inner);
        }
    }

    /// Returns the definitions in a block and in the expansions of its macros, and the names of the functions without a definition.
    fn members_of(&mut self, block: SyntaxNode<'_>) -> (Vec<DefinitionId>, Vec<NameId>) {
        let mut cursor = block.walk();
        let (mut members, mut generated) = (Vec::new(), Vec::new());
        for child in block.named_children(&mut cursor) {
            let expansion = self.out.expansion_of(child).zip(grammar::for_language(Language::Rust));
            if let Some((tree, grammar)) = expansion {
                let (inner_members, inner_generated) = self.members_of(SyntaxNode::root(tree, &grammar.names));
                members.extend(inner_members);
                generated.extend(inner_generated);
            } else if let Some(definition) = self.definition_of(child) {
                members.push(definition);
            } else if child.kind() == "function_item"
                && let Some(name) = child.child_by_field_name("name")
            {
                generated.push(self.out.intern_node(name));
            }
        }
        (members, generated)
    }

    fn lower_type_alias(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let definition = self.definition_of(node);
        let inner = self.out.open_scope(scope, definition);
        let mut shape = Shape { flags: self.item_flags(node), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, inner);
        let declared = node.child_by_field_name("type").or_else(|| node.child_by_field_name("bounds"));
        shape.declared = declared.map(|of| self.lower_type(of, inner));
        if node.kind() == "associated_type" {
            shape.flags |= Flags::ABSTRACT;
        }
        self.set_shape(definition, shape);
    }

    fn lower_constant(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let declared = node.child_by_field_name("type").map(|of| self.lower_type(of, scope));
        let value = node.child_by_field_name("value").map(|value| self.visit(value, scope));
        let Some(name) = node.child_by_field_name("name") else { return };
        match self.out.definition_at(name) {
            Some(definition) => {
                let flags = self.item_flags(node) | Flags::STATIC;
                let values = value.into_iter().collect();
                self.set_shape(Some(definition), Shape { flags, declared, values, ..Shape::default() });
            }
            // A constant inside a macro has no definition.
            None => {
                let name = self.out.intern_node(name);
                self.out.bind(scope, name, declared, value);
            }
        }
    }

    fn lower_module(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(body) = node.child_by_field_name("body") else { return };
        let definition = self.definition_of(node);
        let inner = self.out.open_scope(scope, definition);
        let shape = Shape { flags: self.item_flags(node), body: Some(inner), ..Shape::default() };
        self.set_shape(definition, shape);
        self.lower_statements(body, inner);
    }

    pub(super) fn has_modifier(&self, node: SyntaxNode<'_>, modifier: &str) -> bool {
        node.child_of_kind("function_modifiers").is_some_and(|all| all.child_of_kind(modifier).is_some())
    }
}
