//! What a name means where it stands: scopes, classes with their bases, namespaces.

use std::rc::Rc;

use model::{
    Language, SymbolKind,
    code::{Expression, Flags, ScopeId},
};

use super::{
    C,
    namespaces::{GLOBAL, Namespace},
    overloads::MAX_CANDIDATES,
};
use crate::{
    dialect::Family,
    infer::{Inference, applied_to_own, is_function},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

/// How many scopes, classes or namespaces may lie in each other.
const MAX_DEPTH: usize = 400;

/// How many namespaces are reached by `using namespace` from one.
const MAX_DIRECTIVES: usize = 16;

/// How many times a name may be taken into a namespace.
const MAX_TAKEN_IN: usize = 8;

/// What a name is looked up for: some names mean a type and a function at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Value,
    /// A type, or a namespace.
    Type,
}

/// Where a name stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) file: FileIdx,
    pub(super) scope: ScopeId,
    /// What is bound later is not seen.
    pub(super) n_before: u32,
}

impl C {
    /// Returns what a name means at a place: a value, or, where a type is wanted, the type itself or a namespace.
    pub(super) fn name(&self, cx: &mut Inference<'_>, at: Place, name: Name, wanted: Wanted) -> Ty {
        let program = cx.program;
        let code = program.code(at.file);
        let mut next = Some(at.scope);
        for _ in 0..MAX_DEPTH {
            let Some(scope_id) = next else { break };
            let Some(scope) = code.scopes.get(scope_id.index()) else { break };
            if let Some(found) = self.bound(cx, at, scope_id, name, wanted) {
                return found;
            }
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(at.file, definition);
                if let Some(namespace) = self.namespaces.of_module(symbol) {
                    return self.in_namespaces(cx, at.file, namespace, name, wanted);
                }
                if let Some(found) = self.in_definition(cx, at.file, symbol, name, wanted) {
                    return found;
                }
            }
            next = scope.parent;
        }
        let mut found = self.in_namespaces(cx, at.file, GLOBAL, name, wanted);
        for namespace in self.namespaces.opened_by_macros() {
            if found.is_unknown() {
                found = self.in_namespace(cx, at.file, *namespace, name, wanted).unwrap_or(Ty::Unknown);
            }
        }
        match found {
            // `::f` that is not there is from elsewhere.
            Ty::Unknown if at.scope == ScopeId(0) && program.language(at.file) == Language::Cpp => Ty::External,
            found => found,
        }
    }

    /// Returns what is bound to a name in a scope. A variable hides what has its name, even if nothing is known of it.
    fn bound(&self, cx: &mut Inference<'_>, at: Place, scope: ScopeId, name: Name, wanted: Wanted) -> Option<Ty> {
        let bound = cx.program.bindings(at.file, scope, name);
        let n_seen = bound.partition_point(|binding| *binding < at.n_before);
        let binding = *bound.get(n_seen.checked_sub(1)?)?;
        let code = cx.program.code(at.file);
        let value = code.bindings[binding as usize].value.map(|value| code.expression(value));
        let is_taken_in = matches!(value, Some(Expression::Path { .. } | Expression::Type(_)));
        match wanted {
            Wanted::Value => Some(known(cx.binding_value(at.file, binding))),
            Wanted::Type if is_taken_in => {
                Some(cx.binding_value(at.file, binding)).filter(|ty| matches!(ty, Ty::Class(_) | Ty::Module(_)))
            }
            Wanted::Type => None,
        }
    }

    /// Returns what a name means in a function or a type: a parameter of a template, a member of the type or of one
    /// around it; for a function written outside of its namespace, what is in that.
    fn in_definition(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        around: SymbolIdx,
        name: Name,
        wanted: Wanted,
    ) -> Option<Ty> {
        let program = cx.program;
        let is_type = |symbol: SymbolIdx| program.definition(symbol).kind.is_type();
        if let Some(parameter) = own_parameter(program, around, name) {
            return Some(parameter);
        }
        if !is_type(around) {
            let inside = program.members(around, name);
            let types: Vec<SymbolIdx> = inside.iter().copied().filter(|symbol| is_type(*symbol)).collect();
            if let Some(found) = self.meaning(cx, file, &types, wanted) {
                return Some(found);
            }
        }
        let is_friend = program.shape(around).flags.has(Flags::FRIEND);
        let mut owner = if is_type(around) { Some(around) } else { program.parent(around).filter(|_| !is_friend) };
        let mut last = None;
        for _ in 0..MAX_DEPTH {
            let Some(class) = owner.filter(|owner| is_type(*owner)) else { break };
            if let Some(found) = own_parameter(program, class, name) {
                return Some(found);
            }
            if let Some(found) = self.in_class(cx, file, class, name, wanted) {
                return Some(found);
            }
            last = Some(class);
            owner = program.parent(class);
        }
        let home = match last {
            Some(class) if program.file_of(class) != file || !is_type(around) => {
                Some(self.namespaces.around(program, program.file_of(class), class))
            }
            Some(_) => None,
            None => self.home(program, file, around),
        }?;
        let found = self.in_namespaces(cx, file, home, name, wanted);
        (!found.is_unknown()).then_some(found)
    }

    /// Returns the namespace that a function is written into from outside (`void a::f() {}`).
    fn home(&self, program: &Program<'_>, file: FileIdx, function: SymbolIdx) -> Option<Namespace> {
        let receiver = program.shape(function).receiver?;
        let model::code::TypeExpression::Named { path, .. } = program.code(file).written(receiver) else { return None };
        let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
        self.namespaces.find(self.namespaces.around(program, file, function), &path)
    }

    /// Returns a member of a class or of one of its bases.
    pub(super) fn in_class(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        class: SymbolIdx,
        name: Name,
        wanted: Wanted,
    ) -> Option<Ty> {
        let program = cx.program;
        if wanted == Wanted::Type && program.name_of(class) == name {
            return Some(Ty::Class(applied_to_own(program, class)));
        }
        let own = applied_to_own(program, class);
        let object = Ty::Object(own.clone());
        for base in cx.lineage(&own) {
            if base.of != class && wanted == Wanted::Value && program.name_of(base.of) == name {
                return Some(Ty::Class(base));
            }
            if base.of != class && wanted == Wanted::Type && program.name_of(base.of) == name {
                return Some(Ty::Class(base));
            }
            let members: Vec<SymbolIdx> = program
                .members(base.of, name)
                .iter()
                .copied()
                .filter(|member| !program.shape(*member).flags.has(Flags::FRIEND))
                .collect();
            cx.consult(program.file_of(base.of));
            let functions: Vec<SymbolIdx> = members
                .iter()
                .copied()
                .filter(|member| is_function(program.definition(*member).kind))
                .filter(|member| program.definition(*member).kind != SymbolKind::Constructor)
                .collect();
            if wanted == Wanted::Value && !functions.is_empty() {
                return Some(Ty::function(&functions, Some(Rc::new(object))));
            }
            let others: Vec<SymbolIdx> =
                members.into_iter().filter(|member| !is_function(program.definition(*member).kind)).collect();
            if wanted == Wanted::Value
                && let Some(field) = others.iter().find(|other| !program.definition(**other).kind.is_type())
            {
                return Some(known(cx.symbol_value(*field, Some(Rc::new(object)))));
            }
            if let Some(found) = self.meaning(cx, file, &others, wanted) {
                return Some(found);
            }
            if let Some(variant) = self.namespaces.variant(base.of, name).filter(|_| wanted == Wanted::Value) {
                return Some(known(cx.symbol_value(variant, None)));
            }
        }
        (wanted == Wanted::Value && program.name_of(class) == name).then_some(Ty::Class(own))
    }

    /// Returns what a name means in a namespace or in those around it.
    pub(super) fn in_namespaces(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        from: Namespace,
        name: Name,
        wanted: Wanted,
    ) -> Ty {
        let mut at = Some(from);
        while let Some(namespace) = at {
            if let Some(found) = self.in_namespace(cx, file, namespace, name, wanted) {
                return found;
            }
            at = self.namespaces.parent(namespace);
        }
        Ty::Unknown
    }

    /// Returns what a name means in one namespace.
    pub(super) fn in_namespace(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        namespace: Namespace,
        name: Name,
        wanted: Wanted,
    ) -> Option<Ty> {
        let mut symbols = Vec::new();
        let mut taken_in = Vec::new();
        self.collect(file, namespace, name, &mut symbols, &mut taken_in);
        taken_in.truncate(MAX_TAKEN_IN);
        if let Some(found) = self.meaning(cx, file, &symbols, wanted) {
            // Where the library has it, it is taken from there, and what stands in its place is not built.
            let is_fallback = taken_in.iter().any(|(other, binding)| {
                let value = cx.program.code(*other).bindings[*binding as usize].value;
                value.is_some_and(|value| cx.type_of(*other, value) == Ty::External)
            });
            return Some(if is_fallback { Ty::External } else { found });
        }
        if let Some(child) = self.namespaces.child_named(namespace, name) {
            return Some(Ty::Module(ModuleIdx { family: Family::C, index: child.0 }));
        }
        for (file, binding) in taken_in {
            let value = cx.program.code(file).bindings[binding as usize].value?;
            let found = cx.type_of(file, value);
            let fits = match wanted {
                Wanted::Value => !found.is_unknown(),
                Wanted::Type => matches!(found, Ty::Class(_) | Ty::Module(_) | Ty::External),
            };
            if fits {
                return Some(found);
            }
        }
        None
    }

    /// Collects the definitions of a name in a namespace and in those whose names it has, and what it takes in.
    fn collect(
        &self,
        file: FileIdx,
        namespace: Namespace,
        name: Name,
        symbols: &mut Vec<SymbolIdx>,
        taken_in: &mut Vec<(FileIdx, u32)>,
    ) {
        let is_seen = |other: FileIdx| self.includes.sees(file, other);
        let mut reached = vec![namespace];
        let mut at = 0;
        while let Some(one) = reached.get(at).copied() {
            at += 1;
            symbols.extend(self.namespaces.members(one, name));
            taken_in.extend(self.namespaces.taken_in_as(one, name).iter().filter(|(other, _)| is_seen(*other)));
            for (other, named) in self.namespaces.directives(one) {
                if reached.len() < MAX_DIRECTIVES && !reached.contains(named) && is_seen(*other) {
                    reached.push(*named);
                }
            }
        }
    }

    /// Returns what definitions of one name mean together, as far as they can be seen from a file.
    fn meaning(&self, cx: &mut Inference<'_>, file: FileIdx, symbols: &[SymbolIdx], wanted: Wanted) -> Option<Ty> {
        if symbols.is_empty() {
            return None;
        }
        let program = cx.program;
        let kind = |symbol: SymbolIdx| program.definition(symbol).kind;
        let is_seen = |symbol: SymbolIdx| self.includes.sees(file, program.file_of(symbol));
        if wanted == Wanted::Value {
            let functions: Vec<SymbolIdx> = symbols
                .iter()
                .copied()
                .filter(|symbol| is_function(kind(*symbol)) && kind(*symbol) != SymbolKind::Macro && is_seen(*symbol))
                .collect();
            if !functions.is_empty() {
                return Some(Ty::function(&self.with_bodies(program, file, &functions, symbols), None));
            }
            let is_variable = |symbol: SymbolIdx| {
                matches!(kind(symbol), SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Variant)
            };
            if let Some(variable) = symbols.iter().find(|symbol| is_variable(**symbol) && is_seen(**symbol)) {
                return Some(known(cx.symbol_value(*variable, None)));
            }
        }
        if let Some(of) = self.best_type(program, file, symbols) {
            cx.consult(program.file_of(of));
            if let Some(doubtful) = self.alias_of_several(cx, of, symbols) {
                return Some(doubtful);
            }
            // An alias of a value is what it stands for; one of a type is put in when its arguments are known.
            return Some(match wanted {
                Wanted::Value => cx.symbol_value(of, None),
                Wanted::Type => Ty::class(of),
            });
        }
        let macros = symbols.iter().find(|symbol| kind(**symbol) == SymbolKind::Macro && is_seen(**symbol));
        macros.filter(|_| wanted == Wanted::Value).map(|found| Ty::function(&[*found], None))
    }

    /// An alias that stands for one type or another, by conditions of the build, stands for none that is known.
    fn alias_of_several(&self, cx: &mut Inference<'_>, alias: SymbolIdx, symbols: &[SymbolIdx]) -> Option<Ty> {
        let program = cx.program;
        let is_alias = |symbol: SymbolIdx| program.definition(symbol).kind == SymbolKind::TypeAlias;
        if !is_alias(alias) || !program.shape(alias).type_parameters.is_empty() {
            return None;
        }
        let own = cx.variable(alias);
        let twins = symbols
            .iter()
            .copied()
            .filter(|other| *other != alias && is_alias(*other) && program.file_of(*other) == program.file_of(alias));
        let twins: Vec<SymbolIdx> = twins.collect();
        let is_clear = twins.iter().all(|twin| cx.variable(*twin) == own);
        (!is_clear).then_some(Ty::External)
    }

    /// Adds the functions with bodies to what only declares them.
    fn with_bodies(
        &self,
        program: &Program<'_>,
        file: FileIdx,
        functions: &[SymbolIdx],
        all: &[SymbolIdx],
    ) -> Vec<SymbolIdx> {
        let mut found: Vec<SymbolIdx> = Vec::new();
        if all.len() > MAX_CANDIDATES {
            return functions.to_vec();
        }
        for function in functions {
            let is_declared = program.shape(*function).flags.has(Flags::DECLARATION);
            let bodies: Vec<SymbolIdx> = match is_declared {
                false => Vec::new(),
                true => all.iter().copied().filter(|one| self.is_body_of(program, file, *one, *function)).collect(),
            };
            // The declaration stays beside: what may be left out in a call is said there.
            for one in bodies.into_iter().chain([*function]) {
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// Says whether a function is the body of one that is declared elsewhere.
    fn is_body_of(&self, program: &Program<'_>, file: FileIdx, body: SymbolIdx, declared: SymbolIdx) -> bool {
        let shape = program.shape(body);
        let body_file = program.file_of(body);
        is_function(program.definition(body).kind)
            && program.definition(body).kind != SymbolKind::Macro
            && !shape.flags.has(Flags::DECLARATION)
            && (!shape.flags.has(Flags::PRIVATE) || self.includes.sees(file, body_file))
            && super::overloads::same_parameters(program, body, declared)
    }

    /// Returns the type among definitions of one name: rather a type than an alias of it, rather a template than one of
    /// its specialisations, rather one that is seen than one that was declared only.
    fn best_type(&self, program: &Program<'_>, file: FileIdx, symbols: &[SymbolIdx]) -> Option<SymbolIdx> {
        let types = symbols.iter().copied().filter(|symbol| program.definition(*symbol).kind.is_type());
        let types = types.filter(|symbol| program.definition(*symbol).kind != SymbolKind::Module);
        types.min_by_key(|symbol| {
            let definition = program.definition(*symbol);
            let home = program.file_of(*symbol);
            let is_specialised = definition.signature.contains(&format!("{}<", definition.name));
            let is_far = !self.includes.sees(file, home);
            let is_alias = definition.kind == SymbolKind::TypeAlias;
            let n_shared = super::includes::n_shared(program.path(file), program.path(home));
            (is_far, is_specialised, is_alias, home != file, std::cmp::Reverse(n_shared), *symbol)
        })
    }
}

/// Returns a parameter of a template by name.
fn own_parameter(program: &Program<'_>, of: SymbolIdx, name: Name) -> Option<Ty> {
    let file = program.file_of(of);
    let parameters = &program.shape(of).type_parameters;
    let index = parameters.iter().position(|parameter| program.name(file, parameter.name) == name)?;
    Some(Ty::Parameter { of, index: index as u32 })
}

/// What has a definition is never looked for by its name alone, even if its type is not known.
pub(super) fn known(ty: Ty) -> Ty {
    if ty.is_unknown() { Ty::External } else { ty }
}
