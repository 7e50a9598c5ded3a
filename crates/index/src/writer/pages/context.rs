//! The input of page rendering.

use model::FileClass;

use super::{
    file_relations::{FileRelations, class},
    shown_texts::ShownTexts,
};
use crate::{
    error::IndexError,
    records::{
        history::HistoryTables,
        page_tables::HotspotRecord,
        tables::{CompressedRange, Tables},
    },
    writer::graph::NewGraph,
};

/// Maximum length of a file that is read for its own description, or for its infrastructure.
const MAX_TEXT_BYTES: u32 = 256 << 10;

/// A generation whose files, graph and history are known, but whose pages are not written yet.
pub(crate) struct UnsealedGeneration<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) graph: &'a NewGraph<'a>,
    pub(crate) history: &'a HistoryTables,
    /// By file; see [`PageTables`](crate::records::page_tables::PageTables).
    pub(crate) hotspots: &'a [Option<HotspotRecord>],
    /// Reads a compressed text: the source of a file, or the texts of its symbols.
    pub(crate) read_source: &'a dyn Fn(CompressedRange) -> Result<Vec<u8>, IndexError>,
}

impl UnsealedGeneration<'_> {
    /// Returns the text of a file; empty if it is too long.
    pub(super) fn source_text(&self, file_idx: usize) -> Result<String, IndexError> {
        let source = self.tables.files[file_idx].source;
        if source.n_raw > MAX_TEXT_BYTES {
            return Ok(String::new());
        }
        Ok(String::from_utf8_lossy(&(self.read_source)(source)?).into_owned())
    }

    /// Returns true if a file has a page: it was read, and has content.
    pub(super) fn has_page(&self, file_idx: usize) -> bool {
        let file = &self.tables.files[file_idx];
        file.source.n_raw > 0 && class(file) != FileClass::Binary
    }
}

/// The input of all pages of a generation. Each kind of page extends it with methods, in a file of that name.
pub(super) struct PageContext<'a> {
    pub(super) generation: &'a UnsealedGeneration<'a>,
    pub(super) relations: &'a FileRelations<'a>,
    pub(super) texts: &'a ShownTexts<'a>,
}
