//! The meaning of a name: scopes from the inside out, then the level of the file.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, ScopeId},
};

use super::{Inference, accesses::GlobalValue, applied_to_own};
use crate::{
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Maximum nesting depth of scopes.
const MAX_SCOPES: usize = 400;

impl<'p> Inference<'p> {
    /// Returns the value of a name at a place of a file.
    pub(crate) fn name_value(&mut self, file: FileIdx, name: Name, scope: ScopeId, n_before: u32) -> Ty {
        let program = self.program;
        let dialect = self.dialect(file);
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope_id) = at else { break };
            let Some(scope) = code.scopes.get(scope_id.index()) else { break };
            let bound = program.bindings(file, scope_id, name);
            let before = bound.partition_point(|binding| *binding < n_before);
            let binding = match before {
                0 if dialect.hoists() => bound.first(),
                0 => None,
                n => bound.get(n - 1),
            };
            if let Some(binding) = binding {
                return self.binding_value(file, *binding);
            }
            if let Some(definition) = scope.definition
                && !dialect.binds_definitions()
                && let Some(found) = self.name_in_definition(program.symbol(file, definition), name)
            {
                return found;
            }
            at = scope.parent;
        }
        self.global(file, name)
    }

    /// Returns the number of the binding that a name means at a place of a file, if it means one.
    pub fn binding_before(&self, file: FileIdx, name: Name, scope: ScopeId, n_before: u32) -> Option<u32> {
        let code = self.program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let scope_id = at?;
            let bound = self.program.bindings(file, scope_id, name);
            let before = bound.partition_point(|binding| *binding < n_before);
            if let Some(binding) = before.checked_sub(1).and_then(|last| bound.get(last)) {
                return Some(*binding);
            }
            at = code.scopes.get(scope_id.index())?.parent;
        }
        None
    }

    /// Returns the definitions that an expression names. It does not evaluate properties.
    pub(crate) fn type_of_named(&mut self, file: FileIdx, expression: ExpressionId) -> Vec<SymbolIdx> {
        let program = self.program;
        match program.code(file).expression(expression) {
            Expression::Member { of, name } | Expression::Path { of, name } => {
                let of = self.type_of(file, *of);
                match self.member(file, &of, program.name(file, *name)) {
                    super::ResolvedMember::Symbols(symbols) => symbols,
                    _ => Vec::new(),
                }
            }
            Expression::Name { .. } => match self.type_of(file, expression) {
                Ty::Function { candidates, .. } => candidates.to_vec(),
                Ty::Class(applied) => vec![applied.of],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the value of a name at the level of a file.
    pub fn global(&mut self, file: FileIdx, name: Name) -> Ty {
        self.cached_global(file, name, false)
    }

    /// Returns the type of a name at the level of a file.
    pub(crate) fn global_type(&mut self, file: FileIdx, name: Name) -> Ty {
        self.cached_global(file, name, true)
    }

    fn cached_global(&mut self, file: FileIdx, name: Name, as_type: bool) -> Ty {
        let key = (file, name, as_type);
        if let Some(known) = self.globals.get(&key) {
            let Some(known) = known.clone() else { return Ty::Unknown };
            self.accesses.extend(&known.definitions);
            return known.value;
        }
        self.globals.insert(key, None);
        self.consult(file);
        let mark = self.accesses.mark();
        let dialect = self.dialect(file);
        let query = |cx: &mut Self| {
            if as_type { dialect.global_type(cx, file, name) } else { dialect.global(cx, file, name) }
        };
        let value = self.deeper(query).unwrap_or(Ty::Unknown);
        let definitions = self.accesses.since(mark).into();
        self.globals.insert(key, Some(GlobalValue { value: value.clone(), definitions }));
        value
    }

    /// Returns a definition that is visible by its bare name in another one.
    fn name_in_definition(&mut self, enclosing: SymbolIdx, name: Name) -> Option<Ty> {
        let program = self.program;
        let kind = program.definition(enclosing).kind;
        let sees_members_bare = self.dialect(program.file_of(enclosing)).sees_members_bare();
        if !kind.is_type() {
            let inside = program.members(enclosing, name);
            if !inside.is_empty() {
                return Some(self.symbols_value(inside, None));
            }
        }
        let owner = if kind.is_type() { Some(enclosing) } else { program.parent(enclosing) };
        let owner = owner.filter(|owner| sees_members_bare && program.definition(*owner).kind.is_type())?;
        let object = Ty::Object(applied_to_own(program, owner));
        let found = self.member_of_object(program.file_of(enclosing), &object, name)?;
        Some(self.symbols_value(&found, Some(Rc::new(object))))
    }

    /// Returns the type of a binding.
    pub(crate) fn binding_value(&mut self, file: FileIdx, binding: u32) -> Ty {
        if let Some(ty) = self.dialect(file).binding_type(self, file, binding) {
            return ty;
        }
        let binding = &self.program.code(file).bindings[binding as usize];
        match (binding.declared, binding.value) {
            (Some(declared), _) => self.written_type(file, declared),
            (None, Some(value)) => self.type_of(file, value),
            (None, None) => self.closure_parameter(file, binding.scope, self.program.name(file, binding.name)),
        }
    }

    /// Returns definitions of one name as one value: several functions are one overloaded function.
    pub(crate) fn symbols_value(&mut self, symbols: &[SymbolIdx], receiver: Option<Rc<Ty>>) -> Ty {
        let program = self.program;
        match symbols {
            [] => Ty::Unknown,
            [single] => self.symbol_value(*single, receiver),
            all if all.iter().all(|symbol| is_function(program.definition(*symbol).kind)) => {
                all.iter().for_each(|symbol| self.consult(program.file_of(*symbol)));
                if program.shape(all[0]).flags.has(Flags::PROPERTY) {
                    return self.symbol_value(all[0], receiver);
                }
                Ty::function(all, receiver)
            }
            // For example a type and a value of one name, or a variable that is defined in two branches.
            all => {
                let values: Vec<Ty> = all.iter().map(|symbol| self.symbol_value(*symbol, receiver.clone())).collect();
                Ty::one_of(values)
            }
        }
    }

    /// Returns a definition as a value; a member as a member of `receiver`.
    pub(crate) fn symbol_value(&mut self, symbol: SymbolIdx, receiver: Option<Rc<Ty>>) -> Ty {
        let program = self.program;
        self.consult(program.file_of(symbol));
        let kind = program.definition(symbol).kind;
        match kind {
            kind if is_function(kind) && !program.shape(symbol).flags.has(Flags::PROPERTY) => {
                Ty::function(&[symbol], receiver)
            }
            kind if is_function(kind) => {
                let mark = self.accesses.mark();
                let result = self.result_of(symbol);
                self.accesses.replace(mark, symbol);
                self.for_receiver(result, symbol, receiver.as_deref())
            }
            SymbolKind::TypeAlias if program.shape(symbol).declared.is_some() => super::as_class(self.variable(symbol)),
            SymbolKind::Module => Ty::class(symbol),
            kind if kind.is_type() => Ty::class(symbol),
            SymbolKind::Variant => {
                self.accesses.extend(&[symbol]);
                program.parent(symbol).map_or(Ty::Unknown, |parent| Ty::Object(applied_to_own(program, parent)))
            }
            _ => {
                let declared = self.variable(symbol);
                self.for_receiver(declared, symbol, receiver.as_deref())
            }
        }
    }

    /// Returns the type of a variable, constant or field, or the target of an alias, in terms of the owner's type parameters.
    pub(crate) fn variable(&mut self, symbol: SymbolIdx) -> Ty {
        if let Some(known) = self.symbols.get(&symbol).cloned() {
            self.accesses.extend(&[symbol]);
            return known.unwrap_or(Ty::Unknown);
        }
        let mark = self.accesses.mark();
        self.symbols.insert(symbol, None);
        let file = self.program.file_of(symbol);
        let shape = self.program.typed_shape(symbol);
        let ty = match shape.declared {
            Some(declared) => self.deeper(|cx| cx.written_type(file, declared)),
            None => self.deeper(|cx| cx.common_type(file, &shape.values)),
        };
        let ty = ty.unwrap_or(Ty::Unknown);
        self.symbols.insert(symbol, Some(ty.clone()));
        self.accesses.replace(mark, symbol);
        ty
    }
}

/// Returns true if a definition of this kind is a function.
pub(crate) fn is_function(kind: SymbolKind) -> bool {
    use SymbolKind::*;
    matches!(kind, Function | Method | Constructor | Macro | Rpc)
}
