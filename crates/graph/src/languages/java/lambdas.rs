//! Functions without a name: what their parameters are, by where they stand, and what they give.

use model::{
    SymbolKind,
    code::{Code, Expression, ExpressionId, Flags, ScopeId, TypeId},
};
use rustc_hash::FxHashMap;

use super::{
    Java,
    ancestry::apply,
    calls::Target,
    generics::{Given, laid_out, put_in},
    standard::{self, Signature},
};
use crate::{
    infer::{Inference, mentions},
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Where the value of an expression goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Context {
    /// To a parameter of a call or a constructor.
    Argument { of: ExpressionId, index: u32 },
    /// To what an expression is.
    Assigned(ExpressionId),
    /// To something of a type that is written.
    Declared(TypeId),
}

/// Where the lambdas of a file go, and the calls that are given some.
#[derive(Default)]
pub(super) struct Lambdas {
    contexts: FxHashMap<ExpressionId, Context>,
    by_scope: FxHashMap<ScopeId, ExpressionId>,
}

impl Lambdas {
    pub(super) fn of(code: &Code) -> Lambdas {
        let mut lambdas = Lambdas::default();
        let matters = |expression: ExpressionId| match code.expression(expression) {
            Expression::Function { .. } | Expression::Path { .. } | Expression::Either(_) => true,
            Expression::Call { arguments, .. } | Expression::Make { arguments, .. } => {
                arguments.iter().any(|argument| {
                    matches!(code.expression(*argument), Expression::Function { .. } | Expression::Path { .. })
                })
            }
            _ => false,
        };
        let contexts = &mut lambdas.contexts;
        for binding in &code.bindings {
            if let (Some(declared), Some(value)) = (binding.declared, binding.value)
                && matters(value)
            {
                contexts.insert(value, Context::Declared(declared));
            }
        }
        for shape in &code.shapes {
            if let Some(declared) = shape.declared {
                for value in shape.values.iter().filter(|value| matters(**value)) {
                    contexts.insert(*value, Context::Declared(declared));
                }
            }
        }
        // What is around an expression stands after it.
        for (index, expression) in code.expressions.iter().enumerate().rev() {
            let around = ExpressionId(index as u32);
            match expression {
                Expression::Call { arguments, .. } | Expression::Make { arguments, .. } => {
                    for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| matters(**argument)) {
                        contexts.insert(*argument, Context::Argument { of: around, index: index as u32 });
                    }
                }
                Expression::Cast { of, to } if matters(*of) => {
                    contexts.insert(*of, Context::Declared(*to));
                }
                Expression::Either(choices) => {
                    if let Some(context) = contexts.get(&around).copied() {
                        choices.iter().filter(|choice| matters(**choice)).for_each(|choice| {
                            contexts.insert(*choice, context);
                        });
                    }
                }
                Expression::Operation { operator, left, right: Some(right) } if code.name(*operator) == "=" => {
                    contexts.insert(*right, Context::Assigned(*left));
                }
                Expression::Function { scope, .. } => {
                    lambdas.by_scope.insert(*scope, around);
                }
                _ => {}
            }
        }
        lambdas
    }
}

/// Returns the methods of each interface that have no body, other than those that every object has.
pub(super) fn abstract_methods(program: &Program<'_>, file: FileIdx, into: &mut FxHashMap<SymbolIdx, Vec<SymbolIdx>>) {
    for symbol in program.symbols_of(file) {
        let definition = program.definition(symbol);
        let is_abstract = definition.kind == SymbolKind::Method && program.shape(symbol).flags.has(Flags::ABSTRACT);
        if !is_abstract || matches!(definition.name.as_str(), "equals" | "hashCode" | "toString") {
            continue;
        }
        if let Some(owner) = program.parent(symbol)
            && program.definition(owner).kind == SymbolKind::Interface
        {
            into.entry(owner).or_default().push(symbol);
        }
    }
}

impl Java {
    /// Returns the type of a parameter of a lambda that does not say it.
    pub(super) fn lambda_parameter(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId, binding: u32) -> Ty {
        let program = cx.program;
        let Some(lambda) = self.file(file).and_then(|known| known.lambdas.by_scope.get(&scope)).copied() else {
            return Ty::Unknown;
        };
        let code = program.code(file);
        let Expression::Function { parameters, .. } = code.expression(lambda) else { return Ty::Unknown };
        let name = code.bindings[binding as usize].name;
        let Some(index) = parameters.iter().position(|parameter| parameter.name == name) else { return Ty::Unknown };
        let Some(expected) = cx.deeper(|cx| self.expected(cx, file, lambda)).flatten() else { return Ty::Unknown };
        let Some(signature) = self.functional(cx, &expected) else { return Ty::Unknown };
        signature.parameters.get(index).cloned().unwrap_or(Ty::Unknown)
    }

    /// Returns the type that is asked for where an expression stands.
    fn expected(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let context = *self.file(file)?.lambdas.contexts.get(&expression)?;
        let (of, index) = match context {
            Context::Declared(declared) => return Some(cx.written(file, declared)),
            Context::Assigned(to) => return Some(cx.type_of(file, to)),
            Context::Argument { of, index } => (of, index as usize),
        };
        let (arguments, target) = match program.code(file).expression(of) {
            Expression::Call { arguments, .. } => (arguments, self.target(cx, file, of)),
            Expression::Make { arguments, .. } => (arguments, self.made_target(cx, file, of)),
            _ => return None,
        };
        let given = Given { file, arguments, asks_lambdas: false };
        let (parameters, result, owner, n_own) = match target {
            Target::One((method, around)) => {
                let shape = program.shape(method);
                let is_variadic = shape.parameters.last().is_some_and(|last| last.is_variadic);
                let parameters = self.parameters_of(cx, &(method, around.clone()));
                let parameters = laid_out(cx, parameters, is_variadic, file, arguments);
                let is_constructor = program.definition(method).kind == SymbolKind::Constructor;
                match (&around, is_constructor) {
                    (Ty::Object(applied), true) if applied.arguments.is_empty() => {
                        let n_own = program.shape(applied.of).type_parameters.len();
                        (parameters, Ty::Object(crate::infer::applied_to_own(program, applied.of)), applied.of, n_own)
                    }
                    _ => {
                        let result = self.declared_result(cx, method, &around);
                        (parameters, result, method, shape.type_parameters.len())
                    }
                }
            }
            Target::Standard(receiver) => {
                let signature = self.standard_method(cx, file, of, &receiver, arguments.len())?;
                let is_variadic = arguments.len() > signature.parameters.len();
                let parameters = laid_out(cx, signature.parameters, is_variadic, file, arguments);
                (parameters, signature.result, standard::METHOD, N_STANDARD)
            }
            _ => return None,
        };
        let parameter = parameters.get(index)?.clone();
        if n_own == 0 || !mentions(&parameter, owner) {
            return Some(parameter);
        }
        let mut found = vec![Ty::Unknown; n_own];
        self.infer(cx, owner, &parameters, given, &mut found);
        // Where the arguments do not tell, what the result is asked for may.
        if found.iter().any(Ty::is_unknown)
            && mentions(&result, owner)
            && let Some(Some(asked)) = cx.deeper(|cx| self.expected(cx, file, of))
        {
            self.meet(cx, &result, &asked, owner, &mut found, 0);
        }
        Some(put_in(&parameter, owner, &found))
    }

    /// Returns what a lambda or a method reference gives, where it implements a method of this signature.
    pub(super) fn closure_gives(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        closure: ExpressionId,
        signature: &Signature,
    ) -> Ty {
        let program = cx.program;
        match program.code(file).expression(closure) {
            Expression::Function { results, .. } => match results.as_ref() {
                [] => Ty::Unknown,
                [first, rest @ ..] => {
                    let mut ty = cx.type_of(file, *first);
                    for result in rest {
                        let other = cx.type_of(file, *result);
                        ty = super::generics::either(cx, self, ty, other);
                    }
                    ty
                }
            },
            Expression::Path { of, name } => {
                let name = program.name(file, *name);
                let of = self.referred(cx, file, *of);
                if program.text(name) == "new" {
                    return of;
                }
                self.reference_gives(cx, &of, name, signature)
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns what a method reference is asked of: a type, or a value.
    pub(super) fn referred(&self, cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId) -> Ty {
        let ty = match cx.program.code(file).expression(of) {
            Expression::Type(written) => cx.written(file, *written),
            _ => cx.type_of(file, of),
        };
        match ty {
            Ty::Class(applied) => Ty::Object(applied),
            other => other,
        }
    }

    fn reference_gives(&self, cx: &mut Inference<'_>, of: &Ty, name: crate::names::Name, signature: &Signature) -> Ty {
        let program = cx.program;
        let methods = self.methods(cx, of, name);
        let n_given = signature.parameters.len();
        let takes = |method: SymbolIdx| {
            let n_parameters = program.shape(method).parameters.len();
            n_parameters == n_given || n_parameters + 1 == n_given
        };
        let Some((method, owner)) = methods.candidates.iter().find(|(method, _)| takes(*method)) else {
            let standard = methods.standard.as_ref().and_then(standard::of);
            let n_own = n_given.saturating_sub(1);
            let text = program.text(name);
            return standard
                .and_then(|(known, arguments)| {
                    known.method(text, n_own, arguments).or_else(|| known.method(text, n_given, arguments))
                })
                .map_or(Ty::Unknown, |found| found.result);
        };
        // The object it is asked of may be the first that is given, and tell more of its type.
        let receiver = signature.parameters.first().and_then(|first| self.as_super(cx, first, owner));
        let owner = receiver.unwrap_or_else(|| owner.clone());
        let result = self.declared_result(cx, *method, &owner);
        match &owner {
            Ty::Object(applied) => apply(&result, applied),
            _ => result,
        }
    }
}

/// As many type parameters as letters can name.
pub(super) const N_STANDARD: usize = 26;

#[cfg(test)]
mod tests {
    #[test]
    fn parameters_of_lambdas_have_the_types_of_where_they_go() {
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
        ] {
            let source = format!(
                "class P {{ void f() {{}} P self() {{ return this; }} }} interface Each {{ void on(P p); }}
                class A {{ Each each; void each(Each e) {{}} <T> void apply(T t, java.util.function.Consumer<T> c) {{}}
                    void m(java.util.List<P> list, java.util.Map<Integer, P> map) {{ {body} }} }}"
            );
            let found = super::super::testing::calls(&source);
            assert!(found.contains(&"A.m -> P.f".to_owned()), "{body} gives {found:?}");
        }
    }

    #[test]
    fn a_lambda_that_is_returned_takes_the_declared_type() {
        super::super::testing::check(
            "class P { void f() {} } interface Each { void on(P p); } class A { Each m() { return p -> p.f(); } }",
            &["A.m -> P.f"],
        );
    }
}
