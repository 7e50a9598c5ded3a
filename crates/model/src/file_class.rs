//! File classes: the purpose of a file.

use serde::{Deserialize, Serialize};

/// The purpose of a file in its repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FileClass {
    /// Hand-written code of the product.
    Source,
    /// Tests, examples, benchmarks and fixtures.
    Test,
    /// Generated code.
    Generated,
    /// Third-party code that was copied in.
    Vendored,
    /// Manifests, build files and settings.
    Config,
    /// Documentation.
    Docs,
    /// Not text; listed, but never read.
    Binary,
}

impl FileClass {
    /// All classes in the order of declaration, which is also their number on disk and on the wire.
    pub const ALL: &'static [FileClass] = &[
        FileClass::Source,
        FileClass::Test,
        FileClass::Generated,
        FileClass::Vendored,
        FileClass::Config,
        FileClass::Docs,
        FileClass::Binary,
    ];

    /// Returns the lower-case name in requests and answers.
    pub fn name(self) -> &'static str {
        match self {
            FileClass::Source => "source",
            FileClass::Test => "test",
            FileClass::Generated => "generated",
            FileClass::Vendored => "vendored",
            FileClass::Config => "config",
            FileClass::Docs => "docs",
            FileClass::Binary => "binary",
        }
    }

    /// Returns the class with this number, by its position in `ALL`.
    pub fn from_index(index: u8) -> Option<FileClass> {
        FileClass::ALL.get(index as usize).copied()
    }
}
