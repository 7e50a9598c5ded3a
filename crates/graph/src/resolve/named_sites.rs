//! The names by which code calls and accesses definitions, whether their targets are known or not.

use super::sites::callee_name;
use crate::{
    infer::accessed_name,
    names::Name,
    program::{FileIdx, Program},
};

/// Returns the name of the callee of each call in a file. A callee without a name has [`Name::NONE`].
pub fn called_names(program: &Program<'_>, file: FileIdx) -> impl Iterator<Item = Name> {
    program.code(file).sites.iter().map(move |site| callee_name(program, file, site.expression))
}

/// Returns the name of each access in a file.
pub fn accessed_names(program: &Program<'_>, file: FileIdx) -> impl Iterator<Item = Name> {
    program.code(file).accesses.iter().filter_map(move |access| accessed_name(program, file, access.expression))
}
