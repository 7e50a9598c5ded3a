//! What stands for type parameters at one place.

use super::{
    ASSOCIATED, Rust,
    standard::{Note, standard},
};
use crate::{
    infer::{Inference, OWN_TYPE},
    program::SymbolIdx,
    ty::Ty,
};

/// How deep types are looked through.
const MAX_NESTING: u32 = 8;

/// What stands for parameters of definitions, for letters of the standard library's table, and for `Self`.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    found: Vec<((SymbolIdx, u32), Ty)>,
    letters: Vec<(u8, Ty)>,
    pub(super) own: Option<Ty>,
    /// Definitions whose parameters are unknown where nothing was found for them.
    pub(super) closed: Vec<SymbolIdx>,
}

impl Bindings {
    /// Returns what stands for the letters of an object of the standard library.
    pub(super) fn standard(of: &Ty) -> Bindings {
        let mut bindings = Bindings { own: Some(of.clone()), ..Bindings::default() };
        if let Ty::Builtin { name, arguments } = of
            && let Some(known) = standard(name)
        {
            bindings.letters = known.letters.iter().copied().zip(arguments.iter().cloned()).collect();
        }
        bindings
    }

    /// Starts with what `Self` is.
    pub(super) fn for_own(own: Option<&Ty>) -> Bindings {
        Bindings { own: own.cloned(), ..Bindings::default() }
    }

    pub(super) fn bind(&mut self, of: SymbolIdx, index: u32, ty: Ty) {
        match self.found.iter_mut().find(|(key, _)| *key == (of, index)) {
            Some((_, known)) if known.is_unknown() => *known = ty,
            Some(_) => {}
            None => self.found.push(((of, index), ty)),
        }
    }

    pub(super) fn get(&self, of: SymbolIdx, index: u32) -> Option<&Ty> {
        self.found.iter().find(|(key, _)| *key == (of, index)).map(|(_, ty)| ty)
    }

    fn letter(&self, letter: u8) -> Ty {
        self.letters.iter().find(|(known, _)| *known == letter).map_or(Ty::Unknown, |(_, ty)| ty.clone())
    }

    /// Finds what stands for parameters where a type in terms of them meets another.
    pub(super) fn unify(&mut self, rust: &Rust, cx: &mut Inference<'_>, expected: &Ty, given: &Ty) {
        self.unify_at(rust, cx, expected, given, 0);
    }

    fn unify_at(&mut self, rust: &Rust, cx: &mut Inference<'_>, expected: &Ty, given: &Ty, depth: u32) {
        if depth > MAX_NESTING {
            return;
        }
        match (expected, given) {
            (_, Ty::Unknown) => {}
            (Ty::Parameter { index: OWN_TYPE, .. }, _) => self.own = self.own.take().or_else(|| Some(given.clone())),
            (Ty::Parameter { of, index }, given) => {
                self.bind(*of, *index, given.clone());
                if *expected == *given {
                    return;
                }
                for bound in rust.bounds_of(cx, *of, *index) {
                    self.unify_bound(rust, cx, &bound, given, depth);
                }
            }
            (Ty::Object(expected), Ty::Object(given)) if expected.of == given.of => {
                self.unify_all(rust, cx, &expected.arguments, &given.arguments, depth);
            }
            (Ty::Builtin { name, arguments: expected }, Ty::Builtin { name: other, arguments: given })
                if name == other =>
            {
                self.unify_all(rust, cx, expected, given, depth);
            }
            (Ty::Tuple(expected), Ty::Tuple(given)) => self.unify_all(rust, cx, expected, given, depth),
            (Ty::Builtin { name: "Iterator", .. }, _) | (Ty::FunctionType { .. }, _) => {
                self.unify_bound(rust, cx, expected, given, depth);
            }
            (Ty::Intersection(types), given) => {
                for ty in types.iter() {
                    self.unify_bound(rust, cx, ty, given, depth);
                }
            }
            // A reference to a box is given for one to what is in it.
            (Ty::Object(_) | Ty::Builtin { .. }, Ty::Builtin { .. }) => {
                if let Some(inner) = rust.dereferenced_to(cx, given) {
                    self.unify_at(rust, cx, expected, &inner, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn unify_all(&mut self, rust: &Rust, cx: &mut Inference<'_>, expected: &[Ty], given: &[Ty], depth: u32) {
        for (expected, given) in expected.iter().zip(given) {
            self.unify_at(rust, cx, expected, given, depth + 1);
        }
    }

    /// What is given for a parameter must be what its bounds say, which tells of other parameters.
    fn unify_bound(&mut self, rust: &Rust, cx: &mut Inference<'_>, bound: &Ty, given: &Ty, depth: u32) {
        match bound {
            Ty::FunctionType { parameters, result } => match given {
                Ty::Closure { file, expression } => {
                    let given = cx.closure_result(*file, *expression);
                    self.unify_at(rust, cx, result, &given, depth + 1);
                }
                Ty::FunctionType { parameters: given, result: given_result } => {
                    self.unify_all(rust, cx, parameters, given, depth);
                    self.unify_at(rust, cx, result, given_result, depth + 1);
                }
                Ty::Function { candidates, .. } => {
                    if let [single] = **candidates {
                        let given = cx.result_of(single);
                        self.unify_at(rust, cx, result, &given, depth + 1);
                    }
                }
                _ => {}
            },
            Ty::Builtin { name: "Iterator", arguments } => {
                if let Some(item) = arguments.first() {
                    let given = rust.item_of(cx, given);
                    self.unify_at(rust, cx, item, &given, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Returns a type with what stands for its parameters.
    pub(super) fn apply(&mut self, rust: &Rust, cx: &mut Inference<'_>, ty: &Ty) -> Ty {
        if matches!(ty, Ty::Unknown | Ty::External | Ty::Foreign(_)) {
            return ty.clone();
        }
        self.project(rust, cx, ty);
        ty.replace(
            &|part| match part {
                Ty::Parameter { index: OWN_TYPE, .. } => self.own.clone(),
                Ty::Parameter { of, index } => match self.get(*of, *index) {
                    Some(ty) => Some(ty.clone()),
                    None if self.closed.contains(of) => Some(Ty::Unknown),
                    None => None,
                },
                _ => None,
            },
            0,
        )
    }

    /// Finds the associated types that a type mentions: what the type that stands for `Self`, or another one, gives for them.
    fn project(&mut self, rust: &Rust, cx: &mut Inference<'_>, ty: &Ty) {
        let mut mentioned = Vec::new();
        associated(ty, &mut mentioned, 0);
        for of in mentioned {
            if self.get(of, ASSOCIATED).is_some() {
                continue;
            }
            let name = cx.program.name_of(of);
            let own = self.own.iter().cloned();
            let candidates: Vec<Ty> = own.chain(self.found.iter().map(|(_, ty)| ty.clone())).collect();
            let given = candidates.iter().filter(|ty| !matches!(ty, Ty::Parameter { .. }));
            let found = given.map(|ty| rust.projection(cx, ty, name)).find(|ty| !ty.is_unknown());
            if let Some(found) = found {
                self.bind(of, ASSOCIATED, found);
            }
        }
    }

    /// Finds what stands for the letters of a function of the standard library, where a type meets an argument.
    pub(super) fn unify_note(&mut self, rust: &Rust, cx: &mut Inference<'_>, note: &Note, given: &Ty) {
        match (note, given) {
            (_, Ty::Unknown) => {}
            (Note::Letter(letter), given) => match self.letters.iter_mut().find(|(known, _)| known == letter) {
                Some((_, known)) if known.is_unknown() => *known = given.clone(),
                Some(_) => {}
                None => self.letters.push((*letter, given.clone())),
            },
            (Note::Builtin(name, notes), Ty::Builtin { name: given, arguments }) if name == given => {
                for (note, given) in notes.iter().zip(arguments.iter()) {
                    self.unify_note(rust, cx, note, given);
                }
            }
            (Note::Builtin("Vec" | "slice", notes), given) => {
                let item = rust.item_of(cx, given);
                for note in notes {
                    self.unify_note(rust, cx, note, &item);
                }
            }
            (Note::Tuple(notes), Ty::Tuple(parts)) => {
                for (note, given) in notes.iter().zip(parts.iter()) {
                    self.unify_note(rust, cx, note, given);
                }
            }
            (Note::Function(_, result), given) => {
                let given = match given {
                    Ty::Closure { file, expression } => cx.closure_result(*file, *expression),
                    Ty::Function { candidates, .. } if candidates.len() == 1 => cx.result_of(candidates[0]),
                    Ty::FunctionType { result, .. } => (**result).clone(),
                    Ty::Class(applied) => Ty::Object(applied.clone()),
                    _ => return,
                };
                self.unify_note(rust, cx, result, &given);
            }
            _ => {}
        }
    }

    /// Returns the type that the table of the standard library writes.
    pub(super) fn note(&self, rust: &Rust, cx: &mut Inference<'_>, note: &Note) -> Ty {
        match note {
            Note::External => Ty::External,
            Note::Open => Ty::Unknown,
            Note::Own => self.own.clone().unwrap_or(Ty::Unknown),
            Note::Letter(letter) => self.letter(*letter),
            Note::ItemOf(letter) => {
                let of = self.letter(*letter);
                rust.item_of(cx, &of)
            }
            Note::Builtin(name, notes) => {
                Ty::builtin(name, notes.iter().map(|note| self.note(rust, cx, note)).collect::<Vec<Ty>>())
            }
            Note::Tuple(notes) => {
                Ty::Tuple(notes.iter().map(|note| self.note(rust, cx, note)).collect::<Vec<Ty>>().into())
            }
            Note::Function(parameters, result) => Ty::FunctionType {
                parameters: parameters.iter().map(|note| self.note(rust, cx, note)).collect::<Vec<Ty>>().into(),
                result: std::rc::Rc::new(self.note(rust, cx, result)),
            },
        }
    }
}

fn associated(ty: &Ty, all: &mut Vec<SymbolIdx>, depth: u32) {
    if depth > MAX_NESTING {
        return;
    }
    match ty {
        Ty::Parameter { of, index: ASSOCIATED } => all.push(*of),
        Ty::Object(applied) | Ty::Class(applied) => {
            applied.arguments.iter().for_each(|ty| associated(ty, all, depth + 1));
        }
        Ty::Builtin { arguments: types, .. } | Ty::Tuple(types) | Ty::Union(types) | Ty::Intersection(types) => {
            types.iter().for_each(|ty| associated(ty, all, depth + 1));
        }
        Ty::FunctionType { parameters, result } => {
            parameters.iter().for_each(|ty| associated(ty, all, depth + 1));
            associated(result, all, depth + 1);
        }
        _ => {}
    }
}
