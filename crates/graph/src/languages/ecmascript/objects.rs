//! Objects: what makes them, what `this` is, and which members stand outside of their types.

use model::{
    SymbolKind,
    code::{Flags, ScopeId, TypeExpression, TypeId},
};
use rustc_hash::FxHashMap;

use super::Ecmascript;
use crate::{
    dialect::Family,
    infer::{Arguments, Inference, applied_to_own},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{Applied, Ty},
};

/// Finds members that stand outside: of interfaces that are declared again, and of what functions are assigned to.
pub(super) fn attachments(
    program: &Program<'_>,
    globals: &FxHashMap<Name, Vec<SymbolIdx>>,
) -> Vec<(SymbolIdx, SymbolIdx)> {
    let mut found = Vec::new();
    merge_globals(program, globals, &mut found);
    for file in program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Ecmascript) {
        merge_declarations(program, file, &mut found);
        attach_assigned(program, file, &mut found);
    }
    found
}

/// An interface that is declared twice, or beside a class, has the members of both.
fn merge_declarations(program: &Program<'_>, file: FileIdx, found: &mut Vec<(SymbolIdx, SymbolIdx)>) {
    let mut firsts: FxHashMap<(Option<SymbolIdx>, &str), SymbolIdx> = FxHashMap::default();
    let mut merged: FxHashMap<SymbolIdx, SymbolIdx> = FxHashMap::default();
    let is_open = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Class | SymbolKind::Module);
    for symbol in program.symbols_of(file).filter(|symbol| is_open(program.definition(*symbol).kind)) {
        let definition = program.definition(symbol);
        let first = *firsts.entry((program.parent(symbol), definition.name.as_str())).or_insert(symbol);
        if first != symbol {
            merged.insert(symbol, first);
        }
    }
    for symbol in program.symbols_of(file) {
        if let Some(first) = program.parent(symbol).and_then(|parent| merged.get(&parent)) {
            found.push((*first, symbol));
        }
    }
}

/// Global interfaces of one name have the members of all, whichever files they stand in.
fn merge_globals(
    program: &Program<'_>,
    globals: &FxHashMap<Name, Vec<SymbolIdx>>,
    found: &mut Vec<(SymbolIdx, SymbolIdx)>,
) {
    let mut groups: Vec<&Vec<SymbolIdx>> = globals.values().filter(|symbols| symbols.len() > 1).collect();
    groups.sort_unstable();
    for group in groups {
        let is_open = |symbol: &&SymbolIdx| program.definition(**symbol).kind == SymbolKind::Interface;
        let open: Vec<SymbolIdx> = group.iter().filter(is_open).copied().collect();
        let Some((first, rest)) = open.split_first() else { continue };
        for other in rest {
            let file = program.file_of(*other);
            let members = program.symbols_of(file).filter(|symbol| program.parent(*symbol) == Some(*other));
            found.extend(members.map(|member| (*first, member)));
        }
    }
}

/// `a.b = function () {}` and `A.prototype.b = …` are members of `a` and of `A`.
fn attach_assigned(program: &Program<'_>, file: FileIdx, found: &mut Vec<(SymbolIdx, SymbolIdx)>) {
    for symbol in program.symbols_of(file) {
        let definition = program.definition(symbol);
        if definition.container.is_empty() || !matches!(definition.kind, SymbolKind::Method | SymbolKind::Class) {
            continue;
        }
        let owner = definition.container.rsplit('.').next().unwrap_or_default();
        let is_there = program.parent(symbol).is_some_and(|parent| program.definition(parent).name == owner);
        let Some(owner) = program.name_named(owner).filter(|_| !is_there) else { continue };
        let is_owner = |candidate: &&SymbolIdx| {
            let kind = program.definition(**candidate).kind;
            **candidate != symbol && !matches!(kind, SymbolKind::Method | SymbolKind::Interface | SymbolKind::TypeAlias)
        };
        if let [owner] = program.top(file, owner).iter().filter(is_owner).copied().collect::<Vec<_>>().as_slice() {
            found.push((*owner, symbol));
        }
    }
}

/// Says whether members were attached to a definition by assignments.
pub(super) fn has_attached(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let file = program.file_of(symbol);
    let name = program.definition(symbol).name.as_str();
    program.symbols_of(file).any(|member| {
        let definition = program.definition(member);
        definition.kind == SymbolKind::Method
            && definition.container.rsplit('.').next() == Some(name)
            && program.parent(member) == Some(symbol)
    })
}

impl Ecmascript {
    /// Returns the object that `new made(…)` gives.
    pub(super) fn made(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        made: TypeId,
        arguments: &[model::code::ExpressionId],
    ) -> Ty {
        let callee = cx.written(file, made);
        let is_value = matches!(cx.program.code(file).written(made), TypeExpression::Of(_));
        let object = if is_value { self.constructed(cx, callee) } else { callee };
        cx.made(object, &Arguments { file, types: &[], values: arguments })
    }

    /// Returns an object of what a value makes with `new`.
    pub(super) fn constructed(&self, cx: &mut Inference<'_>, callee: Ty) -> Ty {
        match callee {
            Ty::Class(applied) => Ty::Object(applied),
            Ty::Function { candidates, .. } => match *candidates {
                [function] => Ty::object(function),
                _ => Ty::Unknown,
            },
            Ty::Builtin { name, arguments } => match name.strip_suffix(" class") {
                Some(_) => super::builtins::made(name),
                None => Ty::Builtin { name, arguments },
            },
            Ty::Object(_) | Ty::Record(_) => {
                let Some(new) = self.names.new else { return Ty::Unknown };
                let file = FileIdx(0);
                let signature = match &callee {
                    Ty::Object(_) => {
                        let lineage_value = cx.field_value(&callee, new);
                        lineage_value.unwrap_or(Ty::Unknown)
                    }
                    _ => cx.member_value(file, &callee, new),
                };
                match signature {
                    Ty::FunctionType { result, .. } => (*result).clone(),
                    _ => Ty::Unknown,
                }
            }
            Ty::Union(types) | Ty::Intersection(types) => {
                let made: Vec<Ty> = types.iter().map(|ty| self.constructed(cx, ty.clone())).collect();
                Ty::one_of(made)
            }
            Ty::Parameter { of, index } => {
                let bounds = cx.bounds(of, index);
                let made = bounds.into_iter().map(|bound| cx.deeper(|cx| self.constructed(cx, bound)));
                made.flatten().find(|ty| !ty.is_unknown()).unwrap_or(Ty::Unknown)
            }
            Ty::Lookup { .. } => match self.looked_up(cx, &callee) {
                Ty::Lookup { .. } => Ty::Unknown,
                known => self.constructed(cx, known),
            },
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the constructors of a class: its own, or the class itself. An interface has none that could be called.
    pub(super) fn constructors_of(&self, program: &Program<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let kind = program.definition(of).kind;
        let own = self.names.constructor.map_or(&[] as &[SymbolIdx], |name| program.members(of, name));
        let own: Vec<SymbolIdx> =
            own.iter().filter(|one| crate::infer::is_function(program.definition(**one).kind)).copied().collect();
        match kind {
            SymbolKind::Class if own.is_empty() => vec![of],
            SymbolKind::Class => own,
            kind if crate::infer::is_function(kind) => vec![of],
            _ => Vec::new(),
        }
    }

    /// Returns what `super` is: the base as a class, so that it can be called as well as asked for members.
    pub(super) fn base_class(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        match cx.super_object(file, scope) {
            Ty::Object(applied) => Ty::Class(applied),
            other => other,
        }
    }

    /// Returns what `this` is in the function or class whose scope is given.
    pub(super) fn this_object(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let program = cx.program;
        let definition = program.code(file).scopes.get(scope.index()).and_then(|scope| scope.definition);
        let Some(definition) = definition else { return Ty::Unknown };
        let symbol = program.symbol(file, definition);
        if program.definition(symbol).kind.is_type() {
            return Ty::Object(applied_to_own(program, symbol));
        }
        let Some(owner) = program.parent(symbol) else { return self.made_by(program, file, symbol) };
        let owner_kind = program.definition(owner).kind;
        let own: Applied = applied_to_own(program, owner);
        match owner_kind {
            kind if kind.is_type() && program.shape(symbol).flags.has(Flags::STATIC) => Ty::Class(own),
            kind if kind.is_type() => Ty::Object(own),
            SymbolKind::Variable | SymbolKind::Constant => Ty::Object(own),
            SymbolKind::Function if program.definition(symbol).parent.is_none() => Ty::Object(own),
            _ => self.made_by(program, file, symbol),
        }
    }

    /// Returns what a function makes when it is called with `new`, if it is one that gives members to what it makes.
    fn made_by(&self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) -> Ty {
        let definition = program.definition_id(symbol);
        let gives = program.code(file).fields.iter().any(|field| field.owner == definition);
        if gives || has_attached(program, symbol) { Ty::object(symbol) } else { Ty::Unknown }
    }
}
