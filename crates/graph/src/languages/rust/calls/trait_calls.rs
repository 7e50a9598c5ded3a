//! Calls through a trait (`Trait::f(x)`): the type that the call is for, and its members.

use model::{
    SymbolKind,
    code::{Code, Expression, ExpressionId},
};

use crate::{
    edge::Resolution,
    infer::Inference,
    languages::rust::{
        RustDialect,
        calls::{CallParts, ResolvedCallee},
        impls::Impl,
        methods::{MethodResolution, is_compatible},
        type_bindings::TypeBindings,
    },
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

/// Maximum number of expressions between a call and the one that uses its value.
const MAX_DISTANCE: usize = 64;

/// Maximum number of methods after a call that give or keep its success value.
const MAX_UNWRAPS: usize = 2;

/// Methods that give the success value of an `Option` or a `Result`.
const UNWRAPPING_METHODS: [&str; 5] = ["expect", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];

/// Methods that keep the success value of an `Option` or a `Result` in another one.
const KEEPING_METHODS: [&str; 4] = ["map_err", "ok", "ok_or", "ok_or_else"];

impl RustDialect {
    /// Resolves a function of a trait called by path (`Trait::f(x)`): the implementation of the type that the call is for, if it is
    /// known.
    pub(super) fn trait_callee(
        &self,
        cx: &mut Inference<'_>,
        call: CallParts<'_>,
        functions: Vec<SymbolIdx>,
        owner: &Applied,
        n_skipped: usize,
    ) -> ResolvedCallee {
        let (name, of_trait) = (cx.program.name_of(functions[0]), owner.of);
        let (found, of) = match (n_skipped, call.arguments.first()) {
            (0, _) => {
                let made = self.expected_self(cx, call, functions[0]);
                let found = made.as_ref().map(|made| self.implementation_members(cx, made, of_trait, name));
                (found.unwrap_or_default(), made)
            }
            (_, Some(object)) => {
                let object = cx.type_of(call.file, *object);
                match self.resolve_method(cx, call.file, &object, name) {
                    Some(MethodResolution::Symbols { symbols, receiver }) => {
                        (self.members_of_trait(cx, symbols, &receiver, of_trait), Some(receiver))
                    }
                    _ => (Vec::new(), Some(object).filter(|object| !matches!(object, Ty::Unknown | Ty::External))),
                }
            }
            _ => (Vec::new(), None),
        };
        let symbols = if found.is_empty() { functions } else { found };
        let receiver = of.unwrap_or_else(|| Ty::Object(owner.clone()));
        ResolvedCallee::Symbols { symbols, receiver: Some(receiver), n_skipped }
    }

    /// Returns the members of a type that belong to a trait, for a call through the trait: a method of the type itself is none of them.
    pub(super) fn members_of_trait(
        &self,
        cx: &mut Inference<'_>,
        found: Vec<SymbolIdx>,
        of: &Ty,
        of_trait: SymbolIdx,
    ) -> Vec<SymbolIdx> {
        let Some(impls) = self.impls.get() else { return found };
        let is_own = |symbol: &SymbolIdx| impls.impl_of_member(*symbol).is_some_and(Impl::is_own);
        if !found.iter().any(is_own) {
            return found;
        }
        let name = cx.program.name_of(found[0]);
        self.implementation_members(cx, of, of_trait, name)
    }

    /// Removes the function of a trait of another repository if the type of the call has this function in a block that a macro writes:
    /// the call stays in the repository of the block, and its target has no definition.
    pub(in crate::languages::rust) fn retain_written(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: ExpressionId,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        let program = cx.program;
        let is_own = |of: SymbolIdx| program.root_of_file(program.file_of(of)) == program.root_of_file(file);
        if found.iter().all(|(to, _)| is_own(*to)) {
            return;
        }
        let receiver = match self.resolve_callee(cx, file, site) {
            Some(ResolvedCallee::Symbols { receiver: Some(receiver), .. }) => receiver,
            _ => return,
        };
        found.retain(|(to, _)| is_own(*to) || !self.is_generated_elsewhere(cx, &receiver, *to));
    }

    /// Returns true if a macro of another repository than that of a trait writes a function of the trait for a type.
    fn is_generated_elsewhere(&self, cx: &mut Inference<'_>, of: &Ty, declared: SymbolIdx) -> bool {
        let program = cx.program;
        let Some(owner) = program.parent(declared) else { return false };
        let Some(impls) = self.impls.get().filter(|_| program.definition(owner).kind == SymbolKind::Trait) else {
            return false;
        };
        let name = program.name_of(declared);
        let root = program.root_of_file(program.file_of(declared));
        let mut blocks = impls.of_type(cx, of).filter(|one| one.own_trait() == Some(owner) && one.generates(name));
        blocks.any(|one| program.root_of_file(one.file) != root && is_compatible(&one.of(cx), of))
    }

    /// Returns the type of the program that a function without an object is called for, as far as the code around the call tells:
    /// `let a: A = T::make()`, `a == T::make()`, `fn f() -> A { T::make().unwrap() }`.
    pub(super) fn expected_self(&self, cx: &mut Inference<'_>, call: CallParts<'_>, function: SymbolIdx) -> Option<Ty> {
        let mut value = call.site;
        let mut result = cx.result_of(function);
        let mut is_converted = false;
        for _ in 0..=MAX_UNWRAPS {
            let compared = |cx: &mut Inference<'_>| self.compared_type(cx, call.file, value);
            if let Some(expected) = cx.declared_value(call.file, value).or_else(|| compared(cx)) {
                let expected = if is_converted { success(expected)? } else { expected };
                let mut bindings = TypeBindings::default();
                bindings.unify(self, cx, &result, &expected);
                return bindings.self_type.filter(|made| matches!(made, Ty::Object(_)));
            }
            // The success value stays the same in another `Option` or `Result`.
            result = if is_converted { result } else { success(result)? };
            (value, is_converted) = success_value(cx, call.file, value)?;
        }
        None
    }

    /// Returns the type of the value that a call is compared with.
    fn compared_type(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> Option<Ty> {
        let other = users_of(cx.program.code(file), call).find_map(|(_, expression)| match expression {
            Expression::Either(sides) => match **sides {
                [left, right] if right == call => Some(left),
                [left, right] if left == call => Some(right),
                _ => None,
            },
            _ => None,
        })?;
        cx.deeper(|cx| cx.type_of(file, other)).filter(|other| !other.is_unknown())
    }
}

/// Returns the expressions that follow a call, among which are those that use its value.
fn users_of(code: &Code, call: ExpressionId) -> impl Iterator<Item = (ExpressionId, &Expression)> {
    let first = call.index() + 1;
    let after = code.expressions.iter().enumerate().skip(first).take(MAX_DISTANCE);
    after.map(|(index, expression)| (ExpressionId(index as u32), expression))
}

/// Returns the value that a method or `?` makes of the success of a call, and true if it is an `Option` or a `Result` with this.
fn success_value(cx: &Inference<'_>, file: FileIdx, call: ExpressionId) -> Option<(ExpressionId, bool)> {
    let code = cx.program.code(file);
    let mut method = None;
    users_of(code, call).find_map(|(id, expression)| match expression {
        Expression::Tried { of } if *of == call => Some((id, false)),
        Expression::Member { of, name } if *of == call => {
            let name = code.name(*name);
            let is_converted = KEEPING_METHODS.contains(&name);
            method = (is_converted || UNWRAPPING_METHODS.contains(&name)).then_some((id, is_converted));
            None
        }
        Expression::Call { callee, .. } => {
            method.filter(|(member, _)| member == callee).map(|(_, is_kept)| (id, is_kept))
        }
        _ => None,
    })
}

/// Returns the type of the success value of an `Option` or a `Result`.
fn success(of: Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: "Option" | "Result", arguments } => arguments.first().cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check_calls, check_calls_between};

    #[test]
    fn a_function_of_a_trait_is_that_of_the_expected_type() {
        let lib = "//- /src/lib.rs
pub trait Make: Sized { fn make() -> Self; fn read(s: &str) -> Option<Self>; fn parse(s: &str) -> Result<Self, ()>; fn count() -> usize; }
pub struct A;
impl Make for A { fn make() -> A { A } fn read(s: &str) -> Option<A> { None } fn parse(s: &str) -> Result<A, ()> { Ok(A) } fn count() -> usize { 1 } }
pub struct Error;
";
        for (code, expected) in [
            ("fn f() { let a: A = Make::make(); }", "A.make"),
            ("fn f() { let a: A = Make::read(s).unwrap(); }", "A.read"),
            ("fn f() -> Result<u8, ()> { let a: A = Make::parse(s)?; Ok(1) }", "A.parse"),
            ("fn f() { let a: Result<A, Error> = Make::parse(s).map_err(|_| Error); }", "A.parse"),
            ("fn f() { let a: A = Make::parse(s).ok().unwrap(); }", "A.parse"),
            ("fn f() -> A { Make::make() }", "A.make"),
            ("fn f(x: bool) -> A { if x { return Make::make(); } A }", "A.make"),
            ("fn f(x: bool) -> A { if x { Make::make() } else { A } }", "A.make"),
            ("fn f(x: u8) -> A { match x { 0 => A, _ => Make::read(s).unwrap() } }", "A.read"),
            ("fn f() -> Option<A> { Make::read(s) }", "A.read"),
            ("fn f() -> Result<A, Error> { Make::read(s).ok_or(Error) }", "A.read"),
            ("fn f(a: A) -> bool { a == Make::make() }", "A.make"),
            ("fn f(a: A) { assert_eq!(Make::make(), a); }", "A.make"),
            ("fn f() { assert_eq!(Make::read(s), Some(A)); }", "A.read"),
            // The type is not one of the program, is generic, or does not follow.
            ("fn f() { let a: B = Make::make(); }", "Make.make"),
            ("fn f() { let b = Make::make(); }", "Make.make"),
            ("fn f<T: Make>() -> T { Make::make() }", "Make.make"),
            ("fn f<T: Make>(t: T) -> bool { t == Make::make() }", "Make.make"),
            ("fn f(a: A) { a; Make::make(); }", "Make.make"),
            ("fn f() -> A { let b = Make::make(); A }", "Make.make"),
            ("fn f() -> A { g(|| Make::make()); A }", "Make.make"),
            ("fn f() -> A { spawn(async { return Make::make(); }); A }", "Make.make"),
            // The result is none of the type, or no more.
            ("fn f() -> A { Make::count(); A }", "Make.count"),
            ("fn f() { let a: A = Make::make().into(); }", "Make.make"),
            ("fn f() { let a: A = Make::make().unwrap(); }", "Make.make"),
        ] {
            check_calls(&format!("{lib}{code}"), &[&format!("src/lib.rs::f -calls-> src/lib.rs::{expected}")]);
        }
    }

    #[test]
    fn a_call_through_a_trait_leads_to_the_trait() {
        check_calls(
            "//- /src/lib.rs
pub trait Pow { fn pow(self, n: u8) -> Self; }
pub struct Big;
macro_rules! implement { ($t:ty) => { impl Pow for $t { fn pow(self, n: u8) -> Self { self } } }; }
implement!(Big);
impl Big { pub fn pow(&self, n: u8) -> Big { Pow::pow(self, n) } }
fn f(big: Big) { big.pow(1); }
",
            &["src/lib.rs::Big.pow -calls-> src/lib.rs::Pow.pow", "src/lib.rs::f -calls-> src/lib.rs::Big.pow"],
        );
    }

    #[test]
    fn a_number_keeps_its_type_through_a_trait() {
        let lib = "//- /src/lib.rs
pub trait Whole: Sized { fn div_ceil(&self, other: &Self) -> Self; fn parts(&self) -> u8; }
pub trait Size { fn to_size(&self) -> usize; }
";
        check_calls(
            &format!("{lib}fn f(x: u64) {{ Whole::div_ceil(&x, &x).to_size(); }}"),
            &["src/lib.rs::f -calls-> src/lib.rs::Size.to_size", "src/lib.rs::f -calls-> src/lib.rs::Whole.div_ceil"],
        );
        // The type of the object is not known.
        check_calls(
            &format!("{lib}fn f() {{ Whole::div_ceil(&y(), &y()).to_size(); }}"),
            &["src/lib.rs::f -calls-> src/lib.rs::Whole.div_ceil"],
        );
    }

    #[test]
    fn functions_that_a_macro_writes_are_none_of_the_trait_elsewhere() {
        let fixture = |user: &str| {
            format!(
                "//- /base/Cargo.toml
[package]
name = \"base\"
//- /base/src/lib.rs
pub trait Make: Sized {{ fn read(s: &str) -> Option<Self>; fn twice(&self) -> Self; fn once(&self) -> u8 {{ 1 }} }}
pub struct Own;
macro_rules! implement {{ ($t:ty) => {{ impl Make for $t {{ fn read(s: &str) -> Option<$t> {{ None }} fn twice(&self) -> $t {{ Own }} }} }}; }}
implement!(Own);
//- /app/Cargo.toml
[package]
name = \"app\"
[dependencies]
base = \"1\"
//- /app/src/lib.rs
use base::{{Make, Own}};
pub struct A<T>(T);
macro_rules! implement {{ ($t:ty) => {{ impl Make for A<$t> {{ fn read(s: &str) -> Option<Self> {{ None }} fn twice(&self) -> Self {{ A(1) }} }} }}; }}
implement!(u8);
{user}
"
            )
        };
        for (user, expected) in [
            ("fn f() { A::<u8>::read(s); }", None),
            ("fn f(a: A<u8>) { a.twice(); }", None),
            ("fn f() -> Option<A<u8>> { Make::read(s) }", None),
            // The block has no such function, is that of another type, or is in the repository of the trait.
            ("fn f(a: A<u8>) { a.once(); }", Some("Make.once")),
            ("fn f<T: Make>(t: T) { t.twice(); }", Some("Make.twice")),
            ("fn f(own: Own) { own.twice(); }", Some("Make.twice")),
        ] {
            let expected: Vec<String> =
                expected.map(|to| format!("app/src/lib.rs::f -calls-> base/src/lib.rs::{to}")).into_iter().collect();
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            check_calls_between(&["app/", "base/"], &fixture(user), &expected);
        }
    }
}
