//! The types of expressions, found on demand: what a name stands for, what a member is, what a call gives.
//!
//! One inference serves one file: it remembers what it found, and which other files it looked into. A question that leads
//! back to itself, or too deep, has no answer. The order of questions is that of the text, so that answers are the same in
//! every run.

mod calls;
mod context;
mod members;
mod names;
mod written;

use std::rc::Rc;

use model::code::{Expression, ExpressionId, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dialect::Dialect,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{Applied, Ty},
};

pub(crate) use calls::{Arguments, mentions, parameter_at};
pub(crate) use members::{Member, OWN_TYPE};
pub(crate) use names::is_function;

/// How deep questions lead to questions. Chains of calls in real code stay below 30; each level takes some stack.
const MAX_DEPTH: u32 = 48;

/// How many questions one inference answers before it gives up on new ones: several times what a file of 2 MiB asks.
const MAX_QUESTIONS: u32 = 2_000_000;

/// What is known while one file is resolved.
pub(crate) struct Inference<'p> {
    pub(crate) program: &'p Program<'p>,
    /// Nothing: the question is open.
    values: FxHashMap<(FileIdx, ExpressionId), Option<Ty>>,
    symbols: FxHashMap<SymbolIdx, Option<Ty>>,
    results: FxHashMap<SymbolIdx, Option<Ty>>,
    written: FxHashMap<(FileIdx, TypeId), Option<Ty>>,
    bases: FxHashMap<SymbolIdx, Option<Rc<[Ty]>>>,
    globals: FxHashMap<(FileIdx, Name, bool), Option<Ty>>,
    /// What the places of values say, per file that was looked into.
    contexts: FxHashMap<FileIdx, Rc<context::Context>>,
    consulted: FxHashSet<FileIdx>,
    depth: u32,
    n_questions: u32,
}

impl<'p> Inference<'p> {
    /// Starts an inference that knows nothing yet.
    pub(crate) fn new(program: &'p Program<'p>) -> Inference<'p> {
        Inference {
            program,
            values: FxHashMap::default(),
            symbols: FxHashMap::default(),
            results: FxHashMap::default(),
            written: FxHashMap::default(),
            bases: FxHashMap::default(),
            globals: FxHashMap::default(),
            contexts: FxHashMap::default(),
            consulted: FxHashSet::default(),
            depth: 0,
            n_questions: 0,
        }
    }

    /// Returns the files that were looked into, in order.
    pub(crate) fn consulted(&self) -> Vec<FileIdx> {
        let mut files: Vec<FileIdx> = self.consulted.iter().copied().collect();
        files.sort_unstable();
        files
    }

    /// Notes that what is found depends on a file.
    pub(crate) fn consult(&mut self, file: FileIdx) {
        self.consulted.insert(file);
    }

    /// Returns what knows the language of a file.
    pub(crate) fn dialect(&self, file: FileIdx) -> &'p dyn Dialect {
        self.program.dialect(file)
    }

    /// Returns the type of an expression of a file.
    pub(crate) fn type_of(&mut self, file: FileIdx, expression: ExpressionId) -> Ty {
        if expression == ExpressionId(0) {
            return Ty::Unknown;
        }
        if let Some(known) = self.values.get(&(file, expression)) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.values.insert((file, expression), None);
        let found = self.deeper(|cx| match cx.dialect(file).type_of(cx, file, expression) {
            Some(ty) => ty,
            None => cx.expression(file, expression),
        });
        let ty = found.unwrap_or(Ty::Unknown);
        self.values.insert((file, expression), Some(ty.clone()));
        ty
    }

    /// Returns the type of an expression if it was asked for before, and found.
    pub(crate) fn known(&self, file: FileIdx, expression: ExpressionId) -> Option<&Ty> {
        self.values.get(&(file, expression))?.as_ref()
    }

    /// Remembers the type of an expression that was found in another way than by asking for it.
    pub(crate) fn remember(&mut self, file: FileIdx, expression: ExpressionId, ty: Ty) {
        self.values.insert((file, expression), Some(ty));
    }

    /// Returns what all of some expressions have in common: one of their types.
    pub(crate) fn common(&mut self, file: FileIdx, expressions: &[ExpressionId]) -> Ty {
        let types: Vec<Ty> = expressions.iter().map(|expression| self.type_of(file, *expression)).collect();
        Ty::one_of(types)
    }

    fn expression(&mut self, file: FileIdx, expression: ExpressionId) -> Ty {
        let program = self.program;
        let dialect = self.dialect(file);
        let written = program.code(file).expression(expression);
        match written {
            Expression::Opaque => Ty::Unknown,
            Expression::Literal(literal) => dialect.literal(self, *literal),
            Expression::Name { name, scope, n_before } => {
                self.name_value(file, program.name(file, *name), *scope, *n_before)
            }
            Expression::This { scope } => dialect.this(self, file, *scope),
            Expression::Super { scope } => self.super_object(file, *scope),
            Expression::Member { of, name } | Expression::Path { of, name } => {
                let of = self.type_of(file, *of);
                self.member_value(file, &of, program.name(file, *name))
            }
            Expression::Call { callee, type_arguments, arguments } => {
                let of = self.type_of(file, *callee);
                self.call(&of, &Arguments { file, types: type_arguments, values: arguments })
            }
            Expression::Make { made, arguments } => {
                let made = self.written(file, *made);
                self.made(made, &Arguments { file, types: &[], values: arguments })
            }
            Expression::Element { of, index } => {
                let of = self.type_of(file, *of);
                dialect.element(self, file, of, *index)
            }
            Expression::Item { of } => {
                let of = self.type_of(file, *of);
                dialect.item(self, file, of)
            }
            Expression::Part { of, index } => {
                let of = self.type_of(file, *of);
                dialect.part(self, file, of, *index)
            }
            Expression::Matched { of, variant, index } => {
                let of = self.type_of(file, *of);
                dialect.matched(self, file, of, *variant, *index)
            }
            Expression::Awaited { of } => {
                let of = self.type_of(file, *of);
                dialect.awaited(self, of)
            }
            Expression::Tried { of } => {
                let of = self.type_of(file, *of);
                dialect.tried(self, of)
            }
            Expression::Dereferenced { of } => {
                let of = self.type_of(file, *of);
                dialect.dereferenced(self, of)
            }
            Expression::Cast { to, .. } => self.written(file, *to),
            Expression::Either(choices) => self.common(file, choices),
            Expression::Tuple(parts) => {
                Ty::Tuple(parts.iter().map(|part| self.type_of(file, *part)).collect::<Vec<_>>().into())
            }
            Expression::List(_) => dialect.collection(self, file, written),
            Expression::Object(fields) => {
                let fields: Vec<(Name, Ty)> = fields
                    .iter()
                    .map(|(name, value)| (program.name(file, *name), self.type_of(file, *value)))
                    .collect();
                Ty::Record(fields.into())
            }
            Expression::Function { .. } => Ty::Closure { file, expression },
            Expression::Definition(definition) => self.symbol_value(program.symbol(file, *definition), None),
            Expression::Type(written) => {
                let ty = self.written(file, *written);
                as_class(ty)
            }
            Expression::Operation { .. } | Expression::Import { .. } => Ty::Unknown,
        }
    }

    /// Asks one question deeper; no answer where that would be too deep, or too much.
    pub(crate) fn deeper<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.n_questions += 1;
        if self.depth >= MAX_DEPTH || self.n_questions > MAX_QUESTIONS {
            return None;
        }
        self.depth += 1;
        let answer = ask(self);
        self.depth -= 1;
        Some(answer)
    }
}

/// Returns the type itself in the place of an object of it.
pub(crate) fn as_class(object: Ty) -> Ty {
    match object {
        Ty::Object(applied) => Ty::Class(applied),
        other => other,
    }
}

/// Returns an object in the place of its type.
pub(crate) fn as_object(class: Ty) -> Ty {
    match class {
        Ty::Class(applied) => Ty::Object(applied),
        other => other,
    }
}

/// Returns a type applied to its own parameters.
pub(crate) fn applied_to_own(program: &Program<'_>, of: SymbolIdx) -> Applied {
    let n_parameters = program.shape(of).type_parameters.len() as u32;
    Applied { of, arguments: (0..n_parameters).map(|index| Ty::Parameter { of, index }).collect() }
}
