//! Tests: what is known of a value where they hold.

use model::code::{Expression, NameId, ScopeId, TypeExpression, TypeId};

use super::{Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Binds, in the scope of a branch, what is known there because a test holds, or does not.
    pub(super) fn assume(&mut self, test: Node<'_>, holds: bool, scope: ScopeId) {
        if !self.out.descend() {
            return;
        }
        match test.kind() {
            "parenthesized_expression" => {
                if let Some(inner) = test.named_child(0) {
                    self.assume(inner, holds, scope);
                }
            }
            "not_operator" => {
                if let Some(inner) = test.child_by_field_id(FIELDS.argument) {
                    self.assume(inner, !holds, scope);
                }
            }
            "boolean_operator" => {
                let is_and = test.child_by_field_id(FIELDS.operator).is_some_and(|operator| operator.kind() == "and");
                if is_and == holds {
                    for side in [FIELDS.left, FIELDS.right] {
                        if let Some(side) = test.child_by_field_id(side) {
                            self.assume(side, holds, scope);
                        }
                    }
                }
            }
            "call" => self.assume_call(test, holds, scope),
            "comparison_operator" if holds => self.assume_same_type(test, scope),
            _ => {}
        }
        self.out.ascend();
    }

    /// `isinstance(x, A)`, `issubclass(x, A)`.
    fn assume_call(&mut self, test: Node<'_>, holds: bool, scope: ScopeId) {
        let function = test.child_by_field_id(FIELDS.function).map_or("", |function| self.out.text(function));
        let is_class = match function {
            "isinstance" => false,
            "issubclass" => true,
            _ => return,
        };
        let Some(given) = test.child_by_field_id(FIELDS.arguments).filter(|given| given.named_child_count() == 2)
        else {
            return;
        };
        let (Some(tested), Some(of)) = (given.named_child(0), given.named_child(1)) else { return };
        let mut declared = self.tested_type(of, scope);
        if is_class {
            let path = [self.out.name("type")].into();
            declared = self.out.written(TypeExpression::Named { path, arguments: [declared].into(), scope });
        }
        if holds {
            self.narrow(tested, declared, scope);
        } else {
            self.rule_out(tested, declared, scope);
        }
    }

    /// Binds a name to what is left of its value without those of a type.
    fn rule_out(&mut self, tested: Node<'_>, declared: TypeId, scope: ScopeId) {
        if let Some(name) = self.tested_name(tested, scope) {
            let left = self.out.use_name(name, scope);
            let right = Some(self.out.expression(Expression::Type(declared)));
            let operator = self.out.name("is not");
            let value = self.out.expression(Expression::Operation { operator, left, right });
            self.exclude(scope, name, value);
        }
    }

    /// `type(x) is A`, `type(x) == A`.
    fn assume_same_type(&mut self, test: Node<'_>, scope: ScopeId) {
        let (Some(left), Some(right)) = (test.named_child(0), test.named_child(1)) else { return };
        let is_same = test.child(1).is_some_and(|operator| matches!(operator.kind(), "is" | "=="));
        let is_type = left.kind() == "call"
            && left.child_by_field_id(FIELDS.function).is_some_and(|function| self.out.text(function) == "type");
        let given = left.child_by_field_id(FIELDS.arguments).filter(|_| is_same && is_type && test.child_count() == 3);
        if let Some(tested) = given.and_then(|given| given.named_child(0)) {
            let declared = self.tested_type(right, scope);
            self.narrow(tested, declared, scope);
        }
    }

    fn narrow(&mut self, tested: Node<'_>, declared: TypeId, scope: ScopeId) {
        if let Some(name) = self.tested_name(tested, scope) {
            self.refine(scope, name, declared);
        }
    }

    /// Returns the name under which what is tested can be bound.
    fn tested_name(&mut self, tested: Node<'_>, scope: ScopeId) -> Option<NameId> {
        let is_function = self.functions.last().is_some();
        let place = Place { scope, outer: scope, class: None, is_function };
        match tested.kind() {
            "identifier" => Some(self.out.name_of(tested)),
            "attribute" | "subscript" => self.know_part(tested, place).map(|(part, _)| part),
            "named_expression" => tested.child_by_field_id(FIELDS.name).map(|name| self.out.name_of(name)),
            _ => None,
        }
    }
}
