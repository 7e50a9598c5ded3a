//! What Java's own types are in the types of the inference, and what a written type means.

use std::rc::Rc;

use model::code::{NameId, ScopeId, TypeExpression, TypeId};

use super::{Java, standard};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

/// The name of arrays.
pub(super) const ARRAY: &str = "[]";

/// What stands for a type parameter where it may be anything.
pub(super) const WILDCARD: &str = "?";

/// The type of `null`.
pub(super) const NULL: &str = "null";

/// Types that are no objects, those that widen to others after these; `void` is none of them but is written as one.
const PRIMITIVES: [&str; 9] = ["byte", "short", "char", "int", "long", "float", "double", "boolean", "void"];

/// Returns the name of a primitive type.
pub(super) fn primitive(name: &str) -> Option<&'static str> {
    PRIMITIVES.iter().find(|primitive| **primitive == name).copied()
}

pub(super) fn array(item: Ty) -> Ty {
    Ty::builtin(ARRAY, [item])
}

pub(super) fn plain(name: &'static str) -> Ty {
    Ty::builtin(name, [])
}

/// Says whether a type argument may be anything.
pub(super) fn is_wildcard(ty: &Ty) -> bool {
    matches!(ty, Ty::Builtin { name: WILDCARD, .. })
}

/// Returns what an array holds.
pub(super) fn item_of(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Builtin { name, arguments } if *name == ARRAY => arguments.first(),
        _ => None,
    }
}

/// Returns the name of a type that is primitive.
pub(super) fn as_primitive(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Builtin { name, .. } => primitive(name),
        _ => None,
    }
}

/// Returns the type of objects that a primitive type is boxed as; other types as they are.
pub(super) fn boxed(ty: Ty) -> Ty {
    let name = match as_primitive(&ty) {
        Some("byte") => "Byte",
        Some("short") => "Short",
        Some("char") => "Character",
        Some("int") => "Integer",
        Some("long") => "Long",
        Some("float") => "Float",
        Some("double") => "Double",
        Some("boolean") => "Boolean",
        Some("void") => "Void",
        _ => return ty,
    };
    plain(name)
}

/// Returns the primitive type in a box.
pub(super) fn unboxed(ty: &Ty) -> Option<&'static str> {
    let Ty::Builtin { name, .. } = ty else { return None };
    Some(match *name {
        "Byte" => "byte",
        "Short" => "short",
        "Character" => "char",
        "Integer" => "int",
        "Long" => "long",
        "Float" => "float",
        "Double" => "double",
        "Boolean" => "boolean",
        name => return primitive(name),
    })
}

impl Java {
    /// Returns a value of a written type, where it is a name, an array or a type within the type of a value.
    pub(super) fn meaning(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        match cx.program.code(file).written(written) {
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written(file, *argument)).collect();
                Some(self.named(cx, file, path, arguments, *scope, None))
            }
            TypeExpression::List(item) => Some(array(cx.written(file, *item))),
            TypeExpression::Member { of, name } => {
                let outer = crate::infer::as_class(cx.written(file, *of));
                Some(match self.type_in(cx, &outer, cx.program.name(file, *name)) {
                    Ty::Class(applied) => Ty::Object(applied),
                    other => other,
                })
            }
            _ => None,
        }
    }

    /// Returns a base of a type: what the type has within it is not looked for there.
    pub(super) fn base(&self, cx: &mut Inference<'_>, of: SymbolIdx, written: TypeId) -> Ty {
        let file = cx.program.file_of(of);
        match cx.program.code(file).written(written) {
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written(file, *argument)).collect();
                self.named(cx, file, path, arguments, *scope, Some(of))
            }
            _ => Ty::Unknown,
        }
    }

    fn named(
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
                WILDCARD => return plain(WILDCARD),
                text => {
                    if let Some(name) = primitive(text) {
                        return plain(name);
                    }
                }
            }
        }
        let mut at = self.type_name(cx, file, *first, scope, base_of);
        if at.is_unknown() && !rest.is_empty() {
            let parts: Vec<&str> = path.iter().map(|name| program.text(*name)).collect();
            at = self.qualified(cx, file, &parts);
        } else {
            for name in rest {
                at = self.type_in(cx, &at, *name);
            }
        }
        match at {
            Ty::Class(applied) => Ty::Object(Applied { of: applied.of, arguments: Rc::from(arguments) }),
            Ty::Builtin { name, .. } => standard::named(name).map_or(Ty::Unknown, |known| known.applied(&arguments)),
            Ty::Unknown | Ty::External => Ty::Foreign(path[path.len() - 1]),
            other => other,
        }
    }

    /// Returns a type within a type.
    fn type_in(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Ty {
        match of {
            Ty::Class(applied) => self.member_type(cx, applied.of, name).map_or(Ty::Unknown, Ty::class),
            Ty::Builtin { name: outer, .. } => standard::named(outer)
                .and_then(|outer| {
                    let package = format!("{}.{}", outer.package, outer.name);
                    standard::in_package(&package, cx.program.text(name))
                })
                .map_or(Ty::Unknown, |known| plain(known.name)),
            _ => Ty::Unknown,
        }
    }
}
