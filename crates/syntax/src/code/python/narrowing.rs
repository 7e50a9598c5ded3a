//! Type narrowing: tests imply more specific types of names.

use model::code::{Expression, NameId, ScopeId, TypeExpression, TypeId};

use super::{PythonLowering, StatementContext, fields::FIELDS};
use crate::node::SyntaxNode;

/// Maximum number of tests of one value in a disjunction.
const MAX_DISJUNCTS: usize = 8;

impl PythonLowering<'_, '_> {
    /// Binds the narrowings of a test in the scope of a branch, where the test holds or fails.
    pub(super) fn narrow_by_test(&mut self, test: SyntaxNode<'_>, holds: bool, scope: ScopeId) {
        if !self.out.descend() {
            return;
        }
        match test.kind() {
            "parenthesized_expression" => {
                if let Some(inner) = test.named_child(0) {
                    self.narrow_by_test(inner, holds, scope);
                }
            }
            "not_operator" => {
                if let Some(inner) = test.child_by_field_id(FIELDS.argument) {
                    self.narrow_by_test(inner, !holds, scope);
                }
            }
            "boolean_operator" => {
                let is_and = test.child_by_field_id(FIELDS.operator).is_some_and(|operator| operator.kind() == "and");
                if is_and == holds {
                    for side in [FIELDS.left, FIELDS.right] {
                        if let Some(side) = test.child_by_field_id(side) {
                            self.narrow_by_test(side, holds, scope);
                        }
                    }
                } else {
                    self.narrow_by_disjunction(test, holds, scope);
                }
            }
            "call" => self.narrow_by_call(test, holds, scope),
            "comparison_operator" if holds => self.narrow_by_type_comparison(test, scope),
            _ => {}
        }
        self.out.ascend();
    }

    /// `isinstance(x, A) or isinstance(x, B)`, `x is None or isinstance(x, A)`: the value has one of the types, or is `None`.
    fn narrow_by_disjunction(&mut self, test: SyntaxNode<'_>, holds: bool, scope: ScopeId) {
        let Some(tests) = self.type_tests(test, holds) else { return };
        let [(tested, _), ..] = tests[..] else { return };
        let types: Vec<TypeId> =
            tests.iter().filter_map(|(_, of)| *of).map(|of| self.lower_tested_type(of, scope)).collect();
        let declared = match types[..] {
            [] => return,
            [only] => only,
            _ => self.out.add_type(TypeExpression::Union(types.into())),
        };
        self.narrow_to_type(tested, declared, scope);
    }

    /// Returns the tests of which one holds, each with the tested value and its type, or none for `None`. Returns none if any test is
    /// another one, or of another value.
    fn type_tests<'t>(
        &self,
        test: SyntaxNode<'t>,
        holds: bool,
    ) -> Option<Vec<(SyntaxNode<'t>, Option<SyntaxNode<'t>>)>> {
        let mut open = vec![(test, holds)];
        let mut found: Vec<(SyntaxNode<'_>, Option<SyntaxNode<'_>>)> = Vec::new();
        while let Some((test, holds)) = open.pop() {
            if open.len() + found.len() > MAX_DISJUNCTS {
                return None;
            }
            match test.kind() {
                "parenthesized_expression" => open.push((test.named_child(0)?, holds)),
                "not_operator" => open.push((test.child_by_field_id(FIELDS.argument)?, !holds)),
                "boolean_operator" => {
                    let operator = test.child_by_field_id(FIELDS.operator)?;
                    if (operator.kind() == "and") == holds {
                        return None;
                    }
                    open.push((test.child_by_field_id(FIELDS.right)?, holds));
                    open.push((test.child_by_field_id(FIELDS.left)?, holds));
                }
                "call" if holds && self.out.text(test.child_by_field_id(FIELDS.function)?) == "isinstance" => {
                    let arguments = test.child_by_field_id(FIELDS.arguments)?;
                    found.push((arguments.named_child(0)?, Some(arguments.named_child(1)?)));
                }
                "comparison_operator" if test.child_count() == 3 => {
                    let is_none = match test.child(1)?.kind() {
                        "is" => holds,
                        "is not" => !holds,
                        _ => false,
                    };
                    if !is_none || test.child(2)?.kind() != "none" {
                        return None;
                    }
                    found.push((test.child(0)?, None));
                }
                _ => return None,
            }
        }
        let first = self.out.text(found.first()?.0);
        found.iter().all(|(tested, _)| self.out.text(*tested) == first).then_some(found)
    }

    /// `isinstance(x, A)`, `issubclass(x, A)`.
    fn narrow_by_call(&mut self, test: SyntaxNode<'_>, holds: bool, scope: ScopeId) {
        let function = test.child_by_field_id(FIELDS.function).map_or("", |function| self.out.text(function));
        let is_class = match function {
            "isinstance" => false,
            "issubclass" => true,
            _ => return,
        };
        let Some(arguments) =
            test.child_by_field_id(FIELDS.arguments).filter(|arguments| arguments.named_child_count() == 2)
        else {
            return;
        };
        let (Some(tested), Some(of)) = (arguments.named_child(0), arguments.named_child(1)) else { return };
        let mut declared = self.lower_tested_type(of, scope);
        if is_class {
            let path = [self.out.intern("type")].into();
            declared = self.out.add_type(TypeExpression::Named { path, arguments: [declared].into(), scope });
        }
        if holds {
            self.narrow_to_type(tested, declared, scope);
        } else {
            self.exclude_type(tested, declared, scope);
        }
    }

    /// Binds a name to its value without the values of a type.
    fn exclude_type(&mut self, tested: SyntaxNode<'_>, declared: TypeId, scope: ScopeId) {
        if let Some(name) = self.tested_name(tested, scope) {
            let left = self.out.use_name(name, scope);
            let right = Some(self.out.add_expression(Expression::Type(declared)));
            let operator = self.out.intern("is not");
            let value = self.out.add_expression(Expression::Operation { operator, left, right });
            self.bind_excluded(scope, name, value);
        }
    }

    /// `type(x) is A`, `type(x) == A`.
    fn narrow_by_type_comparison(&mut self, test: SyntaxNode<'_>, scope: ScopeId) {
        let (Some(left), Some(right)) = (test.named_child(0), test.named_child(1)) else { return };
        let is_same = test.child(1).is_some_and(|operator| matches!(operator.kind(), "is" | "=="));
        let is_type = left.kind() == "call"
            && left.child_by_field_id(FIELDS.function).is_some_and(|function| self.out.text(function) == "type");
        let arguments =
            left.child_by_field_id(FIELDS.arguments).filter(|_| is_same && is_type && test.child_count() == 3);
        if let Some(tested) = arguments.and_then(|arguments| arguments.named_child(0)) {
            let declared = self.lower_tested_type(right, scope);
            self.narrow_to_type(tested, declared, scope);
        }
    }

    fn narrow_to_type(&mut self, tested: SyntaxNode<'_>, declared: TypeId, scope: ScopeId) {
        if let Some(name) = self.tested_name(tested, scope) {
            self.bind_narrowed(scope, name, declared);
        }
    }

    /// Returns the name under which a tested expression can be bound.
    fn tested_name(&mut self, tested: SyntaxNode<'_>, scope: ScopeId) -> Option<NameId> {
        let is_function = self.functions.last().is_some();
        let context = StatementContext { scope, outer: scope, class: None, is_function, is_fallback: false };
        match tested.kind() {
            "identifier" => Some(self.out.intern_node(tested)),
            "attribute" | "subscript" => self.track_member(tested, context).map(|(part, _)| part),
            "named_expression" => tested.child_by_field_id(FIELDS.name).map(|name| self.out.intern_node(name)),
            _ => None,
        }
    }
}
