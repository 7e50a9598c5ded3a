//! Functions behind calls whose callee has no body, or no type: the implementation of a method of an interface, and the method of a type
//! that the code declares, where inference knows none.

use graph::{FileIdx, Name, SymbolIdx};
use model::{
    Language, SymbolKind,
    code::{Expression, Flags},
};

use super::{CallShape, ValueReader, ValueSource};
use crate::contracts::visibility::is_test_or_example;

/// Maximum number of functions of one name that are compared.
const MAX_NAMED: usize = 200;

/// Parts of the names of types that stand for another implementation in tests or without a network.
const SUBSTITUTES: [&str; 7] = ["noop", "mock", "fake", "stub", "dummy", "inmemory", "null"];

impl<'p> ValueReader<'_, 'p> {
    /// Returns a function, or the only implementation of a method that has no body.
    pub(super) fn with_body(&mut self, function: SymbolIdx) -> SymbolIdx {
        let (program, shape) = (self.program(), self.program().shape(function));
        let is_of_interface = program
            .parent(function)
            .is_some_and(|owner| matches!(program.definition(owner).kind, SymbolKind::Interface | SymbolKind::Trait));
        // A signature of TypeScript has the scope of its parameters.
        if shape.body.is_some() && !is_of_interface && !shape.flags.has(Flags::ABSTRACT) {
            return function;
        }
        self.implementation_of(function).unwrap_or(function)
    }

    fn implementation_of(&mut self, method: SymbolIdx) -> Option<SymbolIdx> {
        let program = self.program();
        let owner = program.parent(method).filter(|owner| program.definition(*owner).kind.is_type())?;
        self.implementation(owner, program.name_of(method), program.shape(method).parameters.len())
    }

    /// Returns the only method of a name that a type with a base type has.
    fn implementation(&mut self, base: SymbolIdx, name: Name, n_parameters: usize) -> Option<SymbolIdx> {
        let program = self.program();
        let (interface, language) = (&program.definition(base).name, program.language(program.file_of(base)));
        // Among so many, no method can be told to be the only one.
        let named = program.named(name).iter().copied();
        if named.len() > MAX_NAMED {
            return None;
        }
        let mut found: Vec<SymbolIdx> = named
            .filter(|symbol| {
                let (shape, home) = (program.shape(*symbol), program.file_of(*symbol));
                let is_like = program.parent(*symbol) != Some(base)
                    && shape.body.is_some()
                    && shape.parameters.len() == n_parameters;
                let is_own = is_like && program.language(home) == language && !is_test_or_example(program.path(home));
                // A type of Go does not name its interfaces.
                let has_base = || match language {
                    Language::Go => self.has_methods_of(*symbol, base),
                    _ => self.has_base(*symbol, interface),
                };
                is_own && has_base()
            })
            .collect();
        if found.len() > 1 {
            found.retain(|symbol| !self.is_substitute(*symbol));
        }
        let [only] = found[..] else { return None };
        self.cx.consult(program.file_of(only));
        Some(only)
    }

    /// Returns true if the type of a method names a base type.
    fn has_base(&self, method: SymbolIdx, base: &str) -> bool {
        let program = self.program();
        let Some(class) = program.parent(method) else { return false };
        let home = program.file_of(class);
        let mut bases = program.shape(class).bases.iter();
        bases
            .any(|one| self.written_name(home, one.base).is_some_and(|(_, name)| program.code(home).name(name) == base))
    }

    /// Returns true if the type of a method has a method for each one of an interface.
    fn has_methods_of(&self, method: SymbolIdx, interface: SymbolIdx) -> bool {
        let program = self.program();
        let Some(class) = program.parent(method).filter(|class| program.definition(*class).kind.is_type()) else {
            return false;
        };
        let mut wanted =
            program.symbols_of(program.file_of(interface)).filter(|one| program.parent(*one) == Some(interface));
        wanted.all(|one| !program.members(class, program.name_of(one)).is_empty())
    }

    fn is_substitute(&self, method: SymbolIdx) -> bool {
        let program = self.program();
        let container = program.definition(method).container.to_ascii_lowercase().replace('_', "");
        SUBSTITUTES.iter().any(|word| container.contains(word))
    }

    /// Returns the method that a call of an object of a declared type runs, where inference knows none:
    /// `publisher.Publish("orders", order)` of `IPublisher publisher`.
    pub(super) fn declared_method(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<SymbolIdx> {
        let program = self.program();
        let name = program.name_named(call.name).filter(|_| !call.name.is_empty())?;
        let class = self.declared_class(file, call)?;
        let mut owners = vec![class];
        owners.extend(self.base_types(class));
        let methods = owners.iter().flat_map(|owner| program.members(*owner, name)).copied();
        let methods: Vec<SymbolIdx> = methods
            .filter(|member| matches!(program.definition(*member).kind, SymbolKind::Method | SymbolKind::Function))
            .collect();
        let is_whole = |member: &&SymbolIdx| program.shape(**member).parameters.len() == call.arguments.len();
        let Some(method) = methods.iter().find(is_whole).or(methods.first()).copied() else {
            // Methods of an interface of TypeScript are no definitions.
            return self.implementation(class, name, call.arguments.len());
        };
        self.cx.consult(program.file_of(method));
        Some(self.with_body(method))
    }

    /// Returns the type of the repository that the object of a call is declared or made with, or that it names itself.
    fn declared_class(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<SymbolIdx> {
        let object = call.object?;
        let sources = self.sources(file, object);
        if !sources.is_empty() {
            return self.class_of_sources(sources);
        }
        let dotted = self.dotted(file, object)?;
        let name = dotted.rsplit('.').next()?;
        self.class_of_name(file, name).filter(|_| name.starts_with(char::is_uppercase))
    }

    /// Returns the type of the repository that a value is declared or made with.
    pub(super) fn class_of_sources(&self, sources: Vec<ValueSource>) -> Option<SymbolIdx> {
        let (home, written) = sources.into_iter().find_map(|source| match source {
            ValueSource::Declared(home, written) => Some((home, written)),
            ValueSource::Expression(home, value) => match self.expression(home, value) {
                Expression::Make { made, .. } => Some((home, *made)),
                _ => None,
            },
            _ => None,
        })?;
        let (_, name) = self.written_name(home, written)?;
        self.class_of_name(home, self.code(home).name(name))
    }
}
