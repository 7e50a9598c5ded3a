//! Type parameter bindings of one call or member access.

use std::rc::Rc;

use super::{
    ASSOCIATED, RustDialect,
    standard_library::{TypeTemplate, find_type},
};
use crate::{
    infer::Inference,
    program::SymbolIdx,
    ty::{OWN_TYPE, Ty},
};

/// Maximum nesting depth of types.
const MAX_NESTING: u32 = 8;

/// Bindings of type parameters, of letters in the library table, and of `Self`.
#[derive(Debug, Default)]
pub(super) struct TypeBindings {
    found: Vec<((SymbolIdx, u32), Ty)>,
    letters: Vec<(u8, Ty)>,
    pub(super) self_type: Option<Ty>,
    /// Definitions whose unbound parameters become `Unknown` on substitution.
    pub(super) closed: Vec<SymbolIdx>,
}

impl TypeBindings {
    /// Binds the letters of a library type to the type arguments of an object.
    pub(super) fn for_library_type(of: &Ty) -> TypeBindings {
        let mut bindings = TypeBindings { self_type: Some(of.clone()), ..TypeBindings::default() };
        if let Ty::Builtin { name, arguments } = of
            && let Some(known) = find_type(name)
        {
            bindings.letters = known.letters.iter().copied().zip(arguments.iter().cloned()).collect();
        }
        bindings
    }

    /// Creates bindings with a type for `Self`.
    pub(super) fn for_self(own: Option<&Ty>) -> TypeBindings {
        TypeBindings { self_type: own.cloned(), ..TypeBindings::default() }
    }

    /// Binds a parameter, unless it is already known.
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

    /// Unifies a parameter type with an actual type and binds the type parameters.
    pub(super) fn unify(&mut self, rust: &RustDialect, cx: &mut Inference<'_>, expected: &Ty, actual: &Ty) {
        self.unify_at(rust, cx, expected, actual, 0);
    }

    fn unify_at(&mut self, rust: &RustDialect, cx: &mut Inference<'_>, expected: &Ty, actual: &Ty, depth: u32) {
        if depth > MAX_NESTING {
            return;
        }
        match (expected, actual) {
            (_, Ty::Unknown) => {}
            (Ty::Parameter { index: OWN_TYPE, .. }, _) => {
                self.self_type = self.self_type.take().or_else(|| Some(actual.clone()))
            }
            (Ty::Parameter { of, index }, actual) => {
                self.bind(*of, *index, actual.clone());
                if *expected == *actual {
                    return;
                }
                for bound in rust.bounds_of(cx, *of, *index) {
                    self.unify_bound(rust, cx, &bound, actual, depth);
                }
            }
            (Ty::Object(expected), Ty::Object(actual)) if expected.of == actual.of => {
                self.unify_all(rust, cx, &expected.arguments, &actual.arguments, depth);
            }
            (Ty::Builtin { name, arguments: expected }, Ty::Builtin { name: other, arguments: actual })
                if name == other =>
            {
                self.unify_all(rust, cx, expected, actual, depth);
            }
            (Ty::Tuple(expected), Ty::Tuple(actual)) => self.unify_all(rust, cx, expected, actual, depth),
            (Ty::Builtin { name: "Iterator", .. }, _) | (Ty::FunctionType { .. }, _) => {
                self.unify_bound(rust, cx, expected, actual, depth);
            }
            (Ty::Intersection(types), actual) => {
                for ty in types.iter() {
                    self.unify_bound(rust, cx, ty, actual, depth);
                }
            }
            // Deref coercion: a reference to a box is accepted for a reference to its content.
            (Ty::Object(_) | Ty::Builtin { .. }, Ty::Builtin { .. }) => {
                if let Some(inner) = rust.deref_target(cx, actual) {
                    self.unify_at(rust, cx, expected, &inner, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn unify_all(&mut self, rust: &RustDialect, cx: &mut Inference<'_>, expected: &[Ty], actual: &[Ty], depth: u32) {
        for (expected, actual) in expected.iter().zip(actual) {
            self.unify_at(rust, cx, expected, actual, depth + 1);
        }
    }

    /// Unifies a bound with an actual type, which may bind further parameters.
    fn unify_bound(&mut self, rust: &RustDialect, cx: &mut Inference<'_>, bound: &Ty, actual: &Ty, depth: u32) {
        match bound {
            Ty::FunctionType { parameters, result } => match actual {
                Ty::Closure { file, expression } => {
                    let actual = cx.closure_result(*file, *expression);
                    self.unify_at(rust, cx, result, &actual, depth + 1);
                }
                Ty::FunctionType { parameters: actual, result: actual_result } => {
                    self.unify_all(rust, cx, parameters, actual, depth);
                    self.unify_at(rust, cx, result, actual_result, depth + 1);
                }
                Ty::Function { candidates, .. } => {
                    if let [single] = **candidates {
                        let actual = cx.result_of(single);
                        self.unify_at(rust, cx, result, &actual, depth + 1);
                    }
                }
                _ => {}
            },
            Ty::Builtin { name: "Iterator", arguments } => {
                if let Some(item) = arguments.first() {
                    let actual = rust.item_of(cx, actual);
                    self.unify_at(rust, cx, item, &actual, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Substitutes the bound parameters in a type.
    pub(super) fn apply(&mut self, rust: &RustDialect, cx: &mut Inference<'_>, ty: &Ty) -> Ty {
        if matches!(ty, Ty::Unknown | Ty::External | Ty::Foreign(_)) {
            return ty.clone();
        }
        self.project(rust, cx, ty);
        ty.replace(
            &|part| match part {
                Ty::Parameter { index: OWN_TYPE, .. } => self.self_type.clone(),
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

    /// Binds the associated types that a type mentions, by projection from `Self` or another bound type.
    fn project(&mut self, rust: &RustDialect, cx: &mut Inference<'_>, ty: &Ty) {
        let mut mentioned = Vec::new();
        associated(ty, &mut mentioned, 0);
        for of in mentioned {
            if self.get(of, ASSOCIATED).is_some() {
                continue;
            }
            let name = cx.program.name_of(of);
            let own = self.self_type.iter().cloned();
            let candidates: Vec<Ty> = own.chain(self.found.iter().map(|(_, ty)| ty.clone())).collect();
            let actual = candidates.iter().filter(|ty| !matches!(ty, Ty::Parameter { .. }));
            let found = actual.map(|ty| rust.projection(cx, ty, name)).find(|ty| !ty.is_unknown());
            if let Some(found) = found {
                self.bind(of, ASSOCIATED, found);
            }
        }
    }

    /// Unifies a parameter template of a library function with an argument type and binds its letters.
    pub(super) fn unify_template(
        &mut self,
        rust: &RustDialect,
        cx: &mut Inference<'_>,
        template: &TypeTemplate,
        actual: &Ty,
    ) {
        match (template, actual) {
            (_, Ty::Unknown) => {}
            (TypeTemplate::Letter(letter), actual) => {
                match self.letters.iter_mut().find(|(known, _)| known == letter) {
                    Some((_, known)) if known.is_unknown() => *known = actual.clone(),
                    Some(_) => {}
                    None => self.letters.push((*letter, actual.clone())),
                }
            }
            (TypeTemplate::Builtin(name, templates), Ty::Builtin { name: actual, arguments }) if name == actual => {
                for (template, actual) in templates.iter().zip(arguments.iter()) {
                    self.unify_template(rust, cx, template, actual);
                }
            }
            (TypeTemplate::Builtin("Vec" | "slice", templates), actual) => {
                let item = rust.item_of(cx, actual);
                for template in templates {
                    self.unify_template(rust, cx, template, &item);
                }
            }
            (TypeTemplate::Tuple(templates), Ty::Tuple(parts)) => {
                for (template, actual) in templates.iter().zip(parts.iter()) {
                    self.unify_template(rust, cx, template, actual);
                }
            }
            (TypeTemplate::Function(_, result), actual) => {
                let actual = match actual {
                    Ty::Closure { file, expression } => cx.closure_result(*file, *expression),
                    Ty::Function { candidates, .. } if candidates.len() == 1 => cx.result_of(candidates[0]),
                    Ty::FunctionType { result, .. } => (**result).clone(),
                    Ty::Class(applied) => Ty::Object(applied.clone()),
                    _ => return,
                };
                self.unify_template(rust, cx, result, &actual);
            }
            _ => {}
        }
    }

    /// Instantiates a type template of the library table.
    pub(super) fn instantiate(&self, rust: &RustDialect, cx: &mut Inference<'_>, template: &TypeTemplate) -> Ty {
        match template {
            TypeTemplate::External => Ty::External,
            TypeTemplate::FromContext => Ty::Unknown,
            TypeTemplate::SelfType => self.self_type.clone().unwrap_or(Ty::Unknown),
            TypeTemplate::Letter(letter) => self.letter(*letter),
            TypeTemplate::ItemOf(letter) => {
                let of = self.letter(*letter);
                rust.item_of(cx, &of)
            }
            TypeTemplate::Builtin(name, templates) => Ty::builtin(
                name,
                templates.iter().map(|template| self.instantiate(rust, cx, template)).collect::<Vec<Ty>>(),
            ),
            TypeTemplate::Tuple(templates) => Ty::Tuple(
                templates.iter().map(|template| self.instantiate(rust, cx, template)).collect::<Vec<Ty>>().into(),
            ),
            TypeTemplate::Function(parameters, result) => Ty::FunctionType {
                parameters: parameters
                    .iter()
                    .map(|template| self.instantiate(rust, cx, template))
                    .collect::<Vec<Ty>>()
                    .into(),
                result: Rc::new(self.instantiate(rust, cx, result)),
            },
        }
    }
}

/// Collects the associated types that a type mentions.
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
