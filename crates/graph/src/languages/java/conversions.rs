//! Applicability: whether a value converts to a parameter type.

use model::code::{Expression, ExpressionId, Flags, NameId};

use super::{
    JavaDialect,
    ancestry::same_head,
    standard_library,
    types::{NULL, as_primitive, boxed, item_of, simple_type, unboxed},
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Three-valued result of an applicability check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Applicability {
    No,
    Maybe,
    Yes,
}

/// Phases of overload resolution, in order (JLS 15.12.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResolutionPhase {
    /// Subtyping and widening of primitive types.
    Strict,
    /// Boxing and unboxing as well.
    Loose,
    /// Variable arity: the last parameter takes any number of arguments.
    Variadic,
}

/// Maximum nesting depth of types to compare.
const MAX_DEPTH: u32 = 8;

impl JavaDialect {
    /// Checks an argument against a parameter.
    pub(super) fn check_argument(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        argument: ExpressionId,
        parameter: &Ty,
        phase: ResolutionPhase,
    ) -> Applicability {
        match cx.program.code(file).expression(argument) {
            Expression::Function { parameters, .. } => {
                self.check_lambda(cx, file, argument, parameters.len(), parameter)
            }
            Expression::Path { of, name } => self.check_reference(cx, file, *of, *name, parameter),
            Expression::Either(choices) => {
                let fits = choices.iter().map(|choice| {
                    match cx.deeper(|cx| self.check_argument(cx, file, *choice, parameter, phase)) {
                        Some(fits) => fits,
                        None => Applicability::Maybe,
                    }
                });
                fits.min().unwrap_or(Applicability::Maybe)
            }
            _ => {
                let actual = cx.type_of(file, argument);
                self.check_conversion(cx, &actual, parameter, phase)
            }
        }
    }

    /// Checks a lambda: the function type must have the same number of parameters and a compatible result.
    fn check_lambda(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        lambda: ExpressionId,
        n_parameters: usize,
        parameter: &Ty,
    ) -> Applicability {
        match self.check_functional(cx, parameter) {
            Applicability::Yes => {}
            other => return other,
        }
        let Some(signature) = self.function_signature(cx, parameter) else { return Applicability::Maybe };
        if signature.parameters.len() != n_parameters {
            return Applicability::No;
        }
        let Expression::Function { results, .. } = cx.program.code(file).expression(lambda) else {
            return Applicability::Maybe;
        };
        let is_void = as_primitive(&signature.result) == Some("void");
        if let ([single], false, true) = (results.as_ref(), is_void, n_parameters == 0)
            && let Expression::Call { .. } = cx.program.code(file).expression(*single)
        {
            // The call may be of a `void` method.
            return match cx.type_of(file, *single) {
                Ty::Unknown | Ty::External => Applicability::Maybe,
                actual => yes_if(as_primitive(&actual) != Some("void")),
            };
        }
        match results.as_ref() {
            // A block without a value returns nothing; it may also end with `throw`.
            [] if !is_void => Applicability::Maybe,
            [single] if is_void => match cx.program.code(file).expression(*single) {
                // Only a statement expression is compatible with `void`.
                Expression::Call { .. } | Expression::Make { .. } | Expression::Opaque => Applicability::Yes,
                Expression::Name { .. } | Expression::Member { .. } | Expression::Element { .. } => {
                    Applicability::Maybe
                }
                _ => Applicability::No,
            },
            _ => Applicability::Yes,
        }
    }

    /// Checks a method reference: some method must accept the parameters of the function type.
    fn check_reference(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: ExpressionId,
        name: NameId,
        parameter: &Ty,
    ) -> Applicability {
        match self.check_functional(cx, parameter) {
            Applicability::Yes => {}
            other => return other,
        }
        let Some(signature) = self.function_signature(cx, parameter) else { return Applicability::Maybe };
        let n_given = signature.parameters.len();
        let name = cx.program.name(file, name);
        let referred = self.reference_qualifier(cx, file, of);
        if cx.program.text(name) == "new" {
            return if item_of(&referred).is_some() { yes_if(n_given == 1) } else { Applicability::Yes };
        }
        let methods = self.methods(cx, &referred, name);
        if methods.candidates.is_empty() || methods.standard.is_some() || methods.is_open {
            return Applicability::Yes;
        }
        let is_of_type = matches!(cx.program.code(file).expression(of), Expression::Type(_))
            || matches!(cx.type_of(file, of), Ty::Class(_));
        let accepts = |method: SymbolIdx| {
            let shape = cx.program.shape(method);
            let n_taken = shape.parameters.len() + usize::from(is_of_type && !shape.flags.has(Flags::STATIC));
            n_taken == n_given || shape.parameters.last().is_some_and(|last| last.is_variadic)
        };
        let fitting: Vec<SymbolIdx> =
            methods.candidates.iter().map(|(method, _)| *method).filter(|method| accepts(*method)).collect();
        let [only] = fitting.as_slice() else {
            return if fitting.is_empty() { Applicability::No } else { Applicability::Yes };
        };
        let owner = methods.candidates[0].1.clone();
        let is_void_method = as_primitive(&self.declared_result(cx, *only, &owner)) == Some("void");
        yes_if(!is_void_method || as_primitive(&signature.result) == Some("void"))
    }

    /// Returns whether a type is a functional interface.
    fn check_functional(&self, cx: &mut Inference<'_>, parameter: &Ty) -> Applicability {
        match parameter {
            Ty::Unknown | Ty::External | Ty::Foreign(_) => Applicability::Maybe,
            Ty::Parameter { .. } => Applicability::Maybe,
            _ if self.function_signature(cx, parameter).is_some() => Applicability::Yes,
            Ty::Object(_) => {
                let has_unresolved = self.ancestry(cx, parameter).iter().any(is_unresolved);
                if has_unresolved && self.is_interface(cx, parameter) {
                    Applicability::Maybe
                } else {
                    Applicability::No
                }
            }
            _ => Applicability::No,
        }
    }

    /// Checks the conversion of a value to a type.
    pub(super) fn check_conversion(
        &self,
        cx: &mut Inference<'_>,
        actual: &Ty,
        expected: &Ty,
        phase: ResolutionPhase,
    ) -> Applicability {
        self.check_conversion_at(cx, actual, expected, phase, 0)
    }

    fn check_conversion_at(
        &self,
        cx: &mut Inference<'_>,
        actual: &Ty,
        expected: &Ty,
        phase: ResolutionPhase,
        depth: u32,
    ) -> Applicability {
        if depth > MAX_DEPTH {
            return Applicability::Maybe;
        }
        if let (Ty::Parameter { .. }, true) = (expected, actual == expected) {
            return Applicability::Yes;
        }
        // A single-element intersection marks a result type that the expected type determines.
        if let Ty::Intersection(bounds) = actual
            && bounds.len() == 1
        {
            return yes_if(phase != ResolutionPhase::Strict || as_primitive(expected).is_none());
        }
        if let Ty::Union(types) = actual {
            let all = types.iter().map(|ty| self.check_conversion_at(cx, ty, expected, phase, depth + 1));
            return all.min().unwrap_or(Applicability::Maybe);
        }
        if as_primitive(actual).is_some() || as_primitive(expected).is_some() {
            return self.check_primitive(cx, actual, expected, phase, depth);
        }
        if matches!(actual, Ty::Unknown | Ty::External) || matches!(expected, Ty::Unknown | Ty::External) {
            return if is_object(expected) { Applicability::Yes } else { Applicability::Maybe };
        }
        if is_object(expected) || matches!(actual, Ty::Builtin { name, .. } if *name == NULL) {
            return Applicability::Yes;
        }
        if let Ty::Parameter { .. } = expected {
            return self.check_bounds(cx, actual, expected, depth);
        }
        if let Ty::Intersection(types) = expected {
            let all = types.iter().map(|ty| self.check_conversion_at(cx, actual, ty, phase, depth + 1));
            return all.min().unwrap_or(Applicability::Maybe);
        }
        if let Some(item) = item_of(actual) {
            return match item_of(expected) {
                Some(expected) if as_primitive(item).is_some() || as_primitive(expected).is_some() => {
                    yes_if(as_primitive(item) == as_primitive(expected))
                }
                Some(expected) => self.check_conversion_at(cx, item, expected, ResolutionPhase::Strict, depth + 1),
                None => yes_if(matches!(expected, Ty::Builtin { name: "Cloneable" | "Serializable", .. })),
            };
        }
        self.check_subtype(cx, actual, expected)
    }

    /// Checks a conversion from or to a primitive type.
    fn check_primitive(
        &self,
        cx: &mut Inference<'_>,
        actual: &Ty,
        expected: &Ty,
        phase: ResolutionPhase,
        depth: u32,
    ) -> Applicability {
        let is_strict = phase == ResolutionPhase::Strict;
        match (as_primitive(actual), as_primitive(expected)) {
            (Some(actual), Some(expected)) => yes_if(widens(actual, expected)),
            (Some(_), None) => match expected {
                Ty::Unknown => Applicability::Maybe,
                _ if is_strict => Applicability::No,
                _ => self.check_conversion_at(cx, &boxed(actual.clone()), expected, ResolutionPhase::Strict, depth + 1),
            },
            (None, expected) => match actual {
                Ty::Unknown | Ty::External => Applicability::Maybe,
                Ty::Builtin { .. } if !is_strict => {
                    yes_if(unboxed(actual).zip(expected).is_some_and(|(inner, expected)| widens(inner, expected)))
                }
                _ => Applicability::No,
            },
        }
    }

    /// Checks a value against the bounds of a type parameter.
    fn check_bounds(&self, cx: &mut Inference<'_>, actual: &Ty, expected: &Ty, depth: u32) -> Applicability {
        let Ty::Parameter { of, index } = expected else { return Applicability::Maybe };
        if *of == standard_library::METHOD {
            return Applicability::Yes;
        }
        let bounds = cx.bounds(*of, *index);
        let all = bounds.iter().map(|bound| match bound {
            Ty::Parameter { .. } => Applicability::Maybe,
            bound => self.check_conversion_at(cx, actual, bound, ResolutionPhase::Strict, depth + 1),
        });
        all.min().unwrap_or(Applicability::Yes)
    }

    /// Checks whether a type is a subtype of another.
    fn check_subtype(&self, cx: &mut Inference<'_>, actual: &Ty, expected: &Ty) -> Applicability {
        let ancestry = self.ancestry(cx, actual);
        if ancestry
            .iter()
            .any(|ancestor| same_head(ancestor, expected) || is_thrown(cx, ancestor) && is_throwable(expected))
        {
            return Applicability::Yes;
        }
        // An external type has no supertype in the repository, but may have another external one.
        let is_expected_ours = matches!(expected, Ty::Object(_) | Ty::Class(_));
        let has_unresolved = ancestry.iter().any(|ancestor| match ancestor {
            Ty::Unknown | Ty::External => true,
            Ty::Foreign(_) => !is_expected_ours && !is_final(expected),
            _ => false,
        });
        maybe_if(has_unresolved)
    }
}

/// Returns true for an external class that is thrown, by its name.
fn is_thrown(cx: &Inference<'_>, ty: &Ty) -> bool {
    matches!(ty, Ty::Foreign(name) if cx.program.text(*name).ends_with("Exception"))
}

fn is_throwable(ty: &Ty) -> bool {
    matches!(ty, Ty::Builtin { name: "Throwable", .. })
}

fn yes_if(fits: bool) -> Applicability {
    if fits { Applicability::Yes } else { Applicability::No }
}

fn maybe_if(maybe: bool) -> Applicability {
    if maybe { Applicability::Maybe } else { Applicability::No }
}

fn is_unresolved(ty: &Ty) -> bool {
    matches!(ty, Ty::Unknown | Ty::External | Ty::Foreign(_))
}

fn is_object(ty: &Ty) -> bool {
    *ty == simple_type("Object")
}

/// Returns true for final classes of the standard library.
fn is_final(ty: &Ty) -> bool {
    unboxed(ty).is_some() || matches!(ty, Ty::Builtin { name: "String" | "Class" | "StringBuilder" | "[]", .. })
}

/// Returns true if two primitive types are equal or the first widens to the second.
pub(super) fn widens(actual: &str, expected: &str) -> bool {
    const WIDER: [&str; 5] = ["short", "int", "long", "float", "double"];
    let from = |at: usize| WIDER[at..].contains(&expected);
    actual == expected
        || match actual {
            "byte" => from(0),
            "short" | "char" => from(1),
            "int" => from(2),
            "long" => from(3),
            "float" => from(4),
            _ => false,
        }
}
