//! Type argument inference of calls, from the arguments and the expected type.

use model::code::{Expression, ExpressionId};

use super::{
    JavaDialect,
    ancestry::same_head,
    arguments::is_closure,
    standard_library::{self, MethodSignature},
    types::{NULL, array, boxed, is_wildcard, item_of, promoted},
};
use crate::{
    infer::{Inference, mentions},
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Maximum nesting depth of types to compare.
const MAX_DEPTH: u32 = 6;

/// The arguments that determine the type arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct InferenceArguments<'a> {
    pub(super) file: FileIdx,
    pub(super) arguments: &'a [ExpressionId],
    /// Infers the results of lambdas too; false while their own parameter types are being inferred.
    pub(super) infers_lambdas: bool,
}

impl JavaDialect {
    /// Infers the `n_parameters` type arguments of `owner` from the arguments; undetermined ones are `Unknown`.
    pub(super) fn infer_type_arguments(
        &self,
        cx: &mut Inference<'_>,
        owner: SymbolIdx,
        n_parameters: usize,
        parameters: &[Ty],
        actual: InferenceArguments<'_>,
    ) -> Vec<Ty> {
        let mut found = vec![Ty::Unknown; n_parameters];
        let pairs = || actual.arguments.iter().zip(parameters).filter(|(_, parameter)| mentions(parameter, owner));
        for (argument, parameter) in pairs() {
            if !is_closure(cx, actual.file, *argument) {
                let ty = cx.type_of(actual.file, *argument);
                self.unify(cx, parameter, &ty, owner, &mut found, 0);
            }
        }
        for (argument, parameter) in pairs() {
            if !is_closure(cx, actual.file, *argument)
                || !actual.infers_lambdas && !is_independent_of_parameters(cx, actual.file, *argument)
            {
                continue;
            }
            let Some(signature) = self.function_signature(cx, parameter) else { continue };
            if !mentions(&signature.result, owner) {
                continue;
            }
            let known = MethodSignature {
                parameters: signature.parameters.iter().map(|ty| substitute_inferred(ty, owner, &found)).collect(),
                result: signature.result.clone(),
            };
            let result = self.closure_result(cx, actual.file, *argument, &known);
            self.unify(cx, &signature.result, &result, owner, &mut found, 0);
        }
        found
    }

    /// Unifies a parameter type with an actual type and stores the type arguments of `owner` in `found`.
    pub(super) fn unify(
        &self,
        cx: &mut Inference<'_>,
        expected: &Ty,
        actual: &Ty,
        owner: SymbolIdx,
        found: &mut [Ty],
        depth: u32,
    ) {
        if depth > MAX_DEPTH || matches!(actual, Ty::Unknown) || !mentions(expected, owner) {
            return;
        }
        match expected {
            Ty::Parameter { of, index } if *of == owner => {
                let is_null = matches!(actual, Ty::Builtin { name: NULL, .. });
                if let Some(slot) = found.get_mut(*index as usize)
                    && (slot.is_unknown() || matches!(slot, Ty::Foreign(_) | Ty::External))
                    && !is_null
                    && !is_wildcard(actual)
                {
                    *slot = boxed(actual.clone());
                }
            }
            Ty::Object(_) | Ty::Builtin { .. } if item_of(expected).is_none() => {
                let Some(actual) = self.as_super(cx, actual, expected) else { return };
                for (expected, actual) in arguments_of(expected).iter().zip(arguments_of(&actual)) {
                    self.unify(cx, expected, actual, owner, found, depth + 1);
                }
            }
            _ => {
                if let (Some(expected), Some(actual)) = (item_of(expected), item_of(actual)) {
                    self.unify(cx, expected, actual, owner, found, depth + 1);
                }
            }
        }
    }

    /// Returns the method of a functional interface, with type arguments applied.
    pub(super) fn function_signature(&self, cx: &mut Inference<'_>, of: &Ty) -> Option<MethodSignature> {
        let may_be = match of {
            Ty::Object(_) => self.is_interface(cx, of),
            _ => standard_library::as_library_type(of).is_some_and(|(known, _)| known.is_functional()),
        };
        if !may_be {
            return None;
        }
        let mut abstract_one: Option<MethodSignature> = None;
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
                    Some(MethodSignature { parameters, result })
                }
                Ty::Builtin { .. } => standard_library::as_library_type(&ancestor)
                    .and_then(|(known, args)| known.function_signature(args)),
                _ => None,
            };
            if abstract_one.is_none() {
                abstract_one = signature;
            }
        }
        abstract_one
    }
}

/// Returns true if the result of a closure does not depend on its parameters.
fn is_independent_of_parameters(cx: &Inference<'_>, file: FileIdx, closure: ExpressionId) -> bool {
    match cx.program.code(file).expression(closure) {
        Expression::Function { parameters, .. } => parameters.is_empty(),
        Expression::Path { name, .. } => cx.program.code(file).name(*name) == "new",
        _ => false,
    }
}

/// Substitutes the inferred type arguments; undetermined parameters stay.
pub(super) fn substitute_inferred(ty: &Ty, owner: SymbolIdx, found: &[Ty]) -> Ty {
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

fn arguments_of(ty: &Ty) -> &[Ty] {
    match ty {
        Ty::Object(applied) | Ty::Class(applied) => &applied.arguments,
        Ty::Builtin { arguments, .. } => arguments,
        _ => &[],
    }
}

/// Returns the type of a conditional expression: the wider number, the supertype, or a union.
pub(super) fn common_type(cx: &mut Inference<'_>, java: &JavaDialect, a: Ty, b: Ty) -> Ty {
    let is_null = |ty: &Ty| matches!(ty, Ty::Builtin { name: NULL, .. });
    if is_null(&a) || a == b {
        return b;
    }
    if is_null(&b) {
        return a;
    }
    if let Some(number) = promoted(&a, &b) {
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
    fn type_arguments_are_inferred() {
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
    fn recursive_bounds_keep_the_builder_type() {
        check(
            "class B<T extends B<T>> { T a() { return null; } } class C extends B<C> { void c() {} void m() { new C().a().a().c(); } }",
            &["C.m -> B.a", "C.m -> C", "C.m -> C.c"],
        );
    }
}
