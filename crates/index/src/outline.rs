//! Outlines: files by path, with their symbols.

use crate::{
    error::IndexError,
    snapshot::Snapshot,
    views::{FileView, SymbolView},
};

/// Maximum number of files per query.
const MAX_MATCHES: usize = 50;

/// A file and its symbols.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOutline {
    /// The file.
    pub file: FileView,
    /// The doc comment of the file.
    pub doc: String,
    /// Sorted by line.
    pub symbols: Vec<SymbolView>,
    /// Problems that the extractor reported.
    pub diagnostics: Vec<String>,
    /// True if symbols and diagnostics were omitted because of the limit.
    pub is_bare: bool,
}

impl Snapshot {
    /// Returns the file of this path; or else the files whose path ends in it, by whole components and sorted by path.
    /// The first `n_full` of them have their symbols.
    pub fn outline(&self, path: &str, n_full: usize) -> Result<Vec<FileOutline>, IndexError> {
        let path = path.trim().trim_start_matches("./").trim_matches('/');
        if path.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(file_idx) = self.file_index(path) {
            return Ok(vec![self.file_outline(file_idx, n_full > 0)?]);
        }
        let end = format!("/{path}");
        let files = self.tables().files.iter().enumerate();
        let files = files.filter(|(file_idx, _)| !self.is_replaced(*file_idx as u32));
        let matches = files.filter(|(_, file)| file.path.as_str().ends_with(&end)).take(MAX_MATCHES);
        matches.enumerate().map(|(nth, (file_idx, _))| self.file_outline(file_idx, nth < n_full)).collect()
    }

    fn file_outline(&self, file_idx: usize, is_full: bool) -> Result<FileOutline, IndexError> {
        let file = &self.tables().files[file_idx];
        let mut outline = FileOutline {
            file: self.file_view(file_idx),
            doc: file.doc.as_str().to_owned(),
            symbols: Vec::new(),
            diagnostics: Vec::new(),
            is_bare: !is_full,
        };
        if is_full {
            let texts = self.symbol_texts(file_idx)?;
            let first = file.first_symbol.to_native();
            let symbols = (first..first + file.n_symbols.to_native()).enumerate();
            outline.symbols =
                symbols.map(|(nth, symbol_idx)| self.symbol_view(symbol_idx as usize, texts.get(nth))).collect();
            outline.diagnostics = file.diagnostics.iter().map(|line| line.as_str().to_owned()).collect();
        }
        Ok(outline)
    }
}
