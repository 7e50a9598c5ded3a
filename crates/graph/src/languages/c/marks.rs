//! Marks on types and values: what must stay as it is (`const`), and what is about to go (`&&`).

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, Literal, TypeExpression, TypeId},
};

use super::{
    C,
    overloads::{MAX_CANDIDATES, same_types},
};
use crate::{
    infer::{Arguments, Inference, is_function},
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// How deep expressions are looked into.
const MAX_DEPTH: u32 = 16;

/// A mark on a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Const,
    Going,
}

/// Returns the mark of a written type, and the type without it.
pub(super) fn inside(program: &Program<'_>, file: FileIdx, written: TypeId) -> Option<(Mark, TypeId)> {
    let code = program.code(file);
    let TypeExpression::Named { path, arguments, .. } = code.written(written) else { return None };
    let ([mark], [of]) = (&path[..], &arguments[..]) else { return None };
    match code.name(*mark) {
        "const" => Some((Mark::Const, *of)),
        "&&" => Some((Mark::Going, *of)),
        _ => None,
    }
}

/// Returns a written type without its marks.
pub(super) fn unmarked(program: &Program<'_>, file: FileIdx, written: TypeId) -> TypeId {
    let mut at = written;
    for _ in 0..3 {
        match inside(program, file, at) {
            Some((_, of)) => at = of,
            None => break,
        }
    }
    at
}

/// Says whether a written type has a mark on its outside.
pub(super) fn has(program: &Program<'_>, file: FileIdx, written: TypeId, mark: Mark) -> bool {
    let mut at = written;
    for _ in 0..3 {
        match inside(program, file, at) {
            Some((found, _)) if found == mark => return true,
            Some((_, of)) => at = of,
            None => break,
        }
    }
    false
}

impl C {
    /// Returns what a call calls, where an object that must stay as it is has another function than one that need not.
    pub(super) fn callee_for_object(&self, cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let Expression::Call { callee, .. } = program.code(file).expression(site) else { return None };
        let Ty::Function { candidates, receiver } = cx.type_of(file, *callee) else { return None };
        let kept = self.for_object(cx, file, *callee, &candidates)?;
        Some(Ty::Function { candidates: Rc::from(kept), receiver })
    }

    /// Drops the candidates that are for the other kind of object; nothing if all are for both.
    fn for_object(
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
        let object_stays = match program.code(file).expression(callee) {
            Expression::Member { of, .. } => self.stays(cx, file, *of, false, 0),
            Expression::Name { scope, .. } => self.in_const_method(cx, file, *scope),
            _ => return None,
        };
        let kept: Vec<SymbolIdx> = candidates
            .iter()
            .copied()
            .filter(|one| match object_stays {
                true => is_const(*one) || program.shape(*one).flags.has(Flags::STATIC),
                false => {
                    !is_const(*one)
                        || !candidates.iter().any(|other| !is_const(*other) && same_types(program, *one, *other))
                }
            })
            .collect();
        (!kept.is_empty() && kept.len() < candidates.len()).then_some(kept)
    }

    fn in_const_method(&self, cx: &Inference<'_>, file: FileIdx, scope: model::code::ScopeId) -> bool {
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

    /// Says whether a value must stay as it is; or, if it is a pointer, what it points to.
    fn stays(&self, cx: &mut Inference<'_>, file: FileIdx, value: ExpressionId, pointed_at: bool, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let program = cx.program;
        let code = program.code(file);
        match code.expression(value) {
            Expression::This { scope } => pointed_at && self.in_const_method(cx, file, *scope),
            Expression::Dereferenced { of } => self.stays(cx, file, *of, true, depth + 1),
            Expression::Operation { operator, left, right: None } => {
                let is_address = program.text(program.name(file, *operator)) == "&";
                self.stays(cx, file, *left, pointed_at && !is_address, depth + 1)
            }
            Expression::Element { of, .. } => self.stays(cx, file, *of, true, depth + 1),
            Expression::Cast { to, .. } => says_const(program, file, *to, pointed_at),
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                match self.declared_as(cx, file, name, *scope, *n_before) {
                    Some(Declared::Binding(Some(declared), _)) => says_const(program, file, declared, pointed_at),
                    Some(Declared::Binding(None, Some(value))) => match code.expression(value) {
                        Expression::Item { of } => self.stays(cx, file, *of, pointed_at, depth + 1),
                        _ => self.stays(cx, file, value, pointed_at, depth + 1),
                    },
                    Some(Declared::Binding(None, None)) => false,
                    Some(Declared::Symbol(symbol)) => {
                        let is_field = program.definition(symbol).kind == SymbolKind::Field;
                        declares_const(program, symbol, pointed_at)
                            || is_field && !pointed_at && self.in_const_method(cx, file, *scope)
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
                    || !pointed_at && self.stays(cx, file, *of, false, depth + 1)
            }
            Expression::Call { callee, type_arguments, arguments } => {
                let given = Arguments { file, types: type_arguments, values: arguments };
                let Ty::Function { candidates, .. } = cx.type_of(file, *callee) else { return false };
                let kept = self.for_object(cx, file, *callee, &candidates).unwrap_or_else(|| candidates.to_vec());
                let chosen = cx.chosen(&kept, &given);
                chosen.first().is_some_and(|one| declares_const(program, *one, pointed_at))
            }
            _ => false,
        }
    }

    /// Says whether a value is a pointer to what must stay as it is, as a text is.
    pub(super) fn points_at_constant(&self, cx: &mut Inference<'_>, file: FileIdx, value: ExpressionId) -> bool {
        match cx.program.code(file).expression(value) {
            Expression::Literal(Literal::Text(_)) => true,
            _ => cx.deeper(|cx| self.stays(cx, file, value, true, 0)).unwrap_or(false),
        }
    }

    /// Returns what a bare name is declared as: a local variable, a field or a variable.
    fn declared_as(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: crate::names::Name,
        scope: model::code::ScopeId,
        n_before: u32,
    ) -> Option<Declared> {
        let program = cx.program;
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..400 {
            let scope_id = at?;
            let scope = code.scopes.get(scope_id.index())?;
            let bound = program.bindings(file, scope_id, name);
            let n_seen = bound.partition_point(|binding| *binding < n_before);
            if let Some(binding) = n_seen.checked_sub(1).and_then(|last| bound.get(last)) {
                let binding = &code.bindings[*binding as usize];
                return Some(Declared::Binding(binding.declared, binding.value));
            }
            if let Some(definition) = scope.definition {
                let symbol = program.symbol(file, definition);
                let owner =
                    if program.definition(symbol).kind.is_type() { Some(symbol) } else { program.parent(symbol) };
                let owner = owner.filter(|owner| program.definition(*owner).kind.is_type());
                if let Some(owner) = owner
                    && let Some(found) = cx.member_of_object(file, &Ty::object(owner), name)
                {
                    return found.first().copied().map(Declared::Symbol);
                }
            }
            at = scope.parent;
        }
        None
    }
}

/// What a name is declared as.
enum Declared {
    /// With its type and its value.
    Binding(Option<TypeId>, Option<ExpressionId>),
    Symbol(SymbolIdx),
}

fn declares_const(program: &Program<'_>, symbol: SymbolIdx, pointed_at: bool) -> bool {
    let declared = program.shape(symbol).declared;
    declared.is_some_and(|declared| says_const(program, program.file_of(symbol), declared, pointed_at))
}

/// Says whether a written type is marked as `const`; of a pointer, whether what it points to is.
pub(super) fn says_const(program: &Program<'_>, file: FileIdx, written: TypeId, pointed_at: bool) -> bool {
    if !pointed_at {
        return has(program, file, written, Mark::Const);
    }
    match program.code(file).written(unmarked(program, file, written)) {
        TypeExpression::Pointer(to) | TypeExpression::List(to) => has(program, file, *to, Mark::Const),
        TypeExpression::Named { arguments, .. } if arguments.len() == 1 => {
            has(program, file, arguments[0], Mark::Const)
        }
        _ => false,
    }
}
