//! Matching of arguments to parameters of variable arity.

use model::code::{Expression, ExpressionId};

use super::types::item_of;
use crate::{infer::Inference, program::FileIdx, ty::Ty};

/// Expands the variadic parameter to match the arguments, unless an array is passed for it.
pub(super) fn expand_variadic(
    cx: &mut Inference<'_>,
    parameters: Vec<Ty>,
    is_variadic: bool,
    file: FileIdx,
    arguments: &[ExpressionId],
) -> Vec<Ty> {
    if !is_variadic {
        return parameters;
    }
    let is_array = arguments.len() == parameters.len()
        && arguments
            .last()
            .is_some_and(|last| !is_closure(cx, file, *last) && item_of(&cx.type_of(file, *last)).is_some());
    if is_array { parameters } else { repeat_last(parameters, arguments.len()) }
}

/// Replaces the last parameter by one copy for each argument.
pub(super) fn repeat_last(mut parameters: Vec<Ty>, n_arguments: usize) -> Vec<Ty> {
    let Some(last) = parameters.pop() else { return parameters };
    let item = item_of(&last).cloned().unwrap_or(Ty::Unknown);
    // At least one copy stays, so that methods without arguments can be compared.
    parameters.resize(n_arguments.max(parameters.len() + 1), item);
    parameters
}

/// Returns true if an argument is a lambda or a method reference.
pub(super) fn is_closure(cx: &Inference<'_>, file: FileIdx, argument: ExpressionId) -> bool {
    matches!(cx.program.code(file).expression(argument), Expression::Function { .. } | Expression::Path { .. })
}
