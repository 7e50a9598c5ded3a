//! The mapped files of a generation.

use std::path::Path;

use crate::{
    error::IndexError,
    manifest::GenerationManifest,
    mapped::{ArchiveOrigin, MappedArchive, MappedBytes},
    overview::ArchivedOverview,
    records::{
        GRAPH_FILE, HISTORY_FILE, MESSAGE_WORDS_FILE, MESSAGES_FILE, OVERVIEW_FILE, PAGE_TABLES_FILE, PAGE_WORDS_FILE,
        PAGES_FILE, SOURCE_CHANGES_FILE, SOURCE_FILE, TABLES_FILE, VECTORS_CHANGES_FILE, VECTORS_FILE,
        graph::ArchivedGraphTables,
        history::ArchivedHistoryTables,
        messages::ArchivedMessageTables,
        page_tables::ArchivedPageTables,
        tables::ArchivedTables,
        term_bags::ArchivedTermBags,
        vectors::{ArchivedVectorChanges, ArchivedVectorTables, GenerationVectors},
    },
};

/// All mapped files of a generation but its text index and term counts.
pub(crate) struct Archives {
    pub(crate) tables: MappedArchive<ArchivedTables>,
    pub(crate) graph: MappedArchive<ArchivedGraphTables>,
    pub(crate) history: MappedArchive<ArchivedHistoryTables>,
    vectors: MappedArchive<ArchivedVectorTables>,
    vector_changes: Option<MappedArchive<ArchivedVectorChanges>>,
    pub(crate) message_words: MappedArchive<ArchivedTermBags>,
    pub(crate) page_words: MappedArchive<ArchivedTermBags>,
    pub(crate) page_tables: MappedArchive<ArchivedPageTables>,
    pub(crate) messages: MappedArchive<ArchivedMessageTables>,
    pub(crate) overview: MappedArchive<ArchivedOverview>,
    source: Option<MappedBytes>,
    source_changes: Option<MappedBytes>,
    pages: Option<MappedBytes>,
}

impl Archives {
    /// Maps the files of the generation in `dir`, and validates each archive by itself unless this process wrote it.
    pub(crate) fn open(
        dir: &Path,
        manifest: &GenerationManifest,
        origin: ArchiveOrigin,
    ) -> Result<Archives, IndexError> {
        let has_file = |name: &str| manifest.checksums.contains_key(name);
        // An empty file cannot be mapped.
        let map_unless_empty = |name: &str| {
            let is_empty = manifest.checksums.get(name).is_none_or(|checksum| checksum.bytes == 0);
            (!is_empty).then(|| MappedBytes::open(&dir.join(name))).transpose()
        };
        // The two largest archives of definitions are validated beside each other.
        let (tables, graph) = rayon::join(
            || MappedArchive::open(&dir.join(TABLES_FILE), origin),
            || MappedArchive::open(&dir.join(GRAPH_FILE), origin),
        );
        Ok(Archives {
            tables: tables?,
            graph: graph?,
            history: MappedArchive::open(&dir.join(HISTORY_FILE), origin)?,
            vectors: MappedArchive::open(&dir.join(VECTORS_FILE), origin)?,
            vector_changes: has_file(VECTORS_CHANGES_FILE)
                .then(|| MappedArchive::open(&dir.join(VECTORS_CHANGES_FILE), origin))
                .transpose()?,
            message_words: MappedArchive::open(&dir.join(MESSAGE_WORDS_FILE), origin)?,
            page_tables: MappedArchive::open(&dir.join(PAGE_TABLES_FILE), origin)?,
            page_words: MappedArchive::open(&dir.join(PAGE_WORDS_FILE), origin)?,
            messages: MappedArchive::open(&dir.join(MESSAGES_FILE), origin)?,
            overview: MappedArchive::open(&dir.join(OVERVIEW_FILE), origin)?,
            source: map_unless_empty(SOURCE_FILE)?,
            source_changes: map_unless_empty(SOURCE_CHANGES_FILE)?,
            pages: map_unless_empty(PAGES_FILE)?,
        })
    }

    /// Returns the vectors of all rows.
    pub(crate) fn vectors(&self) -> GenerationVectors<'_> {
        let changes = self.vector_changes.as_ref().map(MappedArchive::get);
        GenerationVectors { tables: self.vectors.get(), changes }
    }

    /// Returns the length of the source file, and of that with the texts of changed files.
    pub(crate) fn source_lens(&self) -> (usize, usize) {
        let len = |bytes: &Option<MappedBytes>| bytes.as_ref().map_or(0, |bytes| bytes.as_ref().len());
        (len(&self.source), len(&self.source_changes))
    }

    /// Returns a range of the compressed source and symbol texts of all files; empty if there is none.
    pub(crate) fn source(&self, offset: usize, n_bytes: usize) -> &[u8] {
        let (n_linked, _) = self.source_lens();
        let (bytes, start) = match offset.checked_sub(n_linked) {
            Some(start) => (&self.source_changes, start),
            None => (&self.source, offset),
        };
        let bytes = bytes.as_ref().map_or(&[][..], |bytes| bytes.as_ref());
        start.checked_add(n_bytes).and_then(|end| bytes.get(start..end)).unwrap_or_default()
    }

    /// Returns the compressed text of all pages.
    pub(crate) fn pages(&self) -> &[u8] {
        self.pages.as_ref().map_or(&[], |pages| pages.as_ref())
    }
}
