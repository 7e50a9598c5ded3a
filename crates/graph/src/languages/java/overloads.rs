//! Which of several methods of one name a call means: those that its arguments fit, of these the most specific.

use model::code::{Expression, ExpressionId, Parameter};

use super::{
    Java,
    ancestry::apply,
    conversions::{Fits, Phase},
    generics::is_closure,
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// The most methods of one name that are compared with each other.
const MAX_CANDIDATES: usize = 32;

/// A method with the type that it is a member of.
pub(super) type Candidate = (SymbolIdx, Ty);

/// The arguments of a call, with their types.
struct Given<'a> {
    file: FileIdx,
    arguments: &'a [ExpressionId],
    types: &'a [Ty],
}

/// What became of a choice.
pub(super) enum Chosen {
    One(Candidate),
    /// Any of these.
    Several(Vec<Candidate>),
    None,
}

struct Applicable {
    candidate: Candidate,
    fits: Fits,
    /// As the arguments meet them.
    parameters: Vec<Ty>,
}

impl Java {
    /// Chooses among methods, nearest first. With `is_open`, there may be others.
    pub(super) fn choose_method(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        candidates: Vec<Candidate>,
        arguments: &[ExpressionId],
        is_open: bool,
    ) -> Chosen {
        let program = cx.program;
        let takes = |of: &Candidate| takes_count(&program.shape(of.0).parameters, arguments.len());
        let mut candidates: Vec<Candidate> = candidates.into_iter().filter(takes).take(MAX_CANDIDATES).collect();
        self.drop_overridden(cx, &mut candidates);
        if candidates.len() == 1 && !is_open {
            return Chosen::One(candidates.remove(0));
        }
        for phase in [Phase::Strict, Phase::Loose, Phase::Variadic] {
            let applicable = self.applicable(cx, file, &candidates, arguments, phase);
            if !applicable.is_empty() {
                let given: Vec<Ty> = arguments.iter().map(|argument| self.plain_type(cx, file, *argument)).collect();
                return self.most_specific(cx, applicable, &Given { file, arguments, types: &given });
            }
        }
        Chosen::None
    }

    /// Returns the type of an argument; nothing of one that has its type from the parameter.
    fn plain_type(&self, cx: &mut Inference<'_>, file: FileIdx, argument: ExpressionId) -> Ty {
        if is_closure(cx, file, argument) { Ty::Unknown } else { cx.type_of(file, argument) }
    }

    /// Drops what a nearer type has with the same parameters.
    fn drop_overridden(&self, cx: &mut Inference<'_>, candidates: &mut Vec<Candidate>) {
        let parent_of = |candidate: &Candidate| cx.program.parent(candidate.0);
        if candidates.windows(2).all(|pair| parent_of(&pair[0]) == parent_of(&pair[1])) {
            return;
        }
        let mut kept: Vec<(Candidate, Vec<Ty>)> = Vec::new();
        for candidate in candidates.drain(..) {
            let parameters = self.parameters_of(cx, &candidate);
            let is_overridden = kept.iter().any(|(other, others)| {
                let elsewhere = cx.program.parent(other.0) != cx.program.parent(candidate.0);
                elsewhere && others.len() == parameters.len() && {
                    let mut pairs = others.iter().zip(&parameters);
                    pairs.all(|(a, b)| self.same_erasure(cx, a, b))
                }
            });
            if !is_overridden {
                kept.push((candidate, parameters));
            }
        }
        candidates.extend(kept.into_iter().map(|(candidate, _)| candidate));
    }

    fn same_erasure(&self, cx: &mut Inference<'_>, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.bound(cx, a), self.bound(cx, b));
        match (super::types::item_of(&a), super::types::item_of(&b)) {
            (Some(a), Some(b)) => self.same_item(cx, a, b),
            (None, None) => super::ancestry::same_head(&a, &b),
            _ => false,
        }
    }

    fn same_item(&self, cx: &mut Inference<'_>, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.bound(cx, a), self.bound(cx, b));
        super::ancestry::same_head(&a, &b)
    }

    /// Returns the types of a method's parameters as its object has them.
    pub(super) fn parameters_of(&self, cx: &mut Inference<'_>, candidate: &Candidate) -> Vec<Ty> {
        let (method, owner) = candidate;
        let file = cx.program.file_of(*method);
        let parameters = &cx.program.shape(*method).parameters;
        parameters
            .iter()
            .map(|parameter| {
                let ty = parameter.declared.map_or(Ty::Unknown, |declared| cx.written(file, declared));
                let ty = match owner {
                    Ty::Object(applied) | Ty::Class(applied) => apply(&ty, applied),
                    _ => ty,
                };
                if parameter.is_variadic { super::types::array(ty) } else { ty }
            })
            .collect()
    }

    fn applicable(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        candidates: &[Candidate],
        arguments: &[ExpressionId],
        phase: Phase,
    ) -> Vec<Applicable> {
        let mut applicable = Vec::new();
        for candidate in candidates {
            let is_variadic = cx.program.shape(candidate.0).parameters.last().is_some_and(|last| last.is_variadic);
            let mut parameters = self.parameters_of(cx, candidate);
            if phase == Phase::Variadic {
                if !is_variadic {
                    continue;
                }
                spread(&mut parameters, arguments.len());
            }
            if parameters.len() != arguments.len() && phase != Phase::Variadic {
                continue;
            }
            let mut fits = Fits::Yes;
            for (argument, parameter) in arguments.iter().zip(&parameters) {
                fits = fits.min(self.argument_fits(cx, file, *argument, parameter, phase));
                if fits == Fits::No {
                    break;
                }
            }
            if fits != Fits::No {
                applicable.push(Applicable { candidate: candidate.clone(), fits, parameters });
            }
        }
        applicable
    }

    /// Returns the method whose parameters fit those of all others. Of two with the same parameters the nearer is meant.
    fn most_specific(&self, cx: &mut Inference<'_>, mut applicable: Vec<Applicable>, given: &Given<'_>) -> Chosen {
        if applicable.len() == 1 {
            return Chosen::One(applicable.remove(0).candidate);
        }
        for index in 0..applicable.len() {
            let one = &applicable[index];
            if one.fits != Fits::Yes {
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
                let fits = self.all_fit(cx, &one.parameters, &other.parameters, given);
                let tied =
                    fits == Fits::Yes && self.all_fit(cx, &other.parameters, &one.parameters, given) == Fits::Yes;
                let is_nearer =
                    index < other_index && cx.program.parent(one.candidate.0) != cx.program.parent(other.candidate.0);
                let is_more_specific = fits == Fits::Yes && (!tied || is_nearer || self.is_plainer(cx, one, other));
                is_best &= is_more_specific || self.is_closer(one, other, given.types);
            }
            if is_best {
                return Chosen::One(applicable.swap_remove(index).candidate);
            }
        }
        // Where one is certain and the others are not, the others would have to be more specific to be meant.
        Chosen::Several(applicable.into_iter().map(|one| one.candidate).collect())
    }

    /// One that takes an argument as exactly what it is cannot be beaten by one that takes it as something else.
    fn is_closer(&self, one: &Applicable, other: &Applicable, given: &[Ty]) -> bool {
        let mut places = given.iter().zip(one.parameters.iter().zip(&other.parameters));
        places.any(|(given, (one, other))| is_exact(given, one) && !is_exact(given, other))
    }

    /// Of two that take the same, the one without type parameters of its own is meant.
    fn is_plainer(&self, cx: &Inference<'_>, one: &Applicable, other: &Applicable) -> bool {
        let n_own = |of: &Applicable| cx.program.shape(of.candidate.0).type_parameters.len();
        n_own(one) == 0 && n_own(other) > 0
    }

    /// Says whether what one method takes can be given to another.
    fn all_fit(&self, cx: &mut Inference<'_>, one: &[Ty], other: &[Ty], given: &Given<'_>) -> Fits {
        let mut fits = Fits::Yes;
        for (index, (one, other)) in one.iter().zip(other).enumerate() {
            if one != other {
                let fit = match given.arguments.get(index) {
                    Some(argument) if is_closure(cx, given.file, *argument) => {
                        self.is_as_specific(cx, given.file, *argument, one, other)
                    }
                    _ => self.fits(cx, one, other, Phase::Strict),
                };
                fits = fits.min(fit);
            }
        }
        fits
    }

    /// Of two interfaces that a lambda can implement, the one whose method gives something is more specific than one that
    /// gives nothing; else the results tell. Lambdas whose parameters are not written do not.
    fn is_as_specific(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        closure: ExpressionId,
        one: &Ty,
        other: &Ty,
    ) -> Fits {
        let nominal = self.fits(cx, one, other, Phase::Strict);
        let is_base = self.fits(cx, other, one, Phase::Strict) == Fits::Yes;
        let says_its_types = match cx.program.code(file).expression(closure) {
            Expression::Function { parameters, .. } => parameters.iter().all(|parameter| parameter.declared.is_some()),
            _ => true,
        };
        let (Some(one), Some(other)) = (self.functional(cx, one), self.functional(cx, other)) else { return nominal };
        if nominal == Fits::Yes || is_base || !says_its_types || one.parameters.len() != other.parameters.len() {
            return nominal;
        }
        let is_void = |ty: &Ty| super::types::as_primitive(ty) == Some("void");
        match (is_void(&one.result), is_void(&other.result)) {
            (_, true) => Fits::Yes,
            (true, false) => Fits::No,
            (false, false) => self.fits(cx, &one.result, &other.result, Phase::Strict),
        }
    }
}

/// Says whether an argument is just what a parameter asks for.
fn is_exact(given: &Ty, asked: &Ty) -> bool {
    let is_known = matches!(given, Ty::Object(_) | Ty::Builtin { .. } | Ty::Foreign(_));
    match (super::types::item_of(given), super::types::item_of(asked)) {
        (Some(given), Some(asked)) => is_exact(given, asked),
        (None, None) => is_known && super::ancestry::same_head(given, asked),
        _ => false,
    }
}

/// Lays out the last parameter as often as there are arguments for it.
pub(super) fn spread(parameters: &mut Vec<Ty>, n_arguments: usize) {
    let Some(last) = parameters.pop() else { return };
    let item = super::types::item_of(&last).cloned().unwrap_or(Ty::Unknown);
    // At least once, so that what takes none can be compared.
    parameters.push(item.clone());
    while parameters.len() < n_arguments {
        parameters.push(item.clone());
    }
}

/// Says whether a method with these parameters takes this many arguments.
fn takes_count(parameters: &[Parameter], n_arguments: usize) -> bool {
    match parameters.last() {
        Some(last) if last.is_variadic => n_arguments + 1 >= parameters.len(),
        _ => n_arguments == parameters.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{calls, check};

    /// Two methods `f`, of which the first gives an `X`, the second a `Y`.
    fn check_choice(first: &str, second: &str, arguments: &str, chosen: &str) {
        let source = format!(
            "class X {{ void x() {{}} }} class Y {{ void x() {{}} }} class P {{}} class Q extends P {{}}
            class A {{ X f({first}) {{ return null; }} Y f({second}) {{ return null; }} }}
            class B {{ void m(A a, Q q, Thing thing, java.io.StringReader reader) {{ a.f({arguments}).x(); }} }}"
        );
        let called: Vec<String> = calls(&source).into_iter().filter(|call| call.ends_with(".x")).collect();
        assert_eq!(called, [format!("B.m -> {chosen}.x")], "{arguments} for ({first}) or ({second})");
    }

    #[test]
    fn arguments_choose_as_the_compiler_does() {
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
        ] {
            check_choice(first, second, arguments, chosen);
        }
    }

    #[test]
    fn where_the_arguments_do_not_tell_nothing_is_certain() {
        check(
            "class A { void f(P a) {} void f(Q a) {} void m() { f(Outside.x()); } } class P {} class Q {}",
            &["A.m -> A.f (ambiguous)", "A.m -> A.f (ambiguous)"],
        );
    }

    #[test]
    fn constructors_are_chosen_and_a_type_without_one_stands_for_it() {
        check(
            "class A { A() { this(1); } A(int a) {} } class B extends A { B() { super(2); new C(); } } class C {}",
            &["A.A -> A.A", "B.B -> A.A", "B.B -> C"],
        );
    }
}
