//! Functions and closures: their parameters and bodies.

use model::code::{Expression, ExpressionId, Flags, Parameter, ScopeId, Shape, TypeId};

use super::{OPAQUE, RustLowering};
use crate::node::SyntaxNode;

/// Maximum nesting depth of branches with results of a function.
const MAX_CHOICES: u32 = 8;

/// Maximum number of methods after a call by path that give or keep its success value (`T::make().unwrap()`).
const MAX_UNWRAPS: u32 = 2;

/// Methods of `Option` and `Result` that give or keep the success value.
const SUCCESS_METHODS: [&str; 9] =
    ["expect", "map_err", "ok", "ok_or", "ok_or_else", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];

impl RustLowering<'_, '_> {
    pub(super) fn lower_function(&mut self, node: SyntaxNode<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_at(name);
        let inner = self.out.open_scope(scope, definition);
        let is_public = node.child_of_kind("visibility_modifier").is_some();
        let mut flags = self.context_flags();
        let body = node.child_by_field_name("body");
        let list = node.child_by_field_name("parameters");
        for (holds, flag) in [
            (is_public, Flags::EXPORTED),
            (self.has_modifier(node, "async"), Flags::ASYNC),
            (body.is_none(), Flags::ABSTRACT),
            (list.is_none_or(|list| list.child_of_kind("self_parameter").is_none()), Flags::STATIC),
        ] {
            flags |= if holds { flag } else { Flags::default() };
        }
        let mut shape = Shape { flags, body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.lower_type_parameters(node, inner);
        let result_node = node.child_by_field_name("return_type");
        let declared = Some(match result_node {
            Some(result) => self.lower_type(result, inner),
            None => self.out.add_type(model::code::TypeExpression::Tuple(Box::default())),
        });
        shape.declared = declared;
        let patterns = list.map_or_else(Vec::new, |list| parameter_patterns(list));
        shape.parameters = self.lower_parameters(&patterns, inner);
        self.set_shape(definition, shape);
        if let Some(body) = body {
            self.results.push(Vec::new());
            let value = self.lower_statements(body, inner);
            let mut results = self.results.pop().unwrap_or_default();
            if let Some(declared) = result_node.and(declared) {
                results.iter().chain([&value]).for_each(|result| self.expect(*result, declared, 0));
            }
            // Types need no values, since the result is declared; a text is put together from them.
            if let Some(definition) = definition.filter(|_| self.gives_text(node)) {
                results.push(value);
                results.retain(|result| *result != OPAQUE);
                self.out.shape_mut(definition).values = results.into();
            }
        }
    }

    /// Records the declared type of a result where it is a call by path, whose type may follow from it: `T::make()`, or one with the
    /// success value of this.
    fn expect(&mut self, result: ExpressionId, declared: TypeId, depth: u32) {
        match self.out.code.expression(result) {
            Expression::Either(choices) if depth < MAX_CHOICES => {
                for choice in choices.clone() {
                    self.expect(choice, declared, depth + 1);
                }
            }
            _ if self.is_path_call(result) => {
                self.out.add_expression(Expression::Cast { of: result, to: declared });
            }
            _ => {}
        }
    }

    /// Returns true for a call by path, or one with its success value.
    pub(super) fn is_path_call(&self, value: ExpressionId) -> bool {
        let code = &self.out.code;
        let mut at = value;
        for _ in 0..=MAX_UNWRAPS {
            at = match code.expression(at) {
                Expression::Tried { of } => *of,
                Expression::Call { callee, .. } => match code.expression(*callee) {
                    Expression::Path { .. } => return true,
                    Expression::Member { of, name } if SUCCESS_METHODS.contains(&code.name(*name)) => *of,
                    _ => return false,
                },
                _ => return false,
            };
        }
        false
    }

    /// Returns true for a function whose result is a text or a URL.
    fn gives_text(&self, node: SyntaxNode<'_>) -> bool {
        let declared = node.child_by_field_name("return_type").map_or("", |declared| self.out.text(declared));
        ["String", "str", "Url", "Uri"]
            .iter()
            .any(|name| declared.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == *name))
    }

    /// Lowers a closure. Its results are the value of its body and the values of `return`.
    pub(super) fn lower_closure(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let inner = self.out.open_scope(scope, None);
        let patterns = node.child_by_field_name("parameters").map_or_else(Vec::new, |list| parameter_patterns(list));
        let parameters = self.lower_parameters(&patterns, inner);
        let declared = node.child_by_field_name("return_type").map(|result| self.lower_type(result, inner));
        self.results.push(Vec::new());
        let value = self.visit_field(node, "body", inner);
        let mut results = self.results.pop().unwrap_or_default();
        results.push(value);
        results.retain(|result| *result != OPAQUE);
        self.out.add_expression(Expression::Function { scope: inner, parameters, results: results.into(), declared })
    }

    fn lower_parameters(
        &mut self,
        patterns: &[(SyntaxNode<'_>, Option<SyntaxNode<'_>>)],
        scope: ScopeId,
    ) -> Box<[Parameter]> {
        let mut parameters = Vec::new();
        for (position, (pattern, written)) in patterns.iter().enumerate() {
            let declared = written.map(|written| self.lower_type(written, scope));
            let name = self.bind_parameter(*pattern, declared, position, scope);
            parameters.push(Parameter { name, declared, is_optional: false, is_variadic: false });
        }
        for ((pattern, _), parameter) in patterns.iter().zip(&parameters) {
            self.destructure_parameter(*pattern, parameter.name, scope);
        }
        parameters.into()
    }
}

/// Returns the pattern of each parameter except `self`, with its type.
fn parameter_patterns(list: SyntaxNode<'_>) -> Vec<(SyntaxNode<'_>, Option<SyntaxNode<'_>>)> {
    let mut cursor = list.walk();
    let mut found = Vec::new();
    for child in list.children(&mut cursor) {
        match child.kind() {
            "parameter" => {
                let pattern = child.child_by_field_name("pattern");
                if let Some(pattern) = pattern.filter(|pattern| pattern.kind() != "self") {
                    found.push((pattern, child.child_by_field_name("type")));
                }
            }
            "self_parameter" | "variadic_parameter" => {}
            "_" => found.push((child, None)),
            kind if child.is_named() && !super::is_ignorable(kind) => found.push((child, None)),
            _ => {}
        }
    }
    found
}
