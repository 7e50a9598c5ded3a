//! Type qualifiers: `const` and the rvalue reference `&&`.

use model::code::{TypeExpression, TypeId};

use crate::program::{FileIdx, Program, SymbolIdx};

/// A qualifier of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Qualifier {
    Const,
    RvalueReference,
}

/// Returns the outermost qualifier of a written type, and the type without it.
pub(super) fn split_qualifier(program: &Program<'_>, file: FileIdx, written: TypeId) -> Option<(Qualifier, TypeId)> {
    let code = program.code(file);
    let TypeExpression::Named { path, arguments, .. } = code.written(written) else { return None };
    let ([mark], [of]) = (&path[..], &arguments[..]) else { return None };
    match code.name(*mark) {
        "const" => Some((Qualifier::Const, *of)),
        "&&" => Some((Qualifier::RvalueReference, *of)),
        _ => None,
    }
}

/// Returns a written type without its qualifiers.
pub(super) fn unqualified(program: &Program<'_>, file: FileIdx, written: TypeId) -> TypeId {
    let mut at = written;
    for _ in 0..3 {
        match split_qualifier(program, file, at) {
            Some((_, of)) => at = of,
            None => break,
        }
    }
    at
}

/// Returns true if a written type has a qualifier at its top level.
pub(super) fn has_qualifier(program: &Program<'_>, file: FileIdx, written: TypeId, mark: Qualifier) -> bool {
    let mut at = written;
    for _ in 0..3 {
        match split_qualifier(program, file, at) {
            Some((found, _)) if found == mark => return true,
            Some((_, of)) => at = of,
            None => break,
        }
    }
    false
}

/// Returns true if a definition is declared `const`. With `pointed_at`: if it is declared a pointer to `const`.
pub(super) fn declares_const(program: &Program<'_>, symbol: SymbolIdx, pointed_at: bool) -> bool {
    let declared = program.shape(symbol).declared;
    declared.is_some_and(|declared| is_const_type(program, program.file_of(symbol), declared, pointed_at))
}

/// Returns true if a written type is `const`. With `pointed_at`: if it is a pointer to `const`.
pub(super) fn is_const_type(program: &Program<'_>, file: FileIdx, written: TypeId, pointed_at: bool) -> bool {
    if !pointed_at {
        return has_qualifier(program, file, written, Qualifier::Const);
    }
    match program.code(file).written(unqualified(program, file, written)) {
        TypeExpression::Pointer(to) | TypeExpression::List(to) => has_qualifier(program, file, *to, Qualifier::Const),
        TypeExpression::Named { arguments, .. } if arguments.len() == 1 => {
            has_qualifier(program, file, arguments[0], Qualifier::Const)
        }
        _ => false,
    }
}
