//! Object creation, `this`, and members declared outside of their types.

use model::{
    SymbolKind,
    code::{Flags, ScopeId, TypeExpression, TypeId},
};
use rustc_hash::FxHashMap;

use super::EcmascriptDialect;
use crate::{
    family::Family,
    infer::{CallArguments, Inference, applied_to_own},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{Applied, Ty},
};

/// Returns the members declared outside of their types: merged declarations and property assignments.
pub(super) fn attachments(
    program: &Program<'_>,
    globals: &FxHashMap<Name, Vec<SymbolIdx>>,
) -> Vec<(SymbolIdx, SymbolIdx)> {
    let mut found = merged_globals(program, globals);
    for file in program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::Ecmascript) {
        found.extend(merged_declarations(program, file));
        found.extend(assigned_members(program, file));
    }
    found
}

/// Returns the members of merged declarations with the same name: interfaces, classes, namespaces.
fn merged_declarations(program: &Program<'_>, file: FileIdx) -> Vec<(SymbolIdx, SymbolIdx)> {
    let mut firsts: FxHashMap<(Option<SymbolIdx>, &str), SymbolIdx> = FxHashMap::default();
    let mut merged: FxHashMap<SymbolIdx, SymbolIdx> = FxHashMap::default();
    let is_mergeable = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Class | SymbolKind::Module);
    for symbol in program.symbols_of(file).filter(|symbol| is_mergeable(program.definition(*symbol).kind)) {
        let definition = program.definition(symbol);
        let first = *firsts.entry((program.parent(symbol), definition.name.as_str())).or_insert(symbol);
        if first != symbol {
            merged.insert(symbol, first);
        }
    }
    let first_of = |symbol: SymbolIdx| merged.get(&program.parent(symbol)?).copied();
    program.symbols_of(file).filter_map(|symbol| Some((first_of(symbol)?, symbol))).collect()
}

/// Returns the members of merged global interfaces with the same name, over all files.
fn merged_globals(program: &Program<'_>, globals: &FxHashMap<Name, Vec<SymbolIdx>>) -> Vec<(SymbolIdx, SymbolIdx)> {
    let mut found = Vec::new();
    let mut groups: Vec<&Vec<SymbolIdx>> = globals.values().filter(|symbols| symbols.len() > 1).collect();
    groups.sort_unstable();
    for group in groups {
        let is_mergeable = |symbol: &&SymbolIdx| program.definition(**symbol).kind == SymbolKind::Interface;
        let interfaces: Vec<SymbolIdx> = group.iter().filter(is_mergeable).copied().collect();
        let Some((first, rest)) = interfaces.split_first() else { continue };
        for other in rest {
            let file = program.file_of(*other);
            let members = program.symbols_of(file).filter(|symbol| program.parent(*symbol) == Some(*other));
            found.extend(members.map(|member| (*first, member)));
        }
    }
    found
}

/// Returns the members that `a.b = function () {}` and `A.prototype.b = …` add to `a` and `A`.
fn assigned_members(program: &Program<'_>, file: FileIdx) -> Vec<(SymbolIdx, SymbolIdx)> {
    let mut found = Vec::new();
    for symbol in program.symbols_of(file) {
        let definition = program.definition(symbol);
        if definition.container.is_empty() || !matches!(definition.kind, SymbolKind::Method | SymbolKind::Class) {
            continue;
        }
        let owner = definition.container.rsplit('.').next().unwrap_or_default();
        let is_owned = program.parent(symbol).is_some_and(|parent| program.definition(parent).name == owner);
        let Some(owner) = program.name_named(owner).filter(|_| !is_owned) else { continue };
        let is_owner = |candidate: &&SymbolIdx| {
            let kind = program.definition(**candidate).kind;
            **candidate != symbol && !matches!(kind, SymbolKind::Method | SymbolKind::Interface | SymbolKind::TypeAlias)
        };
        if let [owner] = program.top(file, owner).iter().filter(is_owner).copied().collect::<Vec<_>>().as_slice() {
            found.push((*owner, symbol));
        }
    }
    found
}

/// Returns true if assignments declare members of a definition.
pub(super) fn has_assigned_members(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let file = program.file_of(symbol);
    let name = program.definition(symbol).name.as_str();
    program.symbols_of(file).any(|member| {
        let definition = program.definition(member);
        definition.kind == SymbolKind::Method
            && definition.container.rsplit('.').next() == Some(name)
            && program.parent(member) == Some(symbol)
    })
}

impl EcmascriptDialect {
    /// Returns the type of `new made(…)`.
    pub(super) fn new_expression_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        created: TypeId,
        arguments: &[model::code::ExpressionId],
    ) -> Ty {
        let callee = cx.written_type(file, created);
        let is_value = matches!(cx.program.code(file).written(created), TypeExpression::Of(_));
        let object = if is_value { self.instance_type(cx, callee) } else { callee };
        cx.made_object(object, &CallArguments { file, types: &[], values: arguments })
    }

    /// Returns the instance type that `new` creates from a value.
    pub(super) fn instance_type(&self, cx: &mut Inference<'_>, callee: Ty) -> Ty {
        match callee {
            Ty::Class(applied) => Ty::Object(applied),
            Ty::Function { candidates, .. } => match *candidates {
                [function] => Ty::object(function),
                _ => Ty::Unknown,
            },
            Ty::Builtin { name, arguments } => match name.strip_suffix(" class") {
                Some(_) => super::builtins::new_instance(name),
                None => Ty::Builtin { name, arguments },
            },
            Ty::Object(_) | Ty::Record(_) => {
                let Some(new) = self.names.new else { return Ty::Unknown };
                let file = FileIdx(0);
                let signature = match &callee {
                    Ty::Object(_) => cx.field_value(&callee, new).unwrap_or(Ty::Unknown),
                    _ => cx.member_value(file, &callee, new),
                };
                match signature {
                    Ty::FunctionType { result, .. } => (*result).clone(),
                    _ => Ty::Unknown,
                }
            }
            Ty::Union(types) | Ty::Intersection(types) => {
                let created: Vec<Ty> = types.iter().map(|ty| self.instance_type(cx, ty.clone())).collect();
                Ty::one_of(created)
            }
            Ty::Parameter { of, index } => {
                let bounds = cx.bounds(of, index);
                let created = bounds.into_iter().map(|bound| cx.deeper(|cx| self.instance_type(cx, bound)));
                created.flatten().find(|ty| !ty.is_unknown()).unwrap_or(Ty::Unknown)
            }
            Ty::Lookup { .. } => match self.resolve_lookup(cx, &callee) {
                Ty::Lookup { .. } => Ty::Unknown,
                known => self.instance_type(cx, known),
            },
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the constructors of a class, or the class itself if it declares none. An interface has no constructor.
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

    /// Returns the base class as the value of `super`, so that it can be called and has members.
    pub(super) fn base_class(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        match cx.super_object(file, scope) {
            Ty::Object(applied) => Ty::Class(applied),
            other => other,
        }
    }

    /// Returns the value of `this` in the function or class of a scope.
    pub(super) fn this_object(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        let program = cx.program;
        let definition = program.code(file).scopes.get(scope.index()).and_then(|scope| scope.definition);
        let Some(definition) = definition else { return Ty::Unknown };
        let symbol = program.symbol(file, definition);
        if program.definition(symbol).kind.is_type() {
            return Ty::Object(applied_to_own(program, symbol));
        }
        let Some(owner) = program.parent(symbol) else {
            return self.constructor_function_object(program, file, symbol);
        };
        let owner_kind = program.definition(owner).kind;
        let own: Applied = applied_to_own(program, owner);
        match owner_kind {
            kind if kind.is_type() && program.shape(symbol).flags.has(Flags::STATIC) => Ty::Class(own),
            kind if kind.is_type() => Ty::Object(own),
            SymbolKind::Variable | SymbolKind::Constant => Ty::Object(own),
            SymbolKind::Function if program.definition(symbol).parent.is_none() => Ty::Object(own),
            _ => self.constructor_function_object(program, file, symbol),
        }
    }

    /// Returns the instance type of a constructor function, if the function declares members of its instances.
    fn constructor_function_object(&self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) -> Ty {
        let definition = program.definition_id(symbol);
        let has_fields = program.code(file).fields.iter().any(|field| field.owner == definition);
        if has_fields || has_assigned_members(program, symbol) { Ty::object(symbol) } else { Ty::Unknown }
    }
}
