//! What values of Go have and hold: embedded fields, what a type builds on, functions in variables.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{BaseKind, TypeExpression},
};

use super::packages::MAX_TWINS;
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// How many types may be made of each other, one after the other.
const MAX_UNDERLYING: usize = 16;

/// Returns what a type is made of at last: a list, a map, a channel, a function; a struct or an interface is itself.
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

/// Returns what an object or type has under a name: of the types it embeds the shallowest decides, and the name of an
/// embedded type is a field like any other. What is found nowhere may come from an embedded type from elsewhere.
pub(super) fn member(cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
    let (Ty::Object(applied) | Ty::Class(applied)) = of else { return Ty::Unknown };
    let program = cx.program;
    let mut has_external = false;
    for ancestor in cx.lineage(applied) {
        let own = program.members(ancestor.of, name);
        if !own.is_empty() {
            return cx.symbols_value(&own[..own.len().min(MAX_TWINS)], Some(Rc::new(of.clone())));
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

fn embedded_name(cx: &Inference<'_>, file: FileIdx, written: model::code::TypeId) -> Option<Name> {
    match cx.program.code(file).written(written) {
        TypeExpression::Named { path, .. } => path.last().map(|name| cx.program.name(file, *name)),
        _ => None,
    }
}

/// Returns what a name holds. A function under another name than its own is held by a variable, and who calls that
/// variable calls nobody in particular; what comes out is known all the same.
pub(super) fn held(cx: &mut Inference<'_>, value: Ty, name: Name) -> Ty {
    let Ty::Function { candidates, receiver } = &value else { return value };
    if candidates.iter().all(|of| cx.program.name_of(*of) == name) {
        return value;
    }
    let Some(of) = candidates.first().copied() else { return Ty::Unknown };
    signature(cx, of, receiver.as_deref())
}

/// Returns a function as a value without a name.
fn signature(cx: &mut Inference<'_>, of: SymbolIdx, receiver: Option<&Ty>) -> Ty {
    let result = cx.result_of(of);
    let result = cx.for_receiver(result, of, receiver);
    Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) }
}
