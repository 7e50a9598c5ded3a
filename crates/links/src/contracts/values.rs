//! Where the value of a name or member comes from: an expression, a parameter, a declared type, a variable of the environment.

mod assignments;
mod calls;
mod origin;

use graph::{FileIdx, Inference, Node, Program, SymbolIdx, Ty};
use model::{
    Language,
    code::{Code, Expression, ExpressionId, Literal, NameId, ScopeId, TypeId},
};
use rustc_hash::FxHashMap;

use super::imports::local_name;
use assignments::Assignments;

pub(super) use calls::{CallShape, keyword_arguments};

/// Maximum number of sources of one name. More carry no information.
const MAX_SOURCES: usize = 4;

/// Maximum number of steps of all evaluations of one file; a file of 2 MiB with hundreds of requests needs a tenth.
const MAX_STEPS: u32 = 200_000;

/// A source of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ValueSource {
    /// The value of an expression.
    Expression(FileIdx, ExpressionId),
    /// A parameter of a function, by its position.
    Parameter(SymbolIdx, usize),
    /// An unknown value of a type.
    Declared(FileIdx, TypeId),
    /// A variable of the environment or a setting of the application.
    Variable(String),
}

/// Reads values in the code of one file and of the files that it consults.
pub(super) struct ValueReader<'c, 'p> {
    pub(super) cx: &'c mut Inference<'p>,
    assignments: FxHashMap<FileIdx, Assignments>,
    n_steps: u32,
}

impl<'c, 'p> ValueReader<'c, 'p> {
    pub(super) fn new(cx: &'c mut Inference<'p>) -> ValueReader<'c, 'p> {
        ValueReader { cx, assignments: FxHashMap::default(), n_steps: 0 }
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
            Expression::Name { name, scope, n_before } => self.name_sources(file, *name, *scope, *n_before),
            Expression::Member { of, name } | Expression::Path { of, name } => self.member_sources(file, *of, *name),
            Expression::Import { module, name: Some(name) } => self.imported_sources(file, *module, *name),
            _ => Vec::new(),
        };
        // A value that is read from itself (`self.x = self.x`) is no source.
        found.retain(|source| *source != ValueSource::Expression(file, expression));
        found.truncate(MAX_SOURCES);
        found
    }

    fn name_sources(&mut self, file: FileIdx, name: NameId, scope: ScopeId, n_before: u32) -> Vec<ValueSource> {
        let (program, code) = (self.program(), self.code(file));
        let interned = program.name(file, name);
        let Some(binding) = self.cx.binding_before(file, interned, scope, n_before) else {
            let member = self.own_member(file, scope, name);
            return if member.is_empty() { self.global_sources(file, name) } else { member };
        };
        let binding = &code.bindings[binding as usize];
        let parameter =
            code.scopes.get(binding.scope.index()).and_then(|scope| scope.definition).and_then(|definition| {
                let function = program.symbol(file, definition);
                let parameters = &program.shape(function).parameters;
                let position = parameters.iter().position(|one| program.name(file, one.name) == interned)?;
                Some(ValueSource::Parameter(function, position))
            });
        let value = binding.value.map(|value| ValueSource::Expression(file, value));
        let declared = binding.declared.map(|declared| ValueSource::Declared(file, declared));
        parameter.into_iter().chain(value).chain(declared).collect()
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
        let interned = self.program().name(file, name);
        found.extend(self.assignments(file).of_name(interned).map(|value| ValueSource::Expression(file, value)));
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

    /// Returns the definitions that an import of a name means.
    fn import_symbols(&mut self, file: FileIdx, import_idx: usize) -> Vec<SymbolIdx> {
        let program = self.program();
        let import = &program.facts(file).imports[import_idx];
        let mut found = Vec::new();
        for target in self.cx.import_targets(file, import_idx) {
            match target {
                Node::Symbol(symbol) => found.push(symbol),
                // A variable of a module.
                Node::File(target) => {
                    let name = program.name_named(&import.name).filter(|_| !import.name.is_empty());
                    found.extend(name.into_iter().flat_map(|name| program.top(target, name).iter().copied()));
                }
            }
        }
        found
    }

    /// Returns the sources of a name that an import within code binds.
    fn imported_sources(&mut self, file: FileIdx, module: NameId, name: NameId) -> Vec<ValueSource> {
        let program = self.program();
        let code = self.code(file);
        let (module, name) = (code.name(module), code.name(name));
        let imports = &program.facts(file).imports;
        let Some(idx) = imports.iter().position(|import| import.module == module && import.name == name) else {
            return Vec::new();
        };
        let symbols = self.import_symbols(file, idx);
        symbols.into_iter().flat_map(|symbol| self.symbol_sources(symbol)).collect()
    }

    fn member_sources(&mut self, file: FileIdx, of: ExpressionId, name: NameId) -> Vec<ValueSource> {
        if let Some(owner) = self.own_object(file, of) {
            let own = self.field_sources(file, owner, name, 0);
            if !own.is_empty() {
                return own;
            }
        }
        let ty = self.cx.type_of(file, of);
        for one in ty.alternatives() {
            if let Ty::Object(applied) | Ty::Class(applied) = one {
                let found = self.field_sources(file, applied.of, name, 0);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let of_module = self.module_member_sources(file, of, name);
        if !of_module.is_empty() {
            return of_module;
        }
        match self.object_field(file, of, name, 0) {
            Some((file, value)) => vec![ValueSource::Expression(file, value)],
            None => Vec::new(),
        }
    }

    /// Returns the type of the object whose method contains an expression, if the expression is that object.
    fn own_object(&self, file: FileIdx, of: ExpressionId) -> Option<SymbolIdx> {
        let value = match self.expression(file, of) {
            // `self` of Python is a binding.
            Expression::Name { name, scope, n_before } => {
                let name = self.program().name(file, *name);
                let binding = self.cx.binding_before(file, name, *scope, *n_before)?;
                self.expression(file, self.code(file).bindings[binding as usize].value?)
            }
            other => other,
        };
        match value {
            Expression::This { scope } => self.type_around(file, *scope),
            _ => None,
        }
    }

    /// Returns the sources of a name of an imported module: `config.BASE`.
    fn module_member_sources(&mut self, file: FileIdx, of: ExpressionId, name: NameId) -> Vec<ValueSource> {
        let program = self.program();
        let Expression::Name { name: module, .. } = self.expression(file, of) else { return Vec::new() };
        let (module, member) = (program.text(program.name(file, *module)), program.name(file, name));
        let imports = &program.facts(file).imports;
        for (idx, import) in imports.iter().enumerate() {
            if local_name(program.language(file), import) != module {
                continue;
            }
            for target in self.cx.import_targets(file, idx) {
                let Node::File(target) = target else { continue };
                self.cx.consult(target);
                let of_file = program.top(target, member).to_vec();
                let in_package = program.named(member).iter().copied().filter(|symbol| {
                    program.language(file) == Language::Go
                        && folder(program.path(program.file_of(*symbol))) == folder(program.path(target))
                });
                let symbols = if of_file.is_empty() { in_package.collect() } else { of_file };
                symbols.iter().for_each(|symbol| self.cx.consult(program.file_of(*symbol)));
                return symbols.into_iter().flat_map(|symbol| self.symbol_sources(symbol)).collect();
            }
        }
        Vec::new()
    }

    /// Returns the field of an object that a name or member means: `config.base` of `const config = {base: "…"}`.
    fn object_field(
        &mut self,
        file: FileIdx,
        of: ExpressionId,
        name: NameId,
        depth: u32,
    ) -> Option<(FileIdx, ExpressionId)> {
        let wanted = self.code(file).name(name);
        let (file, fields) = self.object(file, of, depth)?;
        let code = self.code(file);
        fields.iter().find(|(field, _)| code.name(*field) == wanted).map(|(_, value)| (file, *value))
    }

    /// Returns the fields of the object that an expression means.
    pub(super) fn object(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        depth: u32,
    ) -> Option<(FileIdx, &'p [(NameId, ExpressionId)])> {
        if depth > 4 {
            return None;
        }
        match self.expression(file, expression) {
            Expression::Object(fields) => Some((file, fields)),
            Expression::Dereferenced { of } | Expression::Cast { of, .. } => self.object(file, *of, depth + 1),
            Expression::Name { .. } => {
                let sources = self.sources(file, expression);
                sources.into_iter().find_map(|source| match source {
                    ValueSource::Expression(file, value) => self.object(file, value, depth + 1),
                    _ => None,
                })
            }
            Expression::Member { of, name } => {
                let (file, value) = self.object_field(file, *of, *name, depth + 1)?;
                self.object(file, value, depth + 1)
            }
            _ => None,
        }
    }

    /// Returns the sources of a field of a type: its declaration, and what code assigns to it.
    pub(super) fn field_sources(
        &mut self,
        file: FileIdx,
        owner: SymbolIdx,
        name: NameId,
        depth: u32,
    ) -> Vec<ValueSource> {
        let program = self.program();
        let interned = program.name(file, name);
        let home = program.file_of(owner);
        self.cx.consult(home);
        let code = self.code(home);
        let members = program.members(owner, interned).to_vec();
        let owner_id = program.definition_id(owner);
        let facts =
            code.fields.iter().filter(|fact| fact.owner == owner_id && program.name(home, fact.name) == interned);
        let mut found: Vec<ValueSource> = Vec::new();
        for fact in facts {
            found.extend(fact.value.map(|value| ValueSource::Expression(home, value)));
            found.extend(fact.declared.map(|declared| ValueSource::Declared(home, declared)));
        }
        for at in if home == file { vec![home] } else { vec![home, file] } {
            let assigned: Vec<_> = self.assignments(at).of_field(interned).collect();
            for (object, value) in assigned {
                let is_own = object.is_none_or(|object| self.is_object_of(at, object, owner));
                found.extend(is_own.then_some(value.source(at)));
            }
        }
        found.extend(members.iter().flat_map(|member| self.symbol_sources(*member)));
        if found.is_empty() && depth < 3 {
            for base in self.base_types(owner) {
                found = self.field_sources(file, base, name, depth + 1);
                if !found.is_empty() {
                    break;
                }
            }
        }
        found
    }

    /// Returns the base types of a type that are defined in the repository.
    pub(super) fn base_types(&mut self, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = self.program();
        let home = program.file_of(of);
        let mut found = Vec::new();
        for base in &program.shape(of).bases {
            let Some((_, name)) = self.written_name(home, base.base) else { continue };
            let symbols = self.global_symbols(home, name);
            found.extend(symbols.into_iter().filter(|symbol| program.definition(*symbol).kind.is_type()));
        }
        found.retain(|base| *base != of);
        found
    }

    fn is_object_of(&mut self, file: FileIdx, object: ExpressionId, owner: SymbolIdx) -> bool {
        let ty = self.cx.type_of(file, object);
        ty.alternatives().iter().any(|one| matches!(one, Ty::Object(applied) if applied.of == owner))
    }

    /// Returns the sources of a variable, constant or field.
    fn symbol_sources(&mut self, symbol: SymbolIdx) -> Vec<ValueSource> {
        let program = self.program();
        let file = program.file_of(symbol);
        self.cx.consult(file);
        let shape = program.shape(symbol);
        if shape.body.is_some() {
            return Vec::new();
        }
        let mut found: Vec<ValueSource> =
            shape.values.iter().map(|value| ValueSource::Expression(file, *value)).take(MAX_SOURCES).collect();
        found.extend(self.annotated_setting(symbol).map(ValueSource::Variable));
        found.extend(shape.declared.map(|declared| ValueSource::Declared(file, declared)));
        found
    }

    /// Returns the setting that an annotation gives to a field: `@Value("${cart.url}")`, `@ConfigProperty(name = "cart.url")`.
    fn annotated_setting(&self, symbol: SymbolIdx) -> Option<String> {
        let program = self.program();
        let (file, definition) = (program.file_of(symbol), program.definition_id(symbol));
        let code = self.code(file);
        let decorations = code.decorations.iter().filter(|decoration| decoration.definition == definition);
        decorations.into_iter().find_map(|decoration| {
            let Expression::Call { callee, arguments, .. } = code.expression(decoration.expression) else {
                return None;
            };
            let Expression::Name { name, .. } = code.expression(*callee) else { return None };
            let text = arguments.first().and_then(|first| match code.expression(*first) {
                Expression::Object(fields) => {
                    let is_name = |(field, _): &&(NameId, ExpressionId)| matches!(code.name(*field), "name" | "value");
                    self.literal(file, fields.iter().find(is_name)?.1)
                }
                _ => self.literal(file, *first),
            })?;
            match code.name(*name) {
                "Value" => Some(text.trim_start_matches("${").trim_end_matches('}').to_owned()),
                "ConfigProperty" | "Property" => Some(text.to_owned()),
                _ => None,
            }
        })
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
            _ => None,
        }
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
