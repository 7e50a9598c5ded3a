//! Type inference on demand: the meaning of a name, the type of a member, the result of a call.
//!
//! One inference serves one file. It caches the types that it found and notes the files that it consulted. A query that
//! depends on itself, or recurses too deeply, has no answer. Queries follow the order of the text, so that every run gives the
//! same answers.

mod accesses;
mod calls;
mod context;
mod dialect;
mod members;
mod names;
mod written;

use std::rc::Rc;

use model::code::{Expression, ExpressionId, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    family::Family,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{Applied, Ty},
};

pub(crate) use accesses::{accessed_name, is_accessible, is_named_value};
pub(crate) use calls::{mentions, parameter_at};
pub(crate) use dialect::{CallArguments, Dialect, Dialects, ResolvedMember};
pub(crate) use names::is_function;

/// Maximum recursion depth of queries. Chains of calls in real code stay below 30; each level takes some stack.
const MAX_DEPTH: u32 = 48;

/// Maximum number of queries of one inference: several times the number that a file of 2 MiB needs.
const MAX_QUERIES: u32 = 2_000_000;

/// The types and consulted files of the resolution of one file.
pub struct Inference<'p> {
    /// The definitions that types are made of.
    pub program: &'p Program<'p>,
    dialects: &'p Dialects,
    /// `None` marks a query in progress.
    values: FxHashMap<(FileIdx, ExpressionId), Option<Ty>>,
    qualifiers: FxHashMap<(FileIdx, ExpressionId), Option<Ty>>,
    symbols: FxHashMap<SymbolIdx, Option<Ty>>,
    results: FxHashMap<SymbolIdx, Option<Ty>>,
    written: FxHashMap<(FileIdx, TypeId), Option<Ty>>,
    bases: FxHashMap<SymbolIdx, Option<Rc<[Ty]>>>,
    globals: FxHashMap<(FileIdx, Name, bool), Option<accesses::GlobalValue>>,
    accesses: accesses::AccessTrace,
    /// By consulted file: the contexts of its values.
    contexts: FxHashMap<FileIdx, Rc<context::ValueContexts>>,
    consulted: FxHashSet<FileIdx>,
    depth: u32,
    n_queries: u32,
}

impl<'p> Inference<'p> {
    /// Starts an inference with empty caches.
    pub(crate) fn new(program: &'p Program<'p>, dialects: &'p Dialects) -> Inference<'p> {
        Inference {
            program,
            dialects,
            values: FxHashMap::default(),
            qualifiers: FxHashMap::default(),
            symbols: FxHashMap::default(),
            results: FxHashMap::default(),
            written: FxHashMap::default(),
            bases: FxHashMap::default(),
            globals: FxHashMap::default(),
            accesses: accesses::AccessTrace::default(),
            contexts: FxHashMap::default(),
            consulted: FxHashSet::default(),
            depth: 0,
            n_queries: 0,
        }
    }

    /// Returns the consulted files, in order.
    pub(crate) fn consulted(&self) -> Vec<FileIdx> {
        let mut files: Vec<FileIdx> = self.consulted.iter().copied().collect();
        files.sort_unstable();
        files
    }

    /// Notes that a result depends on a file.
    pub fn consult(&mut self, file: FileIdx) {
        self.consulted.insert(file);
    }

    /// Returns the dialect of a file.
    pub(crate) fn dialect(&self, file: FileIdx) -> &'p dyn Dialect {
        self.dialects.of(Family::of(self.program.language(file)))
    }

    /// Returns the files or definitions that the import with this number means; none if it is of another repository.
    pub fn import_targets(&mut self, file: FileIdx, import_idx: usize) -> Vec<Node> {
        self.dialect(file).import_targets(self, file, import_idx)
    }

    /// Returns the type of an expression of a file.
    pub fn type_of(&mut self, file: FileIdx, expression: ExpressionId) -> Ty {
        if expression == ExpressionId(0) {
            return Ty::Unknown;
        }
        if let Some(known) = self.values.get(&(file, expression)) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.values.insert((file, expression), None);
        let mark = self.accesses.mark();
        let found = self.deeper(|cx| match cx.dialect(file).type_of(cx, file, expression) {
            Some(ty) => ty,
            None => cx.expression(file, expression),
        });
        self.end_access(file, expression, mark);
        let ty = found.unwrap_or(Ty::Unknown);
        self.values.insert((file, expression), Some(ty.clone()));
        ty
    }

    /// Returns the type or namespace that an expression names as a qualifier. `query` finds it, at most once for an expression. A
    /// qualifier that is defined by itself is unknown.
    pub(crate) fn qualifier_once(
        &mut self,
        file: FileIdx,
        expression: ExpressionId,
        query: impl FnOnce(&mut Self) -> Ty,
    ) -> Ty {
        if let Some(known) = self.qualifiers.get(&(file, expression)) {
            return known.clone().unwrap_or(Ty::Unknown);
        }
        self.qualifiers.insert((file, expression), None);
        let ty = self.deeper(query).unwrap_or(Ty::Unknown);
        self.qualifiers.insert((file, expression), Some(ty.clone()));
        ty
    }

    /// Returns the type of an expression if it is in the cache.
    pub(crate) fn known_type(&self, file: FileIdx, expression: ExpressionId) -> Option<&Ty> {
        self.values.get(&(file, expression))?.as_ref()
    }

    /// Stores the type of an expression that the caller found without a query.
    pub(crate) fn remember(&mut self, file: FileIdx, expression: ExpressionId, ty: Ty) {
        self.values.insert((file, expression), Some(ty));
    }

    /// Returns the union of the types of some expressions.
    pub(crate) fn common_type(&mut self, file: FileIdx, expressions: &[ExpressionId]) -> Ty {
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
                self.call(&of, &CallArguments { file, types: type_arguments, values: arguments })
            }
            Expression::Make { made, arguments } => {
                let made = self.written_type(file, *made);
                self.made_object(made, &CallArguments { file, types: &[], values: arguments })
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
                dialect.matched_field(self, file, of, *variant, *index)
            }
            Expression::Awaited { of } => {
                let of = self.type_of(file, *of);
                dialect.awaited_type(self, of)
            }
            Expression::Tried { of } => {
                let of = self.type_of(file, *of);
                dialect.tried_type(self, of)
            }
            Expression::Dereferenced { of } => {
                let of = self.type_of(file, *of);
                dialect.dereferenced_type(self, of)
            }
            Expression::Cast { to, .. } => self.written_type(file, *to),
            Expression::Either(choices) => self.common_type(file, choices),
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
                let ty = self.written_type(file, *written);
                as_class(ty)
            }
            Expression::Operation { .. } | Expression::Import { .. } => Ty::Unknown,
        }
    }

    /// Runs a query one level deeper; no answer if the depth or the number of queries exceeds its maximum.
    pub(crate) fn deeper<T>(&mut self, query: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.n_queries += 1;
        if self.depth >= MAX_DEPTH || self.n_queries > MAX_QUERIES {
            return None;
        }
        self.depth += 1;
        let answer = query(self);
        self.depth -= 1;
        Some(answer)
    }
}

/// Returns the type of an object, as a value.
pub(crate) fn as_class(object: Ty) -> Ty {
    match object {
        Ty::Object(applied) => Ty::Class(applied),
        other => other,
    }
}

/// Returns an object of a type.
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
