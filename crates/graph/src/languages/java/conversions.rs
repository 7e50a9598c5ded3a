//! Whether a value of one type can be given where another is asked for.

use model::code::{Expression, ExpressionId, Flags, NameId};

use super::{
    Java,
    ancestry::same_head,
    standard,
    types::{NULL, as_primitive, boxed, item_of, plain, unboxed},
};
use crate::{
    infer::Inference,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// An answer that may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fits {
    No,
    Maybe,
    Yes,
}

/// Which conversions are allowed, as the language tries them one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Subtypes, and wider numbers.
    Strict,
    /// Boxes as well.
    Loose,
    /// Any number of arguments in the place of the last parameter.
    Variadic,
}

/// How deep arrays of arrays are compared.
const MAX_DEPTH: u32 = 8;

impl Java {
    /// Says whether an argument fits a parameter.
    pub(super) fn argument_fits(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        argument: ExpressionId,
        parameter: &Ty,
        phase: Phase,
    ) -> Fits {
        match cx.program.code(file).expression(argument) {
            Expression::Function { parameters, .. } => {
                self.lambda_fits(cx, file, argument, parameters.len(), parameter)
            }
            Expression::Path { of, name } => self.reference_fits(cx, file, *of, *name, parameter),
            Expression::Either(choices) => {
                let fits = choices.iter().map(|choice| {
                    match cx.deeper(|cx| self.argument_fits(cx, file, *choice, parameter, phase)) {
                        Some(fits) => fits,
                        None => Fits::Maybe,
                    }
                });
                fits.min().unwrap_or(Fits::Maybe)
            }
            _ => {
                let given = cx.type_of(file, argument);
                self.fits(cx, &given, parameter, phase)
            }
        }
    }

    /// A lambda fits an interface whose one method takes as many.
    fn lambda_fits(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        lambda: ExpressionId,
        n_parameters: usize,
        parameter: &Ty,
    ) -> Fits {
        match self.functional_fits(cx, parameter) {
            Fits::Yes => {}
            other => return other,
        }
        let Some(signature) = self.functional(cx, parameter) else { return Fits::Maybe };
        if signature.parameters.len() != n_parameters {
            return Fits::No;
        }
        let Expression::Function { results, .. } = cx.program.code(file).expression(lambda) else { return Fits::Maybe };
        let is_void = as_primitive(&signature.result) == Some("void");
        if let ([single], false, true) = (results.as_ref(), is_void, n_parameters == 0)
            && let Expression::Call { .. } = cx.program.code(file).expression(*single)
        {
            // A call may give nothing.
            return match cx.type_of(file, *single) {
                Ty::Unknown | Ty::External => Fits::Maybe,
                given => yes_if(as_primitive(&given) != Some("void")),
            };
        }
        match results.as_ref() {
            // A block that returns nothing gives no value; it may also throw in the end.
            [] if !is_void => Fits::Maybe,
            [single] if is_void => match cx.program.code(file).expression(*single) {
                // An expression for itself must be one that can stand as a statement.
                Expression::Call { .. } | Expression::Make { .. } | Expression::Opaque => Fits::Yes,
                Expression::Name { .. } | Expression::Member { .. } | Expression::Element { .. } => Fits::Maybe,
                _ => Fits::No,
            },
            _ => Fits::Yes,
        }
    }

    /// A method reference fits an interface whose one method gives it as many as it takes.
    fn reference_fits(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: ExpressionId,
        name: NameId,
        parameter: &Ty,
    ) -> Fits {
        match self.functional_fits(cx, parameter) {
            Fits::Yes => {}
            other => return other,
        }
        let Some(signature) = self.functional(cx, parameter) else { return Fits::Maybe };
        let n_given = signature.parameters.len();
        let name = cx.program.name(file, name);
        let referred = self.referred(cx, file, of);
        if cx.program.text(name) == "new" {
            return if item_of(&referred).is_some() { yes_if(n_given == 1) } else { Fits::Yes };
        }
        let methods = self.methods(cx, &referred, name);
        if methods.candidates.is_empty() || methods.standard.is_some() || methods.is_open {
            return Fits::Yes;
        }
        let is_of_type = matches!(cx.program.code(file).expression(of), Expression::Type(_))
            || matches!(cx.type_of(file, of), Ty::Class(_));
        let takes = |method: SymbolIdx| {
            let shape = cx.program.shape(method);
            let n_taken = shape.parameters.len() + usize::from(is_of_type && !shape.flags.has(Flags::STATIC));
            n_taken == n_given || shape.parameters.last().is_some_and(|last| last.is_variadic)
        };
        let fitting: Vec<SymbolIdx> =
            methods.candidates.iter().map(|(method, _)| *method).filter(|method| takes(*method)).collect();
        let [only] = fitting.as_slice() else { return if fitting.is_empty() { Fits::No } else { Fits::Yes } };
        let owner = methods.candidates[0].1.clone();
        let gives_void = as_primitive(&self.declared_result(cx, *only, &owner)) == Some("void");
        yes_if(!gives_void || as_primitive(&signature.result) == Some("void"))
    }

    fn functional_fits(&self, cx: &mut Inference<'_>, parameter: &Ty) -> Fits {
        match parameter {
            Ty::Unknown | Ty::External | Ty::Foreign(_) => Fits::Maybe,
            Ty::Parameter { .. } => Fits::Maybe,
            _ if self.functional(cx, parameter).is_some() => Fits::Yes,
            Ty::Object(_) => {
                let open = self.ancestry(cx, parameter).iter().any(is_open);
                if open && self.is_interface(cx, parameter) { Fits::Maybe } else { Fits::No }
            }
            _ => Fits::No,
        }
    }

    /// Says whether a value fits where another type is asked for.
    pub(super) fn fits(&self, cx: &mut Inference<'_>, given: &Ty, asked: &Ty, phase: Phase) -> Fits {
        self.fits_at(cx, given, asked, phase, 0)
    }

    fn fits_at(&self, cx: &mut Inference<'_>, given: &Ty, asked: &Ty, phase: Phase, depth: u32) -> Fits {
        if depth > MAX_DEPTH {
            return Fits::Maybe;
        }
        if let (Ty::Parameter { .. }, true) = (asked, given == asked) {
            return Fits::Yes;
        }
        // What takes its type from where it stands.
        if let Ty::Intersection(bounds) = given
            && bounds.len() == 1
        {
            return yes_if(phase != Phase::Strict || as_primitive(asked).is_none());
        }
        if let Ty::Union(types) = given {
            let all = types.iter().map(|ty| self.fits_at(cx, ty, asked, phase, depth + 1));
            return all.min().unwrap_or(Fits::Maybe);
        }
        match (as_primitive(given), as_primitive(asked)) {
            (Some(given), Some(asked)) => return yes_if(widens(given, asked)),
            (Some(_), None) => {
                return match (phase, asked) {
                    (_, Ty::Unknown) => Fits::Maybe,
                    (Phase::Strict, _) => Fits::No,
                    _ => self.fits_at(cx, &boxed(given.clone()), asked, Phase::Strict, depth + 1),
                };
            }
            (None, Some(asked)) => {
                return match given {
                    Ty::Unknown => Fits::Maybe,
                    Ty::External if phase != Phase::Strict => Fits::Maybe,
                    Ty::External => Fits::Maybe,
                    Ty::Builtin { .. } if phase != Phase::Strict => {
                        yes_if(unboxed(given).is_some_and(|inner| widens(inner, asked)))
                    }
                    _ => Fits::No,
                };
            }
            (None, None) => {}
        }
        if matches!(given, Ty::Unknown | Ty::External) || matches!(asked, Ty::Unknown | Ty::External) {
            return if is_object(asked) { Fits::Yes } else { Fits::Maybe };
        }
        if is_object(asked) || matches!(given, Ty::Builtin { name, .. } if *name == NULL) {
            return Fits::Yes;
        }
        if let Ty::Parameter { .. } = asked {
            return self.fits_bounds(cx, given, asked, depth);
        }
        if let Ty::Intersection(types) = asked {
            let all = types.iter().map(|ty| self.fits_at(cx, given, ty, phase, depth + 1));
            return all.min().unwrap_or(Fits::Maybe);
        }
        if let Some(item) = item_of(given) {
            return match item_of(asked) {
                Some(asked) if as_primitive(item).is_some() || as_primitive(asked).is_some() => {
                    yes_if(as_primitive(item) == as_primitive(asked))
                }
                Some(asked) => self.fits_at(cx, item, asked, Phase::Strict, depth + 1),
                None => yes_if(matches!(asked, Ty::Builtin { name: "Cloneable" | "Serializable", .. })),
            };
        }
        self.is_subtype(cx, given, asked)
    }

    fn fits_bounds(&self, cx: &mut Inference<'_>, given: &Ty, asked: &Ty, depth: u32) -> Fits {
        let Ty::Parameter { of, index } = asked else { return Fits::Maybe };
        if *of == standard::METHOD {
            return Fits::Yes;
        }
        let bounds = cx.bounds(*of, *index);
        let all = bounds.iter().map(|bound| match bound {
            Ty::Parameter { .. } => Fits::Maybe,
            bound => self.fits_at(cx, given, bound, Phase::Strict, depth + 1),
        });
        all.min().unwrap_or(Fits::Yes)
    }

    fn is_subtype(&self, cx: &mut Inference<'_>, given: &Ty, asked: &Ty) -> Fits {
        let ancestry = self.ancestry(cx, given);
        if ancestry.iter().any(|ancestor| same_head(ancestor, asked)) {
            return Fits::Yes;
        }
        // Types from outside build on none of the repository's, but may on each other.
        let asked_is_ours = matches!(asked, Ty::Object(_) | Ty::Class(_));
        let is_open = ancestry.iter().any(|ancestor| match ancestor {
            Ty::Unknown | Ty::External => true,
            Ty::Foreign(_) => !asked_is_ours && !is_final(asked),
            _ => false,
        });
        yes_or(is_open)
    }
}

fn yes_if(fits: bool) -> Fits {
    if fits { Fits::Yes } else { Fits::No }
}

fn yes_or(maybe: bool) -> Fits {
    if maybe { Fits::Maybe } else { Fits::No }
}

fn is_open(ty: &Ty) -> bool {
    matches!(ty, Ty::Unknown | Ty::External | Ty::Foreign(_))
}

fn is_object(ty: &Ty) -> bool {
    *ty == plain("Object")
}

/// Types of the standard library that nothing can build on.
fn is_final(ty: &Ty) -> bool {
    unboxed(ty).is_some() || matches!(ty, Ty::Builtin { name: "String" | "Class" | "StringBuilder" | "[]", .. })
}

/// Says whether a primitive type is another or widens to it.
pub(super) fn widens(given: &str, asked: &str) -> bool {
    const WIDER: [&str; 5] = ["short", "int", "long", "float", "double"];
    let from = |at: usize| WIDER[at..].contains(&asked);
    given == asked
        || match given {
            "byte" => from(0),
            "short" | "char" => from(1),
            "int" => from(2),
            "long" => from(3),
            "float" => from(4),
            _ => false,
        }
}
