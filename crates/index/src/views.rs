//! Files and symbols as queries return them.

use std::collections::hash_map::Entry;

use model::{BlobId, FileClass, Language, LineSpan, PageType, SymbolId, SymbolKind};

use crate::{
    error::IndexError,
    records::symbol_texts::{SymbolText, SymbolTextsByFile},
    snapshot::Snapshot,
};

/// A file of a generation, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView {
    /// Path within the repository.
    pub path: String,
    /// Id of the content.
    pub blob: BlobId,
    /// The role of the file: source, test, documentation, ...
    pub class: FileClass,
    /// The programming language.
    pub language: Language,
    /// Number of lines.
    pub n_lines: u32,
    /// Length in bytes.
    pub n_bytes: u64,
    /// Its node in the code graph.
    pub node: u32,
    /// Number of other files that use it.
    pub used_by: u32,
    /// The type of its page.
    pub page_type: PageType,
}

/// A symbol of a generation.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolView {
    /// Function, type, method, ...
    pub kind: SymbolKind,
    /// The simple name.
    pub name: String,
    /// The qualified name of the enclosing definition; empty at the top level.
    pub container: String,
    /// The declaration without its body.
    pub signature: String,
    /// The doc comment.
    pub doc: String,
    /// The lines of the whole definition.
    pub lines: LineSpan,
    /// The line of the name.
    pub name_line: u32,
    /// Identifies the symbol within its repository.
    pub id: SymbolId,
    /// Its node in the code graph.
    pub node: u32,
    /// Number of nodes that use it.
    pub used_by: u32,
    /// PageRank, with 1 as the mean.
    pub importance: f32,
}

impl Snapshot {
    pub(crate) fn file_view(&self, file_idx: usize) -> FileView {
        let file = &self.tables().files[file_idx];
        let node = self.file_node(file_idx);
        FileView {
            path: file.path.as_str().to_owned(),
            blob: BlobId(file.blob),
            class: file.class(),
            language: file.language(),
            n_lines: file.n_lines.to_native(),
            n_bytes: file.n_bytes.to_native(),
            node: self.graph_node(node),
            used_by: self.used_by(node),
            page_type: self.page_type_of(file_idx),
        }
    }

    /// Returns a symbol. `texts` caches the symbol texts of each file that was decompressed.
    pub(crate) fn symbol(&self, symbol_idx: usize, texts: &mut SymbolTextsByFile) -> Result<SymbolView, IndexError> {
        let file_idx = self.tables().symbols[symbol_idx].file.to_native();
        let texts = match texts.entry(file_idx) {
            Entry::Occupied(cached) => cached.into_mut(),
            Entry::Vacant(missing) => missing.insert(self.symbol_texts(file_idx as usize)?),
        };
        let first_symbol = self.tables().files[file_idx as usize].first_symbol.to_native() as usize;
        Ok(self.symbol_view(symbol_idx, texts.get(symbol_idx.saturating_sub(first_symbol))))
    }

    /// Returns a symbol, given its texts.
    pub(crate) fn symbol_view(&self, symbol_idx: usize, text: SymbolText<'_>) -> SymbolView {
        let symbol = &self.tables().symbols[symbol_idx];
        let file = &self.tables().files[symbol.file.to_native() as usize];
        let node = symbol_idx as u32;
        SymbolView {
            kind: symbol.kind(),
            name: symbol.name.as_str().to_owned(),
            container: symbol.container.as_str().to_owned(),
            signature: text.signature.to_owned(),
            doc: text.doc.to_owned(),
            lines: symbol.lines(),
            name_line: symbol.name_line.to_native(),
            id: SymbolId {
                path: file.path.as_str().to_owned(),
                qualified: symbol.qualified(),
                ordinal: symbol.ordinal.to_native(),
            },
            node: self.graph_node(node),
            used_by: self.used_by(node),
            importance: self.importance(node),
        }
    }
}
