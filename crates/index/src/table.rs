//! The tables of a generation: its files, its symbols, and its symbols by name.
//!
//! They are one archive, which is mapped and read where it lies.

use model::{BlobId, ByteSpan, FileClass, Language, LineSpan, PageType, SymbolKind, symbol::qualify};
use rkyv::{Archive, Deserialize, Serialize, with::Skip};

/// Everything that is looked up by place rather than by text.
#[derive(Archive, Serialize, Deserialize, Debug, Default)]
pub(crate) struct Tables {
    /// In the order of paths.
    pub(crate) files: Vec<FileRecord>,
    /// In the order of files, then of lines.
    pub(crate) symbols: Vec<SymbolRecord>,
    /// In the order of folded names.
    pub(crate) names: Vec<NameRecord>,
    /// Slot of the text index -> index of the file, in the order of slots.
    pub(crate) slots: Vec<(u64, u32)>,
    /// In the order of types and paths.
    pub(crate) pages: Vec<PageRecord>,
    /// Where the texts of pages lie, several in each.
    pub(crate) page_blocks: Vec<StoredRecord>,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct FileRecord {
    pub(crate) path: String,
    pub(crate) blob: [u8; 20],
    pub(crate) class: u8,
    pub(crate) language: u8,
    pub(crate) n_lines: u32,
    pub(crate) n_bytes: u64,
    /// Its lines by how deep they are nested, summed up.
    pub(crate) complexity: u32,
    pub(crate) doc: String,
    /// Where its rows stand in the text index.
    pub(crate) slot: u64,
    /// Its rows there.
    pub(crate) n_rows: u32,
    pub(crate) first_symbol: u32,
    pub(crate) n_symbols: u32,
    pub(crate) chunks: Vec<SpanRecord>,
    pub(crate) diagnostics: Vec<String>,
    /// What its page is called.
    pub(crate) page_type: u8,
    /// Its source.
    pub(crate) stored: StoredRecord,
    /// What its symbols say of themselves, among the sources.
    pub(crate) wording: StoredRecord,
}

/// Where something lies, compressed; of length 0 if it was not read.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, Default)]
pub(crate) struct StoredRecord {
    pub(crate) offset: u64,
    pub(crate) n_stored: u32,
    pub(crate) n_raw: u32,
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
    pub(crate) name: String,
    pub(crate) container: String,
    /// Lies among the sources, as the doc comment does.
    #[rkyv(with = Skip)]
    pub(crate) signature: String,
    #[rkyv(with = Skip)]
    pub(crate) doc: String,
    pub(crate) span: SpanRecord,
    pub(crate) name_line: u32,
    /// 1 for the first of this qualified name in the file.
    pub(crate) ordinal: u32,
}

#[derive(Archive, Serialize, Deserialize, Debug, Clone)]
pub(crate) struct PageRecord {
    pub(crate) page_type: u8,
    pub(crate) path: String,
    /// Empty where it is the path.
    pub(crate) title: String,
    pub(crate) block: u32,
    /// Where its text stands in the block.
    pub(crate) start: u32,
    pub(crate) n_bytes: u32,
    /// Of its text: the first eight bytes of BLAKE3.
    pub(crate) hash: u64,
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

    pub(crate) fn view(&self) -> FileView {
        FileView {
            path: self.path.as_str().to_owned(),
            blob: BlobId(self.blob),
            class: self.class(),
            language: self.language(),
            n_lines: self.n_lines.to_native(),
            n_bytes: self.n_bytes.to_native(),
            node: 0,
            used_by: 0,
            page_type: PageType::from_index(self.page_type).unwrap_or(PageType::File),
        }
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

/// A file of a generation, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView {
    pub path: String,
    pub blob: BlobId,
    pub class: FileClass,
    pub language: Language,
    pub n_lines: u32,
    pub n_bytes: u64,
    /// Its node in the code graph.
    pub node: u32,
    /// How many other files use it.
    pub used_by: u32,
    /// What type of page it has.
    pub page_type: PageType,
}
