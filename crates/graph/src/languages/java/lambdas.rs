//! Lambdas and method references: parameter types from the expected type, and result types.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{
    JavaDialect,
    ancestry::apply,
    arguments::expand_variadic,
    generics::{InferenceArguments, common_type, substitute_inferred},
    lambda_contexts::ExpectedTypeSource,
    standard_library::{self, MAX_METHOD_PARAMETERS, MethodSignature},
    targets::CallTarget,
};
use crate::{
    infer::{Inference, applied_to_own, mentions},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

impl JavaDialect {
    /// Returns the type of a lambda parameter without a declared type.
    pub(super) fn lambda_parameter(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId, binding: u32) -> Ty {
        let program = cx.program;
        let Some(lambda) = self.file(file).and_then(|known| known.lambdas.by_scope.get(&scope)).copied() else {
            return Ty::Unknown;
        };
        let code = program.code(file);
        let Expression::Function { parameters, .. } = code.expression(lambda) else { return Ty::Unknown };
        let name = code.bindings[binding as usize].name;
        let Some(index) = parameters.iter().position(|parameter| parameter.name == name) else { return Ty::Unknown };
        let Some(expected) = cx.deeper(|cx| self.expected_type(cx, file, lambda)).flatten() else { return Ty::Unknown };
        let Some(signature) = self.function_signature(cx, &expected) else { return Ty::Unknown };
        signature.parameters.get(index).cloned().unwrap_or(Ty::Unknown)
    }

    /// Returns the expected type of an expression.
    fn expected_type(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let context = *self.file(file)?.lambdas.contexts.get(&expression)?;
        let (of, index) = match context {
            ExpectedTypeSource::Declared(declared) => return Some(cx.written_type(file, declared)),
            ExpectedTypeSource::Assignment(to) => return Some(cx.type_of(file, to)),
            ExpectedTypeSource::Argument { of, index } => (of, index as usize),
        };
        let (arguments, target) = match program.code(file).expression(of) {
            Expression::Call { arguments, .. } => (arguments, self.call_target(cx, file, of)),
            Expression::Make { arguments, .. } => (arguments, self.constructor_call_target(cx, file, of)),
            _ => return None,
        };
        let actual = InferenceArguments { file, arguments, infers_lambdas: false };
        let (parameters, result, owner, n_own) = match target {
            CallTarget::One((method, object)) => {
                let shape = program.shape(method);
                let is_variadic = shape.parameters.last().is_some_and(|last| last.is_variadic);
                let parameters = self.parameters_of(cx, &(method, object.clone()));
                let parameters = expand_variadic(cx, parameters, is_variadic, file, arguments);
                let is_constructor = program.definition(method).kind == SymbolKind::Constructor;
                match (&object, is_constructor) {
                    (Ty::Object(applied), true) if applied.arguments.is_empty() => {
                        let n_own = program.shape(applied.of).type_parameters.len();
                        (parameters, Ty::Object(applied_to_own(program, applied.of)), applied.of, n_own)
                    }
                    _ => {
                        let result = self.declared_result(cx, method, &object);
                        (parameters, result, method, shape.type_parameters.len())
                    }
                }
            }
            CallTarget::Standard(receiver) => {
                let signature = self.standard_method(cx, file, of, &receiver, arguments.len())?;
                let is_variadic = arguments.len() > signature.parameters.len();
                let parameters = expand_variadic(cx, signature.parameters, is_variadic, file, arguments);
                (parameters, signature.result, standard_library::METHOD, MAX_METHOD_PARAMETERS)
            }
            _ => return None,
        };
        let parameter = parameters.get(index)?.clone();
        if n_own == 0 || !mentions(&parameter, owner) {
            return Some(parameter);
        }
        let mut found = self.infer_type_arguments(cx, owner, n_own, &parameters, actual);
        // If the arguments leave a parameter unknown, the expected type of the result may determine it.
        if found.iter().any(Ty::is_unknown)
            && mentions(&result, owner)
            && let Some(Some(expected)) = cx.deeper(|cx| self.expected_type(cx, file, of))
        {
            self.unify(cx, &result, &expected, owner, &mut found, 0);
        }
        Some(substitute_inferred(&parameter, owner, &found))
    }

    /// Returns the result type of a lambda or method reference that implements this signature.
    pub(super) fn closure_result(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        closure: ExpressionId,
        signature: &MethodSignature,
    ) -> Ty {
        let program = cx.program;
        match program.code(file).expression(closure) {
            Expression::Function { results, .. } => match results.as_ref() {
                [] => Ty::Unknown,
                [first, rest @ ..] => {
                    let mut ty = cx.type_of(file, *first);
                    for result in rest {
                        let other = cx.type_of(file, *result);
                        ty = common_type(cx, self, ty, other);
                    }
                    ty
                }
            },
            Expression::Path { of, name } => {
                let name = program.name(file, *name);
                let of = self.reference_qualifier(cx, file, *of);
                if program.text(name) == "new" {
                    return of;
                }
                self.reference_result(cx, &of, name, signature)
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns the qualifier of a method reference: a type or a value.
    pub(super) fn reference_qualifier(&self, cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId) -> Ty {
        let ty = match cx.program.code(file).expression(of) {
            Expression::Type(written) => cx.written_type(file, *written),
            _ => cx.type_of(file, of),
        };
        match ty {
            Ty::Class(applied) => Ty::Object(applied),
            other => other,
        }
    }

    /// Returns the result type of a method reference that implements this signature.
    fn reference_result(&self, cx: &mut Inference<'_>, of: &Ty, name: Name, signature: &MethodSignature) -> Ty {
        let program = cx.program;
        let methods = self.methods(cx, of, name);
        let n_given = signature.parameters.len();
        let takes = |method: SymbolIdx| {
            let n_parameters = program.shape(method).parameters.len();
            n_parameters == n_given || n_parameters + 1 == n_given
        };
        let Some((method, owner)) = methods.candidates.iter().find(|(method, _)| takes(*method)) else {
            let standard = methods.standard.as_ref().and_then(standard_library::as_library_type);
            let n_own = n_given.saturating_sub(1);
            let text = program.text(name);
            return standard
                .and_then(|(known, arguments)| {
                    known.method(text, n_own, arguments).or_else(|| known.method(text, n_given, arguments))
                })
                .map_or(Ty::Unknown, |found| found.result);
        };
        // The receiver may be the first argument, with more specific type arguments.
        let receiver = signature.parameters.first().and_then(|first| self.as_super(cx, first, owner));
        let owner = receiver.unwrap_or_else(|| owner.clone());
        let result = self.declared_result(cx, *method, &owner);
        match &owner {
            Ty::Object(applied) => apply(&result, applied),
            _ => result,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lambda_parameters_have_the_expected_types() {
        for body in [
            "each(p -> p.f());",
            "Each e = p -> p.f();",
            "each = (p) -> { p.f(); };",
            "each((P p) -> p.f());",
            "each(true ? p -> p.f() : null);",
            "list.forEach(p -> p.f());",
            "list.stream().filter(p -> p != null).map(p -> p.self()).forEach(p -> p.f());",
            "list.stream().map(P::self).findFirst().ifPresent(p -> p.f());",
            "java.util.Optional.of(1).map(i -> new P()).get().f();",
            "list.sort(java.util.Comparator.comparing(p -> { p.f(); return 1; }));",
            "map.computeIfAbsent(1, k -> new P()).f();",
            "map.forEach((k, v) -> v.f());",
            "apply(new P(), p -> p.f());",
            "new java.util.ArrayList<>(list).removeIf(p -> { p.f(); return true; });",
            "StreamSupport.stream(Spliterators.spliteratorUnknownSize(list.iterator(), 0), false).forEach(p -> p.f());",
            "java.util.stream.IntStream.of(1).filter(i -> i > 0).mapToObj(i -> new P()).forEach(p -> p.f());",
            "java.util.List.of(new P(), new P(), new P(), new P(), new P(), new P()).forEach(p -> p.f());",
            "java.util.EnumSet.of(new P()).forEach(p -> p.f());",
            "stage.thenApply(p -> p.self()).thenAccept(p -> p.f());",
            "stage.thenCombineAsync(stage, (p, q) -> q).whenComplete((p, error) -> p.f());",
            "stage.thenCompose(p -> java.util.concurrent.CompletableFuture.completedFuture(p)).thenAccept(p -> p.f());",
        ] {
            let source = format!(
                "import java.util.Spliterators; import java.util.stream.StreamSupport;
                class P {{ void f() {{}} P self() {{ return this; }} }} interface Each {{ void on(P p); }}
                class A {{ Each each; void each(Each e) {{}} <T> void apply(T t, java.util.function.Consumer<T> c) {{}}
                    void m(java.util.List<P> list, java.util.Map<Integer, P> map, java.util.concurrent.CompletionStage<P> stage) {{ {body} }} }}"
            );
            let found = super::super::testing::calls(&source);
            assert!(found.contains(&"A.m -> P.f".to_owned()), "{body} gives {found:?}");
        }
    }

    #[test]
    fn a_returned_lambda_has_the_declared_type() {
        super::super::testing::check(
            "class P { void f() {} } interface Each { void on(P p); } class A { Each m() { return p -> p.f(); } }",
            &["A.m -> P.f"],
        );
    }
}
