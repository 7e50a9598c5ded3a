//! Files by path, with what they define.

use crate::{FileView, IndexError, Snapshot, SymbolView};

/// More files than this are left out.
const MAX_MATCHES: usize = 50;

/// A file and its definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOutline {
    pub file: FileView,
    pub doc: String,
    /// In the order of lines.
    pub symbols: Vec<SymbolView>,
    pub diagnostics: Vec<String>,
    /// Symbols and diagnostics were left out for the limit.
    pub bare: bool,
}

impl Snapshot {
    /// Returns the files whose path is `path` or ends in it by whole components: the exact one first, then by path.
    /// The first `n_full` of them come with their symbols.
    pub fn outline(&self, path: &str, n_full: usize) -> Result<Vec<FileOutline>, IndexError> {
        let wanted = path.trim().trim_start_matches("./").trim_matches('/');
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(file_idx) = self.file_index(wanted) {
            return Ok(vec![self.file_outline(file_idx, n_full > 0)?]);
        }
        let end = format!("/{wanted}");
        let files = self.tables().files.iter().enumerate();
        let matches = files.filter(|(_, file)| file.path.as_str().ends_with(&end)).take(MAX_MATCHES);
        matches.enumerate().map(|(place, (file_idx, _))| self.file_outline(file_idx, place < n_full)).collect()
    }

    fn file_outline(&self, file_idx: usize, is_full: bool) -> Result<FileOutline, IndexError> {
        let file = &self.tables().files[file_idx];
        let mut outline = FileOutline {
            file: self.file_view(file_idx),
            doc: file.doc.as_str().to_owned(),
            symbols: Vec::new(),
            diagnostics: Vec::new(),
            bare: !is_full,
        };
        if is_full {
            let wordings = self.wordings(file_idx)?;
            let first = file.first_symbol.to_native();
            let symbols = (first..first + file.n_symbols.to_native()).enumerate();
            outline.symbols =
                symbols.map(|(place, symbol)| self.symbol_view(symbol as usize, wordings.at(place))).collect();
            outline.diagnostics = file.diagnostics.iter().map(|line| line.as_str().to_owned()).collect();
        }
        Ok(outline)
    }
}
