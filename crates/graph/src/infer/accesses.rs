//! The definitions that an expression accesses: fields, properties, enum members, constants and variables.
//!
//! The type of an access is the type of a definition. While it is inferred, the inference notes the definitions that it takes
//! types from, so that an access follows the same rules as a call.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags},
};
use rustc_hash::FxHashMap;

use super::{Inference, is_function};
use crate::{
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// The value of a name at the level of a file.
#[derive(Clone)]
pub(super) struct GlobalValue {
    pub(super) value: Ty,
    /// The definitions that the value comes from.
    pub(super) definitions: Rc<[SymbolIdx]>,
}

/// The definitions that types come from.
#[derive(Default)]
pub(super) struct AccessTrace {
    /// Those of the current queries. An inner query removes its own when it ends.
    current: Vec<SymbolIdx>,
    /// By expression.
    of_expression: FxHashMap<(FileIdx, ExpressionId), Rc<[SymbolIdx]>>,
}

impl AccessTrace {
    /// Returns the start of a query.
    pub(super) fn mark(&self) -> usize {
        self.current.len()
    }

    /// Returns the definitions since the start of a query.
    pub(super) fn since(&self, mark: usize) -> &[SymbolIdx] {
        &self.current[mark..]
    }

    pub(super) fn extend(&mut self, definitions: &[SymbolIdx]) {
        self.current.extend_from_slice(definitions);
    }

    /// Puts a definition in place of those that its own type comes from.
    pub(super) fn replace(&mut self, mark: usize, by: SymbolIdx) {
        self.current.truncate(mark);
        self.current.push(by);
    }
}

impl Inference<'_> {
    /// Stores the definitions that an expression names, at the end of the query of its type.
    pub(super) fn end_access(&mut self, file: FileIdx, expression: ExpressionId, mark: usize) {
        if self.accesses.current.len() == mark {
            return;
        }
        let program = self.program;
        let name = accessed_name(program, file, expression);
        let is_named = |symbol: &SymbolIdx| is_accessible(program, *symbol) && Some(program.name_of(*symbol)) == name;
        let mut named: Vec<SymbolIdx> = self.accesses.since(mark).iter().copied().filter(is_named).collect();
        if named.is_empty() && name.is_some_and(|name| is_alias(program, file, name)) {
            named =
                self.accesses.since(mark).iter().copied().filter(|symbol| is_accessible(program, *symbol)).collect();
        }
        self.accesses.current.truncate(mark);
        named.sort_unstable();
        named.dedup();
        if !named.is_empty() {
            self.accesses.of_expression.insert((file, expression), named.into());
        }
    }

    /// Notes that the current query takes its type from a definition.
    pub(crate) fn note_access(&mut self, definition: SymbolIdx) {
        self.accesses.extend(&[definition]);
    }

    /// Returns the type of an expression that is the value of a name, such as an export. An access of the name accesses the
    /// definitions of the expression.
    pub(crate) fn type_of_alias(&mut self, file: FileIdx, expression: ExpressionId) -> Ty {
        let ty = self.type_of(file, expression);
        if let Some(definitions) = self.accesses.of_expression.get(&(file, expression)).cloned() {
            self.accesses.extend(&definitions);
        }
        ty
    }

    /// Returns the fields, properties, enum members, constants and variables that an expression accesses.
    pub(crate) fn accessed_definitions(&mut self, file: FileIdx, expression: ExpressionId) -> Vec<SymbolIdx> {
        let ty = self.type_of(file, expression);
        if let Some(known) = self.accesses.of_expression.get(&(file, expression)) {
            return known.to_vec();
        }
        let is_variant = |symbol: &SymbolIdx| self.program.definition(*symbol).kind == SymbolKind::Variant;
        match ty {
            // An enum member with fields is a function or a type of its own.
            Ty::Function { candidates, .. } => candidates.iter().copied().filter(is_variant).collect(),
            Ty::Class(applied) | Ty::Object(applied) => Some(applied.of).filter(is_variant).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl Inference<'_> {
    /// Returns the functions and types that an expression names as values: code passes them on, or names their members.
    pub(crate) fn named_values(&mut self, file: FileIdx, expression: ExpressionId) -> Vec<SymbolIdx> {
        let program = self.program;
        let Some(name) = accessed_name(program, file, expression) else { return Vec::new() };
        let named = match self.type_of(file, expression) {
            Ty::Function { candidates, .. } => candidates.to_vec(),
            Ty::Class(applied) => vec![applied.of],
            _ => Vec::new(),
        };
        let is_it = |symbol: &SymbolIdx| program.name_of(*symbol) == name || is_alias(program, file, name);
        named.into_iter().filter(|symbol| is_named_value(program, *symbol) && is_it(symbol)).collect()
    }
}

/// Returns the name that an expression accesses.
pub(crate) fn accessed_name(program: &Program<'_>, file: FileIdx, expression: ExpressionId) -> Option<Name> {
    match program.code(file).expression(expression) {
        Expression::Member { name, .. } | Expression::Path { name, .. } | Expression::Name { name, .. } => {
            Some(program.name(file, *name))
        }
        _ => None,
    }
}

/// Returns true if an import of a file gives a definition this name.
fn is_alias(program: &Program<'_>, file: FileIdx, name: Name) -> bool {
    let text = program.text(name);
    program.facts(file).imports.iter().any(|import| import.alias == text)
}

/// Returns true if a read of a definition is an access: it has a value, and is no function.
pub(crate) fn is_accessible(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    use SymbolKind::*;
    let kind = program.definition(symbol).kind;
    let has_value = matches!(kind, Field | Property | Variant | Constant | Variable);
    has_value || is_function(kind) && program.shape(symbol).flags.has(Flags::PROPERTY)
}

/// Returns true for functions and types. A read of their names is a reference.
pub(crate) fn is_named_value(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let kind = program.definition(symbol).kind;
    (is_function(kind) || kind.is_type() || kind == SymbolKind::Trait) && !is_accessible(program, symbol)
}
