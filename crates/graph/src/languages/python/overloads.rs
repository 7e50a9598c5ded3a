//! Overload declarations: the result type of a call.

use model::code::{Expression, ExpressionId, Flags, Literal, TypeExpression};

use super::PythonDialect;
use crate::{
    infer::{CallArguments, Inference},
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Maximum number of overloads of one function to test.
const MAX_OVERLOADS: usize = 24;

impl PythonDialect {
    /// Returns the result type of the first overload that accepts the arguments, or the union over all that may accept
    /// them if an argument type is unknown. Returns none without overloads.
    pub(super) fn overload_result(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let Expression::Call { callee, type_arguments, arguments } = program.code(file).expression(call) else {
            return None;
        };
        let Ty::Function { candidates, receiver } = cx.type_of(file, *callee) else { return None };
        let is_overload = |of: &&SymbolIdx| program.shape(**of).flags.has(Flags::DECLARATION);
        let overloads: Vec<SymbolIdx> = candidates.iter().filter(is_overload).take(MAX_OVERLOADS).copied().collect();
        let arguments = CallArguments { file, types: type_arguments, values: arguments };
        let accepting: Vec<SymbolIdx> = overloads.into_iter().filter(|of| self.accepts(cx, *of, &arguments)).collect();
        let is_known = arguments.values.iter().all(|value| !cx.type_of(file, *value).is_unknown());
        let n_tried = if is_known { 1 } else { accepting.len() };
        let results: Vec<Ty> =
            accepting.into_iter().take(n_tried).map(|of| cx.call_result(of, receiver.as_deref(), &arguments)).collect();
        (!results.is_empty()).then(|| Ty::one_of(results))
    }

    /// Returns true if a function may accept the arguments: no required argument is missing, and no argument
    /// contradicts its declared type.
    fn accepts(&self, cx: &mut Inference<'_>, of: SymbolIdx, arguments: &CallArguments<'_>) -> bool {
        let program = cx.program;
        let (code, of_file) = (program.code(arguments.file), program.file_of(of));
        let parameters = &program.shape(of).parameters;
        let is_open = |value: &ExpressionId| matches!(code.expression(*value), Expression::Opaque);
        let placed = cx.pair_arguments(of, arguments);
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
            if let TypeExpression::Literal(Literal::Text(expected)) = program.code(of_file).written(declared) {
                let Expression::Literal(actual) = code.expression(value) else { return false };
                return match (expected, actual) {
                    (Some(expected), Literal::Text(Some(actual))) => {
                        program.name(of_file, *expected) == program.name(arguments.file, *actual)
                    }
                    (Some(_), _) => false,
                    (None, _) => true,
                };
            }
            let written = program.code(of_file).written(declared);
            let is_single = matches!(written, TypeExpression::Named { .. });
            let is_value = match written {
                TypeExpression::Named { path, .. } => {
                    matches!(&**path, [name] if is_value_type(program.code(of_file).name(*name)))
                }
                _ => false,
            };
            let actual = cx.type_of(arguments.file, value);
            let declared = cx.written_type(of_file, declared);
            match (&actual, &declared) {
                (Ty::Object(_), Ty::External) => false,
                // A class is no instance of a builtin type.
                (Ty::Class(_), _) if is_value => false,
                // A string or number literal is not an instance of a class of the repository.
                (_, Ty::Object(_)) if is_literal && is_single => false,
                (Ty::Object(_) | Ty::Class(_), Ty::Object(_) | Ty::Class(_) | Ty::Union(_)) => {
                    let is_generic = declared.alternatives().iter().any(|ty| matches!(ty, Ty::Parameter { .. }));
                    is_generic || self.is_subtype(cx, &actual, &declared)
                }
                _ => true,
            }
        })
    }
}

/// Returns true if a type has values that are no classes or functions.
fn is_value_type(name: &str) -> bool {
    matches!(name, "str" | "int" | "float" | "bool" | "bytes")
}
