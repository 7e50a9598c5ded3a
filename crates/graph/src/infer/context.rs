//! What the place of a value says of it: of a closure, the parameter that it is given to; of a call, the type that its
//! result must have.

use std::rc::Rc;

use model::code::{Code, Expression, ExpressionId, NameId, Parameter, ScopeId, TypeId};
use rustc_hash::FxHashMap;

use super::{Arguments, Inference};
use crate::{names::Name, program::FileIdx, ty::Ty};

/// How deep closures are looked for in objects that are arguments.
const MAX_OBJECTS: usize = 4;

/// What the places of one file say.
#[derive(Default)]
pub(crate) struct Context {
    /// By the scope of a closure.
    closures: FxHashMap<ScopeId, Given>,
    /// By call: the declared type of what it is the value of.
    wanted: FxHashMap<ExpressionId, TypeId>,
}

/// A closure that is an argument of a call, or a member of an object that is one.
struct Given {
    call: ExpressionId,
    n_argument: usize,
    /// The names that lead to it in the argument.
    path: Vec<NameId>,
    closure: ExpressionId,
}

impl Context {
    fn of(code: &Code) -> Context {
        let mut context = Context::default();
        for (index, expression) in code.expressions.iter().enumerate() {
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
                && matches!(code.expression(value), Expression::Call { .. })
            {
                context.wanted.insert(value, declared);
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
                let given = Given { call, n_argument, path: path.clone(), closure: value };
                self.closures.entry(*scope).or_insert(given);
            }
            Expression::Definition(definition) => {
                let body = code.shapes.get(definition.index()).and_then(|shape| shape.body);
                if let Some(scope) = body {
                    let given = Given { call, n_argument, path: path.clone(), closure: value };
                    self.closures.entry(scope).or_insert(given);
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
    /// Returns the call that the closure with this scope is an argument of, and which one it is.
    pub(crate) fn closure_place(&mut self, file: FileIdx, scope: ScopeId) -> Option<(ExpressionId, usize)> {
        let context = self.context(file);
        let given = context.closures.get(&scope).filter(|given| given.path.is_empty())?;
        Some((given.call, given.n_argument))
    }

    /// Returns the type of a parameter of a closure, as the call that the closure is given to has it.
    pub(super) fn closure_parameter(&mut self, file: FileIdx, scope: ScopeId, name: Name) -> Ty {
        let context = self.context(file);
        let Some(given) = context.closures.get(&scope) else { return Ty::Unknown };
        let program = self.program;
        let code = program.code(file);
        let parameters: &[Parameter] = match code.expression(given.closure) {
            Expression::Function { parameters, .. } => parameters,
            Expression::Definition(definition) => &program.shape(program.symbol(file, *definition)).parameters,
            _ => return Ty::Unknown,
        };
        let position = parameters.iter().position(|parameter| program.name(file, parameter.name) == name);
        let Some(n_parameter) = position else { return Ty::Unknown };
        let (callee, arguments) = match code.expression(given.call) {
            Expression::Call { callee, type_arguments, arguments } => {
                (self.type_of(file, *callee), Arguments { file, types: type_arguments, values: arguments })
            }
            Expression::Make { made, arguments } => {
                let made = self.written(file, *made);
                (super::as_class(made), Arguments { file, types: &[], values: arguments })
            }
            _ => return Ty::Unknown,
        };
        let wanted = context.wanted.get(&given.call).map(|wanted| self.written(file, *wanted));
        let mut expected = self.expected_argument(&callee, &arguments, given.n_argument, wanted.as_ref());
        for member in &given.path {
            expected = self.member_value(file, &expected, program.name(file, *member));
        }
        let dialect = self.dialect(file);
        match dialect.parameter_of(self, &expected, n_parameter) {
            Some(ty) => ty,
            None if given.path.is_empty() => dialect.closure_parameter(self, &callee, given.n_argument, n_parameter),
            None => Ty::Unknown,
        }
    }

    /// Returns the call that the closure with this scope is given to.
    pub(crate) fn closure_call(&mut self, file: FileIdx, scope: ScopeId) -> Option<ExpressionId> {
        self.context(file).closures.get(&scope).map(|given| given.call)
    }

    fn context(&mut self, file: FileIdx) -> Rc<Context> {
        let program = self.program;
        let context = self.contexts.entry(file).or_insert_with(|| Rc::new(Context::of(program.code(file))));
        Rc::clone(context)
    }
}
