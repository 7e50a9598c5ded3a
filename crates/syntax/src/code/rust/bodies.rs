//! Functions and closures: their parameters, and the scope of their bodies.

use model::code::{Expression, ExpressionId, Flags, Parameter, ScopeId, Shape};

use super::{OPAQUE, Rust, child_of_kind};
use crate::node::Node;

impl Rust<'_, '_> {
    pub(super) fn function(&mut self, node: Node<'_>, scope: ScopeId) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let definition = self.out.definition_named(name);
        let inner = self.out.scope(scope, definition);
        let is_public = child_of_kind(node, "visibility_modifier").is_some();
        let mut flags = self.flags();
        let body = node.child_by_field_name("body");
        let list = node.child_by_field_name("parameters");
        for (holds, flag) in [
            (is_public, Flags::EXPORTED),
            (self.has_modifier(node, "async"), Flags::ASYNC),
            (body.is_none(), Flags::ABSTRACT),
            (list.is_none_or(|list| child_of_kind(list, "self_parameter").is_none()), Flags::STATIC),
        ] {
            flags |= if holds { flag } else { Flags::default() };
        }
        let mut shape = Shape { flags, body: Some(inner), ..Shape::default() };
        shape.type_parameters = self.type_parameters(node, inner);
        shape.declared = Some(match node.child_by_field_name("return_type") {
            Some(result) => self.written(result, inner),
            None => self.out.written(model::code::TypeExpression::Tuple(Box::default())),
        });
        let patterns = list.map_or_else(Vec::new, |list| parameters(list));
        shape.parameters = self.parameters(&patterns, inner);
        self.keep(definition, shape);
        if let Some(body) = body {
            self.results.push(Vec::new());
            self.statements(body, inner);
            self.results.pop();
        }
    }

    /// Writes a closure. What it returns is what its body gives, or what leaves it early.
    pub(super) fn closure(&mut self, node: Node<'_>, scope: ScopeId) -> ExpressionId {
        let inner = self.out.scope(scope, None);
        let patterns = node.child_by_field_name("parameters").map_or_else(Vec::new, |list| parameters(list));
        let parameters = self.parameters(&patterns, inner);
        let declared = node.child_by_field_name("return_type").map(|result| self.written(result, inner));
        self.results.push(Vec::new());
        let value = self.visit_field(node, "body", inner);
        let mut results = self.results.pop().unwrap_or_default();
        results.push(value);
        results.retain(|result| *result != OPAQUE);
        self.out.expression(Expression::Function { scope: inner, parameters, results: results.into(), declared })
    }

    fn parameters(&mut self, patterns: &[(Node<'_>, Option<Node<'_>>)], scope: ScopeId) -> Box<[Parameter]> {
        let mut parameters = Vec::new();
        for (position, (pattern, written)) in patterns.iter().enumerate() {
            let declared = written.map(|written| self.written(written, scope));
            let name = self.parameter_pattern(*pattern, declared, position, scope);
            parameters.push(Parameter { name, declared, is_optional: false, is_variadic: false });
        }
        for ((pattern, _), parameter) in patterns.iter().zip(&parameters) {
            self.take_apart(*pattern, parameter.name, scope);
        }
        parameters.into()
    }
}

/// Returns the pattern of each parameter but `self`, with its type.
fn parameters(list: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
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
            kind if child.is_named() && !super::is_beside(kind) => found.push((child, None)),
            _ => {}
        }
    }
    found
}
