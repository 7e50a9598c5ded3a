//! Method lookup in the order of the language: inherent members, traits, blanket implementations, then autoderef.

use model::{Import, SymbolKind, code::Flags};

use super::{
    MAX_DEREFERENCES, RustDialect,
    impls::Impl,
    lookup::select_compiled,
    standard_library::{self, StandardFunction},
    type_bindings::TypeBindings,
};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{OWN_TYPE, Ty},
};

/// Maximum number of supertraits.
const MAX_TRAITS: usize = 32;

/// Maximum number of candidates of one method.
const MAX_CANDIDATES: usize = 16;

/// Methods that return the type of their receiver, or a view that a macro makes of it with the same fields: `project` of a pinned
/// value.
const SAME_TYPE_METHODS: [&str; 9] =
    ["clone", "to_owned", "by_ref", "borrow", "borrow_mut", "as_ref", "as_mut", "project", "project_ref"];

/// The method of a future that no definition of the program has.
const POLL: &str = "poll";

/// The result of a method lookup.
#[derive(Debug)]
pub(super) enum MethodResolution {
    /// Definitions of the repository, with the object on which they were found.
    Symbols { symbols: Vec<SymbolIdx>, receiver: Ty },
    /// A function of the library table.
    Standard { of: Ty, function: &'static StandardFunction },
    /// A method that returns the type of its receiver, or one that follows from it.
    SameType(Ty),
    /// A method of another repository.
    External,
}

impl RustDialect {
    /// Returns false for a member of an implementation in another repository, if the file cannot have its trait in scope: it neither
    /// names the trait nor imports all names of a module.
    pub(super) fn may_be_in_scope(&self, program: &Program<'_>, file: FileIdx, member: SymbolIdx) -> bool {
        let root = |file: FileIdx| program.root_of_file(file);
        let is_foreign = root(file) != root(program.file_of(member));
        let of_member = self.impls.get().and_then(|impls| impls.impl_of_member(member));
        let Some(implemented) = of_member.and_then(Impl::own_trait).filter(|_| is_foreign) else { return true };
        // No other repository can name a private trait.
        if !program.shape(implemented).flags.has(Flags::EXPORTED) {
            return false;
        }
        let name = program.text(program.name_of(implemented));
        let facts = program.facts(file);
        let imports = |import: &Import| import.name == "*" || import.name == name;
        facts.code.names.iter().any(|known| known == name) || facts.imports.iter().any(imports)
    }

    /// Resolves a method of a value in a file, with autoderef.
    pub(super) fn resolve_method(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        name: Name,
    ) -> Option<MethodResolution> {
        let mut at = of.clone();
        let mut fallback = None;
        for _ in 0..MAX_DEREFERENCES {
            if matches!(at, Ty::External) {
                return Some(MethodResolution::External);
            }
            if let Some(found) = self.number_method(cx, file, &at, name) {
                return Some(found);
            }
            if let Some(found) = self.find_member(cx, &at, name) {
                match found {
                    MethodResolution::SameType(_) => fallback = fallback.or(Some(found)),
                    found => return Some(found),
                }
            }
            match self.deref_target(cx, &at) {
                Some(next) => at = next,
                None => break,
            }
        }
        let is_known = !matches!(of, Ty::Unknown);
        fallback.or_else(|| is_known.then_some(MethodResolution::External).filter(|_| !at.is_unknown()))
    }

    /// Finds a member of a type, without autoderef.
    pub(super) fn find_member(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<MethodResolution> {
        let program = cx.program;
        match of {
            Ty::Object(applied) => {
                if let Some(symbols) = self.find_in_impls(cx, of, name) {
                    return Some(MethodResolution::Symbols { symbols, receiver: of.clone() });
                }
                if program.definition(applied.of).kind == SymbolKind::Trait {
                    if let Some(symbols) = self.find_in_trait(cx, applied.of, name) {
                        return Some(MethodResolution::Symbols { symbols, receiver: of.clone() });
                    }
                    let bases = cx.written_bases(applied.of);
                    let found = bases.iter().find_map(|base| self.standard_member(cx, base, name));
                    if found.is_some() {
                        return found;
                    }
                }
                if let Some(found) = self.find_in_foreign_traits(cx, of, name) {
                    return Some(found);
                }
            }
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds_of(cx, *owner, *index);
                for bound in &bounds {
                    match self.find_member(cx, bound, name) {
                        Some(MethodResolution::Symbols { symbols, .. }) => {
                            return Some(MethodResolution::Symbols { symbols, receiver: of.clone() });
                        }
                        Some(MethodResolution::SameType(_)) | None => {}
                        found => return found,
                    }
                }
            }
            Ty::Intersection(types) => return types.iter().find_map(|ty| self.find_member(cx, ty, name)),
            // A method of the type itself comes before those of traits.
            Ty::Builtin { .. } => {
                if let Some(found) = self.standard_member(cx, of, name) {
                    return Some(found);
                }
                if let Some(symbols) = self.find_in_impls(cx, of, name) {
                    return Some(MethodResolution::Symbols { symbols, receiver: of.clone() });
                }
            }
            Ty::Foreign(_) => {
                if let Some(own) = self.own_number_member(program, of, name) {
                    return Some(own);
                }
                if let Some(symbols) = self.find_in_impls(cx, of, name) {
                    return Some(MethodResolution::Symbols { symbols, receiver: of.clone() });
                }
            }
            _ => return None,
        }
        if let Some(symbols) = self.find_in_blanket_impls(cx, of, name) {
            return Some(MethodResolution::Symbols { symbols, receiver: of.clone() });
        }
        if program.text(name) == POLL {
            return self.output_of(cx, of).map(|output| MethodResolution::SameType(Ty::builtin("Poll", [output])));
        }
        SAME_TYPE_METHODS.contains(&program.text(name)).then(|| MethodResolution::SameType(of.clone()))
    }

    /// Returns the output of a future. The type of a future is that of its output, and so is the bound of a parameter.
    pub(super) fn output_of(&self, cx: &mut Inference<'_>, future: &Ty) -> Option<Ty> {
        let Ty::Parameter { of, index } = future else { return Some(future.clone()) };
        let bounds = self.bounds_of(cx, *of, *index);
        let is_trait = |ty: &Ty| match ty {
            Ty::Object(applied) => cx.program.definition(applied.of).kind == SymbolKind::Trait,
            other => matches!(other, Ty::Foreign(_) | Ty::External | Ty::Unknown),
        };
        bounds.into_iter().find(|bound| !is_trait(bound))
    }

    /// Finds a function in the library table.
    fn standard_member(&self, cx: &Inference<'_>, of: &Ty, name: Name) -> Option<MethodResolution> {
        let Ty::Builtin { name: known, .. } = of else { return None };
        let function = standard_library::find_type(known)?.function(cx.program.text(name))?;
        Some(MethodResolution::Standard { of: of.clone(), function })
    }

    /// Finds members in the `impl` blocks of a type: inherent ones, then those of traits, then default methods of
    /// implemented traits.
    fn find_in_impls(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Vec<SymbolIdx>> {
        let impls = self.impls.get()?;
        for is_own in [true, false] {
            let mut found: Vec<SymbolIdx> = Vec::new();
            for one in impls.of_type(cx, of).filter(|one| one.is_own() == is_own) {
                let members = one.members(name);
                if !members.is_empty() && found.len() < MAX_CANDIDATES && is_compatible(&one.of(cx), of) {
                    found.extend(members);
                }
            }
            if !found.is_empty() {
                return Some(select_compiled(cx.program, found));
            }
        }
        let mut found: Vec<SymbolIdx> = Vec::new();
        for one in impls.of_type(cx, of) {
            let Some(actual) = one.own_trait().filter(|actual| !cx.program.members(*actual, name).is_empty()) else {
                continue;
            };
            if found.len() >= MAX_CANDIDATES || !is_compatible(&one.of(cx), of) {
                continue;
            }
            for symbol in self.program_members(cx, actual, name) {
                if !found.contains(&symbol) {
                    found.push(symbol);
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Returns the members of a definition that are not in `impl` blocks.
    fn program_members(&self, cx: &Inference<'_>, of: SymbolIdx, name: Name) -> Vec<SymbolIdx> {
        let program = cx.program;
        let is_item = |symbol: &&SymbolIdx| !self.extension_members.contains(symbol);
        program.members(of, name).iter().filter(is_item).copied().collect()
    }

    /// Finds members of a trait or its supertraits.
    pub(super) fn find_in_trait(&self, cx: &mut Inference<'_>, of: SymbolIdx, name: Name) -> Option<Vec<SymbolIdx>> {
        let all = self.trait_with_supertraits(cx, of);
        all.into_iter().map(|one| self.program_members(cx, one, name)).find(|members| !members.is_empty())
    }

    /// Returns a trait and its supertraits, nearest first.
    pub(super) fn trait_with_supertraits(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
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

    /// Finds methods that a type has through a standard trait: an iterator has all adapters.
    fn find_in_foreign_traits(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<MethodResolution> {
        let impls = self.impls.get()?;
        let is_iterator = impls.of_type(cx, of).any(|one| one.implements_foreign("Iterator"));
        if !is_iterator {
            return None;
        }
        let item = self.projection(cx, of, cx.program.name_named("Item")?);
        self.standard_member(cx, &Ty::builtin("Iterator", [item]), name)
    }

    /// Finds members in blanket implementations whose bounds the type satisfies.
    fn find_in_blanket_impls(&self, cx: &mut Inference<'_>, of: &Ty, name: Name) -> Option<Vec<SymbolIdx>> {
        let impls = self.impls.get()?;
        for one in impls.blanket(name) {
            let mut symbols = one.members(name).to_vec();
            if symbols.is_empty()
                && let Some(actual) = one.own_trait()
            {
                symbols = self.program_members(cx, actual, name);
            }
            if symbols.is_empty() {
                continue;
            }
            let actual = one.of(cx);
            let Ty::Parameter { of: owner, index } = actual else { continue };
            if *of == actual {
                continue;
            }
            let bounds = self.bounds_of(cx, owner, index);
            if bounds.iter().all(|bound| self.satisfies_bound(cx, of, bound)) {
                return Some(symbols);
            }
        }
        None
    }

    /// Returns true if a type satisfies a bound. Bounds by external traits count as satisfied.
    pub(super) fn satisfies_bound(&self, cx: &mut Inference<'_>, of: &Ty, bound: &Ty) -> bool {
        let expected = match bound {
            Ty::Object(applied) => applied.of,
            Ty::FunctionType { .. } => return matches!(of, Ty::FunctionType { .. } | Ty::Closure { .. }),
            Ty::Builtin { name: "Iterator", .. } => return !self.item_of(cx, of).is_unknown(),
            _ => return true,
        };
        let Some(impls) = self.impls.get() else { return false };
        match of {
            Ty::Object(applied) if applied.of == expected => true,
            Ty::Object(applied) if cx.program.definition(applied.of).kind == SymbolKind::Trait => {
                self.trait_with_supertraits(cx, applied.of).contains(&expected)
            }
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds_of(cx, *owner, *index);
                bounds.iter().any(|own| match own {
                    Ty::Object(applied) => self.trait_with_supertraits(cx, applied.of).contains(&expected),
                    _ => false,
                })
            }
            Ty::Intersection(types) => types.iter().any(|ty| self.satisfies_bound(cx, ty, bound)),
            of => impls.of_type(cx, of).any(|one| one.own_trait() == Some(expected)),
        }
    }

    /// Returns the target type of a dereference.
    pub(super) fn deref_target(&self, cx: &mut Inference<'_>, of: &Ty) -> Option<Ty> {
        match of {
            Ty::Builtin { name, .. } => {
                let template = standard_library::find_type(name)?.dereferences_to.as_ref()?;
                let next = TypeBindings::for_library_type(of).instantiate(self, cx, template);
                (!next.is_unknown()).then_some(next)
            }
            Ty::Object(_) => {
                let impls = self.impls.get()?;
                let one = impls.of_type(cx, of).find(|one| one.implements_foreign("Deref"))?;
                let target = cx.program.name_named("Target")?;
                let alias = one.members(target).first().copied()?;
                let target = cx.variable(alias);
                Some(self.substitute_impl_parameters(cx, one, of, target))
            }
            Ty::Parameter { of, index } if *index != OWN_TYPE => {
                let bounds = self.bounds_of(cx, *of, *index);
                let deref = bounds.iter().find(|bound| matches!(bound, Ty::Builtin { name: "Deref", .. }))?.clone();
                self.deref_target(cx, &deref)
            }
            _ => None,
        }
    }

    /// Substitutes the parameters of an `impl` block for an object.
    pub(super) fn substitute_impl_parameters(&self, cx: &mut Inference<'_>, one: &Impl, of: &Ty, ty: Ty) -> Ty {
        let mut bindings = TypeBindings::for_self(Some(of));
        let actual = one.of(cx);
        bindings.unify(self, cx, &actual, of);
        bindings.apply(self, cx, &ty)
    }
}

/// Returns true if two types are equal wherever both are known.
pub(super) fn is_compatible(expected: &Ty, actual: &Ty) -> bool {
    match (expected, actual) {
        (Ty::Object(expected), Ty::Object(actual)) => {
            expected.of == actual.of && all_compatible(&expected.arguments, &actual.arguments)
        }
        (
            Ty::Builtin { name: expected_name, arguments: expected },
            Ty::Builtin { name: given_name, arguments: actual },
        ) => expected_name == given_name && all_compatible(expected, actual),
        (Ty::Foreign(expected), Ty::Foreign(actual)) => expected == actual,
        (Ty::Tuple(expected), Ty::Tuple(actual)) => expected.len() == actual.len() && all_compatible(expected, actual),
        (Ty::Object(_) | Ty::Builtin { .. }, Ty::Foreign(_)) | (Ty::Foreign(_), Ty::Object(_) | Ty::Builtin { .. }) => {
            false
        }
        (Ty::Object(_), Ty::Builtin { .. }) | (Ty::Builtin { .. }, Ty::Object(_)) => false,
        _ => true,
    }
}

fn all_compatible(expected: &[Ty], actual: &[Ty]) -> bool {
    expected.iter().zip(actual).all(|(expected, actual)| is_compatible(expected, actual))
}
