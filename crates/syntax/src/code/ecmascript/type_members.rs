//! Type declarations: interfaces, aliases, enums and namespaces, with their members.

use model::code::{Base, BaseKind, DefinitionId, Expression, FieldFact, NameId, TypeExpression, TypeId};

use super::functions::function_flags;
use super::{EcmascriptLowering, LexicalContext, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

impl EcmascriptLowering<'_, '_> {
    pub(super) fn lower_interface(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let Some(definition) = self.definition_of(node) else { return };
        let inner = self.open_type_scope(definition, context);
        let type_parameters = self.lower_type_parameters(node, inner);
        let mut bases = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind() == "extends_type_clause") {
            let mut types = child.walk();
            for base in child.named_children(&mut types) {
                let base = self.lower_type(base, inner);
                bases.push(Base { kind: BaseKind::Extend, base });
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            for (name, declared) in self.lower_type_members(body, inner) {
                // Members with a definition are known by it. Only signatures without a name need a field.
                if matches!(self.out.code.name(name), "new" | "()" | "[]") {
                    let field = FieldFact { owner: definition, name, declared: Some(declared), value: None };
                    self.out.code.fields.push(field);
                }
            }
        }
        let shape = self.out.shape_mut(definition);
        shape.type_parameters = type_parameters;
        shape.bases = bases.into_boxed_slice();
        shape.body = Some(inner.block);
    }

    pub(super) fn lower_alias(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let Some(definition) = self.definition_of(node) else { return };
        let inner = self.open_type_scope(definition, context);
        let type_parameters = self.lower_type_parameters(node, inner);
        let declared = node.child_by_field_name("value").map(|value| self.lower_type(value, inner));
        let shape = self.out.shape_mut(definition);
        shape.type_parameters = type_parameters;
        shape.declared = declared;
        shape.body = Some(inner.block);
    }

    pub(super) fn lower_enum(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        if let (Some(name), Some(definition)) = (node.child_by_field_name("name"), self.definition_of(node)) {
            let itself = self.out.add_expression(Expression::Definition(definition));
            self.bind_definition(name, itself, context.block);
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let value = member.child_by_field_name("value").map(|value| self.lower_expression(value, context));
            if let (Some(value), Some(definition)) = (value, self.definition_of(member)) {
                self.out.shape_mut(definition).values = Box::new([value]);
            }
        }
    }

    /// `namespace A { … }`, `declare module 'a' { … }`.
    pub(super) fn lower_namespace(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let definition = self.definition_of(node);
        let scope = self.out.open_scope(context.block, definition);
        let inner = LexicalContext {
            block: scope,
            function: scope,
            this: scope,
            is_this_bound: false,
            owner: None,
            object: None,
        };
        if let Some(definition) = definition {
            self.out.shape_mut(definition).body = Some(scope);
        }
        let is_other_module = node.child_by_field_name("name").is_some_and(|name| name.kind() == "string");
        if let Some(body) = node.child_by_field_name("body") {
            self.lower_statements(body, inner);
            if is_other_module {
                self.export_module_declarations(body);
            }
        }
    }

    /// Returns the members of an object type with their types. A member with a definition has the type of that
    /// definition.
    pub(super) fn lower_type_members(
        &mut self,
        body: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> Vec<(NameId, TypeId)> {
        let mut members = Vec::new();
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let entry = self.deeper(|lowering| lowering.lower_type_member(member, context)).flatten();
            members.extend(entry);
        }
        members
    }

    fn lower_type_member(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> Option<(NameId, TypeId)> {
        match node.kind() {
            "method_signature" => {
                let name = node.child_by_field_name("name")?;
                let definition = self.out.definition_at(name);
                self.lower_signature(node, definition, context);
                let written = match definition {
                    Some(definition) => {
                        let itself = self.out.add_expression(Expression::Definition(definition));
                        self.out.add_type(TypeExpression::Of(itself))
                    }
                    None => self.lower_function_type(node, "return_type", context),
                };
                Some((self.property_name(name), written))
            }
            "property_signature" => {
                let name = node.child_by_field_name("name")?;
                let written =
                    node.child_by_field_name("type").and_then(|annotation| self.lower_annotation(annotation, context));
                if let Some(definition) = self.out.definition_at(name) {
                    self.out.shape_mut(definition).declared = written;
                }
                Some((self.property_name(name), written.unwrap_or(UNKNOWN_TYPE)))
            }
            "construct_signature" => {
                let written = self.lower_function_type(node, "type", context);
                Some((self.out.intern("new"), written))
            }
            "call_signature" => {
                let written = self.lower_function_type(node, "return_type", context);
                Some((self.out.intern("()"), written))
            }
            "index_signature" => {
                let written =
                    node.child_by_field_name("type").and_then(|annotation| self.lower_annotation(annotation, context));
                Some((self.out.intern("[]"), written?))
            }
            _ => None,
        }
    }

    /// Lowers a method without a body.
    pub(super) fn lower_signature(
        &mut self,
        node: SyntaxNode<'_>,
        definition: Option<DefinitionId>,
        context: LexicalContext,
    ) {
        let Some(definition) = definition else { return };
        let scope = self.out.open_scope(context.block, Some(definition));
        let inner = LexicalContext { block: scope, ..context };
        let type_parameters = self.lower_type_parameters(node, inner);
        let parameters = self.lower_signature_parameters(node, inner);
        let declared =
            node.child_by_field_name("return_type").and_then(|annotation| self.lower_annotation(annotation, inner));
        let flags = function_flags(node);
        let shape = self.out.shape_mut(definition);
        shape.flags |= flags;
        shape.type_parameters = type_parameters;
        shape.parameters = parameters;
        // Without a declared type the result is `any`, and there is no body to infer it from.
        shape.declared = Some(declared.unwrap_or(UNKNOWN_TYPE));
        shape.body = Some(scope);
    }

    fn definition_of(&mut self, node: SyntaxNode<'_>) -> Option<DefinitionId> {
        let name = node.child_by_field_name("name")?;
        self.out.definition_at(name)
    }

    fn open_type_scope(&mut self, definition: DefinitionId, context: LexicalContext) -> LexicalContext {
        let scope = self.out.open_scope(context.block, Some(definition));
        LexicalContext { block: scope, this: scope, is_this_bound: false, ..context }
    }
}
