//! The definitions and uses that a compiler found in a repository, from its SCIP indexes.

use graph::{CompilerUse, CompilerUses, FileIdx, Program, SymbolIdx};
use model::code::DefinitionId;
use serde::{Deserialize, Serialize};

use crate::manifests::normal_python_name;

/// The answers of compilers about the files of one generation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompilerFacts {
    /// The symbols that the files define or use.
    pub symbols: Vec<CompilerSymbol>,
    /// The names by which they are used.
    pub names: Vec<String>,
    /// The described files, in the order of their numbers.
    pub files: Vec<CompilerFile>,
}

/// A symbol that is visible outside of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilerSymbol {
    /// The symbol as the index writes it; it is the same in the index of another repository.
    pub text: String,
    /// The key of its package; empty if it is not known.
    pub package: String,
    /// The modules or files that lead to it, outermost first.
    pub namespace: Vec<String>,
    /// The types that lead to it, and its name.
    pub path: Vec<String>,
    /// True if a file of the repository defines it.
    pub is_defined: bool,
    /// The definitions that stand at its places. There are none for symbols that are no definitions here, such as parameters.
    pub definitions: Vec<DefinitionPlace>,
}

/// A definition by its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DefinitionPlace {
    /// The number of the file in its generation.
    pub file_idx: u32,
    /// The number of the definition in its file.
    pub definition: u32,
}

/// A file that an index describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompilerFile {
    /// The number of the file in its generation.
    pub file_idx: u32,
    /// The uses of symbols.
    pub uses: Vec<SymbolUse>,
    /// Types that are defined in the file, each with the symbol of a type that it implements or extends.
    pub bases: Vec<SymbolBase>,
}

/// A use of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolUse {
    /// The line.
    pub line: u32,
    /// The index of the written name.
    pub name: u32,
    /// The index of the symbol.
    pub symbol: u32,
}

/// A base of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolBase {
    /// The number of the type in its file.
    pub definition: u32,
    /// The index of the symbol of the base.
    pub symbol: u32,
}

impl CompilerFacts {
    /// Returns the described file with this number.
    pub fn file(&self, file_idx: u32) -> Option<&CompilerFile> {
        let found = self.files.binary_search_by_key(&file_idx, |file| file.file_idx).ok()?;
        Some(&self.files[found])
    }

    /// Returns the uses of a file in a program in which files have the numbers of the generation. Symbols of other repositories have
    /// no target.
    pub fn uses_in_repository(&self, program: &Program<'_>, file: FileIdx) -> Option<CompilerUses> {
        let symbol = |place: &DefinitionPlace| program.symbol(FileIdx(place.file_idx), DefinitionId(place.definition));
        self.uses(program, file, file.0, |idx| self.symbols[idx as usize].definitions.iter().map(symbol).collect())
    }

    /// Returns the uses of a file. `file` is its number in the program, and `targets` returns the definitions of a symbol there.
    pub(crate) fn uses(
        &self,
        program: &Program<'_>,
        file: FileIdx,
        file_idx: u32,
        targets: impl Fn(u32) -> Vec<SymbolIdx>,
    ) -> Option<CompilerUses> {
        let described = self.file(file_idx)?;
        let uses = described.uses.iter().map(|one| CompilerUse {
            line: one.line,
            name: self.names[one.name as usize].clone(),
            targets: targets(one.symbol),
        });
        let n_definitions = program.facts(file).definitions.len() as u32;
        let bases = described.bases.iter().filter(|base| base.definition < n_definitions).filter_map(|base| {
            let of = program.symbol(file, DefinitionId(base.definition));
            Some((of, *targets(base.symbol).first()?))
        });
        Some(CompilerUses { uses: uses.collect(), bases: bases.filter(|(of, base)| of != base).collect() })
    }

    /// Returns true if all numbers are those of values that exist.
    pub(crate) fn is_consistent(&self) -> bool {
        let (n_symbols, n_names) = (self.symbols.len(), self.names.len());
        let is_symbol = |symbol: u32| (symbol as usize) < n_symbols;
        self.files.iter().all(|file| {
            file.uses.iter().all(|one| is_symbol(one.symbol) && (one.name as usize) < n_names)
                && file.bases.iter().all(|base| is_symbol(base.symbol))
        })
    }
}

/// Returns the key of a package by the name of its package manager in SCIP; empty if the manager is not known.
pub fn package_key(manager: &str, package: &str) -> String {
    let ecosystem = match manager {
        _ if package.is_empty() => return String::new(),
        "npm" => "npm",
        "cargo" => "cargo",
        "gomod" | "go" => "go",
        "python" | "pip" | "pypi" => return format!("pypi:{}", normal_python_name(package)),
        "maven" => "maven",
        "composer" => "composer",
        _ => return String::new(),
    };
    format!("{ecosystem}:{package}")
}

/// Returns the name of a package manager in SCIP by the key of a package, and the package.
pub fn package_manager(key: &str) -> Option<(&str, &str)> {
    let (ecosystem, package) = key.split_once(':')?;
    let manager = match ecosystem {
        "go" => "gomod",
        "pypi" => "pip",
        "npm" | "cargo" | "maven" | "composer" => ecosystem,
        _ => return None,
    };
    Some((manager, package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_the_keys_of_manifests() {
        for (manager, package, expected) in [
            ("npm", "@acme/kit", "npm:@acme/kit"),
            ("python", "Acme_Kit", "pypi:acme-kit"),
            ("gomod", "example.com/kit", "go:example.com/kit"),
            ("cargo", "kit", "cargo:kit"),
            ("", "kit", ""),
            ("npm", "", ""),
        ] {
            assert_eq!(package_key(manager, package), expected);
        }
        assert_eq!(package_manager("go:example.com/kit"), Some(("gomod", "example.com/kit")));
        assert_eq!(package_manager("java:org.acme"), None);
    }
}
