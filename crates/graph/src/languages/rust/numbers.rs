//! Numbers: their operators, their own methods, and the methods of traits that a file has in scope for them.
//!
//! Libraries implement their traits for numbers in macros. The `impl` blocks of a macro of another file are not known.

mod own_members;

use model::{Import, SymbolKind, code::ScopeId};

use super::{
    RustDialect,
    calls::CallParts,
    methods::{MethodResolution, is_compatible},
    resolution::{NameResolution, RustNamespace},
};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::Ty,
};

use own_members::{NumberKind, STANDARD_METHODS};

/// Maximum number of traits with a method of one name.
const MAX_TRAITS: usize = 24;

/// The traits behind operators: the operator, whether it has two operands, and the trait.
const OPERATOR_TRAITS: [(&str, bool, &str); 12] = [
    ("+", true, "Add"),
    ("-", true, "Sub"),
    ("*", true, "Mul"),
    ("/", true, "Div"),
    ("%", true, "Rem"),
    ("&", true, "BitAnd"),
    ("|", true, "BitOr"),
    ("^", true, "BitXor"),
    ("<<", true, "Shl"),
    (">>", true, "Shr"),
    ("-", false, "Neg"),
    ("!", false, "Not"),
];

impl RustDialect {
    /// Resolves a method of a number: its own one, otherwise that of the only trait in scope of the file. Returns none for other types.
    pub(super) fn number_method(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        name: Name,
    ) -> Option<MethodResolution> {
        let program = cx.program;
        let own = NumberKind::of(program, of)?.own_method(of, program.text(name));
        if own.is_some() || STANDARD_METHODS.contains(&program.text(name)) {
            return own;
        }
        let mut traits: Vec<SymbolIdx> =
            program.named(name).iter().filter_map(|member| program.parent(*member)).collect();
        traits.retain(|owner| program.definition(*owner).kind == SymbolKind::Trait);
        traits.dedup();
        if traits.len() > MAX_TRAITS {
            return None;
        }
        traits.retain(|candidate| self.has_in_scope(cx, (file, None), *candidate));
        if traits.len() > 1 {
            traits.retain(|candidate| self.is_implemented_for(cx, of, *candidate));
        }
        let [only] = traits[..] else { return None };
        cx.consult(program.file_of(only));
        let own = self.implementation_members(cx, of, only, name);
        let symbols = if own.is_empty() { self.find_in_trait(cx, only, name)? } else { own };
        Some(MethodResolution::Symbols { symbols, receiver: of.clone() })
    }

    /// Resolves a method of a number without a type (`2.0.sqrt()`): it has only those of traits, here of the only one in scope.
    pub(super) fn untyped_number_method(
        &self,
        cx: &mut Inference<'_>,
        call: CallParts<'_>,
        name: Name,
    ) -> Option<SymbolIdx> {
        let program = cx.program;
        let place = (call.file, program.code(call.file).scope_of_call(call.site));
        if STANDARD_METHODS.contains(&program.text(name)) {
            return None;
        }
        let declared = program.named(name).iter().copied();
        let is_of_trait = |member: &SymbolIdx| {
            program.parent(*member).is_some_and(|owner| program.definition(owner).kind == SymbolKind::Trait)
        };
        let all: Vec<SymbolIdx> = declared.filter(is_of_trait).take(MAX_TRAITS + 1).collect();
        if all.len() > MAX_TRAITS {
            return None;
        }
        let in_scope =
            |member: &SymbolIdx| program.parent(*member).is_some_and(|owner| self.has_in_scope(cx, place, owner));
        let found: Vec<SymbolIdx> = all.into_iter().filter(in_scope).collect();
        let [only] = found[..] else { return None };
        cx.consult(program.file_of(only));
        Some(only)
    }

    /// Returns the members of a name in the blocks that implement a trait for a type.
    pub(super) fn implementation_members(
        &self,
        cx: &mut Inference<'_>,
        of: &Ty,
        implemented: SymbolIdx,
        name: Name,
    ) -> Vec<SymbolIdx> {
        let Some(impls) = self.impls.get() else { return Vec::new() };
        let mut found = Vec::new();
        for one in impls.of_type(cx, of).filter(|one| one.own_trait() == Some(implemented)) {
            if is_compatible(&one.of(cx), of) {
                found.extend(one.members(name));
            }
        }
        found
    }

    /// Returns the resolution of a member that a number has itself, so that no trait gives it.
    pub(super) fn own_number_member(&self, program: &Program<'_>, of: &Ty, name: Name) -> Option<MethodResolution> {
        let kind = NumberKind::of(program, of)?;
        let text = program.text(name);
        kind.own_method(of, text).or_else(|| kind.has_own_item(text).then_some(MethodResolution::External))
    }

    /// Returns true if a block implements a trait for a type.
    fn is_implemented_for(&self, cx: &Inference<'_>, of: &Ty, candidate: SymbolIdx) -> bool {
        self.impls.get().is_some_and(|impls| impls.of_type(cx, of).any(|one| one.own_trait() == Some(candidate)))
    }

    /// Returns the type of a number that `u64::from` and the like return.
    pub(super) fn converted_number(&self, program: &Program<'_>, head: &str, function: &str) -> Option<Ty> {
        let of = Ty::Foreign(program.name_named(head)?);
        (matches!(function, "from" | "default" | "from_bits") && NumberKind::of(program, &of).is_some()).then_some(of)
    }

    /// Keeps the functions of several traits that are in scope of a call, or all if there are none.
    pub(super) fn select_in_scope(
        &self,
        cx: &mut Inference<'_>,
        functions: Vec<SymbolIdx>,
        call: CallParts<'_>,
    ) -> Vec<SymbolIdx> {
        let program = cx.program;
        let trait_of = |function: &SymbolIdx| {
            program.parent(*function).filter(|owner| program.definition(*owner).kind == SymbolKind::Trait)
        };
        let traits: Option<Vec<SymbolIdx>> = functions.iter().map(trait_of).collect();
        let Some(traits) = traits.filter(|traits| traits.len() > 1) else { return functions };
        let place = (call.file, program.code(call.file).scope_of_call(call.site));
        let both = functions.iter().copied().zip(traits);
        let found: Vec<SymbolIdx> =
            both.filter(|(_, owner)| self.has_in_scope(cx, place, *owner)).map(|(function, _)| function).collect();
        if found.is_empty() { functions } else { found }
    }

    /// Returns true if a trait is in scope of some code: of a scope, or else of a file that defines or imports it.
    fn has_in_scope(
        &self,
        cx: &mut Inference<'_>,
        (file, scope): (FileIdx, Option<ScopeId>),
        candidate: SymbolIdx,
    ) -> bool {
        let program = cx.program;
        let name = program.name_of(candidate);
        let imports = &program.facts(file).imports;
        let is_other_name = |import: &Import| scope.is_none() || !import.alias.is_empty();
        let named =
            imports.iter().enumerate().filter(|(_, import)| import.name == program.text(name) && is_other_name(import));
        let named: Vec<usize> = named.map(|(index, _)| index).collect();
        if named.into_iter().any(|index| cx.import_targets(file, index).contains(&Node::Symbol(candidate))) {
            return true;
        }
        if let Some(scope) = scope {
            let found = self.resolve_name(cx, file, name, scope, 0, RustNamespace::Types);
            return matches!(found, NameResolution::Items(found, _) if found.symbols.contains(&candidate));
        }
        if program.file_of(candidate) == file {
            return true;
        }
        let has_glob = imports.iter().any(|import| import.name == "*");
        let found = has_glob.then(|| self.resolve_name(cx, file, name, ScopeId(0), 0, RustNamespace::Types));
        matches!(found, Some(NameResolution::Items(found, _)) if found.symbols.contains(&candidate))
    }

    /// Returns the type of an operation, given the type of its first operand.
    pub(super) fn operation_type(&self, cx: &mut Inference<'_>, operator: &str, is_binary: bool, of: Ty) -> Ty {
        let traits = OPERATOR_TRAITS.iter().find(|(other, needs_two, _)| *other == operator && *needs_two == is_binary);
        let Some((_, _, operator_trait)) = traits else { return Ty::External };
        match &of {
            Ty::Builtin { name: "str" | "String", .. } => of,
            Ty::Foreign(_) if NumberKind::of(cx.program, &of).is_some() => of,
            Ty::Parameter { of: owner, index } => {
                let bounds = self.bounds_of(cx, *owner, *index);
                match self.is_closed_under(cx, &bounds, operator_trait) {
                    true => of,
                    false => Ty::External,
                }
            }
            _ => Ty::External,
        }
    }

    /// Returns true if an operation on values of a bounded parameter has the type of the parameter: a trait of the program implies the
    /// operator, and no bound names the operator itself, whose output would be unknown.
    fn is_closed_under(&self, cx: &mut Inference<'_>, bounds: &[Ty], operator_trait: &str) -> bool {
        let program = cx.program;
        let is_operator = |bound: &Ty| matches!(bound, Ty::Foreign(name) if program.text(*name) == operator_trait);
        let mut implied = false;
        for bound in bounds {
            let Ty::Object(applied) = bound else { continue };
            let all = self.trait_with_supertraits(cx, applied.of);
            implied |= all.into_iter().any(|one| cx.written_bases(one).iter().any(is_operator));
        }
        implied && !bounds.iter().any(is_operator)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check_calls;

    /// Traits that numbers implement in a macro.
    const TRAITS: &str = "//- /src/lib.rs
mod cast;
mod a;
//- /src/cast.rs
use core::ops::{Div, Neg};
pub trait ToSize { fn to_size(&self) -> usize; fn sqrt(self) -> Self; fn abs(self) -> Self; }
pub trait Num: Sized + Div<Output = Self> { fn low(&self) -> bool; }
pub trait Signed: Num + Neg<Output = Self> { fn flip(&self) -> bool; }
//- /src/a.rs
";

    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        check_calls(&format!("{TRAITS}{code}"), expected);
    }

    #[test]
    fn numbers_have_the_methods_of_traits_in_scope() {
        check(
            "use crate::cast::ToSize;\nfn f(x: u64) { (x / 2).to_size(); x.pow(2).to_size(); u32::from(x).sqrt(); }",
            &["src/a.rs::f -calls-> src/cast.rs::ToSize.sqrt", "src/a.rs::f -calls-> src/cast.rs::ToSize.to_size"],
        );
        check(
            "use crate::cast::*;\nfn f(x: &u8) { x.to_size(); }",
            &["src/a.rs::f -calls-> src/cast.rs::ToSize.to_size"],
        );
        // Floats and signed integers have these methods themselves, and the trait may not be in scope.
        check("use crate::cast::ToSize;\nfn f(x: f64, y: i32) { x.sqrt(); (-y).abs(); x.clone(); }", &[]);
        check("use crate::cast::Num;\nfn f(x: u64) { x.to_size(); }", &[]);
    }

    #[test]
    fn numbers_without_a_type_have_the_methods_of_traits() {
        check(
            "use crate::cast::ToSize;\nfn f() { 2.0.sqrt(); 2f64.sqrt(); 2.0.clone(); }\nfn g() { 2_u8.to_size(); 0x1f32.abs(); }",
            &[
                "src/a.rs::f -calls-> src/cast.rs::ToSize.sqrt",
                "src/a.rs::g -calls-> src/cast.rs::ToSize.abs",
                "src/a.rs::g -calls-> src/cast.rs::ToSize.to_size",
            ],
        );
        // The trait is not in scope.
        check("fn f() { 2.0.sqrt(); }", &[]);
    }

    #[test]
    fn traits_are_in_scope_of_modules_and_functions() {
        let traits = "pub mod other { pub trait Size { fn sqrt(self) -> Self; fn low() -> Self; } impl Size for u8 {} impl crate::a::Low for u8 {} }\n\
            pub use other::Size;\npub trait Low { fn low() -> Self; }\n";
        for (code, expected) in [
            // The file has both traits, and each module one of them.
            (
                "pub mod m { use crate::cast::ToSize; fn f() { 2.0.sqrt(); } }",
                &["src/a.rs::m.f -calls-> src/cast.rs::ToSize.sqrt"][..],
            ),
            ("mod m { use super::*; fn f() { 2.0.sqrt(); } }", &["src/a.rs::m.f -calls-> src/a.rs::other.Size.sqrt"]),
            (
                "mod m { fn f() { use crate::cast::ToSize as Other; 2.0.sqrt(); } }",
                &["src/a.rs::m.f -calls-> src/cast.rs::ToSize.sqrt"],
            ),
            ("mod m { use super::Low; fn f() { u8::low(); } }", &["src/a.rs::m.f -calls-> src/a.rs::Low.low"]),
            // Both are in scope, or none.
            ("use crate::cast::ToSize;\nfn f() { 2.0.sqrt(); }", &[]),
            ("mod m { fn f() { 2.0.sqrt(); } }", &[]),
        ] {
            check(&format!("{traits}{code}"), expected);
        }
    }

    #[test]
    fn a_checked_operation_may_give_a_number() {
        check(
            "use crate::cast::ToSize;\nfn f(x: u64) { let (a, n) = match x.checked_sub(1) { Some(n) => (true, n), None => (false, x) };\n n.to_size(); }\n\
             fn g(x: u64) { if let Some(n) = x.checked_ilog(2) { n.to_size(); } }\n\
             fn h(x: u64) { if let Some(n) = x.checked_signed_diff(2) { n.to_size(); } }",
            &["src/a.rs::f -calls-> src/cast.rs::ToSize.to_size"],
        );
    }

    #[test]
    fn macros_implement_traits_for_numbers() {
        let implemented = "use crate::cast::ToSize;\npub trait Low { fn low() -> Self; fn to_size(&self) -> u8; fn from_str_radix(s: &str) -> Self; }\n\
            macro_rules! each { ($($t:ident)*) => { $(impl Low for $t { fn low() -> $t { 1 } })* }; }\neach!(u8 u16);\n";
        for (code, expected) in [
            ("fn f() { u8::low(); <u16>::low(); }", &["src/a.rs::f -calls-> src/a.rs::Low.low"][..]),
            ("fn f(x: u8) { x.to_size(); }", &["src/a.rs::f -calls-> src/a.rs::Low.to_size"]),
            // Two traits in scope have the method, and the number implements none of them as far as is known.
            ("fn f(x: u32) { x.to_size(); u32::low(); }", &[]),
            // The number has the function itself.
            ("fn f() { u8::from_str_radix(s); u8::MAX.pow(2); }", &[]),
            // No float has it, so that it is the function of the trait.
            ("each!(f64);\nfn f() { f64::from_str_radix(s); }", &["src/a.rs::f -calls-> src/a.rs::Low.from_str_radix"]),
        ] {
            check(&format!("{implemented}{code}"), expected);
        }
    }

    #[test]
    fn operations_of_parameters_have_their_type_if_a_trait_implies_it() {
        check(
            "use crate::cast::{Num, Signed};\nfn f<T: Signed>(x: T, y: T) { (x / y).low(); (-x).flip(); }",
            &["src/a.rs::f -calls-> src/cast.rs::Num.low", "src/a.rs::f -calls-> src/cast.rs::Signed.flip"],
        );
        // The output of an operator that the bounds name, or do not have, is not known.
        check(
            "use crate::cast::Num;\nuse core::ops::{Add, Div};\nfn f<T: Num + Div<u8>>(x: T, y: T) { (x / y).low(); }\n\
             fn g<T: Num + Add>(x: T, y: T) { (x + y).low(); (x * y).low(); }",
            &[],
        );
    }
}
