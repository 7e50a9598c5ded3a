//! Families of languages: the unit that a dialect interprets.

use model::Language;

/// Languages that see each other's definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// TypeScript and JavaScript, with and without JSX.
    Ecmascript,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Rust.
    Rust,
    /// C and C++.
    C,
    /// Every other language: imports, inheritance and unique names.
    Other,
}

impl Family {
    /// Returns true if calls are resolved by type. The code of other languages is only read: no edge depends on it.
    pub fn has_inference(self) -> bool {
        self != Family::Other
    }

    /// Every family, in the order of declaration.
    pub const ALL: [Family; 7] =
        [Family::Ecmascript, Family::Python, Family::Go, Family::Java, Family::Rust, Family::C, Family::Other];

    /// Returns the family of a language.
    pub fn of(language: Language) -> Family {
        match language {
            Language::TypeScript | Language::Tsx | Language::JavaScript => Family::Ecmascript,
            Language::Python => Family::Python,
            Language::Go => Family::Go,
            Language::Java => Family::Java,
            Language::Rust => Family::Rust,
            Language::C | Language::Cpp => Family::C,
            _ => Family::Other,
        }
    }
}
