//! The main tables of a generation: files, symbols, and an index of symbols by name.

use model::{ByteSpan, FileClass, Language, LineSpan, SymbolKind, symbol::qualify};
use rkyv::{Archive, Deserialize, Serialize, with::Skip};

/// All records that are looked up by index or path. The text index has the rest.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct Tables {
    /// Sorted by path.
    pub(crate) files: Vec<FileRecord>,
    /// Sorted by file, then by line.
    pub(crate) symbols: Vec<SymbolRecord>,
    /// Sorted by folded name.
    pub(crate) names: Vec<NameRecord>,
    /// Slot of the text index and file index, sorted by slot.
    pub(crate) slots: Vec<(u64, u32)>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct FileRecord {
    pub(crate) path: String,
    pub(crate) blob: [u8; 20],
    pub(crate) class: u8,
    pub(crate) language: u8,
    pub(crate) n_lines: u32,
    pub(crate) n_bytes: u64,
    /// Indentation complexity; see `writer/complexity.rs`.
    pub(crate) complexity: u32,
    pub(crate) doc: String,
    /// The number under which the text index has its rows.
    pub(crate) slot: u64,
    /// Number of its rows in the text index.
    pub(crate) n_rows: u32,
    pub(crate) first_symbol: u32,
    pub(crate) n_symbols: u32,
    pub(crate) chunks: Vec<SpanRecord>,
    pub(crate) diagnostics: Vec<String>,
    /// Its text, in the source file of the generation.
    pub(crate) source: CompressedRange,
    /// Signatures and doc comments of its symbols, in the source file of the generation.
    pub(crate) symbol_texts: CompressedRange,
}

/// A range of compressed bytes in a file; of length 0 if the content was not read.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, Default)]
pub(crate) struct CompressedRange {
    pub(crate) offset: u64,
    /// Length in the file.
    pub(crate) n_compressed: u32,
    /// Length after decompression.
    pub(crate) n_raw: u32,
}

impl From<&ArchivedCompressedRange> for CompressedRange {
    fn from(archived: &ArchivedCompressedRange) -> CompressedRange {
        CompressedRange {
            offset: archived.offset.to_native(),
            n_compressed: archived.n_compressed.to_native(),
            n_raw: archived.n_raw.to_native(),
        }
    }
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, Default)]
pub(crate) struct SpanRecord {
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
    pub(crate) first_byte: u32,
    pub(crate) end_byte: u32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default)]
pub(crate) struct SymbolRecord {
    pub(crate) file: u32,
    pub(crate) kind: u8,
    /// True if its signature begins with `private`.
    pub(crate) is_private: bool,
    pub(crate) name: String,
    pub(crate) container: String,
    /// Not archived: signature and doc comment are stored compressed, in `FileRecord::symbol_texts`.
    #[rkyv(with = Skip)]
    pub(crate) signature: String,
    #[rkyv(with = Skip)]
    pub(crate) doc: String,
    pub(crate) span: SpanRecord,
    pub(crate) name_line: u32,
    /// Counts symbols of equal qualified name in one file, from 1 on.
    pub(crate) ordinal: u32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct NameRecord {
    pub(crate) folded: String,
    pub(crate) symbols: Vec<u32>,
}

impl ArchivedFileRecord {
    pub(crate) fn class(&self) -> FileClass {
        FileClass::from_index(self.class).unwrap_or(FileClass::Source)
    }

    pub(crate) fn language(&self) -> Language {
        Language::ALL.get(self.language as usize).copied().unwrap_or(Language::Text)
    }
}

impl ArchivedSymbolRecord {
    pub(crate) fn kind(&self) -> SymbolKind {
        SymbolKind::from_index(self.kind).unwrap_or(SymbolKind::Function)
    }

    pub(crate) fn qualified(&self) -> String {
        qualify(&self.container, &self.name)
    }

    pub(crate) fn lines(&self) -> LineSpan {
        self.span.lines()
    }
}

impl ArchivedSpanRecord {
    pub(crate) fn bytes(&self) -> ByteSpan {
        ByteSpan { start: self.first_byte.to_native(), end: self.end_byte.to_native() }
    }

    pub(crate) fn lines(&self) -> LineSpan {
        LineSpan { start: self.first_line.to_native(), end: self.last_line.to_native() }
    }
}
