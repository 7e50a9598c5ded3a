//! Declarations: types, their members, and what they look like from outside.

use model::ByteSpan;
use model::code::{
    Anonymous, Base, BaseKind, Decoration, DefinitionId, Expression, ExpressionId, Flags, Parameter, ScopeId, Shape,
    TypeId,
};

use super::types::{UNKNOWN, type_in};
use super::{Java, OPAQUE, child_of_kind, first_child, is_comment};
use crate::node::Node;

/// A type whose body is open.
pub(super) struct Around {
    written: TypeId,
    /// The components of a record.
    components: Box<[Parameter]>,
}

impl Java<'_, '_> {
    /// Writes a declaration; says whether the node is one.
    pub(super) fn declaration(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) -> bool {
        match kind {
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => self.type_declaration(kind, node, scope),
            "method_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "annotation_type_element_declaration" => self.method(kind, node, scope),
            "field_declaration" | "constant_declaration" => self.fields(kind, node, scope),
            "enum_constant" => self.enum_constant(node, scope),
            _ => return false,
        }
        true
    }

    fn type_declaration(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_named(name);
        let body = self.out.scope(scope, definition);
        let mut flags = self.modifiers(node, definition, body);
        if kind != "class_declaration" {
            flags |= Flags::STATIC;
        }
        let mut shape = Shape { flags, body: Some(body), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, body);
        shape.bases = self.bases(node, body);
        if let Some(list) = node.child_by_field_name("parameters") {
            // The components of a record are fields of it, and its constructor takes them.
            shape.parameters = self.components(list, body);
        }
        let written = self.written(name, body);
        self.types.push(Around { written, components: shape.parameters.clone() });
        self.keep(definition, shape);
        self.visit_field(node, "body", body);
        self.types.pop();
    }

    fn keep(&mut self, definition: Option<DefinitionId>, shape: Shape) {
        if let Some(definition) = definition {
            *self.out.shape(definition) = shape;
        }
    }

    fn bases(&mut self, node: Node<'_>, scope: ScopeId) -> Box<[Base]> {
        let mut bases = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let kind = match child.kind() {
                "superclass" | "extends_interfaces" => BaseKind::Extend,
                "super_interfaces" => BaseKind::Implement,
                _ => continue,
            };
            let list = first_child(child).filter(|list| list.kind() == "type_list").unwrap_or(child);
            let written = self.all_written(list, scope, 0);
            bases.extend(written.iter().map(|&base| Base { kind, base }));
        }
        bases.into()
    }

    /// Writes the components of a record as its fields.
    fn components(&mut self, list: Node<'_>, scope: ScopeId) -> Box<[Parameter]> {
        let mut cursor = list.walk();
        let mut parameters = Vec::new();
        for child in list.named_children(&mut cursor) {
            let Some((name, parameter)) = self.parameter(child, scope) else { continue };
            let shape = Shape { declared: parameter.declared, flags: Flags::PROPERTY, ..Shape::default() };
            let definition = self.out.definition_named(name);
            self.keep(definition, shape);
            parameters.push(parameter);
        }
        parameters.into()
    }

    /// Writes the parameters of a method and binds them in its scope.
    pub(super) fn parameters(&mut self, list: Node<'_>, scope: ScopeId) -> Box<[Parameter]> {
        let mut cursor = list.walk();
        let mut parameters = Vec::new();
        for child in list.named_children(&mut cursor) {
            let Some((_, parameter)) = self.parameter(child, scope) else { continue };
            let declared = match parameter.declared {
                Some(item) if parameter.is_variadic => Some(self.list_of(item, 1)),
                declared => declared,
            };
            self.out.bind(scope, parameter.name, declared, None);
            parameters.push(parameter);
        }
        parameters.into()
    }

    /// Returns a parameter with the node of its name. One that takes any number has the type of each of them.
    fn parameter<'n>(&mut self, node: Node<'n>, scope: ScopeId) -> Option<(Node<'n>, Parameter)> {
        let is_variadic = node.kind() == "spread_parameter";
        let (name, written, declarator) = match node.kind() {
            "formal_parameter" => (node.child_by_field_name("name")?, node.child_by_field_name("type")?, node),
            "spread_parameter" => {
                let declarator = child_of_kind(node, "variable_declarator")?;
                (declarator.child_by_field_name("name")?, type_in(node)?, declarator)
            }
            _ => return None,
        };
        let declared = self.written_unless_var(written, scope);
        let declared = declared.map(|declared| self.with_dimensions(declared, declarator));
        let parameter = Parameter { name: self.out.name_of(name), declared, is_optional: false, is_variadic };
        Some((name, parameter))
    }

    fn method(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_named(name);
        let body = self.out.scope(scope, definition);
        let mut flags = self.modifiers(node, definition, scope);
        let body_node = node.child_by_field_name("body");
        let is_native = || child_of_kind(node, "modifiers").is_some_and(|all| child_of_kind(all, "native").is_some());
        if body_node.is_none() && !is_native() {
            flags |= Flags::ABSTRACT;
        }
        let mut shape = Shape { flags, body: Some(body), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, body);
        if let Some(written) = node.child_by_field_name("type") {
            let declared = self.written(written, body);
            shape.declared = Some(self.with_dimensions(declared, node));
        }
        if let Some(list) = node.child_by_field_name("parameters") {
            shape.parameters = self.parameters(list, body);
        }
        if kind == "compact_constructor_declaration" {
            // It has the parameters of its record; in its body they read as the fields do.
            shape.parameters = self.types.last().map_or([].into(), |around| around.components.clone());
        }
        self.keep(definition, shape);
        if let Some(body_node) = body_node {
            self.results.push(Vec::new());
            self.visit_children(body_node, body);
            let mut values = self.results.pop().unwrap_or_default();
            // What a method gives it declares; only what takes its type from there is told of.
            values.retain(|value| is_typed_by_place(self.out.code.expression(*value)));
            if let Some(definition) = definition {
                self.out.shape(definition).values = values.into();
            }
        }
    }

    fn fields(&mut self, kind: &str, node: Node<'_>, scope: ScopeId) {
        let declared = node.child_by_field_name("type").map(|written| self.written(written, scope));
        let mut flags = self.modifiers(node, None, scope);
        if kind == "constant_declaration" {
            flags |= Flags::STATIC;
        }
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
            let value = declarator.child_by_field_name("value").map(|value| self.visit(value, scope));
            let definition = declarator.child_by_field_name("name").and_then(|name| self.out.definition_named(name));
            let declared = declared.map(|declared| self.with_dimensions(declared, declarator));
            self.keep(definition, Shape { flags, declared, values: value.into_iter().collect(), ..Shape::default() });
        }
    }

    /// A constant is made by a constructor of its type, and may have a body as a class without a name has one.
    fn enum_constant(&mut self, node: Node<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_named(name);
        let made = self.types.last().map_or(UNKNOWN, |around| around.written);
        let arguments = self.arguments(node, scope);
        let expression = self.out.expression(Expression::Make { made, arguments });
        self.out.site(expression, scope, name);
        let flags = Flags::STATIC | Flags::EXPORTED;
        self.keep(definition, Shape { flags, declared: Some(made), ..Shape::default() });
        if let Some(body) = node.child_by_field_name("body") {
            self.anonymous(body, made, expression, scope);
        }
    }

    /// Writes the body of a class without a name. Its fields are seen before their place in the text.
    pub(super) fn anonymous(&mut self, body: Node<'_>, base: TypeId, expression: ExpressionId, scope: ScopeId) {
        let inner = self.out.scope(scope, None);
        let mut members = Vec::new();
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match child.kind() {
                "field_declaration" => self.bind_fields(child, inner, &mut members),
                _ => {
                    let name = child.child_by_field_name("name");
                    members.extend(name.and_then(|name| self.out.definition_named(name)));
                }
            }
        }
        let base_members = members.into();
        self.out.code.anonymous.push(Anonymous { base, scope: inner, expression, members: base_members });
        self.visit_children(body, inner);
    }

    fn bind_fields(&mut self, node: Node<'_>, scope: ScopeId, members: &mut Vec<DefinitionId>) {
        let declared = node.child_by_field_name("type").map(|written| self.written(written, scope));
        let mut cursor = node.walk();
        for declarator in node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
            if let Some(name) = declarator.child_by_field_name("name") {
                members.extend(self.out.definition_named(name));
                let name = self.out.name_of(name);
                let declared = declared.map(|declared| self.with_dimensions(declared, declarator));
                self.out.bind(scope, name, declared, None);
            }
        }
    }

    /// Returns what the modifiers of a declaration say, and writes its annotations.
    fn modifiers(&mut self, node: Node<'_>, definition: Option<DefinitionId>, scope: ScopeId) -> Flags {
        let mut flags = Flags::default();
        let Some(modifiers) = child_of_kind(node, "modifiers") else { return flags };
        let mut cursor = modifiers.walk();
        for modifier in modifiers.children(&mut cursor) {
            match modifier.kind() {
                "static" => flags |= Flags::STATIC,
                "abstract" => flags |= Flags::ABSTRACT,
                "private" => flags |= Flags::PRIVATE,
                "public" => flags |= Flags::EXPORTED,
                "annotation" | "marker_annotation" => {
                    if let Some(definition) = definition {
                        self.annotation(modifier, definition, scope);
                    }
                }
                _ => {}
            }
        }
        flags
    }

    fn annotation(&mut self, node: Node<'_>, definition: DefinitionId, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let bare = name.child_by_field_name("name").unwrap_or(name);
        let bare = self.out.name_of(bare);
        let mut expression = self.out.use_name(bare, scope);
        if let Some(list) = node.child_by_field_name("arguments") {
            let arguments = self.annotation_arguments(list, scope);
            let call = Expression::Call { callee: expression, type_arguments: [].into(), arguments };
            expression = self.out.expression(call);
        }
        let line = name.start_position().row as u32 + 1;
        let bytes = ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 };
        self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
    }

    fn annotation_arguments(&mut self, list: Node<'_>, scope: ScopeId) -> Box<[ExpressionId]> {
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor).filter(|child| !is_comment(child.kind())) {
            if child.kind() != "element_value_pair" {
                arguments.push(self.visit(child, scope));
            } else if let Some(key) = child.child_by_field_name("key") {
                let key = self.out.name_of(key);
                let value = self.visit_field(child, "value", scope);
                named.push((key, value));
            }
        }
        if !named.is_empty() {
            arguments.push(self.out.expression(Expression::Object(named.into())));
        }
        arguments.retain(|argument| *argument != OPAQUE);
        arguments.into()
    }
}

/// Says whether an expression has its type from where it stands.
pub(super) fn is_typed_by_place(expression: &Expression) -> bool {
    matches!(expression, Expression::Function { .. } | Expression::Path { .. } | Expression::Either(_))
}
