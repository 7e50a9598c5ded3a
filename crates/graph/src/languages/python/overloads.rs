//! Overloads: which of several declarations of one function says what a call gives.

use model::code::{Expression, ExpressionId, Flags, Literal, TypeExpression};

use super::Python;
use crate::{
    infer::{Arguments, Inference},
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// The most overloads of one function that are tried.
const MAX_OVERLOADS: usize = 24;

impl Python {
    /// Returns what a call gives by the first overload that takes its arguments, or by any that may take them where one
    /// is not known; nothing where there are none.
    pub(super) fn overloaded(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let Expression::Call { callee, type_arguments, arguments } = program.code(file).expression(call) else {
            return None;
        };
        let Ty::Function { candidates, receiver } = cx.type_of(file, *callee) else { return None };
        let is_overload = |of: &&SymbolIdx| program.shape(**of).flags.has(Flags::DECLARATION);
        let overloads: Vec<SymbolIdx> = candidates.iter().filter(is_overload).take(MAX_OVERLOADS).copied().collect();
        let arguments = Arguments { file, types: type_arguments, values: arguments };
        let taking: Vec<SymbolIdx> = overloads.into_iter().filter(|of| self.takes(cx, *of, &arguments)).collect();
        let is_known = arguments.values.iter().all(|value| !cx.type_of(file, *value).is_unknown());
        let n_tried = if is_known { 1 } else { taking.len() };
        let results: Vec<Ty> =
            taking.into_iter().take(n_tried).map(|of| cx.called(of, receiver.as_deref(), &arguments)).collect();
        (!results.is_empty()).then(|| Ty::one_of(results))
    }

    /// Says whether nothing speaks against giving these arguments to a function: all that it needs is given, and no
    /// object is of another class than it declares.
    fn takes(&self, cx: &mut Inference<'_>, of: SymbolIdx, arguments: &Arguments<'_>) -> bool {
        let program = cx.program;
        let (code, of_file) = (program.code(arguments.file), program.file_of(of));
        let parameters = &program.shape(of).parameters;
        let is_open = |value: &ExpressionId| matches!(code.expression(*value), Expression::Opaque);
        let placed = cx.placed(of, arguments);
        let is_given = |name| placed.iter().any(|(parameter, _)| parameter.name == name);
        let is_missing = parameters
            .iter()
            .any(|parameter| !parameter.is_optional && !parameter.is_variadic && !is_given(parameter.name));
        if is_missing && !arguments.values.iter().any(is_open) {
            return false;
        }
        placed.into_iter().all(|(parameter, value)| {
            let Some(declared) = parameter.declared else { return true };
            let is_literal =
                matches!(code.expression(value), Expression::Literal(literal) if *literal != Literal::Null);
            if let TypeExpression::Literal(Literal::Text(wanted)) = program.code(of_file).written(declared) {
                let Expression::Literal(given) = code.expression(value) else { return false };
                return match (wanted, given) {
                    (Some(wanted), Literal::Text(Some(given))) => {
                        program.name(of_file, *wanted) == program.name(arguments.file, *given)
                    }
                    (Some(_), _) => false,
                    (None, _) => true,
                };
            }
            let is_single = matches!(program.code(of_file).written(declared), TypeExpression::Named { .. });
            let given = cx.type_of(arguments.file, value);
            let declared = cx.written(of_file, declared);
            match (&given, &declared) {
                (Ty::Object(_), Ty::External) => false,
                // A text or a number is no object of a class of the repository.
                (_, Ty::Object(_)) if is_literal && is_single => false,
                (Ty::Object(_) | Ty::Class(_), Ty::Object(_) | Ty::Class(_) | Ty::Union(_)) => {
                    let is_generic = declared.alternatives().iter().any(|ty| matches!(ty, Ty::Parameter { .. }));
                    is_generic || self.is_kind_of(cx, &given, &declared)
                }
                _ => true,
            }
        })
    }
}
