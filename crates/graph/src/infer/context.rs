//! Types that the context of a value determines: the parameter type of a closure argument, and the declared type of the variable
//! that a call initializes.

use std::rc::Rc;

use model::code::{Code, Expression, ExpressionId, NameId, Parameter, ScopeId, TypeId};
use rustc_hash::FxHashMap;

use super::{CallArguments, Inference};
use crate::{names::Name, program::FileIdx, ty::Ty};

/// Maximum nesting depth of objects in arguments that are searched for closures.
const MAX_OBJECTS: usize = 4;

/// The contexts of the values of one file.
#[derive(Default)]
pub(crate) struct ValueContexts {
    /// By the scope of a closure.
    closures: FxHashMap<ScopeId, ClosureArgument>,
    /// By call: the declared type of the variable that it initializes.
    declared: FxHashMap<ExpressionId, TypeId>,
    /// By call: the type that it is written as, such as that of the result of the function around it.
    cast: FxHashMap<ExpressionId, TypeId>,
}

/// A closure that is an argument of a call, or a member of an object that is an argument.
struct ClosureArgument {
    call: ExpressionId,
    n_argument: usize,
    /// The path of members from the argument to the closure.
    path: Vec<NameId>,
    closure: ExpressionId,
}

impl ValueContexts {
    fn of(code: &Code) -> ValueContexts {
        let mut context = ValueContexts::default();
        let is_call =
            |value: ExpressionId| matches!(code.expression(value), Expression::Call { .. } | Expression::Tried { .. });
        for (index, expression) in code.expressions.iter().enumerate() {
            if let Expression::Cast { of, to } = expression
                && is_call(*of)
            {
                context.cast.insert(*of, *to);
            }
            let (Expression::Call { arguments, .. } | Expression::Make { arguments, .. }) = expression else {
                continue;
            };
            for (n_argument, argument) in arguments.iter().enumerate() {
                let call = ExpressionId(index as u32);
                context.find_closures(code, call, n_argument, *argument, &mut Vec::new());
            }
        }
        let bound = code.bindings.iter().map(|binding| (binding.declared, binding.value));
        let defined = code.shapes.iter().filter(|shape| shape.body.is_none());
        let defined = defined.map(|shape| (shape.declared, shape.values.first().copied()));
        for (declared, value) in bound.chain(defined) {
            if let (Some(declared), Some(value)) = (declared, value)
                && is_call(value)
            {
                context.declared.insert(value, declared);
            }
        }
        context
    }

    fn find_closures(
        &mut self,
        code: &Code,
        call: ExpressionId,
        n_argument: usize,
        value: ExpressionId,
        path: &mut Vec<NameId>,
    ) {
        match code.expression(value) {
            Expression::Function { scope, .. } => {
                let argument = ClosureArgument { call, n_argument, path: path.clone(), closure: value };
                self.closures.entry(*scope).or_insert(argument);
            }
            Expression::Definition(definition) => {
                let body = code.shapes.get(definition.index()).and_then(|shape| shape.body);
                if let Some(scope) = body {
                    let argument = ClosureArgument { call, n_argument, path: path.clone(), closure: value };
                    self.closures.entry(scope).or_insert(argument);
                }
            }
            Expression::Object(members) if path.len() < MAX_OBJECTS => {
                for (name, member) in members {
                    path.push(*name);
                    self.find_closures(code, call, n_argument, *member, path);
                    path.pop();
                }
            }
            _ => {}
        }
    }
}

impl<'p> Inference<'p> {
    /// Returns the call that takes the closure with this scope, and the index of the argument.
    pub(crate) fn closure_place(&mut self, file: FileIdx, scope: ScopeId) -> Option<(ExpressionId, usize)> {
        let context = self.context(file);
        let argument = context.closures.get(&scope).filter(|argument| argument.path.is_empty())?;
        Some((argument.call, argument.n_argument))
    }

    /// Returns the type of a parameter of a closure, as the call that takes the closure expects it.
    pub(super) fn closure_parameter(&mut self, file: FileIdx, scope: ScopeId, name: Name) -> Ty {
        let context = self.context(file);
        let Some(argument) = context.closures.get(&scope) else { return Ty::Unknown };
        let program = self.program;
        let code = program.code(file);
        let parameters: &[Parameter] = match code.expression(argument.closure) {
            Expression::Function { parameters, .. } => parameters,
            Expression::Definition(definition) => &program.shape(program.symbol(file, *definition)).parameters,
            _ => return Ty::Unknown,
        };
        let position = parameters.iter().position(|parameter| program.name(file, parameter.name) == name);
        let Some(n_parameter) = position else { return Ty::Unknown };
        let (callee, arguments) = match code.expression(argument.call) {
            Expression::Call { callee, type_arguments, arguments } => {
                (self.type_of(file, *callee), CallArguments { file, types: type_arguments, values: arguments })
            }
            Expression::Make { made, arguments } => {
                let made = self.written_type(file, *made);
                (super::as_class(made), CallArguments { file, types: &[], values: arguments })
            }
            _ => return Ty::Unknown,
        };
        let declared = context.declared.get(&argument.call).map(|declared| self.written_type(file, *declared));
        let mut expected = self.expected_argument(&callee, &arguments, argument.n_argument, declared.as_ref());
        for member in &argument.path {
            expected = self.member_value(file, &expected, program.name(file, *member));
        }
        let dialect = self.dialect(file);
        match dialect.parameter_of(self, &expected, n_parameter) {
            Some(ty) => ty,
            None if argument.path.is_empty() => {
                dialect.closure_parameter(self, &callee, argument.n_argument, n_parameter)
            }
            None => Ty::Unknown,
        }
    }

    /// Returns the type that the code around a call declares for its value: that of the variable that it initializes, or that it is
    /// written as.
    pub(crate) fn declared_value(&mut self, file: FileIdx, call: ExpressionId) -> Option<Ty> {
        let context = self.context(file);
        let declared = context.declared.get(&call).or_else(|| context.cast.get(&call)).copied()?;
        Some(self.written_type(file, declared))
    }

    /// Returns the call that takes the closure with this scope, directly or in an object.
    pub fn closure_call(&mut self, file: FileIdx, scope: ScopeId) -> Option<ExpressionId> {
        self.context(file).closures.get(&scope).map(|argument| argument.call)
    }

    fn context(&mut self, file: FileIdx) -> Rc<ValueContexts> {
        let program = self.program;
        let context = self.contexts.entry(file).or_insert_with(|| Rc::new(ValueContexts::of(program.code(file))));
        Rc::clone(context)
    }
}
