//! Result types of calls.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId},
};

use super::{
    RustDialect,
    calls::{CallParts, ResolvedCallee},
    lookup::ItemSet,
    standard_library::{StandardFunction, TypeTemplate},
    type_bindings::TypeBindings,
};
use crate::{
    infer::{Inference, is_function},
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

impl RustDialect {
    /// Returns the result type of a call.
    pub(super) fn call_result(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Ty {
        let Some(call) = self.call_parts(cx, file, site) else { return Ty::Unknown };
        let Some(callee) = self.resolve_callee(cx, file, site) else { return written_collection(cx, call) };
        match callee {
            ResolvedCallee::Symbols { symbols, receiver, n_skipped } => {
                let results: Vec<Ty> = symbols
                    .iter()
                    .take(4)
                    .map(|of| self.result_of_symbol(cx, *of, receiver.as_ref(), call, n_skipped))
                    .collect();
                Ty::one_of(results)
            }
            ResolvedCallee::Standard { of, function, n_skipped } => {
                self.standard_result(cx, &of, function, call, n_skipped)
            }
            ResolvedCallee::Constructor { of, owner } => self.constructed_value(cx, of, owner, call),
            ResolvedCallee::SameType(ty) => ty,
            ResolvedCallee::Value(ty) => match ty {
                Ty::FunctionType { result, .. } => (*result).clone(),
                Ty::Closure { file, expression } => cx.closure_result(file, expression),
                Ty::Parameter { of, index } => {
                    let bounds = self.bounds_of(cx, of, index);
                    match bounds.into_iter().find(|bound| matches!(bound, Ty::FunctionType { .. })) {
                        Some(Ty::FunctionType { result, .. }) => (*result).clone(),
                        _ => Ty::Unknown,
                    }
                }
                Ty::Builtin { name: "Box" | "Rc", arguments } => match arguments.first() {
                    Some(Ty::FunctionType { result, .. }) => (**result).clone(),
                    _ => Ty::Unknown,
                },
                other => match (written_collection(cx, call), other) {
                    (Ty::Unknown, Ty::External | Ty::Foreign(_)) => Ty::External,
                    (collection, _) => collection,
                },
            },
        }
    }

    /// Infers the type parameters of a function from the arguments of a call. Without `with_closures`, the results of
    /// closure arguments are not used.
    pub(super) fn infer_bindings(
        &self,
        cx: &mut Inference<'_>,
        of: SymbolIdx,
        receiver: Option<&Ty>,
        call: CallParts<'_>,
        n_skipped: usize,
        with_closures: bool,
    ) -> TypeBindings {
        let program = cx.program;
        let file = program.file_of(of);
        let mut bindings = TypeBindings::for_self(receiver);
        let block = self.impls.get().and_then(|impls| impls.impl_of_member(of));
        if let Some(one) = block {
            if let Some(receiver) = receiver {
                let actual = one.of(cx);
                bindings.unify(self, cx, &actual, receiver);
            }
            bindings.self_type = None;
            if let Some((_, extension)) = self.extension_of_member.get(&of) {
                let members = &program.code(one.file).extensions[*extension as usize].members;
                bindings.closed.extend(members.first().map(|first| program.symbol(one.file, *first)));
            }
        } else if let Some(parent) = program.parent(of)
            && program.definition(parent).kind == SymbolKind::Trait
            && let Some(receiver) = receiver
        {
            for (index, argument) in self.arguments_of_trait(cx, receiver, parent).into_iter().enumerate() {
                bindings.bind(parent, index as u32, argument);
            }
        }
        bindings.closed.push(of);
        for (index, written) in call.type_arguments.iter().enumerate() {
            let actual = cx.written_type(call.file, *written);
            bindings.bind(of, index as u32, actual);
        }
        let actual = call.arguments.iter().skip(n_skipped);
        for (parameter, argument) in program.shape(of).parameters.iter().zip(actual) {
            let is_closure = matches!(program.code(call.file).expression(*argument), Expression::Function { .. });
            if is_closure && !with_closures {
                continue;
            }
            let Some(declared) = parameter.declared else { continue };
            let expected = cx.written_type(file, declared);
            let actual = cx.type_of(call.file, *argument);
            bindings.unify(self, cx, &expected, &actual);
        }
        bindings
    }

    /// Returns the result type of a function of the repository.
    fn result_of_symbol(
        &self,
        cx: &mut Inference<'_>,
        of: SymbolIdx,
        receiver: Option<&Ty>,
        call: CallParts<'_>,
        n_skipped: usize,
    ) -> Ty {
        let result = cx.result_of(of);
        if !is_generic(&result, 0) {
            return result;
        }
        let mut bindings = self.infer_bindings(cx, of, receiver, call, n_skipped, true);
        bindings.apply(self, cx, &result)
    }

    /// Returns the type arguments with which a type implements a trait.
    fn arguments_of_trait(&self, cx: &mut Inference<'_>, of: &Ty, expected: SymbolIdx) -> Vec<Ty> {
        if cx.program.shape(expected).type_parameters.is_empty() {
            return Vec::new();
        }
        match of {
            Ty::Object(applied) if applied.of == expected => applied.arguments.to_vec(),
            Ty::Parameter { of, index } => {
                let bounds = self.bounds_of(cx, *of, *index);
                let found = bounds.into_iter().find_map(|bound| match bound {
                    Ty::Object(applied) if applied.of == expected => Some(applied.arguments.to_vec()),
                    _ => None,
                });
                found.unwrap_or_default()
            }
            of => {
                let Some(impls) = self.impls.get() else { return Vec::new() };
                let Some(one) = impls.of_type(cx, of).find(|one| one.own_trait() == Some(expected)) else {
                    return Vec::new();
                };
                match one.implements(cx).map(|actual| self.substitute_impl_parameters(cx, one, of, actual)) {
                    Some(Ty::Object(applied)) => applied.arguments.to_vec(),
                    _ => Vec::new(),
                }
            }
        }
    }

    /// Returns the type that a tuple struct or variant constructor creates.
    fn constructed_value(&self, cx: &mut Inference<'_>, of: SymbolIdx, owner: Option<Ty>, call: CallParts<'_>) -> Ty {
        let program = cx.program;
        let created = match program.definition(of).kind {
            SymbolKind::Variant => program.parent(of).unwrap_or(of),
            _ => of,
        };
        let n_parameters = program.shape(created).type_parameters.len();
        if let Some(Ty::Object(applied)) = &owner
            && (applied.of == created && !applied.arguments.is_empty() || n_parameters == 0)
        {
            return Ty::Object(Applied { of: created, arguments: applied.arguments.clone() });
        }
        let mut bindings = TypeBindings::default();
        for (parameter, argument) in program.shape(of).parameters.iter().zip(call.arguments) {
            if n_parameters == 0 {
                break;
            }
            let Some(declared) = parameter.declared else { continue };
            let expected = cx.written_type(program.file_of(of), declared);
            let actual = cx.type_of(call.file, *argument);
            bindings.unify(self, cx, &expected, &actual);
        }
        let arguments: Vec<Ty> = (0..n_parameters as u32)
            .map(|index| bindings.get(created, index).cloned().unwrap_or(Ty::Unknown))
            .collect();
        Ty::Object(Applied { of: created, arguments: arguments.into() })
    }

    /// Returns the result type of a library function.
    fn standard_result(
        &self,
        cx: &mut Inference<'_>,
        of: &Ty,
        function: &'static StandardFunction,
        call: CallParts<'_>,
        n_skipped: usize,
    ) -> Ty {
        let receiver = match n_skipped {
            0 => of.clone(),
            _ => call.arguments.first().map_or(Ty::Unknown, |object| cx.type_of(call.file, *object)),
        };
        if function.result == TypeTemplate::FromContext {
            return self.context_dependent_result(cx, &receiver, call);
        }
        let mut bindings = self.standard_bindings(cx, &receiver, function, call, n_skipped, true);
        bindings.self_type = Some(receiver);
        bindings.instantiate(self, cx, &function.result)
    }

    /// Infers the letters of a library function from the arguments of a call.
    pub(super) fn standard_bindings(
        &self,
        cx: &mut Inference<'_>,
        receiver: &Ty,
        function: &'static StandardFunction,
        call: CallParts<'_>,
        n_skipped: usize,
        with_closures: bool,
    ) -> TypeBindings {
        let mut bindings = TypeBindings::for_library_type(receiver);
        let actual = call.arguments.iter().skip(n_skipped);
        for (template, argument) in function.parameters.iter().zip(actual) {
            let is_closure = matches!(cx.program.code(call.file).expression(*argument), Expression::Function { .. });
            if is_closure && !with_closures {
                continue;
            }
            let actual = cx.type_of(call.file, *argument);
            bindings.unify_template(self, cx, template, &actual);
        }
        bindings
    }

    /// Returns the result of `collect`, `parse` and similar functions. It depends on the explicit type argument or the
    /// expected type.
    fn context_dependent_result(&self, cx: &mut Inference<'_>, receiver: &Ty, call: CallParts<'_>) -> Ty {
        let program = cx.program;
        let name = match program.code(call.file).expression(call.callee) {
            Expression::Member { name, .. } | Expression::Path { name, .. } => program.code(call.file).name(*name),
            _ => return Ty::Unknown,
        };
        let written = call.type_arguments.first().map(|written| cx.written_type(call.file, *written));
        match (name, written) {
            ("parse", Some(written)) => Ty::builtin("Result", [written, Ty::External]),
            ("collect", Some(written)) => self.fill_unknown_arguments(cx, written, receiver, 0),
            // Without a type argument at least the item type is known.
            ("collect", None) => Ty::builtin("Iterator", [self.item_of(cx, receiver)]),
            ("partition", _) => {
                let items = Ty::builtin("Vec", [self.item_of(cx, receiver)]);
                Ty::Tuple([items.clone(), items].into())
            }
            (_, Some(written)) => written,
            _ => Ty::Unknown,
        }
    }

    /// Fills the unknown arguments of a written type from a collected value.
    pub(super) fn fill_unknown_arguments(&self, cx: &mut Inference<'_>, written: Ty, value: &Ty, depth: u32) -> Ty {
        let Ty::Builtin { name, arguments } = &written else { return written };
        if depth > 3 || !arguments.iter().any(has_unknown) {
            return written;
        }
        if let Ty::Builtin { name: actual, arguments: known } = value
            && actual == name
        {
            let parts = arguments.iter().zip(known.iter());
            let filled: Vec<Ty> = parts
                .map(|(written, known)| match written {
                    Ty::Unknown => known.clone(),
                    written => self.fill_unknown_arguments(cx, written.clone(), known, depth + 1),
                })
                .collect();
            return Ty::builtin(name, filled);
        }
        let item = self.item_of(cx, value);
        let filled: Vec<Ty> = match (*name, arguments.as_ref()) {
            ("HashMap", [key, value]) => {
                let parts = match &item {
                    Ty::Tuple(parts) if parts.len() == 2 => [parts[0].clone(), parts[1].clone()],
                    _ => [Ty::Unknown, Ty::Unknown],
                };
                let [own_key, own_value] = parts;
                let or = |written: &Ty, own: Ty| if written.is_unknown() { own } else { written.clone() };
                vec![or(key, own_key), or(value, own_value)]
            }
            // An iterator of results collects into a result of a collection.
            ("Result" | "Option", [first, rest @ ..]) => {
                let inner = match &item {
                    Ty::Builtin { name: actual, arguments } if actual == name => {
                        arguments.first().cloned().unwrap_or(Ty::Unknown)
                    }
                    _ => Ty::Unknown,
                };
                let inner = Ty::builtin("Iterator", [inner]);
                let first = self.fill_unknown_arguments(cx, first.clone(), &inner, depth + 1);
                [first].into_iter().chain(rest.iter().cloned()).collect()
            }
            (_, [Ty::Unknown, ..]) => vec![item],
            (_, [first, ..]) => vec![self.fill_unknown_arguments(cx, first.clone(), &item, depth + 1)],
            _ => return written,
        };
        Ty::builtin(name, filled)
    }

    /// Returns the value of the first item that is a value.
    pub(super) fn value_of_items(&self, cx: &mut Inference<'_>, found: &ItemSet, owner: Option<&Ty>) -> Ty {
        let program = cx.program;
        let kind = |symbol: &SymbolIdx| program.definition(*symbol).kind;
        let functions: Vec<SymbolIdx> = found
            .symbols
            .iter()
            .filter(|symbol| is_function(kind(symbol)) && kind(symbol) != SymbolKind::Macro)
            .copied()
            .collect();
        if !functions.is_empty() {
            return Ty::function(&functions, owner.cloned().map(Rc::new));
        }
        for symbol in &found.symbols {
            cx.consult(program.file_of(*symbol));
            match kind(symbol) {
                SymbolKind::Constant | SymbolKind::Variable => {
                    let ty = cx.variable(*symbol);
                    let Some(owner) = owner else { return ty };
                    return match self.impls.get().and_then(|impls| impls.impl_of_member(*symbol)) {
                        Some(one) => self.substitute_impl_parameters(cx, one, owner, ty),
                        None => ty,
                    };
                }
                SymbolKind::Variant => {
                    let Some(of) = program.parent(*symbol) else { return Ty::Unknown };
                    cx.note_access(*symbol);
                    return match owner {
                        Some(Ty::Object(applied)) if applied.of == of => Ty::Object(applied.clone()),
                        _ => Ty::object(of),
                    };
                }
                // A unit struct is its own value; a tuple struct is a constructor.
                SymbolKind::Struct if program.shape(*symbol).parameters.is_empty() => return Ty::object(*symbol),
                SymbolKind::Struct => return Ty::class(*symbol),
                _ => {}
            }
        }
        if found.is_external { Ty::External } else { Ty::Unknown }
    }
}

/// Returns the type that `collect::<T>()` writes, whatever iterator it is called on; `Unknown` for other calls.
fn written_collection(cx: &mut Inference<'_>, call: CallParts<'_>) -> Ty {
    let code = cx.program.code(call.file);
    match (code.expression(call.callee), call.type_arguments) {
        (Expression::Member { name, .. }, [written]) if code.name(*name) == "collect" => {
            cx.written_type(call.file, *written)
        }
        _ => Ty::Unknown,
    }
}

/// Returns true if a type mentions type parameters.
fn is_generic(ty: &Ty, depth: u32) -> bool {
    let any = |types: &[Ty]| types.iter().any(|ty| is_generic(ty, depth + 1));
    match ty {
        _ if depth > 8 => true,
        Ty::Parameter { .. } => true,
        Ty::Object(applied) | Ty::Class(applied) => any(&applied.arguments),
        Ty::Builtin { arguments: types, .. } | Ty::Tuple(types) | Ty::Union(types) | Ty::Intersection(types) => {
            any(types)
        }
        Ty::FunctionType { parameters, result } => any(parameters) || is_generic(result, depth + 1),
        _ => false,
    }
}

/// Returns true if a part of a type is unknown.
pub(super) fn has_unknown(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown => true,
        Ty::Builtin { arguments, .. } => arguments.iter().any(has_unknown),
        _ => false,
    }
}
