//! Supertypes, with type arguments applied.

use model::{SymbolKind, code::BaseKind};

use super::{
    JavaDialect, standard_library,
    types::{is_wildcard, simple_type},
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

/// Maximum number of supertypes to search.
const MAX_ANCESTORS: usize = 128;

/// Maximum length of a chain of type parameter bounds.
const MAX_BOUNDS: usize = 8;

impl JavaDialect {
    /// Returns the direct supertypes as declared.
    pub(super) fn written_bases(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<Ty> {
        let program = cx.program;
        let written = &program.shape(of).bases;
        let mut bases: Vec<Ty> = Vec::with_capacity(written.len() + 1);
        for kind in [BaseKind::Extend, BaseKind::Implement] {
            for base in written.iter().filter(|base| base.kind == kind) {
                bases.push(self.resolve_base(cx, of, base.base));
            }
        }
        match program.definition(of).kind {
            SymbolKind::Enum => bases.push(Ty::builtin("Enum", [Ty::object(of)])),
            SymbolKind::Annotation => bases.push(simple_type("Annotation")),
            _ => {}
        }
        bases
    }

    /// Returns the direct supertypes of a value's type, with its type arguments applied.
    fn supertypes(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<Ty> {
        match of {
            Ty::Object(applied) | Ty::Class(applied) => {
                let bases = cx.bases(applied.of);
                bases.iter().map(|base| apply(base, applied)).collect()
            }
            Ty::Builtin { .. } => standard_library::as_library_type(of)
                .map(|(known, arguments)| known.bases(arguments))
                .unwrap_or_default(),
            Ty::Parameter { of, index } if *of != standard_library::METHOD => cx.bounds(*of, *index),
            Ty::Closure { file, expression } => self.anonymous_at(cx, *file, *expression).into_iter().collect(),
            Ty::Intersection(types) | Ty::Union(types) => types.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Returns the base of the anonymous class that an expression creates.
    fn anonymous_at(&self, cx: &mut Inference<'_>, file: FileIdx, made: model::code::ExpressionId) -> Option<Ty> {
        let index = *self.file(file)?.anonymous_made.get(&made)?;
        let base = cx.program.code(file).anonymous.get(index as usize)?.base;
        Some(cx.written_type(file, base))
    }

    /// Returns a type and all its supertypes without duplicates, nearest first.
    pub(super) fn ancestry(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<Ty> {
        let mut ancestry: Vec<Ty> = Vec::new();
        let mut pending = vec![of.clone()];
        while let Some(ty) = pending.pop() {
            if ancestry.len() >= MAX_ANCESTORS || ancestry.iter().any(|seen| same_head(seen, &ty)) {
                continue;
            }
            pending.extend(self.supertypes(cx, &ty).into_iter().rev());
            ancestry.push(ty);
        }
        ancestry
    }

    /// Returns the supertype of a value that has the same definition as `head`.
    pub(super) fn as_super(&self, cx: &mut Inference<'_>, of: &Ty, head: &Ty) -> Option<Ty> {
        if same_head(of, head) {
            return Some(of.clone());
        }
        self.ancestry(cx, of).into_iter().find(|ancestor| same_head(ancestor, head))
    }

    /// Returns the `super` object of an object.
    pub(super) fn super_object_of(&self, cx: &mut Inference<'_>, of: &Ty) -> Ty {
        match of {
            Ty::Object(applied) => {
                let shape = cx.program.shape(applied.of);
                let bases = self.supertypes(cx, of);
                let is_class = |kind| kind == BaseKind::Extend;
                match shape.bases.iter().any(|base| is_class(base.kind)) {
                    true => bases.into_iter().next().unwrap_or(Ty::Unknown),
                    // A class without a superclass reaches interface methods by the interface name only
                    // (`I.super.f()`).
                    false => {
                        bases.into_iter().find(|base| !self.is_interface(cx, base)).unwrap_or(simple_type("Object"))
                    }
                }
            }
            Ty::Closure { .. } => self.supertypes(cx, of).into_iter().next().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn is_interface(&self, cx: &Inference<'_>, ty: &Ty) -> bool {
        match ty {
            Ty::Object(applied) | Ty::Class(applied) => {
                matches!(cx.program.definition(applied.of).kind, SymbolKind::Interface | SymbolKind::Annotation)
            }
            _ => false,
        }
    }

    /// Returns the upper bound of a type parameter; other types are returned unchanged.
    pub(super) fn upper_bound(&self, cx: &mut Inference<'_>, ty: &Ty) -> Ty {
        let mut at = ty.clone();
        for _ in 0..MAX_BOUNDS {
            let Ty::Parameter { of, index } = at else { return at };
            if of == standard_library::METHOD {
                return simple_type("Object");
            }
            at = cx.bounds(of, index).into_iter().next().unwrap_or(simple_type("Object"));
        }
        simple_type("Object")
    }
}

/// Returns true if two types are equal except for their type arguments.
pub(super) fn same_head(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Object(a) | Ty::Class(a), Ty::Object(b) | Ty::Class(b)) => a.of == b.of,
        (Ty::Builtin { name: a, .. }, Ty::Builtin { name: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

/// Applies the type arguments of an object to a member type. A parameter without a known argument stays, since its
/// bounds are known.
pub(super) fn apply(ty: &Ty, applied: &Applied) -> Ty {
    if applied.arguments.is_empty() {
        return ty.clone();
    }
    let own = |ty: &Ty| match ty {
        Ty::Parameter { of, index } if *of == applied.of => match applied.arguments.get(*index as usize) {
            None | Some(Ty::Unknown) => None,
            Some(argument) if is_wildcard(argument) => None,
            Some(argument) => Some(argument.clone()),
        },
        _ => None,
    };
    ty.replace(&own, 0)
}
