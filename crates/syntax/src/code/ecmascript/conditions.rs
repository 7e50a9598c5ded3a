//! Conditions: what is known of a name where they hold, and where they do not.

use model::code::{Expression, ExpressionId, Literal, NameId, ScopeId, TypeExpression, TypeId};

use super::{Ecmascript, Place};
use crate::node::Node;

/// What a condition tells.
#[derive(Default)]
pub(super) struct Known {
    pub(super) when_true: Vec<Narrowing>,
    pub(super) when_false: Vec<Narrowing>,
}

/// A name with a type or value that says more than the one before.
#[derive(Clone, Copy)]
pub(super) struct Narrowing {
    name: NameId,
    declared: Option<TypeId>,
    value: Option<ExpressionId>,
}

/// What is compared: `a`, `a.b`, `typeof a`.
pub(super) struct Tested {
    value: ExpressionId,
    /// The name that is narrowed by the comparison.
    name: Option<NameId>,
    is_typeof: bool,
}

impl Ecmascript<'_, '_> {
    /// Binds what is known in a scope.
    pub(super) fn know(&mut self, known: Vec<Narrowing>, scope: ScopeId) {
        for Narrowing { name, declared, value } in known {
            self.lowering.bind(scope, name, declared, value);
        }
    }

    /// Lowers a condition, and says what it tells.
    pub(super) fn condition(&mut self, node: Node<'_>, at: Place) -> (ExpressionId, Known) {
        self.deeper(|code| code.condition_here(node, at)).unwrap_or((ExpressionId(0), Known::default()))
    }

    fn condition_here(&mut self, node: Node<'_>, at: Place) -> (ExpressionId, Known) {
        match node.kind() {
            "parenthesized_expression" => match node.named_child(0) {
                Some(inner) if inner.kind() != "comment" => self.condition(inner, at),
                _ => (self.expression(node, at), Known::default()),
            },
            "unary_expression" if operator(node) == "!" => {
                let Some(argument) = node.child_by_field_name("argument") else {
                    return (ExpressionId(0), Known::default());
                };
                let (_, known) = self.condition(argument, at);
                let known = Known { when_true: known.when_false, when_false: known.when_true };
                (self.lowering.expression(Expression::Literal(Literal::Boolean)), known)
            }
            "binary_expression" => self.binary_condition(node, at),
            "call_expression" => self.guard(node, at),
            _ => (self.expression(node, at), Known::default()),
        }
    }

    fn binary_condition(&mut self, node: Node<'_>, at: Place) -> (ExpressionId, Known) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return (ExpressionId(0), Known::default());
        };
        let operator = operator(node);
        match operator {
            "&&" | "||" => {
                let (first, mut known) = self.condition(left, at);
                let is_and = operator == "&&";
                let told = if is_and { &known.when_true } else { &known.when_false };
                let mut inner = at;
                if !told.is_empty() {
                    let told = told.clone();
                    inner = self.block_in(at);
                    self.know(told, inner.block);
                }
                let (second, more) = self.condition(right, inner);
                if is_and {
                    known.when_true.extend(more.when_true);
                    known.when_false.clear();
                    return (second, known);
                }
                known.when_false.extend(more.when_false);
                known.when_true.clear();
                (self.either(&[first, second]), known)
            }
            "??" => {
                let first = self.expression(left, at);
                let second = self.expression(right, at);
                (self.either(&[first, second]), Known::default())
            }
            "instanceof" => {
                let value = self.expression(left, at);
                self.expression(right, at);
                let is = self.lowering.expression(Expression::Literal(Literal::Boolean));
                let (Some(name), Some(path)) = (self.name_in(value), self.path_of(right)) else {
                    return (is, Known::default());
                };
                let arguments = Box::new([]);
                let declared = self.lowering.written(TypeExpression::Named { path, arguments, scope: at.block });
                let narrowing = Narrowing { name, declared: Some(declared), value: None };
                (is, Known { when_true: vec![narrowing], when_false: Vec::new() })
            }
            "===" | "==" | "!==" | "!=" => {
                let tested = self.tested(left, at);
                let wanted = self.expression(right, at);
                let is = self.lowering.expression(Expression::Literal(Literal::Boolean));
                let when_equal = self.equal(&tested, wanted, "===", at);
                let when_other = self.equal(&tested, wanted, "!==", at);
                let known = match operator.starts_with('!') {
                    true => Known { when_true: when_other, when_false: when_equal },
                    false => Known { when_true: when_equal, when_false: when_other },
                };
                (is, known)
            }
            _ => (self.operation(operator, left, right, at), Known::default()),
        }
    }

    /// `isA(a)`: what the function says of its argument is known where it is resolved.
    fn guard(&mut self, node: Node<'_>, at: Place) -> (ExpressionId, Known) {
        let call = self.expression(node, at);
        let Expression::Call { arguments, .. } = self.lowering.code.expression(call) else {
            return (call, Known::default());
        };
        let first = arguments.first().copied();
        let Some((of, name)) = first.and_then(|first| Some((first, self.name_in(first)?))) else {
            return (call, Known::default());
        };
        let value = self.lowering.expression(Expression::Matched { of, variant: call, index: 0 });
        let narrowing = Narrowing { name, declared: None, value: Some(value) };
        (call, Known { when_true: vec![narrowing], when_false: Vec::new() })
    }

    /// Lowers what is compared with something.
    pub(super) fn tested(&mut self, node: Node<'_>, at: Place) -> Tested {
        let mut inner = node;
        while let ("parenthesized_expression", Some(child)) = (inner.kind(), inner.named_child(0)) {
            inner = child;
        }
        if inner.kind() == "unary_expression" && operator(inner) == "typeof" {
            let argument = inner.child_by_field_name("argument");
            let value = argument.map_or(ExpressionId(0), |argument| self.expression(argument, at));
            return Tested { value, name: self.name_in(value), is_typeof: true };
        }
        let value = self.expression(inner, at);
        let name = match *self.lowering.code.expression(value) {
            Expression::Member { of, .. } => self.name_in(of),
            _ => None,
        };
        Tested { value, name, is_typeof: false }
    }

    /// Returns what is known where what is tested equals a text, or does not.
    pub(super) fn equal(&mut self, tested: &Tested, wanted: ExpressionId, sign: &str, at: Place) -> Vec<Narrowing> {
        let (Some(name), Expression::Literal(Literal::Text(Some(text)))) =
            (tested.name, self.lowering.code.expression(wanted))
        else {
            return Vec::new();
        };
        if tested.is_typeof {
            let path = Box::new([*text]);
            let is_object = matches!(self.lowering.code.name(*text), "object" | "function" | "undefined");
            if sign != "===" || is_object {
                return Vec::new();
            }
            let named = TypeExpression::Named { path, arguments: Box::new([]), scope: at.block };
            let declared = Some(self.lowering.written(named));
            return vec![Narrowing { name, declared, value: None }];
        }
        let Expression::Member { of, .. } = *self.lowering.code.expression(tested.value) else { return Vec::new() };
        let operator = self.lowering.name(sign);
        let test = Expression::Operation { operator, left: tested.value, right: Some(wanted) };
        let variant = self.lowering.expression(test);
        let value = Some(self.lowering.expression(Expression::Matched { of, variant, index: 0 }));
        vec![Narrowing { name, declared: None, value }]
    }

    /// Returns the name that an expression is.
    fn name_in(&self, expression: ExpressionId) -> Option<NameId> {
        match *self.lowering.code.expression(expression) {
            Expression::Name { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// Returns the operator of a node.
pub(super) fn operator<'n>(node: Node<'n>) -> &'n str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}
