//! What a file is for.

use serde::{Deserialize, Serialize};

/// The part that a file plays in its repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FileClass {
    /// Hand-written code of the product.
    Source,
    /// Tests, examples, benchmarks and fixtures.
    Test,
    /// Made by a program from something else.
    Generated,
    /// A copy of somebody else's code.
    Vendored,
    /// Manifests, build files, settings.
    Config,
    /// Prose for people.
    Docs,
    /// No text: listed, never read.
    Binary,
}

impl FileClass {
    /// Every class, in the order of declaration, which is also the number it has on disk and on the wire.
    pub const ALL: &'static [FileClass] = &[
        FileClass::Source,
        FileClass::Test,
        FileClass::Generated,
        FileClass::Vendored,
        FileClass::Config,
        FileClass::Docs,
        FileClass::Binary,
    ];

    /// Returns the lower-case name that users type and read.
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

    /// Returns the class with this number, as `ALL` counts.
    pub fn from_index(index: u8) -> Option<FileClass> {
        FileClass::ALL.get(index as usize).copied()
    }
}
