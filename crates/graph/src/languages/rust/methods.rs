//! Methods: what a type has under a name, in the order in which the language looks for it.

use model::SymbolKind;

use super::{
    MAX_DEREFERENCES, Rust,
    bindings::Bindings,
    impls::Impl,
    lookup::compiled,
    standard::{self, StandardFunction},
};
use crate::{
    infer::{Inference, OWN_TYPE},
    names::Name,
    program::SymbolIdx,
    ty::Ty,
};

/// The most traits that one builds on.
const MAX_TRAITS: usize = 32;

/// The most definitions that one method is looked for among.
const MAX_CANDIDATES: usize = 16;

/// Methods that give back an object of the type that they are called on.
const SAME: [&str; 6] = ["clone", "to_owned", "by_ref", "borrow", "borrow_mut", "as_ref"];

/// What a method of a value is.
#[derive(Debug)]
pub(super) enum Method {
    /// Definitions of the repository, with the object that they were found on.
    Symbols { symbols: Vec<SymbolIdx>, receiver: Ty },
    /// A function of the standard library.
    Standard { of: Ty, function: &'static StandardFunction },
    /// It gives an object of the same type.
    Same(Ty),
    /// It is from another repository.
    External,
}

impl Rust {
    /// Returns the method of a value: of its own type, else of what it dereferences to.
    pub(super) fn method(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Method> {
        let mut at = of.clone();
        let mut fallback = None;
        for _ in 0..MAX_DEREFERENCES {
            if matches!(at, Ty::External) {
                return Some(Method::External);
            }
            if let Some(found) = self.member_at(cx, &at, name) {
                match found {
                    Method::Same(_) => fallback = fallback.or(Some(found)),
                    found => return Some(found),
                }
            }
            match self.dereferenced_to(cx, &at) {
                Some(next) => at = next,
                None => break,
            }
        }
        let is_known = !matches!(of, Ty::Unknown);
        fallback.or_else(|| is_known.then_some(Method::External).filter(|_| !at.is_unknown()))
    }

    /// Returns what a type has under a name, without dereferencing it.
    pub(super) fn member_at(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Method> {
        let program = cx.program;
        match of {
            Ty::Object(applied) => {
                if let Some(symbols) = self.in_blocks(cx, of, name) {
                    return Some(Method::Symbols { symbols, receiver: of.clone() });
                }
                if program.definition(applied.of).kind == SymbolKind::Trait {
                    if let Some(symbols) = self.in_trait(cx, applied.of, name) {
                        return Some(Method::Symbols { symbols, receiver: of.clone() });
                    }
                    let bases = cx.written_bases(applied.of);
                    let found = bases.iter().find_map(|base| self.standard_member(cx, base, name));
                    if found.is_some() {
                        return found;
                    }
                }
                if let Some(found) = self.of_foreign_traits(cx, of, name) {
                    return Some(found);
                }
            }
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds_of(cx, *owner, *index);
                for bound in &bounds {
                    match self.member_at(cx, bound, name) {
                        Some(Method::Symbols { symbols, .. }) => {
                            return Some(Method::Symbols { symbols, receiver: of.clone() });
                        }
                        Some(Method::Same(_)) | None => {}
                        found => return found,
                    }
                }
            }
            Ty::Intersection(types) => return types.iter().find_map(|ty| self.member_at(cx, ty, name)),
            Ty::Builtin { .. } => {
                if let Some(symbols) = self.in_blocks(cx, of, name) {
                    return Some(Method::Symbols { symbols, receiver: of.clone() });
                }
                if let Some(found) = self.standard_member(cx, of, name) {
                    return Some(found);
                }
            }
            Ty::Foreign(_) => {
                if let Some(symbols) = self.in_blocks(cx, of, name) {
                    return Some(Method::Symbols { symbols, receiver: of.clone() });
                }
            }
            _ => return None,
        }
        if let Some(symbols) = self.in_blankets(cx, of, name) {
            return Some(Method::Symbols { symbols, receiver: of.clone() });
        }
        SAME.contains(&program.text(name)).then(|| Method::Same(of.clone()))
    }

    /// Returns a function of the standard library.
    fn standard_member(&self, cx: &Inference<'_>, of: &Ty, name: Name) -> Option<Method> {
        let Ty::Builtin { name: known, .. } = of else { return None };
        let function = standard::standard(known)?.function(cx.program.text(name))?;
        Some(Method::Standard { of: of.clone(), function })
    }

    /// Returns members of the blocks of a type: those of its own first, then those of traits, then what traits give it.
    fn in_blocks(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Vec<SymbolIdx>> {
        let impls = self.impls.get()?;
        for is_own in [true, false] {
            let mut found: Vec<SymbolIdx> = Vec::new();
            for one in impls.of_type(cx, of).filter(|one| one.is_own() == is_own) {
                let members = one.members(name);
                if !members.is_empty() && found.len() < MAX_CANDIDATES && may_be(&one.of(cx), of) {
                    found.extend(members);
                }
            }
            if !found.is_empty() {
                return Some(compiled(cx.program, found));
            }
        }
        let mut found: Vec<SymbolIdx> = Vec::new();
        for one in impls.of_type(cx, of) {
            let Some(given) = one.own_trait().filter(|given| !cx.program.members(*given, name).is_empty()) else {
                continue;
            };
            if found.len() >= MAX_CANDIDATES || !may_be(&one.of(cx), of) {
                continue;
            }
            for symbol in self.program_members(cx, given, name) {
                if !found.contains(&symbol) {
                    found.push(symbol);
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    fn program_members(&self, cx: &Inference<'_>, of: SymbolIdx, name: Name) -> Vec<SymbolIdx> {
        let program = cx.program;
        let is_item = |symbol: &&SymbolIdx| !self.extension_members.contains(symbol);
        program.members(of, name).iter().filter(is_item).copied().collect()
    }

    /// Returns members of a trait, or of one that it builds on.
    fn in_trait(&self, cx: &mut Inference<'_>, of: SymbolIdx, name: Name) -> Option<Vec<SymbolIdx>> {
        let all = self.trait_and_above(cx, of);
        all.into_iter().map(|one| self.program_members(cx, one, name)).find(|members| !members.is_empty())
    }

    /// Returns a trait and those that it builds on, nearest first.
    pub(super) fn trait_and_above(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let mut all = vec![of];
        let mut next = 0;
        while next < all.len() && all.len() < MAX_TRAITS {
            for base in cx.written_bases(all[next]) {
                match base {
                    Ty::Object(applied) if !all.contains(&applied.of) => all.push(applied.of),
                    _ => {}
                }
            }
            next += 1;
        }
        all
    }

    /// Returns what a type has by implementing a trait of the standard library: an iterator has all adapters.
    fn of_foreign_traits(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Method> {
        let impls = self.impls.get()?;
        let is_iterator = impls.of_type(cx, of).any(|one| one.implements_foreign("Iterator"));
        if !is_iterator {
            return None;
        }
        let item = self.projection(cx, of, cx.program.name_named("Item")?);
        self.standard_member(cx, &Ty::builtin("Iterator", [item]), name)
    }

    /// Returns members of blocks for whatever fulfils bounds, where this type does.
    fn in_blankets(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Vec<SymbolIdx>> {
        let impls = self.impls.get()?;
        for one in impls.blanket(name) {
            let mut symbols = one.members(name).to_vec();
            if symbols.is_empty()
                && let Some(given) = one.own_trait()
            {
                symbols = self.program_members(cx, given, name);
            }
            if symbols.is_empty() {
                continue;
            }
            let given = one.of(cx);
            let Ty::Parameter { of: owner, index } = given else { continue };
            if *of == given {
                continue;
            }
            let bounds = self.bounds_of(cx, owner, index);
            if bounds.iter().all(|bound| self.fulfils(cx, of, bound)) {
                return Some(symbols);
            }
        }
        None
    }

    /// Says whether a type implements a trait, as far as blocks and bounds tell; of traits from elsewhere nobody knows.
    pub(super) fn fulfils(&self, cx: &mut Inference<'_>, of: &Ty, bound: &Ty) -> bool {
        let wanted = match bound {
            Ty::Object(applied) => applied.of,
            Ty::FunctionType { .. } => return matches!(of, Ty::FunctionType { .. } | Ty::Closure { .. }),
            Ty::Builtin { name: "Iterator", .. } => return !self.item_of(cx, of).is_unknown(),
            _ => return true,
        };
        let Some(impls) = self.impls.get() else { return false };
        match of {
            Ty::Object(applied) if applied.of == wanted => true,
            Ty::Object(applied) if cx.program.definition(applied.of).kind == SymbolKind::Trait => {
                self.trait_and_above(cx, applied.of).contains(&wanted)
            }
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds_of(cx, *owner, *index);
                bounds.iter().any(|own| match own {
                    Ty::Object(applied) => self.trait_and_above(cx, applied.of).contains(&wanted),
                    _ => false,
                })
            }
            Ty::Intersection(types) => types.iter().any(|ty| self.fulfils(cx, ty, bound)),
            of => impls.of_type(cx, of).any(|one| one.own_trait() == Some(wanted)),
        }
    }

    /// Returns what a value dereferences to.
    pub(super) fn dereferenced_to(&self, cx: &mut Inference<'_>, of: &Ty) -> Option<Ty> {
        match of {
            Ty::Builtin { name, .. } => {
                let note = standard::standard(name)?.dereferences_to.as_ref()?;
                let next = Bindings::standard(of).note(self, cx, note);
                (!next.is_unknown()).then_some(next)
            }
            Ty::Object(_) => {
                let impls = self.impls.get()?;
                let one = impls.of_type(cx, of).find(|one| one.implements_foreign("Deref"))?;
                let target = cx.program.name_named("Target")?;
                let alias = one.members(target).first().copied()?;
                let target = cx.variable(alias);
                Some(self.for_object(cx, one, of, target))
            }
            Ty::Parameter { of, index } if *index != OWN_TYPE => {
                let bounds = self.bounds_of(cx, *of, *index);
                let deref = bounds.iter().find(|bound| matches!(bound, Ty::Builtin { name: "Deref", .. }))?.clone();
                self.dereferenced_to(cx, &deref)
            }
            _ => None,
        }
    }

    /// Returns a type in terms of a block's parameters as an object of its type has it.
    pub(super) fn for_object(&self, cx: &mut Inference<'_>, one: &Impl, of: &Ty, ty: Ty) -> Ty {
        let mut bindings = Bindings::for_own(Some(of));
        let given = one.of(cx);
        bindings.unify(self, cx, &given, of);
        bindings.apply(self, cx, &ty)
    }
}

/// Says whether a type may be what a block is for: where both say what a parameter is, they say the same.
pub(super) fn may_be(expected: &Ty, given: &Ty) -> bool {
    match (expected, given) {
        (Ty::Object(expected), Ty::Object(given)) => {
            expected.of == given.of && all_may_be(&expected.arguments, &given.arguments)
        }
        (
            Ty::Builtin { name: expected_name, arguments: expected },
            Ty::Builtin { name: given_name, arguments: given },
        ) => expected_name == given_name && all_may_be(expected, given),
        (Ty::Foreign(expected), Ty::Foreign(given)) => expected == given,
        (Ty::Tuple(expected), Ty::Tuple(given)) => expected.len() == given.len() && all_may_be(expected, given),
        (Ty::Object(_) | Ty::Builtin { .. }, Ty::Foreign(_)) | (Ty::Foreign(_), Ty::Object(_) | Ty::Builtin { .. }) => {
            false
        }
        (Ty::Object(_), Ty::Builtin { .. }) | (Ty::Builtin { .. }, Ty::Object(_)) => false,
        _ => true,
    }
}

fn all_may_be(expected: &[Ty], given: &[Ty]) -> bool {
    expected.iter().zip(given).all(|(expected, given)| may_be(expected, given))
}
