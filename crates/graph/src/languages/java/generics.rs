//! What stands for type parameters in a call: told by the arguments, and by where its result goes.

use model::code::{Expression, ExpressionId};

use super::{
    Java,
    ancestry::same_head,
    overloads::spread,
    standard::{self, Signature},
    types::{NULL, array, boxed, is_wildcard, item_of},
};
use crate::{
    infer::{Inference, mentions},
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// How deep types in types are compared.
const MAX_DEPTH: u32 = 6;

/// The arguments of a call that tell of its type parameters.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub(super) file: FileIdx,
    pub(super) arguments: &'a [ExpressionId],
    /// Lambdas are asked what they give. Not while their own parameters are what is asked for.
    pub(super) asks_lambdas: bool,
}

impl Java {
    /// Returns what stands for the parameters of `owner`, as far as arguments tell; unknown where they do not.
    pub(super) fn infer(
        &self,
        cx: &mut Inference<'_>,
        owner: SymbolIdx,
        parameters: &[Ty],
        given: Given<'_>,
        found: &mut [Ty],
    ) {
        let pairs = || given.arguments.iter().zip(parameters).filter(|(_, parameter)| mentions(parameter, owner));
        for (argument, parameter) in pairs() {
            if !is_closure(cx, given.file, *argument) {
                let ty = cx.type_of(given.file, *argument);
                self.meet(cx, parameter, &ty, owner, found, 0);
            }
        }
        for (argument, parameter) in pairs() {
            if !is_closure(cx, given.file, *argument) || !given.asks_lambdas && !gives_alone(cx, given.file, *argument)
            {
                continue;
            }
            let Some(signature) = self.functional(cx, parameter) else { continue };
            if !mentions(&signature.result, owner) {
                continue;
            }
            let known = Signature {
                parameters: signature.parameters.iter().map(|ty| put_in(ty, owner, found)).collect(),
                result: signature.result.clone(),
            };
            let result = self.closure_gives(cx, given.file, *argument, &known);
            self.meet(cx, &signature.result, &result, owner, found, 0);
        }
    }

    /// Fills in what stands for the parameters of `owner` where a type in terms of them meets another.
    pub(super) fn meet(
        &self,
        cx: &mut Inference<'_>,
        expected: &Ty,
        given: &Ty,
        owner: SymbolIdx,
        found: &mut [Ty],
        depth: u32,
    ) {
        if depth > MAX_DEPTH || matches!(given, Ty::Unknown) || !mentions(expected, owner) {
            return;
        }
        match expected {
            Ty::Parameter { of, index } if *of == owner => {
                let is_null = matches!(given, Ty::Builtin { name: NULL, .. });
                if let Some(slot) = found.get_mut(*index as usize)
                    && (slot.is_unknown() || matches!(slot, Ty::Foreign(_) | Ty::External))
                    && !is_null
                    && !is_wildcard(given)
                {
                    *slot = boxed(given.clone());
                }
            }
            Ty::Object(_) | Ty::Builtin { .. } if item_of(expected).is_none() => {
                let Some(given) = self.as_super(cx, given, expected) else { return };
                for (expected, given) in arguments_of(expected).iter().zip(arguments_of(&given)) {
                    self.meet(cx, expected, given, owner, found, depth + 1);
                }
            }
            _ => {
                if let (Some(expected), Some(given)) = (item_of(expected), item_of(given)) {
                    self.meet(cx, expected, given, owner, found, depth + 1);
                }
            }
        }
    }

    /// Returns the one method of an interface that a lambda implements, as an applied type has it.
    pub(super) fn functional(&self, cx: &mut Inference<'_>, of: &Ty) -> Option<Signature> {
        let may_be = match of {
            Ty::Object(_) => self.is_interface(cx, of),
            _ => standard::of(of).is_some_and(|(known, _)| known.is_functional()),
        };
        if !may_be {
            return None;
        }
        let mut abstract_one: Option<Signature> = None;
        let mut name = None;
        for ancestor in self.ancestry(cx, of) {
            let signature = match &ancestor {
                Ty::Object(applied) => {
                    let program = cx.program;
                    let Some(methods) = self.abstract_methods.get(&applied.of) else { continue };
                    let [first, rest @ ..] = methods.as_slice() else { continue };
                    let first_name = program.name_of(*first);
                    let clashes = rest.iter().any(|other| program.name_of(*other) != first_name);
                    if clashes || name.is_some_and(|name| name != first_name) {
                        return None;
                    }
                    name = Some(first_name);
                    let parameters = self.parameters_of(cx, &(*first, ancestor.clone()));
                    let result = self.declared_result(cx, *first, &ancestor);
                    Some(Signature { parameters, result })
                }
                Ty::Builtin { .. } => standard::of(&ancestor).and_then(|(known, args)| known.functional(args)),
                _ => None,
            };
            if abstract_one.is_none() {
                abstract_one = signature;
            }
        }
        abstract_one
    }
}

/// Says whether what a closure gives does not depend on what it is given.
fn gives_alone(cx: &Inference<'_>, file: FileIdx, closure: ExpressionId) -> bool {
    match cx.program.code(file).expression(closure) {
        Expression::Function { parameters, .. } => parameters.is_empty(),
        Expression::Path { name, .. } => cx.program.code(file).name(*name) == "new",
        _ => false,
    }
}

/// Returns a type with what was found in the place of parameters; what was not found stays one.
pub(super) fn put_in(ty: &Ty, owner: SymbolIdx, found: &[Ty]) -> Ty {
    let own = |ty: &Ty| match ty {
        Ty::Parameter { of, index } if *of == owner => match found.get(*index as usize) {
            None | Some(Ty::Unknown) => None,
            Some(argument) if is_wildcard(argument) => None,
            Some(argument) => Some(argument.clone()),
        },
        _ => None,
    };
    ty.replace(&own, 0)
}

/// Returns the parameters as the arguments meet them: the last one of many is laid out unless an array is given for it.
pub(super) fn laid_out(
    cx: &mut Inference<'_>,
    mut parameters: Vec<Ty>,
    is_variadic: bool,
    file: FileIdx,
    arguments: &[ExpressionId],
) -> Vec<Ty> {
    if !is_variadic {
        return parameters;
    }
    let is_array = arguments.len() == parameters.len()
        && arguments
            .last()
            .is_some_and(|last| !is_closure(cx, file, *last) && item_of(&cx.type_of(file, *last)).is_some());
    if !is_array {
        spread(&mut parameters, arguments.len());
    }
    parameters
}

pub(super) fn is_closure(cx: &Inference<'_>, file: FileIdx, argument: ExpressionId) -> bool {
    matches!(cx.program.code(file).expression(argument), Expression::Function { .. } | Expression::Path { .. })
}

fn arguments_of(ty: &Ty) -> &[Ty] {
    match ty {
        Ty::Object(applied) | Ty::Class(applied) => &applied.arguments,
        Ty::Builtin { arguments, .. } => arguments,
        _ => &[],
    }
}

/// Returns the type that two alternatives have in common: the wider number, or either.
pub(super) fn either(cx: &mut Inference<'_>, java: &Java, a: Ty, b: Ty) -> Ty {
    let is_null = |ty: &Ty| matches!(ty, Ty::Builtin { name: NULL, .. });
    if is_null(&a) || a == b {
        return b;
    }
    if is_null(&b) {
        return a;
    }
    if let Some(number) = super::values::promoted(&a, &b) {
        return number;
    }
    if java.as_super(cx, &a, &b).is_some() {
        return b;
    }
    if java.as_super(cx, &b, &a).is_some() {
        return a;
    }
    if let (Some(a), Some(b)) = (item_of(&a), item_of(&b))
        && same_head(a, b)
    {
        return array(a.clone());
    }
    Ty::one_of([a, b])
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn what_stands_for_type_parameters_is_found() {
        for body in [
            "new Box<P>().get().f();",
            "new Sub().get().f();",
            "new Box<>(new P()).get().f();",
            "id(new P()).f();",
            "this.<P>none().f();",
            "of(P.class).f();",
            "for (P p : list) p.f();",
            "list.get(0).f();",
            "map.entrySet().iterator().next().getValue().get(0).f();",
            "var p = java.util.Optional.of(new P()).get(); p.f();",
            "array[0].clone(); array[0].f();",
            "any.get().f();",
            "(true ? new P() : null).f();",
            "Object o = null; if (o instanceof P p) p.f();",
            "switch (list.get(0)) { case P p -> p.f(); }",
            "try (P p = new P()) { p.f(); }",
        ] {
            check_f(body);
        }
    }

    fn check_f(body: &str) {
        let source = format!(
            "class P {{ void f() {{}} }} class Box<T extends P> {{ Box(T... t) {{}} T get() {{ return null; }} }}
            class Sub extends Box<P> {{}}
            class A {{ <T> T id(T t) {{ return t; }} <T> T none() {{ return null; }} <T> T of(Class<T> t) {{ return null; }}
                void m(java.util.List<P> list, java.util.Map<String, java.util.List<P>> map, P[] array, Box<?> any) {{ {body} }} }}"
        );
        let found = super::super::testing::calls(&source);
        assert!(found.contains(&"A.m -> P.f".to_owned()), "{body} gives {found:?}");
    }

    #[test]
    fn builders_go_on_as_what_they_are() {
        check(
            "class B<T extends B<T>> { T a() { return null; } } class C extends B<C> { void c() {} void m() { new C().a().a().c(); } }",
            &["C.m -> B.a", "C.m -> C", "C.m -> C.c"],
        );
    }
}
