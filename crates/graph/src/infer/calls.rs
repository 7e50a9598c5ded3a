//! Results of calls, and the choice among overloads.

use std::rc::Rc;

use model::code::{Expression, ExpressionId, Parameter};

use super::{CallArguments, Inference};
use crate::{
    program::{FileIdx, SymbolIdx},
    ty::{Applied, OWN_TYPE, Ty},
};

impl<'p> Inference<'p> {
    /// Returns the result of a call.
    pub(crate) fn call(&mut self, callee: &Ty, arguments: &CallArguments<'_>) -> Ty {
        match callee {
            Ty::Unknown => Ty::Unknown,
            Ty::External => self.dialect(arguments.file).builtin_call(self, arguments.file, callee, arguments),
            Ty::Function { candidates, receiver } => {
                let chosen = self.choose_overloads(candidates, arguments);
                let results: Vec<Ty> =
                    chosen.iter().map(|of| self.call_result(*of, receiver.as_deref(), arguments)).collect();
                Ty::one_of(results)
            }
            Ty::Class(applied) => self.made_object(Ty::Object(applied.clone()), arguments),
            Ty::Closure { file, expression } => self.closure_result(*file, *expression),
            Ty::FunctionType { result, .. } => (**result).clone(),
            Ty::Union(types) => {
                let results: Vec<Ty> = types.iter().map(|ty| self.call(ty, arguments)).collect();
                Ty::one_of(results)
            }
            Ty::Intersection(types) => {
                let mut results = types.iter().map(|ty| self.call(ty, arguments));
                results.find(|result| !result.is_unknown()).unwrap_or(Ty::Unknown)
            }
            Ty::Object(_) => {
                let members = self.dialect(arguments.file).call_members(self, callee);
                if members.is_empty() {
                    return self.dialect(arguments.file).builtin_call(self, arguments.file, callee, arguments);
                }
                self.call(&Ty::function(&members, Some(Rc::new(callee.clone()))), arguments)
            }
            other => self.dialect(arguments.file).builtin_call(self, arguments.file, other, arguments),
        }
    }

    /// Returns the object that a constructor call creates. Type parameters without explicit arguments are inferred from the
    /// arguments.
    pub(crate) fn made_object(&mut self, object: Ty, arguments: &CallArguments<'_>) -> Ty {
        let Ty::Object(applied) = &object else { return object };
        let n_parameters = self.program.shape(applied.of).type_parameters.len();
        if n_parameters == 0 || !applied.arguments.is_empty() {
            return object;
        }
        let constructors = self.dialect(self.program.file_of(applied.of)).constructors(self, applied.of);
        let Some(constructor) = self.choose_overloads(&constructors, arguments).first().copied() else { return object };
        let mut found = vec![Ty::Unknown; n_parameters];
        self.unify_arguments(constructor, applied.of, arguments, &mut found);
        if found.iter().all(Ty::is_unknown) {
            return object;
        }
        Ty::Object(Applied { of: applied.of, arguments: found.into() })
    }

    /// Returns the overloads that arguments choose among candidates; at least one if there is any.
    pub(crate) fn choose_overloads(
        &mut self,
        candidates: &[SymbolIdx],
        arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        match candidates {
            [] | [_] => candidates.to_vec(),
            [first, ..] => {
                let dialect = self.dialect(self.program.file_of(*first));
                let chosen = dialect.choose(self, candidates, arguments);
                if chosen.is_empty() { candidates.to_vec() } else { chosen }
            }
        }
    }

    /// Returns the functions that accept this number of arguments.
    pub(crate) fn choose_by_count(&self, candidates: &[SymbolIdx], arguments: &CallArguments<'_>) -> Vec<SymbolIdx> {
        let takes = |of: &&SymbolIdx| takes_count(&self.program.shape(**of).parameters, arguments.values.len());
        candidates.iter().filter(takes).copied().collect()
    }

    /// Returns the result of a function of the repository for a receiver and arguments.
    pub(crate) fn call_result(&mut self, of: SymbolIdx, receiver: Option<&Ty>, arguments: &CallArguments<'_>) -> Ty {
        let result = self.result_of(of);
        let result = self.for_receiver(result, of, receiver);
        let n_parameters = self.program.shape(of).type_parameters.len();
        if n_parameters == 0 || !mentions(&result, of) {
            return result;
        }
        let mut found = vec![Ty::Unknown; n_parameters];
        for (index, written) in arguments.types.iter().enumerate().take(n_parameters) {
            found[index] = self.written_type(arguments.file, *written);
        }
        if arguments.types.is_empty() {
            self.unify_arguments(of, of, arguments, &mut found);
        }
        self.fill_defaults(of, &mut found);
        result.substitute(of, &found)
    }

    /// Replaces unknown type arguments by the defaults of their parameters.
    fn fill_defaults(&mut self, of: SymbolIdx, found: &mut [Ty]) {
        let file = self.program.file_of(of);
        for (index, parameter) in self.program.shape(of).type_parameters.iter().enumerate() {
            if let (Some(Ty::Unknown), Some(default)) = (found.get(index), parameter.default) {
                found[index] = self.written_type(file, default).substitute(of, found);
            }
        }
    }

    /// Returns the type of a member as a receiver has it: with the type arguments of the receiver and its own type.
    pub(crate) fn for_receiver(&mut self, ty: Ty, member: SymbolIdx, receiver: Option<&Ty>) -> Ty {
        let Some(receiver) = receiver else { return ty };
        if matches!(ty, Ty::Unknown | Ty::External) {
            return ty;
        }
        let is_own = |ty: &Ty| matches!(ty, Ty::Parameter { index: OWN_TYPE, .. });
        let own = match receiver {
            Ty::Class(applied) => Ty::Object(applied.clone()),
            other => other.clone(),
        };
        let ty = ty.replace(&|part| is_own(part).then(|| own.clone()), 0);
        let Some(owner) = self.program.parent(member) else { return ty };
        match self.as_base(receiver, owner) {
            Some(applied) => ty.substitute(owner, &applied.arguments),
            None => ty,
        }
    }

    /// Returns the result of a function, in terms of its type parameters and those of its owner.
    pub(crate) fn result_of(&mut self, of: SymbolIdx) -> Ty {
        if let Some(known) = self.results.get(&of) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.results.insert(of, None);
        let file = self.program.file_of(of);
        self.consult(file);
        let dialect = self.dialect(file);
        let shape = self.program.shape(of);
        let found = self.deeper(|cx| match shape.declared {
            Some(declared) => {
                let declared = cx.written_type(file, declared);
                dialect.declared_result(cx, of, declared)
            }
            None => {
                let returned = cx.common_type(file, &shape.values);
                dialect.inferred_result(cx, of, returned)
            }
        });
        let ty = found.unwrap_or(Ty::Unknown);
        self.results.insert(of, Some(ty.clone()));
        ty
    }

    /// Returns the result of a closure.
    pub(crate) fn closure_result(&mut self, file: FileIdx, closure: ExpressionId) -> Ty {
        match self.program.code(file).expression(closure) {
            Expression::Function { declared: Some(declared), .. } => self.written_type(file, *declared),
            Expression::Function { results, .. } => self.common_type(file, results),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type that a call expects of an argument.
    ///
    /// `declared_result` is the type of the variable that the call initializes, if it is declared.
    pub(crate) fn expected_argument(
        &mut self,
        callee: &Ty,
        arguments: &CallArguments<'_>,
        n_argument: usize,
        declared_result: Option<&Ty>,
    ) -> Ty {
        match callee {
            Ty::FunctionType { parameters, .. } => parameters.get(n_argument).cloned().unwrap_or(Ty::Unknown),
            Ty::Function { candidates, receiver } => {
                let chosen = self.choose_by_count(candidates, arguments);
                let Some(of) = chosen.first().copied() else { return Ty::Unknown };
                let file = self.program.file_of(of);
                let parameter = parameter_at(&self.program.shape(of).parameters, n_argument);
                let Some(declared) = parameter.and_then(|parameter| parameter.declared) else { return Ty::Unknown };
                let ty = self.written_type(file, declared);
                let ty = self.for_receiver(ty, of, receiver.as_deref());
                let n_parameters = self.program.shape(of).type_parameters.len();
                if n_parameters == 0 {
                    return ty;
                }
                // The other arguments bind the type parameters of the function. A closure binds none before it is typed.
                let mut found = vec![Ty::Unknown; n_parameters];
                for (index, written) in arguments.types.iter().enumerate().take(n_parameters) {
                    found[index] = self.written_type(arguments.file, *written);
                }
                if arguments.types.is_empty() {
                    self.unify_arguments(of, of, arguments, &mut found);
                }
                if let Some(declared) = declared_result {
                    let result = self.result_of(of);
                    unify(&result, declared, of, &mut found);
                }
                self.fill_defaults(of, &mut found);
                ty.substitute(of, &found)
            }
            Ty::Class(applied) => {
                let constructors = self.dialect(self.program.file_of(applied.of)).constructors(self, applied.of);
                if constructors == [applied.of] {
                    return Ty::Unknown;
                }
                self.expected_argument(&Ty::function(&constructors, None), arguments, n_argument, declared_result)
            }
            Ty::Unknown | Ty::External => Ty::Unknown,
            other => self.dialect(arguments.file).expected_argument(self, other, arguments, n_argument),
        }
    }

    /// Pairs each argument with its parameter: by position, or by name (`**{name: value}`).
    pub(crate) fn pair_arguments(
        &self,
        of: SymbolIdx,
        arguments: &CallArguments<'_>,
    ) -> Vec<(&'p Parameter, ExpressionId)> {
        let program = self.program;
        let (file, code) = (program.file_of(of), program.code(arguments.file));
        let parameters = &program.shape(of).parameters;
        let mut placed = Vec::new();
        for (n_argument, value) in arguments.values.iter().enumerate() {
            let named = match code.expression(*value) {
                Expression::Dereferenced { of } => match code.expression(*of) {
                    Expression::Object(named) => Some(named),
                    _ => None,
                },
                _ => None,
            };
            let Some(named) = named else {
                placed.extend(parameter_at(parameters, n_argument).map(|parameter| (parameter, *value)));
                continue;
            };
            for (name, value) in named {
                let name = program.name(arguments.file, *name);
                let parameter = parameters.iter().find(|parameter| program.name(file, parameter.name) == name);
                placed.extend(parameter.map(|parameter| (parameter, *value)));
            }
        }
        placed
    }

    /// Infers the type parameters of `owner` in a call of `of` from the types of the arguments.
    fn unify_arguments(&mut self, of: SymbolIdx, owner: SymbolIdx, arguments: &CallArguments<'_>, found: &mut [Ty]) {
        let file = self.program.file_of(of);
        for (parameter, value) in self.pair_arguments(of, arguments) {
            let Some(declared) = parameter.declared else { continue };
            let expected = self.written_type(file, declared);
            if !mentions(&expected, owner) {
                continue;
            }
            let actual = match self.program.code(arguments.file).expression(value) {
                // Only the result of a closure is informative: its parameters are unknown at this point.
                Expression::Function { .. } => match &expected {
                    Ty::FunctionType { result, .. } if mentions(result, owner) => {
                        let actual = self.closure_result(arguments.file, value);
                        unify(result, &actual, owner, found);
                        continue;
                    }
                    _ => continue,
                },
                _ => self.type_of(arguments.file, value),
            };
            unify(&expected, &actual, owner, found);
            if let (Ty::Object(base), Ty::Object(_)) = (&expected, &actual)
                && let Some(applied) = self.as_base(&actual, base.of)
            {
                unify(&expected, &Ty::Object(applied), owner, found);
            }
        }
    }
}

/// Returns the parameter of an argument, by position.
pub(crate) fn parameter_at(parameters: &[Parameter], n_argument: usize) -> Option<&Parameter> {
    parameters.get(n_argument).or_else(|| parameters.last().filter(|last| last.is_variadic))
}

/// Returns true if a function with these parameters accepts this number of arguments.
pub(crate) fn takes_count(parameters: &[Parameter], n_arguments: usize) -> bool {
    let n_needed = parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_variadic).count();
    let is_variadic = parameters.iter().any(|parameter| parameter.is_variadic);
    n_needed <= n_arguments && (is_variadic || n_arguments <= parameters.len())
}

/// Fills in the type parameters of `owner` by comparison of a type in terms of them with an actual type.
pub(crate) fn unify(expected: &Ty, actual: &Ty, owner: SymbolIdx, found: &mut [Ty]) {
    match (expected, actual) {
        (_, Ty::Unknown) => {}
        (Ty::Parameter { of, index }, actual) if *of == owner => {
            if let Some(slot) = found.get_mut(*index as usize)
                && slot.is_unknown()
            {
                *slot = actual.clone();
            }
        }
        (Ty::Object(expected), Ty::Object(actual)) if expected.of == actual.of => {
            unify_all(&expected.arguments, &actual.arguments, owner, found);
        }
        (Ty::Class(expected), Ty::Class(actual)) if expected.of == actual.of => {
            unify_all(&expected.arguments, &actual.arguments, owner, found);
        }
        (Ty::Builtin { arguments: expected, .. }, Ty::Builtin { arguments: actual, .. }) => {
            unify_all(expected, actual, owner, found);
        }
        (Ty::Tuple(expected), Ty::Tuple(actual)) => unify_all(expected, actual, owner, found),
        (Ty::Union(types), actual) => types.iter().for_each(|ty| unify(ty, actual, owner, found)),
        (
            Ty::FunctionType { parameters: expected, result: expected_result },
            Ty::FunctionType { parameters: actual, result: actual_result },
        ) => {
            unify_all(expected, actual, owner, found);
            unify(expected_result, actual_result, owner, found);
        }
        _ => {}
    }
}

fn unify_all(expected: &[Ty], actual: &[Ty], owner: SymbolIdx, found: &mut [Ty]) {
    for (expected, actual) in expected.iter().zip(actual) {
        unify(expected, actual, owner, found);
    }
}

/// Returns true if a type mentions a type parameter of a definition.
pub(crate) fn mentions(ty: &Ty, owner: SymbolIdx) -> bool {
    match ty {
        Ty::Parameter { of, .. } => *of == owner,
        Ty::Object(applied) | Ty::Class(applied) => applied.arguments.iter().any(|ty| mentions(ty, owner)),
        Ty::Builtin { arguments: types, .. } | Ty::Tuple(types) | Ty::Union(types) | Ty::Intersection(types) => {
            types.iter().any(|ty| mentions(ty, owner))
        }
        Ty::FunctionType { parameters, result } => {
            parameters.iter().any(|ty| mentions(ty, owner)) || mentions(result, owner)
        }
        Ty::Function { receiver: Some(receiver), .. } => mentions(receiver, owner),
        Ty::Lookup { of, .. } => mentions(of, owner),
        Ty::Record(fields) => fields.iter().any(|(_, ty)| mentions(ty, owner)),
        _ => false,
    }
}
