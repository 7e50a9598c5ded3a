//! Overloads that differ in constness only: the constness of the object selects one.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, Literal, ScopeId, TypeId},
};

use super::{
    CDialect,
    qualifiers::{declares_const, is_const_type},
    signatures::{MAX_CANDIDATES, same_types},
};
use crate::{
    infer::{CallArguments, Inference, is_function},
    names::Name,
    program::{FileIdx, SymbolIdx},
    ty::Ty,
};

/// Maximum depth of nested expressions to inspect.
const MAX_DEPTH: u32 = 16;

/// Maximum nesting depth of scopes.
const MAX_SCOPES: usize = 400;

/// The declaration of an unqualified name.
enum NameDeclaration {
    /// A local binding: its declared type and its initial value.
    Binding(Option<TypeId>, Option<ExpressionId>),
    Symbol(SymbolIdx),
}

impl CDialect {
    /// Returns the callee of a call to a method that has both const and non-const overloads.
    pub(super) fn const_overload_callee(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: ExpressionId,
    ) -> Option<Ty> {
        let program = cx.program;
        let Expression::Call { callee, .. } = program.code(file).expression(site) else { return None };
        let Ty::Function { candidates, receiver } = cx.type_of(file, *callee) else { return None };
        let selected = self.select_by_constness(cx, file, *callee, &candidates)?;
        Some(Ty::Function { candidates: Rc::from(selected), receiver })
    }

    /// Drops the candidates of the other constness. Returns none if constness does not distinguish the candidates.
    fn select_by_constness(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: ExpressionId,
        candidates: &[SymbolIdx],
    ) -> Option<Vec<SymbolIdx>> {
        let program = cx.program;
        let is_const = |one: SymbolIdx| program.shape(one).flags.has(Flags::CONSTANT);
        let n_const = candidates.iter().filter(|one| is_const(**one)).count();
        if n_const == 0 || n_const == candidates.len() || candidates.len() > MAX_CANDIDATES {
            return None;
        }
        let is_const_object = match program.code(file).expression(callee) {
            Expression::Member { of, .. } => self.is_const_value(cx, file, *of, false, 0),
            Expression::Name { scope, .. } => self.is_in_const_method(cx, file, *scope),
            _ => return None,
        };
        let selected: Vec<SymbolIdx> = candidates
            .iter()
            .copied()
            .filter(|one| match is_const_object {
                true => is_const(*one) || program.shape(*one).flags.has(Flags::STATIC),
                false => {
                    !is_const(*one)
                        || !candidates.iter().any(|other| !is_const(*other) && same_types(program, *one, *other))
                }
            })
            .collect();
        (!selected.is_empty() && selected.len() < candidates.len()).then_some(selected)
    }

    /// Returns true if the innermost function around a scope is a const method.
    fn is_in_const_method(&self, cx: &Inference<'_>, file: FileIdx, scope: ScopeId) -> bool {
        let program = cx.program;
        let mut at = program.code(file).definition_around(scope).map(|definition| program.symbol(file, definition));
        for _ in 0..MAX_DEPTH {
            let Some(symbol) = at else { return false };
            if is_function(program.definition(symbol).kind) {
                return program.shape(symbol).flags.has(Flags::CONSTANT);
            }
            at = program.parent(symbol);
        }
        false
    }

    /// Returns true if a value is const. With `pointed_at`: if it is a pointer to const.
    fn is_const_value(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        value: ExpressionId,
        pointed_at: bool,
        depth: u32,
    ) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let program = cx.program;
        let code = program.code(file);
        match code.expression(value) {
            Expression::This { scope } => pointed_at && self.is_in_const_method(cx, file, *scope),
            Expression::Dereferenced { of } => self.is_const_value(cx, file, *of, true, depth + 1),
            Expression::Operation { operator, left, right: None } => {
                let is_address = program.text(program.name(file, *operator)) == "&";
                self.is_const_value(cx, file, *left, pointed_at && !is_address, depth + 1)
            }
            Expression::Element { of, .. } => self.is_const_value(cx, file, *of, true, depth + 1),
            Expression::Cast { to, .. } => is_const_type(program, file, *to, pointed_at),
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                match self.declaration_of(cx, file, name, *scope, *n_before) {
                    Some(NameDeclaration::Binding(Some(declared), _)) => {
                        is_const_type(program, file, declared, pointed_at)
                    }
                    Some(NameDeclaration::Binding(None, Some(value))) => match code.expression(value) {
                        Expression::Item { of } => self.is_const_value(cx, file, *of, pointed_at, depth + 1),
                        _ => self.is_const_value(cx, file, value, pointed_at, depth + 1),
                    },
                    Some(NameDeclaration::Binding(None, None)) => false,
                    Some(NameDeclaration::Symbol(symbol)) => {
                        let is_field = program.definition(symbol).kind == SymbolKind::Field;
                        declares_const(program, symbol, pointed_at)
                            || is_field && !pointed_at && self.is_in_const_method(cx, file, *scope)
                    }
                    None => false,
                }
            }
            Expression::Member { of, name } => {
                let object = cx.type_of(file, *of);
                let field = match cx.member_of_object(file, &object, program.name(file, *name)) {
                    Some(found) => found.first().copied(),
                    None => None,
                };
                field.is_some_and(|field| declares_const(program, field, pointed_at))
                    || !pointed_at && self.is_const_value(cx, file, *of, false, depth + 1)
            }
            Expression::Call { callee, type_arguments, arguments } => {
                let actual = CallArguments { file, types: type_arguments, values: arguments };
                let Ty::Function { candidates, .. } = cx.type_of(file, *callee) else { return false };
                let selected =
                    self.select_by_constness(cx, file, *callee, &candidates).unwrap_or_else(|| candidates.to_vec());
                let chosen = cx.choose_overloads(&selected, &actual);
                chosen.first().is_some_and(|one| declares_const(program, *one, pointed_at))
            }
            _ => false,
        }
    }

    /// Returns true if a value is a pointer to const, as a string literal is.
    pub(super) fn is_pointer_to_const(&self, cx: &mut Inference<'_>, file: FileIdx, value: ExpressionId) -> bool {
        match cx.program.code(file).expression(value) {
            Expression::Literal(Literal::Text(_)) => true,
            _ => cx.deeper(|cx| self.is_const_value(cx, file, value, true, 0)).unwrap_or(false),
        }
    }

    /// Returns the declaration of an unqualified name: a local variable, a field or a variable.
    fn declaration_of(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        scope: ScopeId,
        n_before: u32,
    ) -> Option<NameDeclaration> {
        let program = cx.program;
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let scope_id = at?;
            let scope = code.scopes.get(scope_id.index())?;
            let bound = program.bindings(file, scope_id, name);
            let n_seen = bound.partition_point(|binding| *binding < n_before);
            if let Some(binding) = n_seen.checked_sub(1).and_then(|last| bound.get(last)) {
                let binding = &code.bindings[*binding as usize];
                return Some(NameDeclaration::Binding(binding.declared, binding.value));
            }
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(file, definition);
                let owner =
                    if program.definition(symbol).kind.is_type() { Some(symbol) } else { program.parent(symbol) };
                let owner = owner.filter(|owner| program.definition(*owner).kind.is_type());
                if let Some(owner) = owner
                    && let Some(found) = cx.member_of_object(file, &Ty::object(owner), name)
                {
                    return found.first().copied().map(NameDeclaration::Symbol);
                }
            }
            at = scope.parent;
        }
        None
    }
}
