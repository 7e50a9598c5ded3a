//! Comparison of function signatures, to deduplicate declarations and conditional definitions of one function.

use model::{
    Language,
    code::{Flags, NameId, TypeExpression, TypeId},
};

use super::qualifiers::{self, Qualifier};
use crate::program::{FileIdx, Program, SymbolIdx};

/// Maximum number of candidates for overload resolution.
pub(super) const MAX_CANDIDATES: usize = 100;

/// Returns true if two functions have equal constness and equal parameter types as written. In C only their number is
/// compared.
pub(super) fn same_parameters(program: &Program<'_>, a: SymbolIdx, b: SymbolIdx) -> bool {
    let is_const = |one: SymbolIdx| program.shape(one).flags.has(Flags::CONSTANT);
    is_const(a) == is_const(b) && same_types(program, a, b)
}

/// Returns true if two functions have equal parameter types, ignoring the constness of the method.
pub(super) fn same_types(program: &Program<'_>, a: SymbolIdx, b: SymbolIdx) -> bool {
    let (file_a, file_b) = (program.file_of(a), program.file_of(b));
    let (a, b) = (&program.shape(a).parameters, &program.shape(b).parameters);
    let is_c = |file| program.language(file) == Language::C;
    if is_c(file_a) && is_c(file_b) {
        // `f()` and K&R-style definitions do not declare parameter types.
        return a.len() == b.len() || a.is_empty() || b.is_empty();
    }
    a.len() == b.len()
        && a.iter().zip(b.iter()).all(|(a, b)| match (a.declared, b.declared) {
            (Some(a), Some(b)) => {
                let is_rvalue_reference =
                    |file, of| qualifiers::has_qualifier(program, file, of, Qualifier::RvalueReference);
                let (plain_a, plain_b) =
                    (qualifiers::unqualified(program, file_a, a), qualifiers::unqualified(program, file_b, b));
                is_rvalue_reference(file_a, a) == is_rvalue_reference(file_b, b)
                    && same_type(program, (file_a, plain_a), (file_b, plain_b), 0)
            }
            _ => true,
        })
}

/// Returns true if two written types are equal, ignoring namespace qualification.
fn same_type(program: &Program<'_>, a: (FileIdx, TypeId), b: (FileIdx, TypeId), depth: u32) -> bool {
    use TypeExpression::*;
    if depth > 8 {
        return true;
    }
    let inner = |one: TypeId, other: TypeId| same_type(program, (a.0, one), (b.0, other), depth + 1);
    match (program.code(a.0).written(a.1), program.code(b.0).written(b.1)) {
        (Pointer(x) | List(x), Pointer(y) | List(y)) => inner(*x, *y),
        (Pointer(_) | List(_), Named { .. }) | (Named { .. }, Pointer(_) | List(_)) => false,
        (Named { path: x, arguments: of_x, .. }, Named { path: y, arguments: of_y, .. }) => {
            let last = |file, path: &[NameId]| path.last().map(|name| program.name(file, *name));
            last(a.0, x) == last(b.0, y)
                && (of_x.len() != of_y.len() || of_x.iter().zip(of_y.iter()).all(|(x, y)| inner(*x, *y)))
        }
        (Member { name: x, .. }, Member { name: y, .. }) => program.name(a.0, *x) == program.name(b.0, *y),
        _ => true,
    }
}
