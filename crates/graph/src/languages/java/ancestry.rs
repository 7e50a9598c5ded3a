//! What a type builds on, with its arguments put in.

use model::{SymbolKind, code::BaseKind};

use super::{
    Java, standard,
    types::{is_wildcard, plain},
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

/// The most types that are looked through for one member.
const MAX_ANCESTORS: usize = 128;

/// How far bounds of bounds are followed.
const MAX_BOUNDS: usize = 8;

impl Java {
    /// Returns the types that a type builds on directly.
    pub(super) fn written_bases(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<Ty> {
        let program = cx.program;
        let written = &program.shape(of).bases;
        let mut bases: Vec<Ty> = Vec::with_capacity(written.len() + 1);
        for kind in [BaseKind::Extend, BaseKind::Implement] {
            for base in written.iter().filter(|base| base.kind == kind) {
                bases.push(self.base(cx, of, base.base));
            }
        }
        match program.definition(of).kind {
            SymbolKind::Enum => bases.push(Ty::builtin("Enum", [Ty::object(of)])),
            SymbolKind::Annotation => bases.push(plain("Annotation")),
            _ => {}
        }
        bases
    }

    /// Returns the types that a value's type builds on directly, with its arguments put in.
    fn supertypes(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<Ty> {
        match of {
            Ty::Object(applied) | Ty::Class(applied) => {
                let bases = cx.bases(applied.of);
                bases.iter().map(|base| apply(base, applied)).collect()
            }
            Ty::Builtin { .. } => standard::of(of).map(|(known, arguments)| known.bases(arguments)).unwrap_or_default(),
            Ty::Parameter { of, index } if *of != standard::METHOD => cx.bounds(*of, *index),
            Ty::Closure { file, expression } => self.anonymous_at(cx, *file, *expression).into_iter().collect(),
            Ty::Intersection(types) | Ty::Union(types) => types.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Returns what the type without a name builds on that an expression makes.
    fn anonymous_at(&self, cx: &mut Inference<'_>, file: FileIdx, made: model::code::ExpressionId) -> Option<Ty> {
        let index = *self.file(file)?.anonymous_made.get(&made)?;
        let base = cx.program.code(file).anonymous.get(index as usize)?.base;
        Some(cx.written(file, base))
    }

    /// Returns a type and all types that it builds on, nearest first, each once.
    pub(super) fn ancestry(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<Ty> {
        let mut ancestry: Vec<Ty> = Vec::new();
        let mut open = vec![of.clone()];
        while let Some(ty) = open.pop() {
            if ancestry.len() >= MAX_ANCESTORS || ancestry.iter().any(|seen| same_head(seen, &ty)) {
                continue;
            }
            open.extend(self.supertypes(cx, &ty).into_iter().rev());
            ancestry.push(ty);
        }
        ancestry
    }

    /// Returns a value's type as the given one of the types that it builds on.
    pub(super) fn as_super(&self, cx: &mut Inference<'_>, of: &Ty, head: &Ty) -> Option<Ty> {
        if same_head(of, head) {
            return Some(of.clone());
        }
        self.ancestry(cx, of).into_iter().find(|ancestor| same_head(ancestor, head))
    }

    /// Returns an object as its base class has it.
    pub(super) fn super_object_of(&self, cx: &mut Inference<'_>, of: &Ty) -> Ty {
        match of {
            Ty::Object(applied) => {
                let shape = cx.program.shape(applied.of);
                let bases = self.supertypes(cx, of);
                let is_class = |kind| kind == BaseKind::Extend;
                match shape.bases.iter().any(|base| is_class(base.kind)) {
                    true => bases.into_iter().next().unwrap_or(Ty::Unknown),
                    // What a class without a base has of interfaces is reached by their names alone.
                    false => bases.into_iter().find(|base| !self.is_interface(cx, base)).unwrap_or(plain("Object")),
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

    /// Returns what a type parameter is at least; other types as they are.
    pub(super) fn bound(&self, cx: &mut Inference<'_>, ty: &Ty) -> Ty {
        let mut at = ty.clone();
        for _ in 0..MAX_BOUNDS {
            let Ty::Parameter { of, index } = at else { return at };
            if of == standard::METHOD {
                return plain("Object");
            }
            at = cx.bounds(of, index).into_iter().next().unwrap_or(plain("Object"));
        }
        plain("Object")
    }
}

/// Says whether two types are the same but for their arguments.
pub(super) fn same_head(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Object(a) | Ty::Class(a), Ty::Object(b) | Ty::Class(b)) => a.of == b.of,
        (Ty::Builtin { name: a, .. }, Ty::Builtin { name: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

/// Returns a type of a member as an applied type has it. What stands for a parameter but is not known stays a parameter,
/// of which at least the bounds are known.
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
