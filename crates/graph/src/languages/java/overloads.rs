//! Overload resolution: applicable methods by phase, then the most specific one.

use model::code::{Expression, ExpressionId, Parameter};

use super::{
    JavaDialect,
    ancestry::{apply, same_head},
    arguments::{is_closure, repeat_last},
    conversions::{Applicability, ResolutionPhase},
    targets::{MethodCandidate, OverloadChoice},
    types::{array, as_primitive, item_of},
};
use crate::{infer::Inference, program::FileIdx, ty::Ty};

/// Maximum number of candidates of one call.
const MAX_CANDIDATES: usize = 32;

/// The arguments of a call, with their types.
struct TypedArguments<'a> {
    file: FileIdx,
    arguments: &'a [ExpressionId],
    types: &'a [Ty],
}

/// A method that accepts the arguments, or may accept them.
struct ApplicableMethod {
    candidate: MethodCandidate,
    applicability: Applicability,
    /// The parameter types after variadic expansion.
    parameters: Vec<Ty>,
}

impl JavaDialect {
    /// Selects a method among the candidates, nearest first. With `is_open`, unknown overloads may exist.
    pub(super) fn choose_method(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        candidates: Vec<MethodCandidate>,
        arguments: &[ExpressionId],
        is_open: bool,
    ) -> OverloadChoice {
        let program = cx.program;
        let accepts = |of: &MethodCandidate| accepts_count(&program.shape(of.0).parameters, arguments.len());
        let accepting = candidates.into_iter().filter(accepts).take(MAX_CANDIDATES).collect();
        let mut candidates = self.without_overridden(cx, accepting);
        if candidates.len() == 1 && !is_open {
            return OverloadChoice::One(candidates.remove(0));
        }
        for phase in [ResolutionPhase::Strict, ResolutionPhase::Loose, ResolutionPhase::Variadic] {
            let applicable = self.applicable(cx, file, &candidates, arguments, phase);
            if !applicable.is_empty() {
                let actual: Vec<Ty> =
                    arguments.iter().map(|argument| self.standalone_type(cx, file, *argument)).collect();
                return self.most_specific(cx, applicable, &TypedArguments { file, arguments, types: &actual });
            }
        }
        OverloadChoice::None
    }

    /// Returns the type of an argument, or `Unknown` for a closure, whose type depends on the parameter.
    fn standalone_type(&self, cx: &mut Inference<'_>, file: FileIdx, argument: ExpressionId) -> Ty {
        if is_closure(cx, file, argument) { Ty::Unknown } else { cx.type_of(file, argument) }
    }

    /// Drops methods that a nearer type overrides with the same erased parameters.
    fn without_overridden(&self, cx: &mut Inference<'_>, candidates: Vec<MethodCandidate>) -> Vec<MethodCandidate> {
        let parent_of = |candidate: &MethodCandidate| cx.program.parent(candidate.0);
        if candidates.windows(2).all(|pair| parent_of(&pair[0]) == parent_of(&pair[1])) {
            return candidates;
        }
        let mut retained: Vec<(MethodCandidate, Vec<Ty>)> = Vec::new();
        for candidate in candidates {
            let parameters = self.parameters_of(cx, &candidate);
            let is_overridden = retained.iter().any(|(other, others)| {
                let is_other_type = cx.program.parent(other.0) != cx.program.parent(candidate.0);
                is_other_type && others.len() == parameters.len() && {
                    let mut pairs = others.iter().zip(&parameters);
                    pairs.all(|(a, b)| self.same_erasure(cx, a, b))
                }
            });
            if !is_overridden {
                retained.push((candidate, parameters));
            }
        }
        retained.into_iter().map(|(candidate, _)| candidate).collect()
    }

    /// Returns true if two parameter types have the same erasure.
    fn same_erasure(&self, cx: &mut Inference<'_>, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.upper_bound(cx, a), self.upper_bound(cx, b));
        match (item_of(&a), item_of(&b)) {
            (Some(a), Some(b)) => self.same_item(cx, a, b),
            (None, None) => same_head(&a, &b),
            _ => false,
        }
    }

    fn same_item(&self, cx: &mut Inference<'_>, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.upper_bound(cx, a), self.upper_bound(cx, b));
        same_head(&a, &b)
    }

    /// Returns the parameter types of a method, with the type arguments of its object applied.
    pub(super) fn parameters_of(&self, cx: &mut Inference<'_>, candidate: &MethodCandidate) -> Vec<Ty> {
        let (method, owner) = candidate;
        let file = cx.program.file_of(*method);
        let parameters = &cx.program.shape(*method).parameters;
        parameters
            .iter()
            .map(|parameter| {
                let ty = parameter.declared.map_or(Ty::Unknown, |declared| cx.written_type(file, declared));
                let ty = match owner {
                    Ty::Object(applied) | Ty::Class(applied) => apply(&ty, applied),
                    _ => ty,
                };
                if parameter.is_variadic { array(ty) } else { ty }
            })
            .collect()
    }

    /// Returns the methods that are applicable in a phase of overload resolution.
    fn applicable(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        candidates: &[MethodCandidate],
        arguments: &[ExpressionId],
        phase: ResolutionPhase,
    ) -> Vec<ApplicableMethod> {
        let mut applicable = Vec::new();
        for candidate in candidates {
            let is_variadic = cx.program.shape(candidate.0).parameters.last().is_some_and(|last| last.is_variadic);
            let mut parameters = self.parameters_of(cx, candidate);
            if phase == ResolutionPhase::Variadic {
                if !is_variadic {
                    continue;
                }
                parameters = repeat_last(parameters, arguments.len());
            }
            if parameters.len() != arguments.len() && phase != ResolutionPhase::Variadic {
                continue;
            }
            let mut applicability = Applicability::Yes;
            for (argument, parameter) in arguments.iter().zip(&parameters) {
                applicability = applicability.min(self.check_argument(cx, file, *argument, parameter, phase));
                if applicability == Applicability::No {
                    break;
                }
            }
            if applicability != Applicability::No {
                applicable.push(ApplicableMethod { candidate: candidate.clone(), applicability, parameters });
            }
        }
        applicable
    }

    /// Returns the method that is more specific than all others. Among equal parameters the nearer type wins.
    fn most_specific(
        &self,
        cx: &mut Inference<'_>,
        mut applicable: Vec<ApplicableMethod>,
        actual: &TypedArguments<'_>,
    ) -> OverloadChoice {
        if applicable.len() == 1 {
            return OverloadChoice::One(applicable.remove(0).candidate);
        }
        for index in 0..applicable.len() {
            let one = &applicable[index];
            if one.applicability != Applicability::Yes {
                continue;
            }
            let mut is_best = true;
            for (other_index, other) in applicable.iter().enumerate() {
                if other_index == index {
                    continue;
                }
                if !is_best {
                    break;
                }
                let applicability = self.check_parameters(cx, &one.parameters, &other.parameters, actual);
                let tied = applicability == Applicability::Yes
                    && self.check_parameters(cx, &other.parameters, &one.parameters, actual) == Applicability::Yes;
                let is_in_nearer_type =
                    index < other_index && cx.program.parent(one.candidate.0) != cx.program.parent(other.candidate.0);
                let is_more_specific = applicability == Applicability::Yes
                    && (!tied || is_in_nearer_type || self.is_only_non_generic(cx, one, other));
                is_best &= is_more_specific || self.has_exact_parameter(one, other, actual.types);
            }
            if is_best {
                return OverloadChoice::One(applicable.swap_remove(index).candidate);
            }
        }
        // A certain method does not win over uncertain ones: they may be more specific.
        OverloadChoice::Several(applicable.into_iter().map(|one| one.candidate).collect())
    }

    /// Returns true if a method takes some argument exactly where the other converts it.
    fn has_exact_parameter(&self, one: &ApplicableMethod, other: &ApplicableMethod, actual: &[Ty]) -> bool {
        let mut places = actual.iter().zip(one.parameters.iter().zip(&other.parameters));
        places.any(|(actual, (one, other))| is_exact(actual, one) && !is_exact(actual, other))
    }

    /// Returns true if only the other method has type parameters of its own.
    fn is_only_non_generic(&self, cx: &Inference<'_>, one: &ApplicableMethod, other: &ApplicableMethod) -> bool {
        let n_own = |of: &ApplicableMethod| cx.program.shape(of.candidate.0).type_parameters.len();
        n_own(one) == 0 && n_own(other) > 0
    }

    /// Checks if the parameters of one method convert to those of another.
    fn check_parameters(
        &self,
        cx: &mut Inference<'_>,
        one: &[Ty],
        other: &[Ty],
        actual: &TypedArguments<'_>,
    ) -> Applicability {
        let mut applicability = Applicability::Yes;
        for (index, (one, other)) in one.iter().zip(other).enumerate() {
            if one != other {
                let fit = match actual.arguments.get(index) {
                    Some(argument) if is_closure(cx, actual.file, *argument) => {
                        self.check_closure_specificity(cx, actual.file, *argument, one, other)
                    }
                    _ => self.check_conversion(cx, one, other, ResolutionPhase::Strict),
                };
                applicability = applicability.min(fit);
            }
        }
        applicability
    }

    /// Compares two function types for a closure: a result is more specific than `void`, otherwise the result types
    /// decide. Implicitly typed lambdas are not compared this way.
    fn check_closure_specificity(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        closure: ExpressionId,
        one: &Ty,
        other: &Ty,
    ) -> Applicability {
        let nominal = self.check_conversion(cx, one, other, ResolutionPhase::Strict);
        let is_base = self.check_conversion(cx, other, one, ResolutionPhase::Strict) == Applicability::Yes;
        let says_its_types = match cx.program.code(file).expression(closure) {
            Expression::Function { parameters, .. } => parameters.iter().all(|parameter| parameter.declared.is_some()),
            _ => true,
        };
        let (Some(one), Some(other)) = (self.function_signature(cx, one), self.function_signature(cx, other)) else {
            return nominal;
        };
        if nominal == Applicability::Yes || is_base || !says_its_types || one.parameters.len() != other.parameters.len()
        {
            return nominal;
        }
        let is_void = |ty: &Ty| as_primitive(ty) == Some("void");
        match (is_void(&one.result), is_void(&other.result)) {
            (_, true) => Applicability::Yes,
            (true, false) => Applicability::No,
            (false, false) => self.check_conversion(cx, &one.result, &other.result, ResolutionPhase::Strict),
        }
    }
}

/// Returns true if an argument has exactly the parameter type.
fn is_exact(actual: &Ty, expected: &Ty) -> bool {
    let is_known = matches!(actual, Ty::Object(_) | Ty::Builtin { .. } | Ty::Foreign(_));
    match (item_of(actual), item_of(expected)) {
        (Some(actual), Some(expected)) => is_exact(actual, expected),
        (None, None) => is_known && same_head(actual, expected),
        _ => false,
    }
}

/// Returns true if the parameters accept this number of arguments.
fn accepts_count(parameters: &[Parameter], n_arguments: usize) -> bool {
    match parameters.last() {
        Some(last) if last.is_variadic => n_arguments + 1 >= parameters.len(),
        _ => n_arguments == parameters.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{calls, check};

    /// Calls one of two methods `f`, of which the first returns an `X` and the second a `Y`.
    fn check_choice(first: &str, second: &str, arguments: &str, chosen: &str) {
        let source = format!(
            "class X {{ void x() {{}} }} class Y {{ void x() {{}} }} class P {{}} class Q extends P {{}}
            class A {{ X f({first}) {{ return null; }} Y f({second}) {{ return null; }} }}
            class B {{ void m(A a, Q q, Thing thing, java.io.StringReader reader, far.LostException lost) {{ a.f({arguments}).x(); }} }}"
        );
        let called: Vec<String> = calls(&source).into_iter().filter(|call| call.ends_with(".x")).collect();
        assert_eq!(called, [format!("B.m -> {chosen}.x")], "{arguments} for ({first}) or ({second})");
    }

    #[test]
    fn arguments_select_like_the_compiler() {
        for (first, second, arguments, chosen) in [
            ("int a", "int a, int b", "1, 2", "Y"),
            ("int a", "String a", "1", "X"),
            ("long a", "Integer a", "1", "X"),
            ("Object a", "int... a", "1", "X"),
            ("int a", "long a", "1L", "Y"),
            ("float a", "double a", "1f", "X"),
            ("char a", "int a", "'c'", "X"),
            ("Object a", "String a", "null", "Y"),
            ("P a", "Q a", "q", "Y"),
            ("P a", "Object a", "q", "X"),
            ("String a", "Object a", "1 + \"\"", "X"),
            ("java.io.Reader a", "String a", "reader", "X"),
            ("Class<?> a", "java.lang.reflect.Type a", "Q.class", "X"),
            ("Object... a", "String... a", "", "Y"),
            ("Thing a", "Other a", "thing", "X"),
            ("Runnable a", "java.util.concurrent.Callable<P> a", "() -> new P()", "Y"),
            ("Runnable a", "java.util.function.Consumer<P> a", "p -> {}", "Y"),
            ("int[] a", "Object a", "new int[2]", "X"),
            ("java.util.List<P> a", "Iterable<P> a", "new java.util.ArrayList<P>()", "X"),
            ("Object a", "Throwable a", "lost", "Y"),
            ("Object a", "Throwable a", "q", "X"),
            ("java.nio.ByteBuffer a", "int a", "java.nio.ByteBuffer.wrap(null).get()", "Y"),
            ("java.nio.ByteBuffer a", "int a", "java.nio.ByteBuffer.wrap(null).get(null, 0, 1)", "X"),
            ("java.nio.ByteBuffer a", "int a", "java.nio.ByteBuffer.wrap(null).limit()", "Y"),
            ("java.nio.ByteBuffer a", "int a", "java.nio.ByteBuffer.wrap(null).limit(1)", "X"),
        ] {
            check_choice(first, second, arguments, chosen);
        }
    }

    #[test]
    fn undecided_overloads_are_ambiguous() {
        check(
            "class A { void f(P a) {} void f(Q a) {} void m() { f(Outside.x()); } } class P {} class Q {}",
            &["A.m -> A.f (ambiguous)", "A.m -> A.f (ambiguous)"],
        );
        // Only the name of a thrown class tells what it extends.
        check(
            "class A { void f(Object a) {} void f(Throwable a) {} void m(far.Thing a) { f(a); } }",
            &["A.m -> A.f (ambiguous)", "A.m -> A.f (ambiguous)"],
        );
    }

    #[test]
    fn constructors_are_selected_and_a_type_replaces_a_missing_one() {
        check(
            "class A { A() { this(1); } A(int a) {} } class B extends A { B() { super(2); new C(); } } class C {}",
            &["A.A -> A.A", "B.B -> A.A", "B.B -> C"],
        );
    }
}
