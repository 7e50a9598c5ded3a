//! Decorators: most keep the function; some replace it by another function or an object.

use model::code::{Expression, Flags};

use super::PythonDialect;
use crate::{
    infer::{CallArguments, Inference, ResolvedMember, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

impl PythonDialect {
    /// Applies the decorators of a function to its result type.
    pub(super) fn decorated_result(&self, cx: &mut Inference<'_>, of: SymbolIdx, result: Ty) -> Ty {
        let program = cx.program;
        let flags = program.shape(of).flags;
        let file = program.file_of(of);
        let is_awaited = flags.has(Flags::ASYNC) && !flags.has(Flags::GENERATOR);
        let mut result = if is_awaited { Ty::builtin("awaitable", [result]) } else { result };
        let code = program.code(file);
        for decoration in self.decorations.get(&of).into_iter().flatten().rev() {
            let written = code.decorations[*decoration as usize].expression;
            let name = match code.expression(written) {
                Expression::Name { name, .. } | Expression::Member { name, .. } => code.name(*name),
                _ => continue,
            };
            if matches!(name, "contextmanager" | "asynccontextmanager") {
                let item = self.item_of(cx, file, &result);
                result = Ty::builtin("contextmanager", [item]);
            }
        }
        result
    }

    /// Returns the value that the decorators replace a function by, or `Unknown` if it stays a function.
    fn decorator_result(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Ty {
        let program = cx.program;
        let file = program.file_of(of);
        let Some(first) = self.decorations.get(&of).and_then(|all| all.first()) else { return Ty::Unknown };
        let code = program.code(file);
        let written = code.decorations[*first as usize].expression;
        let decorator = cx.type_of(file, written);
        let is_call = matches!(code.expression(written), Expression::Call { .. });
        let no_arguments = CallArguments { file, types: &[], values: &[] };
        let results: Vec<Ty> = decorator
            .alternatives()
            .iter()
            .filter_map(|ty| match ty {
                Ty::FunctionType { result, .. } => Some((**result).clone()),
                Ty::Function { candidates, .. }
                    if candidates.iter().all(|of| is_function(program.definition(*of).kind)) =>
                {
                    Some(cx.call(ty, &no_arguments))
                }
                Ty::Class(_) if !is_call => Some(cx.call(ty, &no_arguments)),
                _ => None,
            })
            .collect();
        Ty::one_of(results)
    }

    /// Returns a member of a decorated function.
    pub(super) fn member_of_function(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        candidates: &[SymbolIdx],
        name: Name,
    ) -> ResolvedMember {
        let Some(last) = candidates.last() else { return ResolvedMember::Unknown };
        let decorated = cx.deeper(|cx| self.decorator_result(cx, *last)).unwrap_or(Ty::Unknown);
        let objects: Vec<Ty> =
            decorated.alternatives().iter().filter(|ty| matches!(ty, Ty::Object(_))).cloned().collect();
        let [object] = &objects[..] else { return ResolvedMember::Unknown };
        cx.member(file, object, name)
    }
}
