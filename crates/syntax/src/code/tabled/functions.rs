//! Functions, anonymous functions and their parameters.

use model::code::{DefinitionId, Expression, ExpressionId, Parameter, ScopeId, Shape};

use super::expressions::name_text;
use super::selectors::ChildSelector;
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

impl TabledLowering<'_, '_> {
    /// Lowers a function with a name. A function without a definition is bound in its scope.
    pub(super) fn lower_function(
        &mut self,
        node: SyntaxNode<'_>,
        name: SyntaxNode<'_>,
        parameters: ChildSelector,
        result: ChildSelector,
        body: ChildSelector,
        scope: ScopeId,
    ) {
        let definition = self.out.definition_at(name);
        self.decorate(node, definition, scope);
        let inner = self.out.open_scope(scope, definition);
        let parameters = match parameters {
            ChildSelector::Itself => self.lower_parameter_children(node, inner),
            list => list.of(node).map(|list| self.lower_parameters(list, inner)).unwrap_or_default(),
        };
        let declared = result.of(node).map(|result| self.lower_type(result, inner));
        self.results.push(Vec::new());
        let value = body.of(node).map_or(OPAQUE, |body| self.visit(body, inner));
        let values = self.finish_results(value);
        if let Some(definition) = definition {
            self.set_function(definition, parameters, declared, values, inner);
        }
    }

    /// Sets the shape of a function.
    pub(super) fn set_function(
        &mut self,
        definition: DefinitionId,
        parameters: Vec<Parameter>,
        declared: Option<model::code::TypeId>,
        values: Vec<ExpressionId>,
        body: ScopeId,
    ) {
        *self.out.shape_mut(definition) = Shape {
            parameters: parameters.into(),
            declared,
            values: values.into(),
            body: Some(body),
            ..Shape::default()
        };
    }

    /// Returns the results of the innermost function, with the value of its body.
    pub(super) fn finish_results(&mut self, value: ExpressionId) -> Vec<ExpressionId> {
        let mut values = self.results.pop().unwrap_or_default();
        if value != OPAQUE && self.table.has_last_results && !values.contains(&value) {
            values.push(value);
        }
        values
    }

    /// Lowers an anonymous function or a block.
    pub(super) fn lower_lambda(
        &mut self,
        node: SyntaxNode<'_>,
        parameters: ChildSelector,
        body: ChildSelector,
        scope: ScopeId,
    ) -> ExpressionId {
        let list = parameters.of(node);
        self.lower_closure(list, scope, |lowering, inner| match body {
            ChildSelector::Itself => lowering.visit_children_except(node, list, inner),
            body => body.of(node).map_or(OPAQUE, |body| lowering.visit(body, inner)),
        })
    }

    /// Lowers an anonymous function: its parameters, then its body in a scope of its own.
    pub(super) fn lower_closure(
        &mut self,
        parameters: Option<SyntaxNode<'_>>,
        scope: ScopeId,
        lower_body: impl FnOnce(&mut Self, ScopeId) -> ExpressionId,
    ) -> ExpressionId {
        let inner = self.out.open_scope(scope, None);
        let parameters = parameters.map(|list| self.lower_parameters(list, inner)).unwrap_or_default();
        self.results.push(Vec::new());
        let value = lower_body(self, inner);
        let mut results = self.results.pop().unwrap_or_default();
        if value != OPAQUE && !results.contains(&value) {
            results.push(value);
        }
        self.out.add_expression(Expression::Function {
            scope: inner,
            parameters: parameters.into(),
            results: results.into(),
            declared: None,
        })
    }

    /// Lowers a list of parameters, or a single one, and binds them in the scope of their function.
    pub(super) fn lower_parameters(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Vec<Parameter> {
        match self.lower_parameter(list, None, scope) {
            Some(only) => vec![only],
            None => self.lower_parameter_children(list, scope),
        }
    }

    /// Lowers the parameters among the children of a node.
    pub(super) fn lower_parameter_children(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        // The name of a function is no parameter.
        let named = list.child_by_field_name("name");
        let mut cursor = list.walk();
        let children: Vec<SyntaxNode> = list.children(&mut cursor).filter(|child| !child.is_extra()).collect();
        for (at, child) in children.iter().enumerate().filter(|(_, child)| child.is_named()) {
            if Some(*child) == named {
                continue;
            }
            if self.table.parameter_groups.contains(&child.kind()) {
                if self.out.descend() {
                    parameters.extend(self.lower_parameter_children(*child, scope));
                    self.out.ascend();
                }
                continue;
            }
            // Some grammars have the default value as the next sibling.
            let has_default = children.get(at + 1).is_some_and(|next| next.kind() == "=");
            let default = children.get(at + 2).copied().filter(|_| has_default);
            parameters.extend(self.lower_parameter(*child, default, scope));
        }
        parameters
    }

    fn lower_parameter(
        &mut self,
        node: SyntaxNode<'_>,
        default: Option<SyntaxNode<'_>>,
        scope: ScopeId,
    ) -> Option<Parameter> {
        let rule = self.table.parameters.iter().find(|rule| rule.kind == node.kind())?;
        let name_node = rule.name.of(node)?;
        let text = self.out.text(name_node);
        // `this.name` as a parameter assigns the field.
        let is_field = text.starts_with("this.");
        let name = self.out.intern(name_text(text.rsplit('.').next().unwrap_or(text)));
        let declared = rule.declared.of(node).and_then(|declared| self.lower_declared(declared, scope));
        let default = default.or_else(|| rule.default.of(node)).map(|default| self.visit(default, scope));
        let is_optional = default.is_some();
        let value = default.filter(|default| *default != OPAQUE);
        self.bind(scope, name, declared, value);
        if is_field {
            let value = self.out.use_name(name, scope);
            self.add_field(name, value);
        }
        let definition = self.definition_of(name_node);
        self.decorate(node, definition, scope);
        if let Some(definition) = definition {
            let shape = Shape { declared, values: value.into_iter().collect(), ..Shape::default() };
            *self.out.shape_mut(definition) = shape;
        }
        Some(Parameter { name, declared, is_optional, is_variadic: rule.is_variadic })
    }
}

/// Returns the first leaf of a node that is no sigil: the node of a name inside of its wrappers.
pub(super) fn leaf(node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    std::iter::successors(Some(node), |node| node.named_child(0)).take(8).last().unwrap_or(node)
}
