//! Variables, constants, fields and assignments.

use model::code::{DefinitionId, Expression, ExpressionId, FieldFact, NameId, ScopeId, Shape, TypeId};

use super::expressions::name_text;
use super::functions::leaf;
use super::selectors::ChildSelector;
use super::table::LoweringRule;
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

/// Maximum number of scopes that are searched for a binding.
const MAX_SCOPES: usize = 100;

impl TabledLowering<'_, '_> {
    /// Lowers a declared variable.
    pub(super) fn lower_variable(
        &mut self,
        node: SyntaxNode<'_>,
        name: ChildSelector,
        declared: ChildSelector,
        value: ChildSelector,
        scope: ScopeId,
    ) {
        let declared = declared.of(node).and_then(|declared| self.lower_declared(declared, scope));
        let value = value.of(node).map(|value| self.visit(value, scope));
        if let Some(name) = name.of(node) {
            self.declare(node, name, declared, value, scope);
        }
    }

    /// Gives a declared name its type and value: in the shape of its definition, or as a binding.
    pub(super) fn declare(
        &mut self,
        node: SyntaxNode<'_>,
        name: SyntaxNode<'_>,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
        scope: ScopeId,
    ) {
        let definition = self.definition_of(name);
        self.decorate(node, definition, scope);
        match definition {
            Some(definition) => self.set_variable(definition, declared, value),
            None => self.bind_pattern(name, declared, value, scope),
        }
    }

    /// Returns the definition that a name node, or its first leaf, declares.
    pub(super) fn definition_of(&self, name: SyntaxNode<'_>) -> Option<DefinitionId> {
        self.out.definition_at(name).or_else(|| self.out.definition_at(leaf(name)))
    }

    /// Sets the shape of a variable, constant or field.
    pub(super) fn set_variable(
        &mut self,
        definition: DefinitionId,
        declared: Option<TypeId>,
        value: Option<ExpressionId>,
    ) {
        let values = value.into_iter().filter(|value| *value != OPAQUE).collect();
        *self.out.shape_mut(definition) = Shape { declared, values, ..Shape::default() };
    }

    /// Lowers `target = value` and `target += value`. Returns the assigned value.
    pub(super) fn lower_assignment(
        &mut self,
        target: Option<SyntaxNode<'_>>,
        operator: Option<SyntaxNode<'_>>,
        value: Option<SyntaxNode<'_>>,
        scope: ScopeId,
    ) -> ExpressionId {
        let value = value.map_or(OPAQUE, |value| self.visit(value, scope));
        let Some(target) = target.map(|target| self.without_wrapper(target)) else { return value };
        let operator = operator.map_or("", |operator| self.out.text(operator)).trim_end_matches('=');
        let is_name = matches!(self.rule(target), Some(LoweringRule::Name));
        match operator {
            // `a ||= b` gives a default value.
            "" | "||" | "??" | "?:" => self.assign(target, value, scope),
            operator if is_name => {
                let before = self.visit(target, scope);
                let joined = self.add_operation(operator, before, value);
                self.assign(target, joined, scope);
            }
            _ => {
                self.visit(target, scope);
            }
        }
        value
    }

    /// Returns the name inside of a node that marks it as a target.
    fn without_wrapper<'n>(&self, target: SyntaxNode<'n>) -> SyntaxNode<'n> {
        let is_name = |node: &SyntaxNode<'n>| matches!(self.rule(*node), Some(LoweringRule::Name));
        let only = target.named_child(0).filter(|_| target.named_child_count() == 1);
        only.filter(|only| is_name(only) && !is_name(&target)).unwrap_or(target)
    }

    /// Assigns a value to a target: a name, a pattern, a member or an element.
    pub(super) fn assign(&mut self, target: SyntaxNode<'_>, value: ExpressionId, scope: ScopeId) {
        if let Some(definition) = self.out.definition_at(target) {
            return self.set_variable(definition, None, Some(value));
        }
        if matches!(self.rule(target), Some(LoweringRule::Name)) {
            let name = self.out.intern(name_text(self.out.text(target)));
            return self.assign_name(name, value, scope);
        }
        if self.table.tuple_patterns.contains(&target.kind()) {
            return self.bind_pattern(target, None, Some(value), scope);
        }
        let left = self.visit(target, scope);
        self.assign_expression(left, value, scope);
    }

    /// Assigns a value to an expression. A member of the receiver is a field.
    pub(super) fn assign_expression(&mut self, left: ExpressionId, value: ExpressionId, scope: ScopeId) {
        let field = match self.out.code.expression(left) {
            Expression::Name { name, .. } => {
                let name = *name;
                return self.assign_name(name, value, scope);
            }
            Expression::Member { of, name } => match self.out.code.expression(*of) {
                Expression::This { .. } => Some(*name),
                _ => None,
            },
            _ => None,
        };
        match field {
            Some(name) if self.types.last().is_some_and(Option::is_some) => self.add_field(name, value),
            _ if left == OPAQUE => {}
            _ => {
                let operator = self.out.intern("=");
                self.out.add_expression(Expression::Operation { operator, left, right: Some(value) });
            }
        }
    }

    fn assign_name(&mut self, name: NameId, value: ExpressionId, scope: ScopeId) {
        let is_field = self.table.has_bare_fields && self.types.last().is_some_and(Option::is_some);
        if !is_field || self.is_bound(name, scope) {
            return self.bind(scope, name, None, Some(value));
        }
        if self.out.code.scopes.get(scope.index()).is_some_and(|scope| scope.definition.is_some()) {
            return self.add_field(name, value);
        }
        // A block may have a receiver of its own.
        let left = self.out.use_name(name, scope);
        let operator = self.out.intern("=");
        self.out.add_expression(Expression::Operation { operator, left, right: Some(value) });
    }

    /// Adds a field that code assigns to its own object.
    pub(super) fn add_field(&mut self, name: NameId, value: ExpressionId) {
        if let Some(owner) = self.types.last().copied().flatten()
            && value != OPAQUE
        {
            self.out.code.fields.push(FieldFact { owner, name, declared: None, value: Some(value) });
        }
    }

    /// Binds a name. Its value is visible to later uses.
    pub(super) fn bind(&mut self, scope: ScopeId, name: NameId, declared: Option<TypeId>, value: Option<ExpressionId>) {
        self.bound.insert((scope, name));
        self.out.bind(scope, name, declared, value.filter(|value| *value != OPAQUE));
    }

    /// Returns true if a scope, or one around it, binds a name.
    fn is_bound(&self, name: NameId, scope: ScopeId) -> bool {
        let parent = |scope: &ScopeId| self.out.code.scopes.get(scope.index()).and_then(|scope| scope.parent);
        std::iter::successors(Some(scope), parent).take(MAX_SCOPES).any(|scope| self.bound.contains(&(scope, name)))
    }
}
