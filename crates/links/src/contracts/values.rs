//! Sources of the value of a name or member: an expression, a parameter, a declared type, a variable of the environment.

mod assignments;
mod called_function;
mod calls;
mod constructions;
mod implementations;
mod imported;
mod members;
mod origin;
mod python_settings;

use graph::{FileIdx, Inference, Name, Program, SymbolIdx};
use model::{
    Language, SymbolKind,
    code::{Code, Expression, ExpressionId, Literal, NameId, ScopeId, TypeId},
};
use rustc_hash::FxHashMap;

use super::imports::local_name;
use assignments::{Assignments, StoredValue};

pub(super) use called_function::CalledFunction;
pub(super) use calls::{CallShape, keyword_arguments};

/// Maximum number of sources of one name. More carry no information.
const MAX_SOURCES: usize = 4;

/// Maximum number of scopes around a name.
const MAX_SCOPES: usize = 64;

/// Maximum number of steps of all evaluations of one file; a file of 2 MiB with hundreds of requests needs a tenth.
const MAX_STEPS: u32 = 200_000;

/// A source of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ValueSource {
    /// The value of an expression.
    Expression(FileIdx, ExpressionId),
    /// A parameter of a function, by its position.
    Parameter(CalledFunction, usize),
    /// An unknown value of a type.
    Declared(FileIdx, TypeId),
    /// A variable of the environment or a setting of the application.
    Variable(String),
}

/// Reads values in the code of one file and of the files that it consults.
pub(super) struct ValueReader<'c, 'p> {
    pub(super) cx: &'c mut Inference<'p>,
    assignments: FxHashMap<FileIdx, Assignments>,
    /// By file and scope: the closure whose body it is.
    closures: FxHashMap<FileIdx, FxHashMap<ScopeId, ExpressionId>>,
    n_steps: u32,
}

impl<'c, 'p> ValueReader<'c, 'p> {
    pub(super) fn new(cx: &'c mut Inference<'p>) -> ValueReader<'c, 'p> {
        ValueReader { cx, assignments: FxHashMap::default(), closures: FxHashMap::default(), n_steps: 0 }
    }

    pub(super) fn program(&self) -> &'p Program<'p> {
        self.cx.program
    }

    pub(super) fn code(&self, file: FileIdx) -> &'p Code {
        self.cx.program.code(file)
    }

    pub(super) fn expression(&self, file: FileIdx, expression: ExpressionId) -> &'p Expression {
        self.code(file).expression(expression)
    }

    /// Counts a step. Returns false if the file has used up its steps.
    pub(super) fn may_step(&mut self) -> bool {
        self.n_steps += 1;
        self.n_steps < MAX_STEPS
    }

    /// Returns the text of a literal as written.
    pub(super) fn literal(&self, file: FileIdx, expression: ExpressionId) -> Option<&'p str> {
        let code = self.code(file);
        match code.expression(expression) {
            Expression::Literal(Literal::Text(Some(text))) => Some(code.name(*text)),
            _ => None,
        }
    }

    /// Returns the sources of a name or member, in order.
    pub(super) fn sources(&mut self, file: FileIdx, expression: ExpressionId) -> Vec<ValueSource> {
        if !self.may_step() {
            return Vec::new();
        }
        let mut found = match self.expression(file, expression) {
            Expression::Name { name, scope, n_before } => {
                self.name_sources(file, expression, *name, (*scope, *n_before))
            }
            Expression::Member { of, name } | Expression::Path { of, name } => self.member_sources(file, *of, *name),
            Expression::Import { module, name: Some(name) } => self.imported_sources(file, *module, *name),
            Expression::Import { module, name: None } => self.whole_module_sources(file, *module),
            _ => Vec::new(),
        };
        // A value that is read from itself (`self.x = self.x`) is no source.
        found.retain(|source| *source != ValueSource::Expression(file, expression));
        found.truncate(MAX_SOURCES);
        found
    }

    /// Returns the sources of a name that an expression uses in a scope, behind a number of bindings.
    fn name_sources(
        &mut self,
        file: FileIdx,
        used: ExpressionId,
        name: NameId,
        (scope, n_before): (ScopeId, u32),
    ) -> Vec<ValueSource> {
        let (program, code) = (self.program(), self.code(file));
        let interned = program.name(file, name);
        let Some(binding_idx) = self.cx.binding_before(file, interned, scope, n_before) else {
            let member = self.own_member(file, scope, name);
            return if member.is_empty() { self.global_sources(file, name) } else { member };
        };
        let binding = &code.bindings[binding_idx as usize];
        let definition = code.scopes.get(binding.scope.index()).and_then(|scope| scope.definition);
        let callee = match definition {
            Some(definition) => Some(CalledFunction::Function(program.symbol(file, definition))),
            None => self.closure_of_scope(file, binding.scope),
        };
        let parameter = callee.and_then(|callee| {
            let mut parameters = self.parameters_of(callee).iter();
            let position = parameters.position(|one| program.name(file, one.name) == interned)?;
            Some(ValueSource::Parameter(callee, position))
        });
        // A parameter of Java has a value only if an annotation gives it.
        let is_injected = program.language(file) == Language::Java && binding.value.is_some();
        let parameter = parameter.filter(|_| !is_injected);
        let is_empty = |value: ExpressionId| match code.expression(value) {
            Expression::Literal(Literal::Text(Some(text))) => code.name(*text).is_empty(),
            Expression::Literal(Literal::Null) => true,
            _ => false,
        };
        let value = binding.value.filter(|value| !is_empty(*value));
        let later = match (value, parameter.is_some()) {
            (None, false) => self.later_values(file, interned, binding_idx, (used, scope)),
            _ => Vec::new(),
        };
        let value = value.or(binding.value.filter(|_| later.is_empty()));
        let value = value.into_iter().chain(later).map(|value| ValueSource::Expression(file, value));
        let declared = binding.declared.map(|declared| ValueSource::Declared(file, declared));
        parameter.into_iter().chain(value).chain(declared).collect()
    }

    /// Returns the values that a variable may have where it is used, if it is declared without one: those of both branches of
    /// `if (x) { url = a; } else { url = b; }`.
    fn later_values(
        &mut self,
        file: FileIdx,
        name: Name,
        binding: u32,
        (used, scope): (ExpressionId, ScopeId),
    ) -> Vec<ExpressionId> {
        let code = self.code(file);
        let near = self.assignments(file).of_name_around(name, used, MAX_SOURCES * 8);
        let scope_of = |place: ExpressionId, value: ExpressionId| match code.expression(place) {
            Expression::Name { scope: of, n_before, .. } => {
                // Another function may run before the one that uses the variable.
                let may_precede = value < used || code.definition_around(*of) != code.definition_around(scope);
                let is_same = self.cx.binding_before(file, name, *of, *n_before) == Some(binding);
                (may_precede && is_same).then_some(*of)
            }
            _ => None,
        };
        let own: Vec<(ScopeId, ExpressionId)> =
            near.into_iter().filter_map(|(place, value)| Some((scope_of(place, value)?, value))).collect();
        let parent = |scope: &ScopeId| code.scopes.get(scope.index())?.parent;
        let around: Vec<ScopeId> = std::iter::successors(Some(scope), parent).take(MAX_SCOPES).collect();
        // An assignment in a block around the use replaces all before it; those in other blocks are alternatives.
        let first = own.iter().rposition(|(of, _)| around.contains(of)).unwrap_or(0);
        own.into_iter().skip(first).map(|(_, value)| value).take(MAX_SOURCES).collect()
    }

    /// Returns the sources of a bare name that may be a field of the type around it, as in Java and C#.
    fn own_member(&mut self, file: FileIdx, scope: ScopeId, name: NameId) -> Vec<ValueSource> {
        let program = self.program();
        let sees_members =
            matches!(program.language(file), Language::Java | Language::Kotlin | Language::CSharp | Language::Scala);
        match self.type_around(file, scope).filter(|_| sees_members) {
            Some(owner) => self.field_sources(file, owner, name, 0),
            None => Vec::new(),
        }
    }

    /// Returns the type whose member contains a scope.
    pub(super) fn type_around(&self, file: FileIdx, scope: ScopeId) -> Option<SymbolIdx> {
        let program = self.program();
        let mut at = Some(program.symbol(file, self.code(file).definition_around(scope)?));
        for _ in 0..16 {
            let symbol = at?;
            if program.definition(symbol).kind.is_type() {
                return Some(symbol);
            }
            at = program.parent(symbol);
        }
        None
    }

    fn global_sources(&mut self, file: FileIdx, name: NameId) -> Vec<ValueSource> {
        let symbols = self.global_symbols(file, name);
        let mut found: Vec<ValueSource> =
            symbols.iter().flat_map(|symbol| self.symbol_sources(*symbol)).take(MAX_SOURCES).collect();
        if symbols.is_empty() {
            found.extend(self.default_export(file, self.code(file).name(name)));
        }
        let interned = self.program().name(file, name);
        found.extend(self.assignments(file).of_name(interned).map(|(_, value)| ValueSource::Expression(file, value)));
        found
    }

    /// Returns the definitions that a name at the level of a file means: its own, imported ones, or those of its package.
    pub(super) fn global_symbols(&mut self, file: FileIdx, name: NameId) -> Vec<SymbolIdx> {
        let program = self.program();
        let interned = program.name(file, name);
        let own = program.top(file, interned);
        if !own.is_empty() {
            return own.to_vec();
        }
        let text = program.text(interned);
        let imports = &program.facts(file).imports;
        for (idx, import) in imports.iter().enumerate() {
            if local_name(program.language(file), import) == text {
                let symbols = self.import_symbols(file, idx);
                symbols.iter().for_each(|symbol| self.cx.consult(program.file_of(*symbol)));
                return symbols;
            }
        }
        self.package_symbols(file, name)
    }

    /// Returns the definitions of a name in the package of a file, in languages whose packages are folders.
    fn package_symbols(&mut self, file: FileIdx, name: NameId) -> Vec<SymbolIdx> {
        let program = self.program();
        if program.language(file) != Language::Go {
            return Vec::new();
        }
        let folder = folder(program.path(file));
        let is_same = |symbol: &&SymbolIdx| {
            folder == self::folder(program.path(program.file_of(**symbol))) && program.parent(**symbol).is_none()
        };
        let named = program.named(program.name(file, name)).iter().filter(is_same).copied();
        let found: Vec<SymbolIdx> = named.take(MAX_SOURCES).collect();
        found.iter().for_each(|symbol| self.cx.consult(program.file_of(*symbol)));
        found
    }

    /// Returns the sources of a variable, constant or field.
    pub(in crate::contracts) fn symbol_sources(&mut self, symbol: SymbolIdx) -> Vec<ValueSource> {
        let program = self.program();
        let file = program.file_of(symbol);
        self.cx.consult(file);
        let shape = program.shape(symbol);
        // The getter of a property gives its value: `string CartUrl => config["CART_URL"];`.
        if shape.body.is_some() && program.definition(symbol).kind != SymbolKind::Property {
            return Vec::new();
        }
        let mut found: Vec<ValueSource> =
            shape.values.iter().map(|value| ValueSource::Expression(file, *value)).take(MAX_SOURCES).collect();
        found.extend(self.annotated_setting(symbol).map(ValueSource::Variable));
        found.extend(shape.declared.map(|declared| ValueSource::Declared(file, declared)));
        found
    }

    /// Returns the values that a file stores under a key of an object: `app.config["CART_URL"] = value`.
    pub(super) fn element_values(&mut self, file: FileIdx, of: ExpressionId, key: &str) -> Vec<ExpressionId> {
        let (Some(object), Some(key)) = (self.dotted(file, of), self.program().name_named(key)) else {
            return Vec::new();
        };
        let stored: Vec<_> = self.assignments(file).of_element(key).take(MAX_SOURCES * 4).collect();
        let own = stored.into_iter().filter(|(of, _)| self.dotted(file, *of).as_ref() == Some(&object));
        own.map(|(_, value)| value).take(MAX_SOURCES).collect()
    }

    /// Returns the objects and values of the assignments of a file to a field: `request` of `request.Method = value`.
    pub(super) fn field_values(&mut self, file: FileIdx, field: &str) -> Vec<(ExpressionId, ExpressionId)> {
        let Some(field) = self.program().name_named(field) else { return Vec::new() };
        let stored = self.assignments(file).of_field(field);
        let written = stored.filter_map(|(object, value)| match value {
            StoredValue::Expression(value) => Some((object?, value)),
            StoredValue::Variable(_) => None,
        });
        written.take(MAX_SOURCES * 4).collect()
    }

    fn assignments(&mut self, file: FileIdx) -> &Assignments {
        let program = self.cx.program;
        self.assignments.entry(file).or_insert_with(|| Assignments::of(program, file))
    }

    /// Returns the path and the last name of a written type.
    pub(super) fn written_name(&self, file: FileIdx, written: TypeId) -> Option<(&'p [NameId], NameId)> {
        match self.code(file).written(written) {
            model::code::TypeExpression::Named { path, .. } => Some((path, *path.last()?)),
            model::code::TypeExpression::Pointer(of) => self.written_name(file, *of),
            // `new Cart()` of TypeScript names a value.
            model::code::TypeExpression::Of(of) => match self.expression(file, *of) {
                Expression::Name { name, .. } => Some((&[], *name)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
