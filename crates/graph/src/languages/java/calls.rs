//! What a call calls, and what it gives.

use model::code::{Expression, ExpressionId, Flags, ScopeId};

use super::{
    Java,
    ancestry::apply,
    generics::{Given, laid_out, put_in},
    lambdas::N_STANDARD,
    members::Methods,
    overloads::{Candidate, Chosen},
    standard::{self, Signature},
    types::{array, plain},
};
use crate::{
    infer::{Inference, mentions},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Marks a call of a method of the standard library, with the object it is asked of.
const STANDARD_METHOD: &str = "a method of";

/// What a call calls.
pub(super) enum Target {
    One(Candidate),
    /// One of these, but it is not known which.
    Several(Vec<SymbolIdx>),
    /// A method of the standard library, asked of this object.
    Standard(Ty),
    /// Something from outside.
    Outside,
    Unknown,
}

impl Java {
    /// Returns what a call calls.
    pub(super) fn target(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> Target {
        let Expression::Call { callee, arguments, .. } = cx.program.code(file).expression(call) else {
            return Target::Unknown;
        };
        match cx.known(file, *callee) {
            Some(Ty::Function { candidates, receiver }) => {
                return match (candidates.as_ref(), receiver) {
                    ([single], Some(owner)) => Target::One((*single, (**owner).clone())),
                    (several, _) => Target::Several(several.to_vec()),
                };
            }
            Some(Ty::Builtin { name: STANDARD_METHOD, arguments }) => {
                return arguments.first().cloned().map_or(Target::Unknown, Target::Standard);
            }
            Some(Ty::External) => return Target::Outside,
            Some(_) => return Target::Unknown,
            None => {}
        }
        let target = cx.deeper(|cx| self.find_target(cx, file, *callee, arguments)).unwrap_or(Target::Unknown);
        let remembered = match &target {
            Target::One((method, owner)) => Ty::function(&[*method], Some(owner.clone().into())),
            Target::Several(several) => Ty::function(several, None),
            Target::Standard(receiver) => Ty::builtin(STANDARD_METHOD, [receiver.clone()]),
            Target::Outside => Ty::External,
            Target::Unknown => Ty::Unknown,
        };
        cx.remember(file, *callee, remembered);
        target
    }

    fn find_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: ExpressionId,
        arguments: &[ExpressionId],
    ) -> Target {
        let program = cx.program;
        match program.code(file).expression(callee) {
            Expression::Name { name, scope, .. } => {
                let name = program.name(file, *name);
                self.bare_target(cx, file, name, *scope, arguments)
            }
            Expression::Member { of, name } => {
                let name = program.name(file, *name);
                let of = cx.type_of(file, *of);
                self.member_target(cx, file, &of, name, arguments)
            }
            Expression::This { scope } => {
                let this = self.this_object(cx, file, *scope);
                self.constructor_target(cx, file, &this, arguments)
            }
            Expression::Super { scope } => {
                let this = self.this_object(cx, file, *scope);
                let base = self.super_object_of(cx, &this);
                self.constructor_target(cx, file, &base, arguments)
            }
            _ => Target::Unknown,
        }
    }

    /// A bare name is a method of the innermost type around that has one, else one that is imported.
    fn bare_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        scope: ScopeId,
        arguments: &[ExpressionId],
    ) -> Target {
        for around in self.types_around(cx, file, scope) {
            let methods = self.methods(cx, &around, name);
            if methods.has_any() {
                return self.among(cx, file, methods, arguments);
            }
        }
        let mut all = Methods::default();
        for from in self.static_imports(cx, file, name) {
            let methods = self.methods(cx, &from, name);
            all.candidates.extend(methods.candidates);
            all.standard = all.standard.or(methods.standard);
        }
        if all.has_any() {
            return self.among(cx, file, all, arguments);
        }
        if is_of_object(cx.program.text(name)) {
            return Target::Standard(self.this_object(cx, file, scope));
        }
        Target::Unknown
    }

    fn member_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        name: Name,
        arguments: &[ExpressionId],
    ) -> Target {
        let is_of_object = is_of_object(cx.program.text(name));
        match of {
            Ty::Unknown => return Target::Unknown,
            Ty::External | Ty::Foreign(_) if !is_of_object => return Target::Outside,
            _ => {}
        }
        let methods = self.methods(cx, of, name);
        if methods.has_any() {
            return self.among(cx, file, methods, arguments);
        }
        if is_of_object { Target::Standard(of.clone()) } else { Target::Outside }
    }

    fn among(&self, cx: &mut Inference<'_>, file: FileIdx, methods: Methods, arguments: &[ExpressionId]) -> Target {
        let Methods { mut candidates, standard, is_open } = methods;
        let program = cx.program;
        candidates.retain(|(method, _)| {
            program.file_of(*method) == file || !program.shape(*method).flags.has(Flags::PRIVATE)
        });
        if candidates.is_empty() {
            return standard.map_or(Target::Outside, Target::Standard);
        }
        // What is taken from outside may have overloads.
        let is_open = is_open || standard.is_some();
        match self.choose_method(cx, file, candidates, arguments, is_open) {
            Chosen::One(candidate) => Target::One(candidate),
            Chosen::Several(several) => Target::Several(several.into_iter().map(|(method, _)| method).collect()),
            Chosen::None => standard.map_or(Target::Outside, Target::Standard),
        }
    }

    /// Returns what a call gives.
    pub(super) fn result(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> Ty {
        let program = cx.program;
        let Expression::Call { callee, type_arguments, arguments } = program.code(file).expression(call) else {
            return Ty::Unknown;
        };
        match self.target(cx, file, call) {
            Target::One((method, owner)) => {
                let ty = self.declared_result(cx, method, &owner);
                let shape = program.shape(method);
                if shape.type_parameters.is_empty() || !mentions(&ty, method) {
                    return ty;
                }
                let mut found = vec![Ty::Unknown; shape.type_parameters.len()];
                let mut says_nothing = false;
                if type_arguments.len() == found.len() {
                    for (slot, written) in found.iter_mut().zip(type_arguments) {
                        *slot = cx.written(file, *written);
                    }
                } else {
                    let is_variadic = shape.parameters.last().is_some_and(|last| last.is_variadic);
                    let parameters = self.parameters_of(cx, &(method, owner));
                    let parameters = laid_out(cx, parameters, is_variadic, file, arguments);
                    let given = Given { file, arguments, asks_lambdas: true };
                    self.infer(cx, method, &parameters, given, &mut found);
                    says_nothing = !parameters.iter().any(|parameter| mentions(parameter, method));
                }
                match put_in(&ty, method, &found) {
                    // Where the arguments say nothing, what is asked for does.
                    left @ Ty::Parameter { of, .. } if of == method && says_nothing => {
                        Ty::Intersection([self.bound(cx, &left)].into())
                    }
                    left @ Ty::Parameter { of, .. } if of == method => match self.bound(cx, &left) {
                        bound if bound == plain("Object") => Ty::Unknown,
                        bound => bound,
                    },
                    result => result,
                }
            }
            Target::Several(several) => {
                // Overloads often give the same.
                let mut results = several.iter().map(|method| {
                    let file = program.file_of(*method);
                    program.shape(*method).declared.map_or(Ty::Unknown, |declared| cx.written(file, declared))
                });
                let Some(first) = results.next() else { return Ty::Unknown };
                if results.all(|other| other == first) { first } else { Ty::Unknown }
            }
            // An array has a `clone` of its own.
            Target::Standard(receiver) if super::types::item_of(&receiver).is_some() && arguments.is_empty() => {
                match self.standard_result(cx, file, call, &receiver, arguments) {
                    object if object == plain("Object") => receiver,
                    other => other,
                }
            }
            Target::Standard(receiver) => self.standard_result(cx, file, call, &receiver, arguments),
            Target::Outside => match program.code(file).expression(*callee) {
                Expression::Member { of, name } => {
                    let of = cx.type_of(file, *of);
                    enum_static(&of, program.text(program.name(file, *name)), arguments.len())
                }
                _ => Ty::External,
            },
            Target::Unknown => Ty::Unknown,
        }
    }

    /// Returns what a method says it gives, as its object has it.
    pub(super) fn declared_result(&self, cx: &mut Inference<'_>, method: SymbolIdx, owner: &Ty) -> Ty {
        let file = cx.program.file_of(method);
        cx.consult(file);
        let Some(declared) = cx.program.shape(method).declared else { return Ty::Unknown };
        let ty = cx.written(file, declared);
        match owner {
            Ty::Object(applied) | Ty::Class(applied) => apply(&ty, applied),
            _ => ty,
        }
    }

    /// Returns a method of the standard library, of the name that a call calls.
    pub(super) fn standard_method(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        call: ExpressionId,
        receiver: &Ty,
        n_arguments: usize,
    ) -> Option<Signature> {
        let program = cx.program;
        let Expression::Call { callee, .. } = program.code(file).expression(call) else { return None };
        let name = match program.code(file).expression(*callee) {
            Expression::Member { name, .. } | Expression::Name { name, .. } => program.text(program.name(file, *name)),
            _ => return None,
        };
        for ancestor in self.ancestry(cx, receiver) {
            if let Some((known, arguments)) = standard::of(&ancestor)
                && let Some(method) = known.method(name, n_arguments, arguments)
            {
                return Some(method);
            }
        }
        standard::named("Object")?.method(name, n_arguments, &[])
    }

    fn standard_result(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        call: ExpressionId,
        receiver: &Ty,
        arguments: &[ExpressionId],
    ) -> Ty {
        let Some(signature) = self.standard_method(cx, file, call, receiver, arguments.len()) else {
            return Ty::External;
        };
        if !mentions(&signature.result, standard::METHOD) {
            return signature.result;
        }
        let mut found = vec![Ty::Unknown; N_STANDARD];
        let last_is_array = signature.parameters.last().is_some_and(|last| super::types::item_of(last).is_some());
        let parameters = laid_out(cx, signature.parameters, last_is_array, file, arguments);
        let given = Given { file, arguments, asks_lambdas: true };
        self.infer(cx, standard::METHOD, &parameters, given, &mut found);
        let unknown = |ty: &Ty| match ty {
            Ty::Parameter { of, index } if *of == standard::METHOD => {
                Some(found.get(*index as usize).cloned().unwrap_or(Ty::Unknown))
            }
            _ => None,
        };
        signature.result.replace(&unknown, 0)
    }
}

/// Says whether every object has a method of this name.
fn is_of_object(name: &str) -> bool {
    standard::named("Object").is_some_and(|object| object.has(name))
}

/// Returns what the methods give that an enum has by itself.
fn enum_static(of: &Ty, name: &str, n_arguments: usize) -> Ty {
    match (of, name, n_arguments) {
        (Ty::Class(applied), "values", 0) => array(Ty::object(applied.of)),
        (Ty::Class(applied), "valueOf", 1) => Ty::object(applied.of),
        (Ty::Builtin { .. }, "length", 0) => plain("int"),
        _ => Ty::External,
    }
}
