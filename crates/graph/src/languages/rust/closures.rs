//! Closure parameters: their types from the call that receives the closure.

use model::code::{Expression, ExpressionId, ScopeId};

use super::{RustDialect, calls::ResolvedCallee};
use crate::{infer::Inference, names::Name, program::FileIdx, ty::Ty};

impl RustDialect {
    /// Returns the type of a closure parameter by the scope of the closure.
    pub(super) fn closure_parameter_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        scope: ScopeId,
        name: Name,
    ) -> Ty {
        let program = cx.program;
        let Some((site, n_argument)) = cx.closure_place(file, scope) else { return Ty::Unknown };
        let Some(call) = self.call_parts(cx, file, site) else { return Ty::Unknown };
        let closure = call.arguments.get(n_argument).map(|closure| program.code(file).expression(*closure));
        let Some(Expression::Function { parameters, .. }) = closure else { return Ty::Unknown };
        let position = parameters.iter().position(|parameter| program.name(file, parameter.name) == name);
        let Some(n_parameter) = position else { return Ty::Unknown };
        match self.expected_closure_type(cx, file, site, n_argument) {
            Ty::FunctionType { parameters, .. } => parameters.get(n_parameter).cloned().unwrap_or(Ty::Unknown),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the type that a call expects for a closure argument.
    fn expected_closure_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: ExpressionId,
        n_argument: usize,
    ) -> Ty {
        let program = cx.program;
        let (Some(call), Some(callee)) = (self.call_parts(cx, file, site), self.resolve_callee(cx, file, site)) else {
            return Ty::Unknown;
        };
        match callee {
            ResolvedCallee::Symbols { symbols, receiver, n_skipped } => {
                let Some(of) = symbols.first().copied() else { return Ty::Unknown };
                let Some(n_argument) = n_argument.checked_sub(n_skipped) else { return Ty::Unknown };
                let parameter = program.shape(of).parameters.get(n_argument);
                let Some(declared) = parameter.and_then(|parameter| parameter.declared) else { return Ty::Unknown };
                let expected = cx.written_type(program.file_of(of), declared);
                let expected = self.as_function(cx, expected);
                let mut bindings = self.infer_bindings(cx, of, receiver.as_ref(), call, n_skipped, false);
                bindings.apply(self, cx, &expected)
            }
            ResolvedCallee::Standard { of, function, n_skipped } => {
                let receiver = match n_skipped {
                    0 => of,
                    _ => call.arguments.first().map_or(Ty::Unknown, |object| cx.type_of(file, *object)),
                };
                let Some(template) = n_argument.checked_sub(n_skipped).and_then(|at| function.parameters.get(at))
                else {
                    return Ty::External;
                };
                let bindings = self.standard_bindings(cx, &receiver, function, call, n_skipped, false);
                bindings.instantiate(self, cx, template)
            }
            ResolvedCallee::Constructor { of, .. } => {
                let declared = program.shape(of).parameters.get(n_argument).and_then(|parameter| parameter.declared);
                let Some(declared) = declared else { return Ty::Unknown };
                let expected = cx.written_type(program.file_of(of), declared);
                self.as_function(cx, expected)
            }
            ResolvedCallee::Value(Ty::FunctionType { parameters, .. }) => {
                let expected = parameters.get(n_argument).cloned().unwrap_or(Ty::Unknown);
                self.as_function(cx, expected)
            }
            ResolvedCallee::Value(Ty::External | Ty::Foreign(_)) => Ty::External,
            ResolvedCallee::SameType(_) | ResolvedCallee::Value(_) => Ty::Unknown,
        }
    }

    /// Returns the function type behind a type: the type itself, a bound, or the content of a box.
    fn as_function(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        match of {
            Ty::Parameter { of, index } => {
                let bounds = self.bounds_of(cx, of, index);
                let function = bounds.into_iter().find(|bound| matches!(bound, Ty::FunctionType { .. }));
                function.unwrap_or(Ty::Unknown)
            }
            Ty::Intersection(types) => {
                types.iter().find(|ty| matches!(ty, Ty::FunctionType { .. })).cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Builtin { name: "Box" | "Rc" | "Option", arguments } => {
                arguments.first().cloned().unwrap_or(Ty::Unknown)
            }
            other => other,
        }
    }
}
