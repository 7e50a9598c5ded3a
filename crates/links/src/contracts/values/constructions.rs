//! Constructions of objects of the repository's own types: `CartClient(url)`, `new CartClient(url)`, `NewCartClient(url)`.

use graph::{FileIdx, Program, SymbolIdx, Ty};
use model::{
    SymbolKind,
    code::{Expression, ExpressionId, ScopeId, TypeExpression},
};

use super::ValueReader;

/// A call that makes an object of a type of the repository.
#[derive(Debug, Clone, Copy)]
pub(in crate::contracts) struct Construction<'p> {
    pub(in crate::contracts) class: SymbolIdx,
    /// The function with the parameters: the constructor, a function of Go, or the type itself.
    pub(in crate::contracts) constructor: SymbolIdx,
    pub(in crate::contracts) arguments: &'p [ExpressionId],
}

impl<'p> ValueReader<'_, 'p> {
    /// Returns the construction that a call or constructor is.
    pub(in crate::contracts) fn construction(&mut self, file: FileIdx, site: ExpressionId) -> Option<Construction<'p>> {
        let program = self.program();
        match self.expression(file, site) {
            Expression::Make { made, arguments } if !arguments.is_empty() => {
                let (_, name) = self.written_name(file, *made)?;
                let class = self.class_of_name(file, self.code(file).name(name))?;
                Some(Construction { class, constructor: self.constructor_of(class, arguments.len())?, arguments })
            }
            Expression::Call { callee, arguments, .. } if !arguments.is_empty() => {
                match self.cx.type_of(file, *callee) {
                    Ty::Class(applied) => {
                        let constructor = self.constructor_of(applied.of, arguments.len())?;
                        Some(Construction { class: applied.of, constructor, arguments })
                    }
                    Ty::Function { candidates, .. } => {
                        // `NewClient` of Go: a function with the result of a type.
                        let function = *candidates.first()?;
                        let is_constructor = program.definition(function).name.to_ascii_lowercase().starts_with("new");
                        let declared = program.shape(function).declared.filter(|_| is_constructor)?;
                        let home = program.file_of(function);
                        let declared = match program.code(home).written(declared) {
                            TypeExpression::Tuple(parts) => *parts.first()?,
                            _ => declared,
                        };
                        // A constructor with an interface as its result returns a value of a type.
                        let returned = program.shape(function).values.first().copied();
                        let returned = returned.and_then(|value| self.cx.type_of(home, value).definition());
                        let by_name = || {
                            let (_, name) = self.written_name(home, declared)?;
                            self.class_of_name(home, program.code(home).name(name))
                        };
                        let class = by_name().filter(|class| !is_interface(program, *class)).or(returned)?;
                        Some(Construction { class, constructor: function, arguments })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the only type of a name in the language of a file.
    pub(super) fn class_of_name(&self, file: FileIdx, name: &str) -> Option<SymbolIdx> {
        let program = self.program();
        let named = program.named(program.name_named(name)?).iter().copied().filter(|symbol| {
            program.definition(*symbol).kind.is_type()
                && program.language(program.file_of(*symbol)) == program.language(file)
        });
        let classes: Vec<SymbolIdx> = named.take(2).collect();
        if let [only] = classes[..] { Some(only) } else { None }
    }

    /// Returns the constructor of a type, of several one with the given number of parameters; the type itself if its parameters stand at
    /// its name.
    pub(in crate::contracts) fn constructor_of(&self, class: SymbolIdx, n_arguments: usize) -> Option<SymbolIdx> {
        let program = self.program();
        if !program.shape(class).parameters.is_empty() {
            return Some(class);
        }
        let home = program.file_of(class);
        let members = program.symbols_of(home).filter(|symbol| program.parent(*symbol) == Some(class));
        let constructors: Vec<SymbolIdx> = members.filter(|member| is_constructor(program, *member)).collect();
        let is_whole = |one: &&SymbolIdx| program.shape(**one).parameters.len() == n_arguments;
        constructors.iter().find(is_whole).or(constructors.first()).copied()
    }

    /// Returns true if a scope is within a constructor.
    pub(in crate::contracts) fn is_in_constructor(&self, file: FileIdx, scope: ScopeId) -> bool {
        let program = self.program();
        let around = self.code(file).definition_around(scope);
        around.is_some_and(|around| is_constructor(program, program.symbol(file, around)))
    }
}

/// Returns true for a constructor of a type.
fn is_constructor(program: &Program<'_>, member: SymbolIdx) -> bool {
    let definition = program.definition(member);
    definition.kind == SymbolKind::Constructor
        || matches!(definition.name.as_str(), "__init__" | "constructor" | "initialize" | "__construct")
        || program.parent(member).is_some_and(|class| program.definition(class).name == definition.name)
}

fn is_interface(program: &Program<'_>, class: SymbolIdx) -> bool {
    matches!(program.definition(class).kind, SymbolKind::Interface | SymbolKind::Trait)
}
