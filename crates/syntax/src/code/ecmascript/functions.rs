//! Functions: their parameters, results and flags.

use model::code::{
    DefinitionId, Expression, ExpressionId, Flags, Parameter, ScopeId, TypeExpression, TypeId, TypeParameter,
};

use super::jsdoc::JsdocTypes;
use super::{EcmascriptLowering, LexicalContext, UNKNOWN_TYPE, has_token};
use crate::node::SyntaxNode;

/// A parameter and the pattern that it is destructured by.
struct DestructuredParameter<'n> {
    parameter: Parameter,
    default: Option<ExpressionId>,
    pattern: Option<SyntaxNode<'n>>,
}

impl EcmascriptLowering<'_, '_> {
    /// Lowers a function, which is a definition or an anonymous value. `expected` is its expected type.
    pub(super) fn lower_function(
        &mut self,
        node: SyntaxNode<'_>,
        definition: Option<DefinitionId>,
        expected: Option<TypeId>,
        context: LexicalContext,
    ) -> ExpressionId {
        let jsdoc = self.take_jsdoc(context);
        let scope = self.out.open_scope(context.block, definition);
        let inner = function_context(node, definition, scope, context);
        let type_parameters = self.lower_type_parameters(node, inner);
        let this = context.object.filter(|_| node.kind() != "arrow_function");
        let (parameters, inner) = self.lower_parameters(node, &jsdoc, expected, this, inner);
        let own_name = node.child_by_field_name("name").filter(|_| is_named_value(node));
        if let (Some(name), Some(definition)) = (own_name, definition) {
            let itself = self.out.add_expression(Expression::Definition(definition));
            let name = self.out.intern_node(name);
            self.out.bind(scope, name, None, Some(itself));
        }
        let declared = match node.child_by_field_name("return_type") {
            Some(annotation) => self.lower_annotation(annotation, inner),
            None => jsdoc.returns.or_else(|| expected.map(|of| self.function_type_part(of, "#result"))),
        };
        let flags = function_flags(node);
        let expected_result = self.expected_result(declared, flags);
        let results = self.lower_body(node, expected_result, inner);
        let parameters = parameters.into_boxed_slice();
        let Some(definition) = definition else {
            return self.out.add_expression(Expression::Function { scope, parameters, results, declared });
        };
        let declared = self.overload_result(node, definition, context).or(declared);
        let shape = self.out.shape_mut(definition);
        shape.flags |= flags;
        shape.type_parameters = type_parameters;
        shape.parameters = parameters;
        shape.declared = declared;
        shape.values = results;
        shape.body = Some(scope);
        self.out.add_expression(Expression::Definition(definition))
    }

    /// Lowers the body of a function with an expected result type. Returns its results.
    fn lower_body(
        &mut self,
        function: SyntaxNode<'_>,
        expected: Option<TypeId>,
        context: LexicalContext,
    ) -> Box<[ExpressionId]> {
        let outer_results = std::mem::take(&mut self.results);
        let outer_returned = std::mem::replace(&mut self.returned, expected);
        if let Some(body) = function.child_by_field_name("body") {
            if body.kind() == "statement_block" {
                self.deeper(|lowering| lowering.lower_statements(body, context));
            } else {
                let value = self.lower_value(body, None, expected, context);
                self.results.push(value);
            }
        }
        self.returned = outer_returned;
        std::mem::replace(&mut self.results, outer_results).into_boxed_slice()
    }

    /// Lowers the parameters of a function. All names are bound before any pattern is destructured.
    pub(super) fn lower_parameters(
        &mut self,
        node: SyntaxNode<'_>,
        jsdoc: &JsdocTypes,
        expected: Option<TypeId>,
        this: Option<TypeId>,
        context: LexicalContext,
    ) -> (Vec<Parameter>, LexicalContext) {
        if let Some(single) = node.child_by_field_name("parameter") {
            let name = self.out.intern_node(single);
            let declared = jsdoc.parameter(self.out.text(single));
            let declared = declared.or_else(|| expected.map(|of| self.function_type_part(of, "#0")));
            self.out.bind(context.block, name, declared, None);
            return (vec![Parameter { name, declared, is_optional: false, is_variadic: false }], context);
        }
        let Some(list) = node.child_by_field_name("parameters") else { return (Vec::new(), context) };
        let mut lowered: Vec<DestructuredParameter> = Vec::new();
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
            let declared = annotation.and_then(|annotation| self.lower_annotation(annotation, context));
            let declared = declared.or_else(|| jsdoc.parameter(self.out.text(pattern)));
            if pattern.kind() == "this" {
                this = declared.or(this);
                continue;
            }
            let position = format!("#{}", lowered.len());
            lowered.push(self.lower_parameter(child, pattern, declared, expected, &position, context));
        }
        for one in &lowered {
            self.out.bind(context.block, one.parameter.name, one.parameter.declared, one.default);
        }
        let mut inner = context;
        if let Some(this) = this {
            let name = self.out.intern("this");
            self.out.bind(context.block, name, Some(this), None);
            inner.is_this_bound = true;
        }
        for one in &lowered {
            if let Some(pattern) = one.pattern {
                let whole = self.out.use_name(one.parameter.name, context.block);
                self.destructure(pattern, whole, context.block, inner);
            }
        }
        (lowered.into_iter().map(|one| one.parameter).collect(), inner)
    }

    /// Lowers a parameter. `position` names it if it is a pattern.
    fn lower_parameter<'n>(
        &mut self,
        node: SyntaxNode<'n>,
        pattern: SyntaxNode<'n>,
        declared: Option<TypeId>,
        expected: Option<TypeId>,
        position: &str,
        context: LexicalContext,
    ) -> DestructuredParameter<'n> {
        let default = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
        let default = default.map(|default| self.lower_expression(default, context));
        let is_variadic = pattern.kind() == "rest_pattern";
        let inner = if is_variadic { pattern.named_child(0) } else { Some(pattern) };
        let simple = inner.filter(|inner| inner.kind() == "identifier");
        let name = match simple {
            Some(identifier) => self.out.intern_node(identifier),
            None => self.out.intern(position),
        };
        let is_typed = declared.is_some() || default.is_some() || is_variadic;
        let declared = match expected.filter(|_| !is_typed) {
            Some(of) => Some(self.function_type_part(of, position)),
            None => declared,
        };
        if let Some(field) = simple.and_then(|identifier| self.out.definition_at(identifier)) {
            let shape = self.out.shape_mut(field);
            shape.declared = declared;
            shape.values = default.into_iter().collect();
        }
        let is_optional = node.kind() == "optional_parameter" || default.is_some();
        let parameter = Parameter { name, declared, is_optional, is_variadic };
        DestructuredParameter { parameter, default, pattern: inner.filter(|_| simple.is_none()) }
    }

    /// Returns the type of a parameter (`#0`) or of the result (`#result`) of a function type.
    fn function_type_part(&mut self, of: TypeId, part: &str) -> TypeId {
        let name = self.out.intern(part);
        self.out.add_type(TypeExpression::Member { of, name })
    }

    /// Returns the expected type of returned values.
    fn expected_result(&mut self, declared: Option<TypeId>, flags: Flags) -> Option<TypeId> {
        let declared = declared.filter(|_| !flags.has(Flags::GENERATOR))?;
        Some(if flags.has(Flags::ASYNC) { self.function_type_part(declared, "#awaited") } else { declared })
    }

    /// Returns the type parameters of a declaration.
    pub(super) fn lower_type_parameters(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> Box<[TypeParameter]> {
        let Some(list) = node.child_by_field_name("type_parameters") else { return Box::default() };
        let mut parameters = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let Some(name) = child.child_by_field_name("name") else { continue };
            let name = self.out.intern_node(name);
            let bound = child.child_by_field_name("constraint").and_then(|constraint| constraint.named_child(0));
            let bounds = bound.map(|bound| self.lower_type(bound, context)).into_iter().collect();
            let default = child.child_by_field_name("value").and_then(|value| value.named_child(0));
            let default = default.map(|default| self.lower_type(default, context));
            parameters.push(TypeParameter { name, bounds, default });
        }
        parameters.into_boxed_slice()
    }

    /// Returns the parameter types of a function type.
    pub(super) fn lower_parameter_types(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> Box<[TypeId]> {
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
            let mut written =
                annotation.and_then(|annotation| self.lower_annotation(annotation, context)).unwrap_or(UNKNOWN_TYPE);
            if pattern.is_some_and(|pattern| pattern.kind() == "rest_pattern") {
                // The rest parameter stands for all arguments from its position on.
                written = self.function_type_part(written, "[]");
            }
            types.push(written);
        }
        types.into_boxed_slice()
    }

    /// Returns the parameters of a signature, which has no body to bind them in.
    pub(super) fn lower_signature_parameters(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> Box<[Parameter]> {
        let Some(list) = node.child_by_field_name("parameters") else { return Box::default() };
        let mut parameters = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let Some(pattern) = child.child_by_field_name("pattern").filter(|pattern| pattern.kind() != "this") else {
                continue;
            };
            let is_variadic = pattern.kind() == "rest_pattern";
            let inner = if is_variadic { pattern.named_child(0).unwrap_or(pattern) } else { pattern };
            let name = self.out.intern_node(inner);
            let annotation = child.child_by_field_name("type");
            let declared = annotation.and_then(|annotation| self.lower_annotation(annotation, context));
            let is_optional = child.kind() == "optional_parameter";
            parameters.push(Parameter { name, declared, is_optional, is_variadic });
        }
        parameters.into_boxed_slice()
    }
}

/// Returns the context inside a function. An arrow function has no `this` of its own.
pub(super) fn function_context(
    node: SyntaxNode<'_>,
    definition: Option<DefinitionId>,
    scope: ScopeId,
    context: LexicalContext,
) -> LexicalContext {
    let inner = LexicalContext { block: scope, function: scope, object: None, ..context };
    match node.kind() {
        "arrow_function" => inner,
        "method_definition" => LexicalContext { this: scope, is_this_bound: false, ..inner },
        _ => LexicalContext { this: scope, is_this_bound: false, owner: definition, ..inner },
    }
}

/// Returns true if a function is a value whose own name is visible only inside it.
fn is_named_value(node: SyntaxNode<'_>) -> bool {
    matches!(node.kind(), "function_expression" | "generator_function")
}

/// Returns the flags of the modifiers before the name of a function or member.
pub(super) fn function_flags(node: SyntaxNode<'_>) -> Flags {
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
