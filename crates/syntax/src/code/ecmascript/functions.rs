//! Functions: their parameters, what they return, and what is said of them.

use model::code::{DefinitionId, Expression, ExpressionId, Flags, Parameter, TypeExpression, TypeId, TypeParameter};

use super::jsdoc::Told;
use super::{Ecmascript, Place, has_token};
use crate::node::Node;

/// A parameter and what it takes apart.
struct Taken<'n> {
    parameter: Parameter,
    default: Option<ExpressionId>,
    pattern: Option<Node<'n>>,
}

impl Ecmascript<'_, '_> {
    /// Lowers a function, which is a definition or a value without a name. `expected` is the type it has to have.
    pub(super) fn function(
        &mut self,
        node: Node<'_>,
        definition: Option<DefinitionId>,
        expected: Option<TypeId>,
        at: Place,
    ) -> ExpressionId {
        let told = self.told(at);
        let scope = self.lowering.scope(at.block, definition);
        let is_arrow = node.kind() == "arrow_function";
        let owner = match node.kind() {
            "arrow_function" | "method_definition" => at.owner,
            _ => definition,
        };
        let inner = match is_arrow {
            true => Place { block: scope, function: scope, object: None, ..at },
            false => Place { block: scope, function: scope, this: scope, is_this_bound: false, owner, object: None },
        };
        let type_parameters = self.type_parameters(node, inner);
        let this = at.object.filter(|_| !is_arrow);
        let (parameters, inner) = self.parameters(node, &told, expected, this, inner);
        let own_name = node.child_by_field_name("name").filter(|_| is_named_value(node));
        if let (Some(name), Some(definition)) = (own_name, definition) {
            let itself = self.lowering.expression(Expression::Definition(definition));
            let name = self.lowering.name_of(name);
            self.lowering.bind(scope, name, None, Some(itself));
        }
        let declared = match node.child_by_field_name("return_type") {
            Some(annotation) => self.annotation(annotation, inner),
            None => told.returns.or_else(|| expected.map(|of| self.part_of_function(of, "#result"))),
        };
        let flags = function_flags(node);
        let outer_results = std::mem::take(&mut self.results);
        let returned = self.awaited_by(declared, flags);
        let outer_returned = std::mem::replace(&mut self.returned, returned);
        if let Some(body) = node.child_by_field_name("body") {
            if body.kind() == "statement_block" {
                self.deeper(|code| code.statements(body, inner));
            } else {
                let value = self.value(body, None, returned, inner);
                self.results.push(value);
            }
        }
        self.returned = outer_returned;
        let results = std::mem::replace(&mut self.results, outer_results).into_boxed_slice();
        let parameters = parameters.into_boxed_slice();
        let Some(definition) = definition else {
            return self.lowering.expression(Expression::Function { scope, parameters, results, declared });
        };
        let shape = self.lowering.shape(definition);
        shape.flags |= flags;
        shape.type_parameters = type_parameters;
        shape.parameters = parameters;
        shape.declared = declared;
        shape.values = results;
        shape.body = Some(scope);
        self.lowering.expression(Expression::Definition(definition))
    }

    /// Lowers the parameters of a function: each is bound first, then what they take apart.
    fn parameters(
        &mut self,
        node: Node<'_>,
        told: &Told,
        expected: Option<TypeId>,
        this: Option<TypeId>,
        at: Place,
    ) -> (Vec<Parameter>, Place) {
        if let Some(single) = node.child_by_field_name("parameter") {
            let name = self.lowering.name_of(single);
            let declared = told.parameter(self.lowering.text(single));
            let declared = declared.or_else(|| expected.map(|of| self.part_of_function(of, "#0")));
            self.lowering.bind(at.block, name, declared, None);
            return (vec![Parameter { name, declared, is_optional: false, is_variadic: false }], at);
        }
        let Some(list) = node.child_by_field_name("parameters") else { return (Vec::new(), at) };
        let mut taken: Vec<Taken> = Vec::new();
        let mut this = this;
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let pattern = match child.kind() {
                "required_parameter" | "optional_parameter" => child.child_by_field_name("pattern"),
                "assignment_pattern" => child.child_by_field_name("left"),
                "identifier" | "object_pattern" | "array_pattern" | "rest_pattern" => Some(child),
                _ => None,
            };
            let Some(pattern) = pattern else { continue };
            let annotation = child.child_by_field_name("type");
            let declared = annotation.and_then(|annotation| self.annotation(annotation, at));
            let declared = declared.or_else(|| told.parameter(self.lowering.text(pattern)));
            if pattern.kind() == "this" {
                this = declared.or(this);
                continue;
            }
            self.take_parameter(child, pattern, declared, expected, &mut taken, at);
        }
        for one in &taken {
            self.lowering.bind(at.block, one.parameter.name, one.parameter.declared, one.default);
        }
        let mut inner = at;
        if let Some(this) = this {
            let name = self.lowering.name("this");
            self.lowering.bind(at.block, name, Some(this), None);
            inner.is_this_bound = true;
        }
        for one in &taken {
            if let Some(pattern) = one.pattern {
                let whole = self.lowering.use_name(one.parameter.name, at.block);
                self.destructure(pattern, whole, at.block, inner);
            }
        }
        (taken.into_iter().map(|one| one.parameter).collect(), inner)
    }

    fn take_parameter<'n>(
        &mut self,
        node: Node<'n>,
        pattern: Node<'n>,
        declared: Option<TypeId>,
        expected: Option<TypeId>,
        taken: &mut Vec<Taken<'n>>,
        at: Place,
    ) {
        let default = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
        let default = default.map(|default| self.expression(default, at));
        let is_variadic = pattern.kind() == "rest_pattern";
        let inner = if is_variadic { pattern.named_child(0) } else { Some(pattern) };
        let position = format!("#{}", taken.len());
        let simple = inner.filter(|inner| inner.kind() == "identifier");
        let name = match simple {
            Some(identifier) => self.lowering.name_of(identifier),
            None => self.lowering.name(&position),
        };
        let is_told = declared.is_some() || default.is_some() || is_variadic;
        let declared = match expected.filter(|_| !is_told) {
            Some(of) => Some(self.part_of_function(of, &position)),
            None => declared,
        };
        if let Some(field) = simple.and_then(|identifier| self.lowering.definition_named(identifier)) {
            let shape = self.lowering.shape(field);
            shape.declared = declared;
            shape.values = default.into_iter().collect();
        }
        let is_optional = node.kind() == "optional_parameter" || default.is_some();
        let parameter = Parameter { name, declared, is_optional, is_variadic };
        taken.push(Taken { parameter, default, pattern: inner.filter(|_| simple.is_none()) });
    }

    /// Returns the type of a parameter (`#0`) or the result (`#result`) of a type that is a function.
    fn part_of_function(&mut self, of: TypeId, part: &str) -> TypeId {
        let name = self.lowering.name(part);
        self.lowering.written(TypeExpression::Member { of, name })
    }

    /// Returns the type that what a function returns must have.
    fn awaited_by(&mut self, declared: Option<TypeId>, flags: Flags) -> Option<TypeId> {
        let declared = declared.filter(|_| !flags.has(Flags::GENERATOR))?;
        Some(if flags.has(Flags::ASYNC) { self.part_of_function(declared, "#awaited") } else { declared })
    }

    /// Returns the type parameters of a declaration.
    pub(super) fn type_parameters(&mut self, node: Node<'_>, at: Place) -> Box<[TypeParameter]> {
        let Some(list) = node.child_by_field_name("type_parameters") else { return Box::default() };
        let mut parameters = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let Some(name) = child.child_by_field_name("name") else { continue };
            let name = self.lowering.name_of(name);
            let bound = child.child_by_field_name("constraint").and_then(|constraint| constraint.named_child(0));
            let bounds = bound.map(|bound| self.written(bound, at)).into_iter().collect();
            let default = child.child_by_field_name("value").and_then(|value| value.named_child(0));
            let default = default.map(|default| self.written(default, at));
            parameters.push(TypeParameter { name, bounds, default });
        }
        parameters.into_boxed_slice()
    }

    /// Returns the types of the parameters of a function that is a type.
    pub(super) fn parameter_types(&mut self, node: Node<'_>, at: Place) -> Box<[TypeId]> {
        let Some(list) = node.child_by_field_name("parameters") else { return Box::default() };
        let mut types = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let pattern = child.child_by_field_name("pattern");
            if !matches!(child.kind(), "required_parameter" | "optional_parameter")
                || pattern.is_some_and(|pattern| pattern.kind() == "this")
            {
                continue;
            }
            let annotation = child.child_by_field_name("type");
            let mut written = annotation.and_then(|annotation| self.annotation(annotation, at)).unwrap_or(TypeId(0));
            if pattern.is_some_and(|pattern| pattern.kind() == "rest_pattern") {
                // The last parameter stands for all that come after it.
                written = self.part_of_function(written, "[]");
            }
            types.push(written);
        }
        types.into_boxed_slice()
    }

    /// Returns the parameters of a signature, which has no body to bind them in.
    pub(super) fn signature_parameters(&mut self, node: Node<'_>, at: Place) -> Box<[Parameter]> {
        let Some(list) = node.child_by_field_name("parameters") else { return Box::default() };
        let mut parameters = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let Some(pattern) = child.child_by_field_name("pattern").filter(|pattern| pattern.kind() != "this") else {
                continue;
            };
            let is_variadic = pattern.kind() == "rest_pattern";
            let inner = if is_variadic { pattern.named_child(0).unwrap_or(pattern) } else { pattern };
            let name = self.lowering.name_of(inner);
            let annotation = child.child_by_field_name("type");
            let declared = annotation.and_then(|annotation| self.annotation(annotation, at));
            let is_optional = child.kind() == "optional_parameter";
            parameters.push(Parameter { name, declared, is_optional, is_variadic });
        }
        parameters.into_boxed_slice()
    }
}

/// Says whether a function is a value that has a name of its own within itself.
fn is_named_value(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_expression" | "generator_function")
}

/// Reads what stands before the name of a function or member.
pub(super) fn function_flags(node: Node<'_>) -> Flags {
    let mut flags = Flags::default();
    if node.kind().starts_with("generator") {
        flags |= Flags::GENERATOR;
    }
    if matches!(node.kind(), "arrow_function" | "function_expression" | "function_declaration")
        || flags.has(Flags::GENERATOR)
    {
        if has_token(node, "async") {
            flags |= Flags::ASYNC;
        }
        return flags;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "static" => flags |= Flags::STATIC,
            "async" => flags |= Flags::ASYNC,
            "abstract" => flags |= Flags::ABSTRACT,
            "*" => flags |= Flags::GENERATOR,
            "get" => flags |= Flags::PROPERTY,
            "accessibility_modifier" if child.child(0).is_some_and(|word| word.kind() == "private") => {
                flags |= Flags::PRIVATE;
            }
            "private_property_identifier" => flags |= Flags::PRIVATE,
            "formal_parameters" | "statement_block" => break,
            _ => {}
        }
    }
    if matches!(node.kind(), "abstract_method_signature") {
        flags |= Flags::ABSTRACT;
    }
    flags
}
