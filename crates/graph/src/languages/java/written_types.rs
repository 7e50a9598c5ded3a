//! Resolution of written types.

use std::rc::Rc;

use model::code::{NameId, ScopeId, TypeExpression, TypeId};

use super::{
    JavaDialect, standard_library,
    types::{WILDCARD, array, primitive, simple_type},
};
use crate::{
    infer::{Inference, as_class},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

impl JavaDialect {
    /// Resolves a written type: a name, an array, or a member type.
    pub(super) fn resolve_written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        match cx.program.code(file).written(written) {
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written_type(file, *argument)).collect();
                Some(self.resolve_type_path(cx, file, path, arguments, *scope, None))
            }
            TypeExpression::List(item) => Some(array(cx.written_type(file, *item))),
            TypeExpression::Member { of, name } => {
                let outer = as_class(cx.written_type(file, *of));
                Some(match self.resolve_inner_type(cx, &outer, cx.program.name(file, *name)) {
                    Ty::Class(applied) => Ty::Object(applied),
                    other => other,
                })
            }
            _ => None,
        }
    }

    /// Resolves a supertype of a type. The member types of the type itself are not in scope.
    pub(super) fn resolve_base(&self, cx: &mut Inference<'_>, of: SymbolIdx, written: TypeId) -> Ty {
        let file = cx.program.file_of(of);
        match cx.program.code(file).written(written) {
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written_type(file, *argument)).collect();
                self.resolve_type_path(cx, file, path, arguments, *scope, Some(of))
            }
            _ => Ty::Unknown,
        }
    }

    /// Resolves a possibly qualified type name and applies it to its arguments.
    fn resolve_type_path(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        path: &[NameId],
        arguments: Vec<Ty>,
        scope: ScopeId,
        base_of: Option<SymbolIdx>,
    ) -> Ty {
        let program = cx.program;
        let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
        let Some((first, rest)) = path.split_first() else { return Ty::Unknown };
        if rest.is_empty() {
            match program.text(*first) {
                WILDCARD => return simple_type(WILDCARD),
                text => {
                    if let Some(name) = primitive(text) {
                        return simple_type(name);
                    }
                }
            }
        }
        let mut at = self.resolve_type_name(cx, file, *first, scope, base_of);
        if at.is_unknown() && !rest.is_empty() {
            let parts: Vec<&str> = path.iter().map(|name| program.text(*name)).collect();
            at = self.resolve_qualified(cx, file, &parts);
        } else {
            for name in rest {
                at = self.resolve_inner_type(cx, &at, *name);
            }
        }
        match at {
            Ty::Class(applied) => Ty::Object(Applied { of: applied.of, arguments: Rc::from(arguments) }),
            Ty::Builtin { name, .. } => {
                standard_library::find_type(name).map_or(Ty::Unknown, |known| known.applied(&arguments))
            }
            Ty::Unknown | Ty::External => Ty::Foreign(path[path.len() - 1]),
            other => other,
        }
    }

    /// Resolves a member type of a type.
    fn resolve_inner_type(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
        match of {
            Ty::Class(applied) => self.member_type(cx, applied.of, name).map_or(Ty::Unknown, Ty::class),
            Ty::Builtin { name: outer, .. } => standard_library::find_type(outer)
                .and_then(|outer| {
                    let package = format!("{}.{}", outer.package, outer.name);
                    standard_library::find_in_package(&package, cx.program.text(name))
                })
                .map_or(Ty::Unknown, |known| simple_type(known.name)),
            _ => Ty::Unknown,
        }
    }
}
