//! The definitions of one name, and a search among them by file: a name may have thousands, of which a file sees a few.

use super::super::includes::Includes;
use crate::program::{FileIdx, Program, SymbolIdx};

/// The definitions of one name in one scope or in several namespaces.
pub(super) struct NamedDefinitions<'a> {
    /// One slice for each namespace.
    parts: Vec<&'a [SymbolIdx]>,
    /// True if each part is in the order of files.
    is_by_file: bool,
}

impl<'a> NamedDefinitions<'a> {
    /// Returns definitions in any order.
    pub(super) fn of_scope(symbols: &'a [SymbolIdx]) -> NamedDefinitions<'a> {
        NamedDefinitions { parts: vec![symbols], is_by_file: false }
    }

    /// Returns the definitions of namespaces, which are in the order of files.
    pub(super) fn of_namespaces(parts: Vec<&'a [SymbolIdx]>) -> NamedDefinitions<'a> {
        NamedDefinitions { parts, is_by_file: true }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = SymbolIdx> {
        self.parts.iter().flat_map(|part| part.iter().copied())
    }

    /// Returns the definitions that a file sees, in their order.
    pub(super) fn visible(&self, program: &Program<'_>, includes: &Includes, file: FileIdx) -> Vec<SymbolIdx> {
        let closure = includes.closure(file);
        let mut visible = Vec::new();
        for part in &self.parts {
            if self.is_by_file && closure.len() < part.len() {
                closure.iter().for_each(|other| visible.extend_from_slice(of_file(program, part, *other)));
            } else {
                let is_visible = |symbol: &SymbolIdx| includes.is_visible(file, program.file_of(*symbol));
                visible.extend(part.iter().copied().filter(is_visible));
            }
        }
        visible
    }

    /// Returns the definitions in a file, in their order.
    pub(super) fn in_file(&self, program: &Program<'_>, file: FileIdx) -> Vec<SymbolIdx> {
        if !self.is_by_file {
            return self.iter().filter(|symbol| program.file_of(*symbol) == file).collect();
        }
        self.parts.iter().flat_map(|part| of_file(program, part, file)).copied().collect()
    }
}

/// Returns the part of symbols in the order of files that is in one file.
fn of_file<'a>(program: &Program<'_>, symbols: &'a [SymbolIdx], file: FileIdx) -> &'a [SymbolIdx] {
    let start = symbols.partition_point(|symbol| program.file_of(*symbol) < file);
    let n_symbols = symbols[start..].partition_point(|symbol| program.file_of(*symbol) == file);
    &symbols[start..start + n_symbols]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_codebase;

    /// Files with the same names in one namespace; each includes the one before and the one two thirds before.
    fn fixture() -> String {
        let file = |idx: usize| {
            let (before, far) = (idx.saturating_sub(1), idx / 3);
            format!(
                "//- /{idx:02}.h\n#include \"{before:02}.h\"\n#include \"{far:02}.h\"\n\
                 namespace n {{ struct S {{}}; int f(int) {{ return 1; }} int f(S) {{ return 2; }} }}\n"
            )
        };
        let unrelated = |idx: usize| format!("//- /z{idx:02}.cc\nnamespace n {{ struct S {{}}; int f(long); }}\n");
        (0..12).map(file).chain((0..40).map(unrelated)).collect()
    }

    #[test]
    fn a_search_by_file_finds_what_a_scan_finds() {
        with_codebase(&fixture(), |codebase| {
            let program = codebase.program();
            let includes = Includes::of(program);
            for name in ["S", "f"] {
                let all = program.named(program.name_named(name).expect("it has a name"));
                let (by_file, scanned) = (NamedDefinitions::of_namespaces(vec![all]), NamedDefinitions::of_scope(all));
                assert!(all.len() > 50 && by_file.len() == scanned.len());
                for file in program.file_indices() {
                    let visible = by_file.visible(program, &includes, file);
                    assert_eq!(visible, scanned.visible(program, &includes, file), "{name} in {}", program.path(file));
                    assert!(!visible.is_empty() && visible.len() < all.len());
                    assert_eq!(by_file.in_file(program, file), scanned.in_file(program, file));
                }
            }
        });
    }
}
