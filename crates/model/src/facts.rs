//! Facts about one file, extracted without knowledge of other files.

use serde::{Deserialize, Serialize};

use crate::{ByteSpan, Code, Language, LineSpan, SettingsDocument, SymbolKind};

/// The facts of one file. They depend only on its bytes and language, so they are cached by blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language.
    pub language: Language,
    /// Number of lines.
    pub n_lines: u32,
    /// Module documentation or leading comment, as plain text.
    pub doc: String,
    /// Definitions in order of their start; an enclosing definition precedes nested ones.
    pub definitions: Vec<Definition>,
    /// References in order of their start.
    pub references: Vec<Reference>,
    /// Imports in order of their start.
    pub imports: Vec<Import>,
    /// Chunks of a file without definitions; otherwise empty.
    pub chunks: Vec<Chunk>,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Scopes, values and types; empty if the language has no such analysis.
    pub code: Code,
    /// Settings of deployments, and variables that code reads from its environment.
    pub documents: Vec<SettingsDocument>,
}

impl FileFacts {
    /// Returns the facts of a file of which only language and length are known.
    pub fn empty(language: Language, n_lines: u32) -> FileFacts {
        FileFacts {
            language,
            n_lines,
            doc: String::new(),
            definitions: Vec::new(),
            references: Vec::new(),
            imports: Vec::new(),
            chunks: Vec::new(),
            diagnostics: Vec::new(),
            code: Code::default(),
            documents: Vec::new(),
        }
    }
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The kind.
    pub kind: SymbolKind,
    /// The name.
    pub name: String,
    /// Names of the enclosing definitions, joined by dots, outermost first; empty at the top level.
    ///
    /// For a method in Rust or Go it has the type, although the type does not enclose the method.
    pub container: String,
    /// Index of the enclosing definition in `FileFacts::definitions`.
    pub parent: Option<u32>,
    /// The declaration without its body, on one line with collapsed white space.
    pub signature: String,
    /// The doc comment without its markers, as plain text.
    pub doc: String,
    /// Lines of the definition with attributes and decorators, without its doc comment.
    pub lines: LineSpan,
    /// The line of the name.
    pub name_line: u32,
    /// Bytes of the definition, starting at the first byte of the definition in `lines`.
    pub bytes: ByteSpan,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The kind.
    pub kind: ReferenceKind,
    /// The name, unqualified.
    pub name: String,
    /// The qualifier (`a.b` in `a.b.c()`, `A` in `A::<T>::new()`); empty if there is none.
    pub receiver: String,
    /// The line of the name.
    pub line: u32,
    /// Index of the innermost enclosing definition in `FileFacts::definitions`.
    pub enclosing: Option<u32>,
}

/// A kind of reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// A call of a function, method or macro.
    Call,
    /// Construction of a value by the name of its type (`new A()`, `A {}`).
    Construct,
    /// A type in a declaration or an expression.
    Type,
    /// A base class, extended interface or embedded type.
    Extend,
    /// An implemented interface or trait.
    Implement,
    /// A decorator, attribute or annotation.
    Decorate,
    /// A name in prose.
    Mention,
}

/// An import of one name, or of all names, of another module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written, without quotes: `./util`, `crate::a::b`, `os.path`, `stdio.h` for `<stdio.h>`.
    pub module: String,
    /// The imported name; empty for the module itself, `*` for all names.
    pub name: String,
    /// The local name if it differs; otherwise empty.
    pub alias: String,
    /// True if the name is re-exported (`pub use`, `export … from`).
    pub reexport: bool,
    /// True if the import runs only after a failure (in an `except` clause).
    pub is_fallback: bool,
    /// The line.
    pub line: u32,
}

/// A part of a file without definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Its lines.
    pub lines: LineSpan,
    /// Its bytes.
    pub bytes: ByteSpan,
}

/// A remark about one file: it is truncated, has syntax errors, or is not text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The line; 0 for the whole file.
    pub line: u32,
    /// One sentence for users.
    pub message: String,
}
