//! A document of an index: the occurrences of symbols in one file.

/// The occurrences and relationships of one file. The index gives no proof that the file still has this content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexDocument {
    /// The path relative to the root of the index, with `/` between its parts, without `.` and `..`.
    pub path: String,
    /// The unit of characters in ranges.
    pub encoding: PositionEncoding,
    /// The text of the file, if the index has it.
    pub text: Option<String>,
    /// Occurrences of global symbols, in the order of the index.
    pub occurrences: Vec<Occurrence>,
    /// Relationships between global symbols.
    pub relationships: Vec<Relationship>,
}

/// An occurrence of a global symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurrence {
    /// The range of the name.
    pub range: OccurrenceRange,
    /// The symbol.
    pub symbol: String,
    /// True if the symbol is defined here.
    pub is_definition: bool,
}

/// A range within one line. Both numbers of characters count from 0, and the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OccurrenceRange {
    /// The line, from 0.
    pub line: u32,
    /// The first character.
    pub start: u32,
    /// The character after the last one.
    pub end: u32,
}

/// The unit of the characters in ranges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// The index names none.
    #[default]
    Unspecified,
    /// Bytes.
    Utf8,
    /// Units of 16 bits.
    Utf16,
    /// Code points.
    Utf32,
}

/// A type that implements or extends another type, or a method that implements another method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relationship {
    /// The implementing symbol.
    pub from: String,
    /// The implemented symbol.
    pub to: String,
}
