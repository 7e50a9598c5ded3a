//! Calls through a trait (`Trait::f(x)`): the type that the call is for, and its members.

use model::code::{Expression, ExpressionId};

use crate::{
    infer::Inference,
    languages::rust::{RustDialect, calls::CallParts, impls::Impl},
    program::SymbolIdx,
    ty::Ty,
};

/// Maximum number of expressions between the callee of a call and the comparison that it is part of.
const MAX_COMPARISON: usize = 64;

impl RustDialect {
    /// Returns the members of a type that belong to a trait, for a call through the trait: a method of the type itself is none of them.
    pub(super) fn members_of_trait(
        &self,
        cx: &mut Inference<'_>,
        found: Vec<SymbolIdx>,
        of: &Ty,
        of_trait: SymbolIdx,
    ) -> Vec<SymbolIdx> {
        let Some(impls) = self.impls.get() else { return found };
        let is_own = |symbol: &SymbolIdx| impls.impl_of_member(*symbol).is_some_and(Impl::is_own);
        if !found.iter().any(is_own) {
            return found;
        }
        let name = cx.program.name_of(found[0]);
        self.implementation_members(cx, of, of_trait, name)
    }

    /// Returns the type of the value that a call is compared with, if it is a type of the program: `a == T::make()` calls the function of
    /// the trait for the type of `a`, if the function returns its type.
    pub(super) fn compared_type(&self, cx: &mut Inference<'_>, call: CallParts<'_>) -> Option<Ty> {
        let code = cx.program.code(call.file);
        let is_call = |value: &ExpressionId| matches!(code.expression(*value), Expression::Call { callee, .. } if *callee == call.callee);
        let after = code.expressions.get(call.callee.index()..)?.iter().take(MAX_COMPARISON);
        let other = after.into_iter().find_map(|expression| match expression {
            Expression::Either(sides) => match &sides[..] {
                [left, right] if is_call(right) => Some(*left),
                [left, right] if is_call(left) => Some(*right),
                _ => None,
            },
            _ => None,
        })?;
        let other = cx.deeper(|cx| cx.type_of(call.file, other))?;
        matches!(other, Ty::Object(_)).then_some(other)
    }

    /// Returns the declared type of the variable that a call is the whole value of, if it is a type of the program: `let a: A = T::make()`
    /// calls the function of the trait for this type, if the function returns its type.
    pub(super) fn declared_result(&self, cx: &mut Inference<'_>, call: CallParts<'_>) -> Option<Ty> {
        let code = cx.program.code(call.file);
        let is_call = |value: ExpressionId| matches!(code.expression(value), Expression::Call { callee, .. } if *callee == call.callee);
        let binding = code.bindings.iter().find(|binding| binding.value.is_some_and(is_call))?;
        let declared = cx.written_type(call.file, binding.declared?);
        matches!(declared, Ty::Object(_)).then_some(declared)
    }
}
