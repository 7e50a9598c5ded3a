//! Declarations: types, their members, and their shapes.

use model::ByteSpan;
use model::code::{
    Anonymous, Base, BaseKind, Decoration, DefinitionId, Expression, ExpressionId, Flags, Parameter, ScopeId, Shape,
    TypeId,
};

use super::types::first_type;
use super::{JavaLowering, OPAQUE, UNKNOWN_TYPE, first_child, is_comment};
use crate::node::SyntaxNode;

/// An enclosing type.
pub(super) struct EnclosingType {
    written: TypeId,
    /// The components of a record.
    components: Box<[Parameter]>,
}

/// Result types of methods that put the address of a request or its client together.
const ADDRESS_TYPES: [&str; 9] =
    ["String", "URI", "URL", "HttpUrl", "UriComponentsBuilder", "UriBuilder", "WebTarget", "WebClient", "RestClient"];

impl JavaLowering<'_, '_> {
    /// Lowers a declaration. Returns false if the node is none.
    pub(super) fn lower_declaration(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) -> bool {
        match kind {
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => self.lower_type_declaration(kind, node, scope),
            "method_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "annotation_type_element_declaration" => self.lower_method(kind, node, scope),
            "field_declaration" | "constant_declaration" => self.lower_fields(kind, node, scope),
            "enum_constant" => self.lower_enum_constant(node, scope),
            _ => return false,
        }
        true
    }

    fn lower_type_declaration(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_at(name);
        let body = self.out.open_scope(scope, definition);
        let mut flags = self.lower_modifiers(node, definition, body);
        if kind != "class_declaration" {
            flags |= Flags::STATIC;
        }
        let mut shape = Shape { flags, body: Some(body), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, body);
        shape.bases = self.lower_bases(node, body);
        if let Some(list) = node.child_by_field_name("parameters") {
            // The components of a record are its fields, and the parameters of its constructor.
            shape.parameters = self.lower_components(list, body);
        }
        let written = self.lower_type(name, body);
        self.types.push(EnclosingType { written, components: shape.parameters.clone() });
        self.set_shape(definition, shape);
        self.visit_field(node, "body", body);
        self.types.pop();
    }

    fn set_shape(&mut self, definition: Option<DefinitionId>, shape: Shape) {
        if let Some(definition) = definition {
            *self.out.shape_mut(definition) = shape;
        }
    }

    fn lower_bases(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Box<[Base]> {
        let mut bases = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let kind = match child.kind() {
                "superclass" | "extends_interfaces" => BaseKind::Extend,
                "super_interfaces" => BaseKind::Implement,
                _ => continue,
            };
            let list = first_child(child).filter(|list| list.kind() == "type_list").unwrap_or(child);
            let written = self.lower_types(list, scope, 0);
            bases.extend(written.iter().map(|&base| Base { kind, base }));
        }
        bases.into()
    }

    /// Lowers the components of a record as its fields.
    fn lower_components(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Box<[Parameter]> {
        let mut cursor = list.walk();
        let mut parameters = Vec::new();
        for child in list.named_children(&mut cursor) {
            let Some((name, parameter)) = self.lower_parameter(child, scope) else { continue };
            let shape = Shape { declared: parameter.declared, flags: Flags::PROPERTY, ..Shape::default() };
            let definition = self.out.definition_at(name);
            self.set_shape(definition, shape);
            parameters.push(parameter);
        }
        parameters.into()
    }

    /// Lowers the parameters of a method, and binds them in its scope.
    pub(super) fn lower_parameters(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Box<[Parameter]> {
        let mut cursor = list.walk();
        let mut parameters = Vec::new();
        for child in list.named_children(&mut cursor) {
            let Some((_, parameter)) = self.lower_parameter(child, scope) else { continue };
            let declared = match parameter.declared {
                Some(item) if parameter.is_variadic => Some(self.list_type(item, 1)),
                declared => declared,
            };
            let setting = self.injected_setting(child, scope);
            self.out.bind(scope, parameter.name, declared, setting);
            parameters.push(parameter);
        }
        parameters.into()
    }

    /// Returns the text of `@Value("${cart.url}")` before a parameter: the value that the container gives.
    fn injected_setting(&mut self, parameter: SyntaxNode<'_>, scope: ScopeId) -> Option<ExpressionId> {
        let modifiers = parameter.child_of_kind("modifiers")?;
        let mut cursor = modifiers.walk();
        let mut annotations = modifiers.named_children(&mut cursor).filter(|child| child.kind() == "annotation");
        let list = annotations.find_map(|annotation| {
            let name = annotation.child_by_field_name("name")?;
            (self.out.text(name) == "Value").then(|| annotation.child_by_field_name("arguments")).flatten()
        })?;
        let value = list.named_child(0).filter(|value| value.kind() == "string_literal")?;
        Some(self.visit(value, scope))
    }

    /// Returns a parameter with the node of its name. A variadic parameter has the type of one argument.
    fn lower_parameter<'n>(&mut self, node: SyntaxNode<'n>, scope: ScopeId) -> Option<(SyntaxNode<'n>, Parameter)> {
        let is_variadic = node.kind() == "spread_parameter";
        let (name, written, declarator) = match node.kind() {
            "formal_parameter" => (node.child_by_field_name("name")?, node.child_by_field_name("type")?, node),
            "spread_parameter" => {
                let declarator = node.child_of_kind("variable_declarator")?;
                (declarator.child_by_field_name("name")?, first_type(node)?, declarator)
            }
            _ => return None,
        };
        let declared = self.lower_variable_type(written, scope);
        let declared = declared.map(|declared| self.add_dimensions(declared, declarator));
        let parameter = Parameter { name: self.out.intern_node(name), declared, is_optional: false, is_variadic };
        Some((name, parameter))
    }

    fn lower_method(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_at(name);
        let body = self.out.open_scope(scope, definition);
        let mut flags = self.lower_modifiers(node, definition, scope);
        let body_node = node.child_by_field_name("body");
        let is_native = || node.child_of_kind("modifiers").is_some_and(|all| all.child_of_kind("native").is_some());
        if body_node.is_none() && !is_native() {
            flags |= Flags::ABSTRACT;
        }
        let mut shape = Shape { flags, body: Some(body), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, body);
        if let Some(written) = node.child_by_field_name("type") {
            let declared = self.lower_type(written, body);
            shape.declared = Some(self.add_dimensions(declared, node));
        }
        if let Some(list) = node.child_by_field_name("parameters") {
            shape.parameters = self.lower_parameters(list, body);
        }
        if kind == "compact_constructor_declaration" {
            // A compact constructor has the parameters of its record; its body reads them as fields.
            shape.parameters = self.types.last().map_or([].into(), |enclosing| enclosing.components.clone());
        }
        self.set_shape(definition, shape);
        if let Some(body_node) = body_node {
            self.results.push(Vec::new());
            self.visit_children(body_node, body);
            let mut values = self.results.pop().unwrap_or_default();
            // The result type of a method is declared. Only returned values that take their type from it are kept, and addresses.
            let written = node.child_by_field_name("type").map(|written| self.out.text(written));
            let is_address = written.is_some_and(|written| ADDRESS_TYPES.contains(&written));
            values.retain(|value| is_address || is_context_typed(self.out.code.expression(*value)));
            if let Some(definition) = definition {
                self.out.shape_mut(definition).values = values.into();
            }
        }
    }

    fn lower_fields(&mut self, kind: &str, node: SyntaxNode<'_>, scope: ScopeId) {
        let declared = node.child_by_field_name("type").map(|written| self.lower_type(written, scope));
        let first = node.child_of_kind("variable_declarator").and_then(|one| one.child_by_field_name("name"));
        let first = first.and_then(|name| self.out.definition_at(name));
        let mut flags = self.lower_modifiers(node, first, scope);
        if kind == "constant_declaration" {
            flags |= Flags::STATIC;
        }
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
            let value = declarator.child_by_field_name("value").map(|value| self.visit(value, scope));
            let definition = declarator.child_by_field_name("name").and_then(|name| self.out.definition_at(name));
            let declared = declared.map(|declared| self.add_dimensions(declared, declarator));
            self.set_shape(
                definition,
                Shape { flags, declared, values: value.into_iter().collect(), ..Shape::default() },
            );
        }
    }

    /// An enum constant is constructed by its type, and may have a body like an anonymous class.
    fn lower_enum_constant(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_at(name);
        let made = self.types.last().map_or(UNKNOWN_TYPE, |enclosing| enclosing.written);
        let arguments = self.lower_arguments(node, scope);
        let expression = self.out.add_expression(Expression::Make { made, arguments });
        self.out.add_call_site(expression, scope, name);
        let flags = Flags::STATIC | Flags::EXPORTED;
        self.set_shape(definition, Shape { flags, declared: Some(made), ..Shape::default() });
        if let Some(body) = node.child_by_field_name("body") {
            self.lower_anonymous_class(body, made, expression, scope);
        }
    }

    /// Lowers the body of an anonymous class. Its fields are visible before their declaration.
    pub(super) fn lower_anonymous_class(
        &mut self,
        body: SyntaxNode<'_>,
        base: TypeId,
        expression: ExpressionId,
        scope: ScopeId,
    ) {
        let inner = self.out.open_scope(scope, None);
        let mut members = Vec::new();
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match child.kind() {
                "field_declaration" => members.extend(self.bind_fields(child, inner)),
                _ => {
                    let name = child.child_by_field_name("name");
                    members.extend(name.and_then(|name| self.out.definition_at(name)));
                }
            }
        }
        let base_members = members.into();
        self.out.code.anonymous.push(Anonymous { base, scope: inner, expression, members: base_members });
        self.visit_children(body, inner);
    }

    /// Binds the fields of an anonymous class, and returns their definitions.
    fn bind_fields(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> Vec<DefinitionId> {
        let mut members = Vec::new();
        let declared = node.child_by_field_name("type").map(|written| self.lower_type(written, scope));
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
            if let Some(name) = declarator.child_by_field_name("name") {
                members.extend(self.out.definition_at(name));
                let name = self.out.intern_node(name);
                let declared = declared.map(|declared| self.add_dimensions(declared, declarator));
                self.out.bind(scope, name, declared, None);
            }
        }
        members
    }

    /// Returns the flags of a declaration's modifiers, and lowers its annotations.
    fn lower_modifiers(&mut self, node: SyntaxNode<'_>, definition: Option<DefinitionId>, scope: ScopeId) -> Flags {
        let mut flags = Flags::default();
        let Some(modifiers) = node.child_of_kind("modifiers") else { return flags };
        let mut cursor = modifiers.walk();
        for modifier in modifiers.children(&mut cursor) {
            match modifier.kind() {
                "static" => flags |= Flags::STATIC,
                "abstract" => flags |= Flags::ABSTRACT,
                "private" => flags |= Flags::PRIVATE,
                "public" => flags |= Flags::EXPORTED,
                "annotation" | "marker_annotation" => {
                    if let Some(definition) = definition {
                        self.lower_annotation(modifier, definition, scope);
                    }
                }
                _ => {}
            }
        }
        flags
    }

    fn lower_annotation(&mut self, node: SyntaxNode<'_>, definition: DefinitionId, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let bare = name.child_by_field_name("name").unwrap_or(name);
        let bare = self.out.intern_node(bare);
        let mut expression = self.out.use_name(bare, scope);
        if let Some(list) = node.child_by_field_name("arguments") {
            let arguments = self.lower_annotation_arguments(list, scope);
            let call = Expression::Call { callee: expression, type_arguments: [].into(), arguments };
            expression = self.out.add_expression(call);
        }
        let line = name.start_position().row as u32 + 1;
        let bytes = ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 };
        self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
    }

    fn lower_annotation_arguments(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor).filter(|child| !is_comment(child.kind())) {
            if child.kind() != "element_value_pair" {
                arguments.push(self.visit(child, scope));
            } else if let Some(key) = child.child_by_field_name("key") {
                let key = self.out.intern_node(key);
                let value = self.visit_field(child, "value", scope);
                named.push((key, value));
            }
        }
        if !named.is_empty() {
            arguments.push(self.out.add_expression(Expression::Object(named.into())));
        }
        arguments.retain(|argument| *argument != OPAQUE);
        arguments.into()
    }
}

/// Returns true if the type of an expression depends on its context.
pub(super) fn is_context_typed(expression: &Expression) -> bool {
    matches!(expression, Expression::Function { .. } | Expression::Path { .. } | Expression::Either(_))
}
