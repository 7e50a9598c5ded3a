//! What a call gives, and which of several functions it calls.

use std::rc::Rc;

use model::code::{Expression, ExpressionId, Parameter, TypeId};

use super::{Inference, members::OWN_TYPE};
use crate::{
    program::{FileIdx, SymbolIdx},
    ty::{Applied, Ty},
};

/// The arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arguments<'a> {
    pub(crate) file: FileIdx,
    pub(crate) types: &'a [TypeId],
    pub(crate) values: &'a [ExpressionId],
}

impl<'p> Inference<'p> {
    /// Returns what a call gives.
    pub(crate) fn call(&mut self, callee: &Ty, arguments: &Arguments<'_>) -> Ty {
        match callee {
            Ty::Unknown => Ty::Unknown,
            Ty::External => self.dialect(arguments.file).builtin_call(self, arguments.file, callee, arguments),
            Ty::Function { candidates, receiver } => {
                let chosen = self.chosen(candidates, arguments);
                let results: Vec<Ty> =
                    chosen.iter().map(|of| self.called(*of, receiver.as_deref(), arguments)).collect();
                Ty::one_of(results)
            }
            Ty::Class(applied) => self.made(Ty::Object(applied.clone()), arguments),
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

    /// Returns the object that is made of a type: what is not said of its parameters is told by the arguments.
    pub(crate) fn made(&mut self, object: Ty, arguments: &Arguments<'_>) -> Ty {
        let Ty::Object(applied) = &object else { return object };
        let n_parameters = self.program.shape(applied.of).type_parameters.len();
        if n_parameters == 0 || !applied.arguments.is_empty() {
            return object;
        }
        let constructors = self.dialect(self.program.file_of(applied.of)).constructors(self, applied.of);
        let Some(constructor) = self.chosen(&constructors, arguments).first().copied() else { return object };
        let mut found = vec![Ty::Unknown; n_parameters];
        self.unify_arguments(constructor, applied.of, arguments, &mut found);
        if found.iter().all(Ty::is_unknown) {
            return object;
        }
        Ty::Object(Applied { of: applied.of, arguments: found.into() })
    }

    /// Returns the functions that arguments choose among several; at least one.
    pub(crate) fn chosen(&mut self, candidates: &[SymbolIdx], arguments: &Arguments<'_>) -> Vec<SymbolIdx> {
        match candidates {
            [] | [_] => candidates.to_vec(),
            [first, ..] => {
                let dialect = self.dialect(self.program.file_of(*first));
                let chosen = dialect.choose(self, candidates, arguments);
                if chosen.is_empty() { candidates.to_vec() } else { chosen }
            }
        }
    }

    /// Returns the functions that can be called with as many arguments.
    pub(crate) fn choose_by_count(&self, candidates: &[SymbolIdx], arguments: &Arguments<'_>) -> Vec<SymbolIdx> {
        let takes = |of: &&SymbolIdx| takes_count(&self.program.shape(**of).parameters, arguments.values.len());
        candidates.iter().filter(takes).copied().collect()
    }

    /// Returns what a function of the repository gives for arguments, asked of an object.
    pub(crate) fn called(&mut self, of: SymbolIdx, receiver: Option<&Ty>, arguments: &Arguments<'_>) -> Ty {
        let result = self.result_of(of);
        let result = self.for_receiver(result, of, receiver);
        let n_parameters = self.program.shape(of).type_parameters.len();
        if n_parameters == 0 || !mentions(&result, of) {
            return result;
        }
        let mut found = vec![Ty::Unknown; n_parameters];
        for (index, written) in arguments.types.iter().enumerate().take(n_parameters) {
            found[index] = self.written(arguments.file, *written);
        }
        if arguments.types.is_empty() {
            self.unify_arguments(of, of, arguments, &mut found);
        }
        self.fill_defaults(of, &mut found);
        result.substitute(of, &found)
    }

    /// Puts in the defaults of type parameters of which nothing is known.
    fn fill_defaults(&mut self, of: SymbolIdx, found: &mut [Ty]) {
        let file = self.program.file_of(of);
        for (index, parameter) in self.program.shape(of).type_parameters.iter().enumerate() {
            if let (Some(Ty::Unknown), Some(default)) = (found.get(index), parameter.default) {
                found[index] = self.written(file, default).substitute(of, found);
            }
        }
    }

    /// Returns a type in terms of a member's type as an object has it: its arguments put in, and its own type.
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

    /// Returns what a function gives, in terms of its parameters and of those of its type.
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
                let declared = cx.written(file, declared);
                dialect.declared_result(cx, of, declared)
            }
            None => {
                let returned = cx.common(file, &shape.values);
                dialect.inferred_result(cx, of, returned)
            }
        });
        let ty = found.unwrap_or(Ty::Unknown);
        self.results.insert(of, Some(ty.clone()));
        ty
    }

    /// Returns what a closure gives.
    pub(crate) fn closure_result(&mut self, file: FileIdx, closure: ExpressionId) -> Ty {
        match self.program.code(file).expression(closure) {
            Expression::Function { declared: Some(declared), .. } => self.written(file, *declared),
            Expression::Function { results, .. } => self.common(file, results),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type that an argument of a call is expected to have.
    ///
    /// `wanted` is the type that the call must have, where that is said.
    pub(crate) fn expected_argument(
        &mut self,
        callee: &Ty,
        arguments: &Arguments<'_>,
        n_argument: usize,
        wanted: Option<&Ty>,
    ) -> Ty {
        match callee {
            Ty::FunctionType { parameters, .. } => parameters.get(n_argument).cloned().unwrap_or(Ty::Unknown),
            Ty::Function { candidates, receiver } => {
                let chosen = self.choose_by_count(candidates, arguments);
                let Some(of) = chosen.first().copied() else { return Ty::Unknown };
                let file = self.program.file_of(of);
                let parameter = parameter_at(&self.program.shape(of).parameters, n_argument);
                let Some(declared) = parameter.and_then(|parameter| parameter.declared) else { return Ty::Unknown };
                let ty = self.written(file, declared);
                let ty = self.for_receiver(ty, of, receiver.as_deref());
                let n_parameters = self.program.shape(of).type_parameters.len();
                if n_parameters == 0 {
                    return ty;
                }
                // What the other arguments say of the function's own parameters; closures say nothing before they are typed.
                let mut found = vec![Ty::Unknown; n_parameters];
                for (index, written) in arguments.types.iter().enumerate().take(n_parameters) {
                    found[index] = self.written(arguments.file, *written);
                }
                if arguments.types.is_empty() {
                    self.unify_arguments(of, of, arguments, &mut found);
                }
                if let Some(wanted) = wanted {
                    let result = self.result_of(of);
                    unify(&result, wanted, of, &mut found);
                }
                self.fill_defaults(of, &mut found);
                ty.substitute(of, &found)
            }
            Ty::Class(applied) => {
                let constructors = self.dialect(self.program.file_of(applied.of)).constructors(self, applied.of);
                if constructors == [applied.of] {
                    return Ty::Unknown;
                }
                self.expected_argument(&Ty::function(&constructors, None), arguments, n_argument, wanted)
            }
            Ty::Unknown | Ty::External => Ty::Unknown,
            other => self.dialect(arguments.file).expected_argument(self, other, arguments, n_argument),
        }
    }

    /// Returns the parameter that each argument is given to: by its place, or by its name (`**{name: value}`).
    pub(crate) fn placed(&self, of: SymbolIdx, arguments: &Arguments<'_>) -> Vec<(&'p Parameter, ExpressionId)> {
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

    /// Finds what stands for the type parameters of `owner` in a call of `of`, from the types of the arguments.
    fn unify_arguments(&mut self, of: SymbolIdx, owner: SymbolIdx, arguments: &Arguments<'_>, found: &mut [Ty]) {
        let file = self.program.file_of(of);
        for (parameter, value) in self.placed(of, arguments) {
            let Some(declared) = parameter.declared else { continue };
            let expected = self.written(file, declared);
            if !mentions(&expected, owner) {
                continue;
            }
            let given = match self.program.code(arguments.file).expression(value) {
                // The result of a closure can tell, its parameters are what is asked for.
                Expression::Function { .. } => match &expected {
                    Ty::FunctionType { result, .. } if mentions(result, owner) => {
                        let given = self.closure_result(arguments.file, value);
                        unify(result, &given, owner, found);
                        continue;
                    }
                    _ => continue,
                },
                _ => self.type_of(arguments.file, value),
            };
            unify(&expected, &given, owner, found);
            if let (Ty::Object(base), Ty::Object(_)) = (&expected, &given)
                && let Some(applied) = self.as_base(&given, base.of)
            {
                unify(&expected, &Ty::Object(applied), owner, found);
            }
        }
    }
}

/// Returns the parameter that an argument is given to.
pub(crate) fn parameter_at(parameters: &[Parameter], n_argument: usize) -> Option<&Parameter> {
    parameters.get(n_argument).or_else(|| parameters.last().filter(|last| last.is_variadic))
}

/// Says whether a function with these parameters takes this many arguments.
pub(crate) fn takes_count(parameters: &[Parameter], n_arguments: usize) -> bool {
    let n_needed = parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_variadic).count();
    let is_variadic = parameters.iter().any(|parameter| parameter.is_variadic);
    n_needed <= n_arguments && (is_variadic || n_arguments <= parameters.len())
}

/// Fills in what stands for the parameters of `owner`, where a type in terms of them meets another.
pub(crate) fn unify(expected: &Ty, given: &Ty, owner: SymbolIdx, found: &mut [Ty]) {
    match (expected, given) {
        (_, Ty::Unknown) => {}
        (Ty::Parameter { of, index }, given) if *of == owner => {
            if let Some(slot) = found.get_mut(*index as usize)
                && slot.is_unknown()
            {
                *slot = given.clone();
            }
        }
        (Ty::Object(expected), Ty::Object(given)) if expected.of == given.of => {
            unify_all(&expected.arguments, &given.arguments, owner, found);
        }
        (Ty::Class(expected), Ty::Class(given)) if expected.of == given.of => {
            unify_all(&expected.arguments, &given.arguments, owner, found);
        }
        (Ty::Builtin { arguments: expected, .. }, Ty::Builtin { arguments: given, .. }) => {
            unify_all(expected, given, owner, found);
        }
        (Ty::Tuple(expected), Ty::Tuple(given)) => unify_all(expected, given, owner, found),
        (Ty::Union(types), given) => types.iter().for_each(|ty| unify(ty, given, owner, found)),
        (
            Ty::FunctionType { parameters: expected, result: expected_result },
            Ty::FunctionType { parameters: given, result: given_result },
        ) => {
            unify_all(expected, given, owner, found);
            unify(expected_result, given_result, owner, found);
        }
        _ => {}
    }
}

fn unify_all(expected: &[Ty], given: &[Ty], owner: SymbolIdx, found: &mut [Ty]) {
    for (expected, given) in expected.iter().zip(given) {
        unify(expected, given, owner, found);
    }
}

/// Says whether a type is written in terms of the parameters of a definition.
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
