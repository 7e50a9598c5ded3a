//! The types that a file knows: those that it names, and those whose members it uses. A value without a known type is mostly of one of them.

use graph::{Edge, FileIdx, Name, Node, Program, SymbolIdx};
use rustc_hash::FxHashSet;

use super::layout::file_idx;

/// The types and files that a file knows.
pub(super) struct KnownTypes {
    /// The names in its code.
    names: FxHashSet<Name>,
    /// The types that it uses, or members of which.
    types: FxHashSet<SymbolIdx>,
    /// The files of definitions that it uses, with itself.
    files: FxHashSet<FileIdx>,
}

impl KnownTypes {
    /// Reads the types and files that a file knows, given its uses.
    pub(super) fn of(program: &Program<'_>, file: FileIdx, uses: &[Edge]) -> KnownTypes {
        let (mut types, mut files) = (FxHashSet::default(), FxHashSet::from_iter([file]));
        for edge in uses {
            files.insert(file_idx(program, edge.to));
            if let Node::Symbol(to) = edge.to {
                types.extend(std::iter::once(to).chain(program.parent(to)));
            }
        }
        let names = program.code(file).names.iter().filter_map(|name| program.name_named(name));
        KnownTypes { names: names.collect(), types, files }
    }

    /// Returns the indices of those of some definitions that the file knows by their type. A definition without a type is known by its file.
    pub(super) fn near(&self, program: &Program<'_>, definitions: &[SymbolIdx]) -> Vec<u32> {
        let is_known = |symbol: SymbolIdx| match owner_of(program, symbol) {
            Some(owner) => self.types.contains(&owner) || self.names.contains(&program.name_of(owner)),
            None => self.files.contains(&program.file_of(symbol)),
        };
        (0..).zip(definitions).filter(|(_, symbol)| is_known(**symbol)).map(|(idx, _)| idx).collect()
    }
}

/// Returns the type that a definition is a member of.
pub(super) fn owner_of(program: &Program<'_>, symbol: SymbolIdx) -> Option<SymbolIdx> {
    program.parent(symbol).filter(|owner| program.definition(*owner).kind.is_type())
}
