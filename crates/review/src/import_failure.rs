//! The errors that follow from the import of a name that is gone.

use model::Language;

/// The places at which compilers and type checkers report a name that a file imports and that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportFailure {
    /// The import and each use of the name (`javac`, `g++`, `kotlinc`, `scalac`).
    EveryUse,
    /// The imports alone: behind them the type of the name is unknown (`pyright`).
    EachImport,
    /// The first import alone: a file that imports the name from there has no error (`tsc`, `rustc`).
    FirstImport,
}

impl ImportFailure {
    /// Returns the places for the language of the file with the import.
    pub fn of(language: Language) -> ImportFailure {
        match language {
            Language::Python => ImportFailure::EachImport,
            Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Rust => ImportFailure::FirstImport,
            _ => ImportFailure::EveryUse,
        }
    }
}
