//! Members of Go values: promoted members of embedded types, underlying types, function values.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{BaseKind, TypeExpression},
};

use super::packages::MAX_BUILD_VARIANTS;
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Maximum length of a chain of type definitions.
const MAX_UNDERLYING: usize = 16;

/// Returns the underlying type, such as a list, map, channel or function. A struct or an interface is its own.
pub(super) fn underlying(cx: &mut Inference<'_>, mut of: Ty) -> Ty {
    for _ in 0..MAX_UNDERLYING {
        let next = match &of {
            Ty::Object(applied) if cx.program.definition(applied.of).kind == SymbolKind::TypeAlias => {
                let base = cx.bases(applied.of).first().cloned();
                base.map(|base| base.substitute(applied.of, &applied.arguments))
            }
            Ty::Parameter { of, index } => cx.bounds(*of, *index).into_iter().next(),
            _ => None,
        };
        match next {
            Some(next) => of = next,
            None => return of,
        }
    }
    Ty::Unknown
}

/// Returns a member of an object or type. The shallowest embedded type wins; the name of an embedded type is a field
/// too. An unresolved member may belong to an embedded type of another package.
pub(super) fn member(cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
    let (Ty::Object(applied) | Ty::Class(applied)) = of else { return Ty::Unknown };
    let program = cx.program;
    let mut has_external = false;
    for ancestor in cx.lineage(applied) {
        let own = program.members(ancestor.of, name);
        if !own.is_empty() {
            return cx.symbols_value(&own[..own.len().min(MAX_BUILD_VARIANTS)], Some(Rc::new(of.clone())));
        }
        let bases = cx.bases(ancestor.of);
        let file = program.file_of(ancestor.of);
        for (base, written) in bases.iter().zip(&program.shape(ancestor.of).bases) {
            if written.kind == BaseKind::Embed && embedded_name(cx, file, written.base) == Some(name) {
                return base.substitute(ancestor.of, &ancestor.arguments);
            }
            has_external |= *base == Ty::External;
        }
    }
    if has_external { Ty::External } else { Ty::Unknown }
}

/// Returns the field name of an embedded type.
fn embedded_name(cx: &Inference<'_>, file: FileIdx, written: model::code::TypeId) -> Option<Name> {
    match cx.program.code(file).written(written) {
        TypeExpression::Named { path, .. } => path.last().map(|name| cx.program.name(file, *name)),
        _ => None,
    }
}

/// Returns the value of a name. If a function has another name, the name is a variable: a call has no target, but its
/// result type is known.
pub(super) fn as_function_value(cx: &mut Inference<'_>, value: Ty, name: Name) -> Ty {
    let Ty::Function { candidates, receiver } = &value else { return value };
    if candidates.iter().all(|of| cx.program.name_of(*of) == name) {
        return value;
    }
    let Some(of) = candidates.first().copied() else { return Ty::Unknown };
    signature(cx, of, receiver.as_deref())
}

/// Returns the type of a function without its identity.
fn signature(cx: &mut Inference<'_>, of: SymbolIdx, receiver: Option<&Ty>) -> Ty {
    let result = cx.result_of(of);
    let result = cx.for_receiver(result, of, receiver);
    Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) }
}
