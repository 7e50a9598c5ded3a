//! Functions and closures that calls run, and their parameters.

use graph::{FileIdx, SymbolIdx, Ty};
use model::{
    Language, SymbolKind,
    code::{Expression, ExpressionId, Parameter, ScopeId},
};
use rustc_hash::FxHashMap;

use super::{CallShape, ValueReader, ValueSource};

/// Maximum number of base types between a type and that of an inherited function.
const MAX_BASES: usize = 4;

/// The function that a call runs, as far as the repository has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::contracts) enum CalledFunction {
    /// A definition.
    Function(SymbolIdx),
    /// A function that is a value: `{get: (url) => fetch(url)}`.
    Closure(FileIdx, ExpressionId),
}

impl<'p> ValueReader<'_, 'p> {
    /// Returns the function or closure that a call runs; `None` if it is not in the repository.
    pub(in crate::contracts) fn callee_of(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<CalledFunction> {
        let ty = match self.cx.type_of(file, call.callee) {
            // `module.exports = function …` is a function and a module.
            Ty::Intersection(types) => {
                let is_function = |ty: &&Ty| matches!(ty, Ty::Function { .. } | Ty::Closure { .. });
                types.iter().find(is_function).cloned().unwrap_or(Ty::Unknown)
            }
            other => other,
        };
        match ty {
            Ty::Function { candidates, .. } => {
                return candidates.first().map(|function| CalledFunction::Function(self.with_body(*function)));
            }
            Ty::Closure { file, expression } => return Some(CalledFunction::Closure(file, expression)),
            _ => {}
        }
        let language = self.program().language(file);
        let closure = if has_inference(language) { self.closure_of(file, call.callee) } else { None };
        // A method of the type around is called by its bare name in Java, too.
        let may_be_own = !has_inference(language) || language == Language::Java;
        let own = || self.own_function(file, call).filter(|_| may_be_own).map(CalledFunction::Function);
        if let Some(found) = closure.or_else(own) {
            return Some(found);
        }
        if let Some(inherited) = self.inherited_function(file, call) {
            return Some(CalledFunction::Function(inherited));
        }
        let may_declare = !has_inference(language) || matches!(language, Language::TypeScript | Language::Tsx);
        let declared = if may_declare { self.declared_method(file, call) } else { None };
        declared.map(CalledFunction::Function)
    }

    /// Returns the file that has a function.
    pub(in crate::contracts) fn home_of(&self, callee: CalledFunction) -> FileIdx {
        match callee {
            CalledFunction::Function(function) => self.program().file_of(function),
            CalledFunction::Closure(file, _) => file,
        }
    }

    /// Returns the parameters of a function.
    pub(in crate::contracts) fn parameters_of(&self, callee: CalledFunction) -> &'p [Parameter] {
        match callee {
            CalledFunction::Function(function) => &self.program().shape(function).parameters,
            CalledFunction::Closure(file, expression) => match self.expression(file, expression) {
                Expression::Function { parameters, .. } => parameters,
                _ => &[],
            },
        }
    }

    /// Returns the closure that is the value of a member of an object.
    fn closure_of(&mut self, file: FileIdx, callee: ExpressionId) -> Option<CalledFunction> {
        if !matches!(self.expression(file, callee), Expression::Member { .. }) {
            return None;
        }
        self.sources(file, callee).into_iter().find_map(|source| match source {
            ValueSource::Expression(home, value) => {
                let is_closure = matches!(self.expression(home, value), Expression::Function { .. });
                is_closure.then_some(CalledFunction::Closure(home, value))
            }
            _ => None,
        })
    }

    /// Returns the only function of a name in the type around a call, or in its file, in languages without inference.
    pub(super) fn own_function(&self, file: FileIdx, call: &CallShape<'p>) -> Option<SymbolIdx> {
        let is_super = |object: ExpressionId| matches!(self.expression(file, object), Expression::Super { .. });
        let is_own = call.object.is_none_or(|object| self.own_scope(file, object).is_some() && !is_super(object));
        if !is_own || call.name.is_empty() {
            return None;
        }
        let program = self.program();
        let named = program.named(program.name_named(call.name)?).iter().copied().filter(|symbol| {
            program.file_of(*symbol) == file
                && program.shape(*symbol).body.is_some()
                && matches!(program.definition(*symbol).kind, SymbolKind::Function | SymbolKind::Method)
        });
        let own: Vec<SymbolIdx> = named.take(2).collect();
        if let [only] = own[..] { Some(only) } else { None }
    }

    /// Returns the type around a call of a function of the own object: `this.get(path)`, or `get(path)` in languages that need no `this`.
    pub(in crate::contracts) fn own_type(&self, file: FileIdx, call: &CallShape<'p>) -> Option<SymbolIdx> {
        let Some(object) = call.object else {
            let Expression::Name { scope, .. } = self.expression(file, call.callee) else { return None };
            return self.type_around(file, *scope);
        };
        match self.own_scope(file, object) {
            Some(scope) => self.type_around(file, scope),
            None => self.own_object(file, object),
        }
    }

    /// Returns the scope of the own object or of that of the base type: `this`, `super`, and `static` of PHP.
    pub(in crate::contracts) fn own_scope(&self, file: FileIdx, object: ExpressionId) -> Option<ScopeId> {
        match self.expression(file, object) {
            Expression::This { scope } | Expression::Super { scope } => Some(*scope),
            // The other languages have an expression of their own for these keywords.
            Expression::Name { name, scope, n_before } => {
                let is_keyword = match self.program().language(file) {
                    Language::Php => matches!(self.code(file).name(*name), "self" | "static"),
                    Language::Lua => self.code(file).name(*name) == "self",
                    _ => false,
                };
                let interned = self.program().name(file, *name);
                let is_own = is_keyword && self.cx.binding_before(file, interned, *scope, *n_before).is_none();
                is_own.then_some(*scope)
            }
            _ => None,
        }
    }

    /// Returns the function of a base type or trait that a call of the own object runs, in languages without inference; `None` if several
    /// overloads, or functions of several types, take the arguments.
    fn inherited_function(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<SymbolIdx> {
        let program = self.program();
        let language = program.language(file);
        // A bare name of PHP is a global function.
        if has_inference(language) || language == Language::Php && call.object.is_none() {
            return None;
        }
        let name = program.name_named(call.name).filter(|_| !call.name.is_empty())?;
        let own = self.own_type(file, call)?;
        for bases in self.base_levels(own, MAX_BASES) {
            let members = bases.iter().flat_map(|base| program.members(*base, name)).copied();
            let with_body: Vec<SymbolIdx> = members.filter(|member| program.shape(*member).body.is_some()).collect();
            if with_body.is_empty() {
                continue;
            }
            let fitting: Vec<SymbolIdx> = with_body
                .into_iter()
                .filter(|function| self.takes_arguments(*function, call.arguments.len()))
                .collect();
            let [only] = fitting[..] else { return None };
            self.cx.consult(program.file_of(only));
            return Some(only);
        }
        None
    }

    /// Returns true if a function can be called with a number of arguments.
    fn takes_arguments(&self, function: SymbolIdx, n_arguments: usize) -> bool {
        let parameters = &self.program().shape(function).parameters;
        let n_required = parameters.iter().filter(|one| !one.is_optional && !one.is_variadic).count();
        let is_open = parameters.iter().any(|one| one.is_variadic);
        n_required <= n_arguments && (is_open || n_arguments <= parameters.len())
    }

    /// Returns the closure whose body is a scope.
    pub(super) fn closure_of_scope(&mut self, file: FileIdx, scope: ScopeId) -> Option<CalledFunction> {
        let code = self.code(file);
        let closures = self.closures.entry(file).or_insert_with(|| {
            let all = (0u32..).zip(&code.expressions);
            let closures = all.filter_map(|(idx, expression)| match expression {
                Expression::Function { scope, parameters, .. } if !parameters.is_empty() => {
                    Some((*scope, ExpressionId(idx)))
                }
                _ => None,
            });
            closures.collect::<FxHashMap<ScopeId, ExpressionId>>()
        });
        closures.get(&scope).map(|expression| CalledFunction::Closure(file, *expression))
    }
}

/// Returns true for languages in which types tell the function that a call runs.
fn has_inference(language: Language) -> bool {
    use Language::*;
    matches!(language, JavaScript | TypeScript | Tsx | Python | Go | Java | Rust | C | Cpp)
}
