//! Method calls: the selected target and the result type.

use model::code::{Expression, ExpressionId, Flags, ScopeId, TypeId};

use super::{
    JavaDialect,
    ancestry::apply,
    arguments::expand_variadic,
    generics::{InferenceArguments, substitute_inferred},
    members::MethodSet,
    standard_library::{self, MAX_METHOD_PARAMETERS, MethodSignature},
    targets::{CallTarget, MethodCandidate, OverloadChoice},
    types::{array, item_of, simple_type},
};
use crate::{
    infer::{Inference, mentions},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Built-in name that caches a standard library target for a callee, with the receiver as argument.
const STANDARD_METHOD: &str = "a method of";

impl JavaDialect {
    /// Returns the target of a call, from the cache or by resolution.
    pub(super) fn call_target(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> CallTarget {
        let Expression::Call { callee, arguments, .. } = cx.program.code(file).expression(call) else {
            return CallTarget::Unknown;
        };
        match cx.known_type(file, *callee) {
            Some(Ty::Function { candidates, receiver }) => {
                return match (candidates.as_ref(), receiver) {
                    ([single], Some(owner)) => CallTarget::One((*single, (**owner).clone())),
                    (several, _) => CallTarget::Several(several.to_vec()),
                };
            }
            Some(Ty::Builtin { name: STANDARD_METHOD, arguments }) => {
                return arguments.first().cloned().map_or(CallTarget::Unknown, CallTarget::Standard);
            }
            Some(Ty::External) => return CallTarget::Outside,
            Some(_) => return CallTarget::Unknown,
            None => {}
        }
        let target = cx.deeper(|cx| self.find_target(cx, file, *callee, arguments)).unwrap_or(CallTarget::Unknown);
        let remembered = match &target {
            CallTarget::One((method, owner)) => Ty::function(&[*method], Some(owner.clone().into())),
            CallTarget::Several(several) => Ty::function(several, None),
            CallTarget::Standard(receiver) => Ty::builtin(STANDARD_METHOD, [receiver.clone()]),
            CallTarget::Outside => Ty::External,
            CallTarget::Unknown => Ty::Unknown,
        };
        cx.remember(file, *callee, remembered);
        target
    }

    /// Resolves the target of a callee with its arguments.
    fn find_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: ExpressionId,
        arguments: &[ExpressionId],
    ) -> CallTarget {
        let program = cx.program;
        match program.code(file).expression(callee) {
            Expression::Name { name, scope, .. } => {
                let name = program.name(file, *name);
                self.unqualified_target(cx, file, name, *scope, arguments)
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
            _ => CallTarget::Unknown,
        }
    }

    /// Resolves an unqualified call: a method of the innermost enclosing type that has one, else a static import.
    fn unqualified_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        scope: ScopeId,
        arguments: &[ExpressionId],
    ) -> CallTarget {
        for enclosing in self.types_around(cx, file, scope) {
            let methods = self.methods(cx, &enclosing, name);
            if methods.has_any() {
                return self.choose_target(cx, file, methods, arguments);
            }
        }
        let mut all = MethodSet::default();
        for from in self.static_imports(cx, file, name) {
            let methods = self.methods(cx, &from, name);
            all.candidates.extend(methods.candidates);
            all.standard = all.standard.or(methods.standard);
        }
        if all.has_any() {
            return self.choose_target(cx, file, all, arguments);
        }
        if is_object_method(cx.program.text(name)) {
            return CallTarget::Standard(self.this_object(cx, file, scope));
        }
        CallTarget::Unknown
    }

    /// Resolves a method call on a value or type.
    fn member_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        name: Name,
        arguments: &[ExpressionId],
    ) -> CallTarget {
        let is_object_method = is_object_method(cx.program.text(name));
        match of {
            Ty::Unknown => return CallTarget::Unknown,
            Ty::External | Ty::Foreign(_) if !is_object_method => return CallTarget::Outside,
            _ => {}
        }
        let methods = self.methods(cx, of, name);
        if methods.has_any() {
            return self.choose_target(cx, file, methods, arguments);
        }
        if is_object_method { CallTarget::Standard(of.clone()) } else { CallTarget::Outside }
    }

    /// Selects the target among the methods of a name.
    fn choose_target(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        methods: MethodSet,
        arguments: &[ExpressionId],
    ) -> CallTarget {
        let MethodSet { mut candidates, standard, is_open } = methods;
        let program = cx.program;
        candidates.retain(|(method, _)| {
            program.file_of(*method) == file || !program.shape(*method).flags.has(Flags::PRIVATE)
        });
        if candidates.is_empty() {
            return standard.map_or(CallTarget::Outside, CallTarget::Standard);
        }
        // External supertypes may have more overloads.
        let is_open = is_open || standard.is_some();
        match self.choose_method(cx, file, candidates, arguments, is_open) {
            OverloadChoice::One(candidate) => CallTarget::One(candidate),
            OverloadChoice::Several(several) => {
                CallTarget::Several(several.into_iter().map(|(method, _)| method).collect())
            }
            OverloadChoice::None => standard.map_or(CallTarget::Outside, CallTarget::Standard),
        }
    }

    /// Returns the result type of a call.
    pub(super) fn call_result(&self, cx: &mut Inference<'_>, file: FileIdx, call: ExpressionId) -> Ty {
        let program = cx.program;
        let Expression::Call { callee, type_arguments, arguments } = program.code(file).expression(call) else {
            return Ty::Unknown;
        };
        match self.call_target(cx, file, call) {
            CallTarget::One(method) => self.method_result(cx, file, method, type_arguments, arguments),
            CallTarget::Several(several) => {
                // Overloads often have the same result type.
                let mut results = several.iter().map(|method| {
                    let file = program.file_of(*method);
                    program.shape(*method).declared.map_or(Ty::Unknown, |declared| cx.written_type(file, declared))
                });
                let Some(first) = results.next() else { return Ty::Unknown };
                if results.all(|other| other == first) { first } else { Ty::Unknown }
            }
            // `clone` of an array returns the array type.
            CallTarget::Standard(receiver) if item_of(&receiver).is_some() && arguments.is_empty() => {
                match self.standard_result(cx, file, call, &receiver, arguments) {
                    object if object == simple_type("Object") => receiver,
                    other => other,
                }
            }
            CallTarget::Standard(receiver) => self.standard_result(cx, file, call, &receiver, arguments),
            CallTarget::Outside => match program.code(file).expression(*callee) {
                Expression::Member { of, name } => {
                    let of = cx.type_of(file, *of);
                    implicit_enum_method(&of, program.text(program.name(file, *name)), arguments.len())
                }
                _ => Ty::External,
            },
            CallTarget::Unknown => Ty::Unknown,
        }
    }

    /// Returns the result type of a call of one method, with its type arguments inferred.
    fn method_result(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        (method, owner): MethodCandidate,
        type_arguments: &[TypeId],
        arguments: &[ExpressionId],
    ) -> Ty {
        let ty = self.declared_result(cx, method, &owner);
        let shape = cx.program.shape(method);
        let n_parameters = shape.type_parameters.len();
        if n_parameters == 0 || !mentions(&ty, method) {
            return ty;
        }
        let mut is_undetermined = false;
        let found = if type_arguments.len() == n_parameters {
            type_arguments.iter().map(|written| cx.written_type(file, *written)).collect()
        } else {
            let is_variadic = shape.parameters.last().is_some_and(|last| last.is_variadic);
            let parameters = self.parameters_of(cx, &(method, owner));
            let parameters = expand_variadic(cx, parameters, is_variadic, file, arguments);
            is_undetermined = !parameters.iter().any(|parameter| mentions(parameter, method));
            let actual = InferenceArguments { file, arguments, infers_lambdas: true };
            self.infer_type_arguments(cx, method, n_parameters, &parameters, actual)
        };
        match substitute_inferred(&ty, method, &found) {
            // If no parameter mentions the type parameters, the expected type decides.
            left @ Ty::Parameter { of, .. } if of == method && is_undetermined => {
                Ty::Intersection([self.upper_bound(cx, &left)].into())
            }
            left @ Ty::Parameter { of, .. } if of == method => match self.upper_bound(cx, &left) {
                bound if bound == simple_type("Object") => Ty::Unknown,
                bound => bound,
            },
            result => result,
        }
    }

    /// Returns the declared result type of a method, with the type arguments of its object applied.
    pub(super) fn declared_result(&self, cx: &mut Inference<'_>, method: SymbolIdx, owner: &Ty) -> Ty {
        let file = cx.program.file_of(method);
        cx.consult(file);
        let Some(declared) = cx.program.shape(method).declared else { return Ty::Unknown };
        let ty = cx.written_type(file, declared);
        match owner {
            Ty::Object(applied) | Ty::Class(applied) => apply(&ty, applied),
            _ => ty,
        }
    }

    /// Returns the standard library method of a call.
    pub(super) fn standard_method(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        call: ExpressionId,
        receiver: &Ty,
        n_arguments: usize,
    ) -> Option<MethodSignature> {
        let program = cx.program;
        let Expression::Call { callee, .. } = program.code(file).expression(call) else { return None };
        let name = match program.code(file).expression(*callee) {
            Expression::Member { name, .. } | Expression::Name { name, .. } => program.text(program.name(file, *name)),
            _ => return None,
        };
        for ancestor in self.ancestry(cx, receiver) {
            if let Some((known, arguments)) = standard_library::as_library_type(&ancestor)
                && let Some(method) = known.method(name, n_arguments, arguments)
            {
                return Some(method);
            }
        }
        standard_library::find_type("Object")?.method(name, n_arguments, &[])
    }

    /// Returns the result type of a standard library method.
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
        if !mentions(&signature.result, standard_library::METHOD) {
            return signature.result;
        }
        let last_is_array = signature.parameters.last().is_some_and(|last| item_of(last).is_some());
        let parameters = expand_variadic(cx, signature.parameters, last_is_array, file, arguments);
        let actual = InferenceArguments { file, arguments, infers_lambdas: true };
        let found = self.infer_type_arguments(cx, standard_library::METHOD, MAX_METHOD_PARAMETERS, &parameters, actual);
        let unknown = |ty: &Ty| match ty {
            Ty::Parameter { of, index } if *of == standard_library::METHOD => {
                Some(found.get(*index as usize).cloned().unwrap_or(Ty::Unknown))
            }
            _ => None,
        };
        signature.result.replace(&unknown, 0)
    }
}

/// Returns true if `Object` has a method of this name.
fn is_object_method(name: &str) -> bool {
    standard_library::find_type("Object").is_some_and(|object| object.has_method(name))
}

/// Returns the result type of the implicit methods of an enum.
fn implicit_enum_method(of: &Ty, name: &str, n_arguments: usize) -> Ty {
    match (of, name, n_arguments) {
        (Ty::Class(applied), "values", 0) => array(Ty::object(applied.of)),
        (Ty::Class(applied), "valueOf", 1) => Ty::object(applied.of),
        (Ty::Builtin { .. }, "length", 0) => simple_type("int"),
        _ => Ty::External,
    }
}
