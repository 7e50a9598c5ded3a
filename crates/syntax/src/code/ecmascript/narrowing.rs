//! Conditions: the narrowings of names where a condition holds, and where it does not.

use model::code::{Expression, ExpressionId, Literal, NameId, ScopeId, TypeExpression, TypeId};

use super::{EcmascriptLowering, LexicalContext, OPAQUE};
use crate::node::SyntaxNode;

/// The narrowings that a condition implies.
#[derive(Default)]
pub(super) struct ConditionNarrowings {
    pub(super) when_true: Vec<Narrowing>,
    pub(super) when_false: Vec<Narrowing>,
}

/// A name with a more specific type or value.
#[derive(Clone, Copy)]
pub(super) struct Narrowing {
    name: NameId,
    declared: Option<TypeId>,
    value: Option<ExpressionId>,
}

/// The left side of a comparison: `a`, `a.b`, `typeof a`.
pub(super) struct ComparisonSubject {
    value: ExpressionId,
    /// The name that the comparison narrows.
    name: Option<NameId>,
    is_typeof: bool,
}

impl EcmascriptLowering<'_, '_> {
    /// Binds narrowings in a scope.
    pub(super) fn bind_narrowings(&mut self, narrowings: Vec<Narrowing>, scope: ScopeId) {
        for Narrowing { name, declared, value } in narrowings {
            self.out.bind(scope, name, declared, value);
        }
    }

    /// Lowers a condition, and returns its value and narrowings.
    pub(super) fn lower_condition(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        self.deeper(|lowering| lowering.lower_condition_node(node, context))
            .unwrap_or((OPAQUE, ConditionNarrowings::default()))
    }

    fn lower_condition_node(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        match node.kind() {
            "parenthesized_expression" => match node.named_child(0) {
                Some(inner) if inner.kind() != "comment" => self.lower_condition(inner, context),
                _ => (self.lower_expression(node, context), ConditionNarrowings::default()),
            },
            "unary_expression" if operator(node) == "!" => {
                let Some(argument) = node.child_by_field_name("argument") else {
                    return (OPAQUE, ConditionNarrowings::default());
                };
                let (_, narrowings) = self.lower_condition(argument, context);
                let narrowings =
                    ConditionNarrowings { when_true: narrowings.when_false, when_false: narrowings.when_true };
                (self.out.add_expression(Expression::Literal(Literal::Boolean)), narrowings)
            }
            "binary_expression" => self.lower_binary_condition(node, context),
            "call_expression" => self.lower_type_guard(node, context),
            _ => (self.lower_expression(node, context), ConditionNarrowings::default()),
        }
    }

    fn lower_binary_condition(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return (OPAQUE, ConditionNarrowings::default());
        };
        let operator = operator(node);
        match operator {
            "&&" | "||" => self.lower_logical_condition(left, right, operator == "&&", context),
            "??" => {
                let first = self.lower_expression(left, context);
                let second = self.lower_expression(right, context);
                (self.add_either(&[first, second]), ConditionNarrowings::default())
            }
            "instanceof" => self.lower_instanceof(left, right, context),
            "===" | "==" | "!==" | "!=" => self.lower_equality(left, right, operator.starts_with('!'), context),
            _ => (self.lower_operation(operator, left, right, context), ConditionNarrowings::default()),
        }
    }

    /// Lowers `a && b` or `a || b`. The second operand is narrowed by the first.
    fn lower_logical_condition(
        &mut self,
        left: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        is_and: bool,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        let (first, mut narrowings) = self.lower_condition(left, context);
        let implied = if is_and { &narrowings.when_true } else { &narrowings.when_false };
        let mut inner = context;
        if !implied.is_empty() {
            let implied = implied.clone();
            inner = self.open_block(context);
            self.bind_narrowings(implied, inner.block);
        }
        let (second, right_narrowings) = self.lower_condition(right, inner);
        if is_and {
            narrowings.when_true.extend(right_narrowings.when_true);
            narrowings.when_false.clear();
            return (second, narrowings);
        }
        narrowings.when_false.extend(right_narrowings.when_false);
        narrowings.when_true.clear();
        (self.add_either(&[first, second]), narrowings)
    }

    /// Lowers `a instanceof B`.
    fn lower_instanceof(
        &mut self,
        left: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        let value = self.lower_expression(left, context);
        self.lower_expression(right, context);
        let result = self.out.add_expression(Expression::Literal(Literal::Boolean));
        let (Some(name), Some(path)) = (self.plain_name(value), self.intern_path(right)) else {
            return (result, ConditionNarrowings::default());
        };
        let arguments = Box::new([]);
        let declared = self.out.add_type(TypeExpression::Named { path, arguments, scope: context.block });
        let narrowing = Narrowing { name, declared: Some(declared), value: None };
        let right = Some(self.out.add_expression(Expression::Type(declared)));
        let operator = self.out.intern("!instanceof");
        let variant = self.out.add_expression(Expression::Operation { operator, left: value, right });
        let other = Some(self.out.add_expression(Expression::Matched { of: value, variant, index: 0 }));
        let exclusion = Narrowing { name, declared: None, value: other };
        (result, ConditionNarrowings { when_true: vec![narrowing], when_false: vec![exclusion] })
    }

    /// Lowers `a === b`, or `a !== b` if it is negated.
    fn lower_equality(
        &mut self,
        left: SyntaxNode<'_>,
        right: SyntaxNode<'_>,
        is_negated: bool,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        let subject = self.lower_comparison_subject(left, context);
        let compared = self.lower_expression(right, context);
        let result = self.out.add_expression(Expression::Literal(Literal::Boolean));
        let when_equal = self.narrow_by_equality(&subject, compared, "===", context);
        let when_unequal = self.narrow_by_equality(&subject, compared, "!==", context);
        let narrowings = match is_negated {
            true => ConditionNarrowings { when_true: when_unequal, when_false: when_equal },
            false => ConditionNarrowings { when_true: when_equal, when_false: when_unequal },
        };
        (result, narrowings)
    }

    /// `isA(a)`: the narrowing of a type guard is resolved together with the function.
    fn lower_type_guard(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> (ExpressionId, ConditionNarrowings) {
        let call = self.lower_expression(node, context);
        let Expression::Call { arguments, .. } = self.out.code.expression(call) else {
            return (call, ConditionNarrowings::default());
        };
        let first = arguments.first().copied();
        let Some((of, name)) = first.and_then(|first| Some((first, self.plain_name(first)?))) else {
            return (call, ConditionNarrowings::default());
        };
        let value = self.out.add_expression(Expression::Matched { of, variant: call, index: 0 });
        let narrowing = Narrowing { name, declared: None, value: Some(value) };
        (call, ConditionNarrowings { when_true: vec![narrowing], when_false: Vec::new() })
    }

    /// Lowers the left side of a comparison.
    pub(super) fn lower_comparison_subject(
        &mut self,
        node: SyntaxNode<'_>,
        context: LexicalContext,
    ) -> ComparisonSubject {
        let mut inner = node;
        while let ("parenthesized_expression", Some(child)) = (inner.kind(), inner.named_child(0)) {
            inner = child;
        }
        if inner.kind() == "unary_expression" && operator(inner) == "typeof" {
            let argument = inner.child_by_field_name("argument");
            let value = argument.map_or(OPAQUE, |argument| self.lower_expression(argument, context));
            return ComparisonSubject { value, name: self.plain_name(value), is_typeof: true };
        }
        let value = self.lower_expression(inner, context);
        let name = match *self.out.code.expression(value) {
            Expression::Member { of, .. } => self.plain_name(of),
            _ => None,
        };
        ComparisonSubject { value, name, is_typeof: false }
    }

    /// Returns the narrowings if the left side equals a string (`===`), or differs from it (`!==`).
    pub(super) fn narrow_by_equality(
        &mut self,
        subject: &ComparisonSubject,
        compared: ExpressionId,
        sign: &str,
        context: LexicalContext,
    ) -> Vec<Narrowing> {
        let (Some(name), Expression::Literal(Literal::Text(Some(text)))) =
            (subject.name, self.out.code.expression(compared))
        else {
            return Vec::new();
        };
        if subject.is_typeof {
            let path = Box::new([*text]);
            let is_object = matches!(self.out.code.name(*text), "object" | "function" | "undefined");
            if sign != "===" || is_object {
                return Vec::new();
            }
            let named = TypeExpression::Named { path, arguments: Box::new([]), scope: context.block };
            let declared = Some(self.out.add_type(named));
            return vec![Narrowing { name, declared, value: None }];
        }
        let Expression::Member { of, .. } = *self.out.code.expression(subject.value) else { return Vec::new() };
        let operator = self.out.intern(sign);
        let test = Expression::Operation { operator, left: subject.value, right: Some(compared) };
        let variant = self.out.add_expression(test);
        let value = Some(self.out.add_expression(Expression::Matched { of, variant, index: 0 }));
        vec![Narrowing { name, declared: None, value }]
    }

    /// Returns the name if an expression is a plain name.
    fn plain_name(&self, expression: ExpressionId) -> Option<NameId> {
        match *self.out.code.expression(expression) {
            Expression::Name { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// Returns the operator of a node.
pub(super) fn operator<'n>(node: SyntaxNode<'n>) -> &'n str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}
