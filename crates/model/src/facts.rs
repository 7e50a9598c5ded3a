//! What one file says, before anything is known of any other file.

use serde::{Deserialize, Serialize};

use crate::{ByteSpan, Code, Language, LineSpan, SymbolKind};

/// The facts of one file. They depend on its bytes and its language alone, so that they are cached by blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    pub language: Language,
    pub n_lines: u32,
    /// What the file says of itself: its module doc or leading comment, as plain text.
    pub doc: String,
    /// In the order of their start; a definition stands before those within it.
    pub definitions: Vec<Definition>,
    /// In the order of their start.
    pub references: Vec<Reference>,
    /// In the order of their start.
    pub imports: Vec<Import>,
    /// Pieces of a file that has no definitions to divide it; empty where it has.
    pub chunks: Vec<Chunk>,
    pub diagnostics: Vec<Diagnostic>,
    /// Scopes, values and types; empty where the language is not read this far.
    pub code: Code,
}

impl FileFacts {
    /// Returns the facts of a file of which nothing is known but its language and length.
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
        }
    }
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    pub kind: SymbolKind,
    pub name: String,
    /// Names of the definitions around this one, joined by dots, outermost first; empty at the top of the file.
    ///
    /// A method of Rust or Go has its type here, though it does not stand inside it.
    pub container: String,
    /// The definition that encloses this one, as an index into `FileFacts::definitions`.
    pub parent: Option<u32>,
    /// The declaration up to its body, on one line, its white space folded.
    pub signature: String,
    /// The doc comment without its markers, as plain text.
    pub doc: String,
    /// All lines of the definition, its attributes and decorators included, its doc comment not.
    pub lines: LineSpan,
    /// The line of the name.
    pub name_line: u32,
    /// All bytes of the definition; covers `lines` from the first byte of the definition on.
    pub bytes: ByteSpan,
}

/// One use of a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub kind: ReferenceKind,
    /// The bare name that is used.
    pub name: String,
    /// What stands before the name (`a.b` in `a.b.c()`, `A::<T>` as `A` in `A::<T>::new()`); empty if nothing does.
    pub receiver: String,
    pub line: u32,
    /// The innermost definition that the use stands in, as an index into `FileFacts::definitions`.
    pub enclosing: Option<u32>,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// A call of a function, method or macro.
    Call,
    /// The making of a value by its type's name (`new A()`, `A {}`).
    Construct,
    /// A type in a declaration or an expression.
    Type,
    /// A base class, extended interface or embedded type.
    Extend,
    /// An interface or trait that a type says it implements.
    Implement,
    /// A decorator, attribute or annotation.
    Decorate,
    /// A name in the prose of a document.
    Mention,
}

/// One import of one name, or of all names, of another module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as the file writes it, without quotes: `./util`, `crate::a::b`, `os.path`, `<stdio.h>` as `stdio.h`.
    pub module: String,
    /// The name taken from the module; empty where the module itself is imported, `*` where all of its names are.
    pub name: String,
    /// The name it has in this file, where that is another one; empty otherwise.
    pub alias: String,
    /// Whether the name is passed on to those who import this file (`pub use`, `export … from`).
    pub reexport: bool,
    pub line: u32,
}

/// A piece of a file without definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    pub lines: LineSpan,
    pub bytes: ByteSpan,
}

/// Something about one file that its reader should know: it was cut, it could not be parsed, it is no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The line it is about; 0 for the file as a whole.
    pub line: u32,
    pub message: String,
}
