//! An open generation.

mod draft;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use embed::ModelId;
use tantivy::{Searcher, SegmentReader};

use crate::{
    archives::Archives,
    compression::decompress_block,
    error::{IndexError, damaged, io_error},
    integrity::find_inconsistency,
    manifest::{Checksum, GenerationManifest},
    mapped::ArchiveOrigin,
    overview::ArchivedOverview,
    records::{
        TERMS_CHANGES_FILE, TEXT_DIR,
        graph::ArchivedGraphTables,
        history::ArchivedHistoryTables,
        messages::ArchivedMessageTables,
        page_tables::ArchivedPageTables,
        symbol_texts::SymbolTexts,
        tables::{ArchivedCompressedRange, ArchivedSymbolRecord, ArchivedTables, CompressedRange},
        term_bags::ArchivedTermBags,
        vectors::GenerationVectors,
    },
    term_map::TermMap,
    text_index::{self, TextIndexFields, split_row},
};

pub use draft::GenerationDraft;
pub(crate) use draft::{DraftLayer, FileState, ReplacedFiles};

/// An open generation. It never changes, and it stays readable while anyone holds it, even after its files are unlinked.
///
/// Each query is a method, in the file of that query: `search`, `symbols`, `outline`, `source`, `graph`, `history`, ...
pub struct Snapshot {
    dir: PathBuf,
    manifest: GenerationManifest,
    archives: Arc<Archives>,
    terms: Arc<TermMap>,
    searcher: Searcher,
    fields: Arc<TextIndexFields>,
    /// By segment: the row ranges of its files, ascending.
    row_ranges: Arc<Vec<Vec<FileRowRange>>>,
    /// By file: its row range; empty for a file without rows.
    row_range_of_file: Arc<Vec<FileRowRange>>,
    /// The part of a draft that it is, if it is one.
    pub(crate) layer: DraftLayer,
}

/// The rows of one file in the text index: a range of documents of one segment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileRowRange {
    pub(crate) segment: u32,
    pub(crate) file_idx: u32,
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Snapshot {
    /// Opens the generation in `dir`, after comparing every file with its checksum.
    pub fn open(dir: &Path) -> Result<Snapshot, IndexError> {
        let manifest = GenerationManifest::read(dir)?;
        manifest.verify(dir)?;
        Snapshot::open_files(dir, manifest, ArchiveOrigin::Unknown)
    }

    /// Opens a generation that this process has just sealed, without comparing its files with their checksums. Files that it links were
    /// compared before.
    pub(crate) fn open_sealed(dir: &Path) -> Result<Snapshot, IndexError> {
        Snapshot::open_files(dir, GenerationManifest::read(dir)?, ArchiveOrigin::ThisProcess)
    }

    fn open_files(dir: &Path, manifest: GenerationManifest, origin: ArchiveOrigin) -> Result<Snapshot, IndexError> {
        let archives = Archives::open(dir, &manifest, origin)?;
        let terms = TermMap::open(dir, manifest.checksums.contains_key(TERMS_CHANGES_FILE))?;
        let (reader, fields) = text_index::open(&dir.join(TEXT_DIR))?;
        let searcher = reader.searcher();
        let tables = archives.tables.get();
        let segments = searcher.segment_readers().iter().enumerate();
        let row_ranges: Vec<Vec<FileRowRange>> = segments
            .map(|(segment_idx, segment)| row_ranges(segment_idx, segment, tables))
            .collect::<Result<_, _>>()?;
        let mut row_range_of_file = vec![FileRowRange::default(); tables.files.len()];
        for range in row_ranges.iter().flatten() {
            let of_file = row_range_of_file.get_mut(range.file_idx as usize);
            *of_file.ok_or_else(|| damaged(dir, "rows refer to a missing file"))? = *range;
        }
        if let Some(reason) = find_inconsistency(&archives) {
            return Err(damaged(dir, reason));
        }
        Ok(Snapshot {
            dir: dir.to_owned(),
            manifest,
            archives: Arc::new(archives),
            terms: Arc::new(terms),
            searcher,
            fields: Arc::new(fields),
            row_ranges: Arc::new(row_ranges),
            row_range_of_file: Arc::new(row_range_of_file),
            layer: DraftLayer::None,
        })
    }

    /// Returns the same files as a part of a draft, which has its own manifest.
    pub(crate) fn as_layer(&self, manifest: GenerationManifest, layer: DraftLayer) -> Snapshot {
        Snapshot {
            dir: self.dir.clone(),
            manifest,
            archives: self.archives.clone(),
            terms: self.terms.clone(),
            searcher: self.searcher.clone(),
            fields: self.fields.clone(),
            row_ranges: self.row_ranges.clone(),
            row_range_of_file: self.row_range_of_file.clone(),
            layer,
        }
    }

    /// Returns the same snapshot after its folder was renamed. The mapped files stay valid.
    pub(crate) fn moved_to(self, dir: PathBuf) -> Snapshot {
        Snapshot { dir, ..self }
    }

    /// Returns the manifest of the generation.
    pub fn manifest(&self) -> &GenerationManifest {
        &self.manifest
    }

    /// Returns path and blob id of each file, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, model::BlobId)> {
        self.tables().files.iter().map(|file| (file.path.as_str(), model::BlobId(file.blob)))
    }

    /// Returns true if the generation has a file of this path.
    pub fn has_file(&self, path: &str) -> bool {
        self.file_index(path).is_some()
    }

    /// Returns the class of a file, if the generation has it.
    pub fn file_class(&self, path: &str) -> Option<model::FileClass> {
        self.file_index(path).map(|file_idx| self.tables().files[file_idx].class())
    }

    /// Returns the size in bytes of a file with this content, if the generation has it.
    pub fn file_size(&self, path: &str, blob: model::BlobId) -> Option<u64> {
        let file = &self.tables().files[self.file_index(path)?];
        (file.blob == blob.0).then(|| file.n_bytes.into())
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads a file that is not mapped, and may have changed since the generation was opened.
    pub(crate) fn read_unmapped(&self, name: &str) -> Result<Vec<u8>, IndexError> {
        let path = self.dir().join(name);
        let expected = self.manifest().checksums.get(name);
        let n_bytes = expected.map_or(0, |checksum| checksum.bytes);
        let bytes = files::read(&path, n_bytes).map_err(io_error("cannot read", &path))?;
        if expected != Some(&Checksum::of(&bytes)) {
            return Err(damaged(&path, "checksum mismatch"));
        }
        Ok(bytes)
    }

    pub(crate) fn tables(&self) -> &ArchivedTables {
        self.archives.tables.get()
    }

    pub(crate) fn graph(&self) -> &ArchivedGraphTables {
        self.archives.graph.get()
    }

    pub(crate) fn history(&self) -> &ArchivedHistoryTables {
        self.archives.history.get()
    }

    /// Returns the terms of the commit messages of each file.
    pub(crate) fn message_words(&self) -> &ArchivedTermBags {
        self.archives.message_words.get()
    }

    /// Returns the tables of pages.
    pub(crate) fn page_tables(&self) -> &ArchivedPageTables {
        self.archives.page_tables.get()
    }

    /// Returns the terms of each page.
    pub(crate) fn page_words(&self) -> &ArchivedTermBags {
        self.archives.page_words.get()
    }

    pub(crate) fn message_tables(&self) -> &ArchivedMessageTables {
        self.archives.messages.get()
    }

    pub(crate) fn archived_overview(&self) -> &ArchivedOverview {
        self.archives.overview.get()
    }

    /// Returns the compressed text of all pages.
    pub(crate) fn compressed_pages(&self) -> &[u8] {
        self.archives.pages()
    }

    pub(crate) fn terms(&self) -> &TermMap {
        &self.terms
    }

    pub(crate) fn text_fields(&self) -> &TextIndexFields {
        &self.fields
    }

    pub(crate) fn n_segments(&self) -> usize {
        self.row_ranges.len()
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = &SegmentReader> {
        self.searcher.segment_readers().iter()
    }

    /// Returns the row ranges of the files of a segment, ascending.
    pub(crate) fn row_ranges_of_segment(&self, segment_idx: usize) -> &[FileRowRange] {
        &self.row_ranges[segment_idx]
    }

    /// Returns the row range of a file, if it has rows.
    pub(crate) fn row_range_of(&self, file_idx: u32) -> Option<FileRowRange> {
        self.row_range_of_file.get(file_idx as usize).copied().filter(|range| range.first < range.end)
    }

    /// Returns the vectors of the rows, if they are of this model.
    pub(crate) fn vectors_of_model(&self, model: &ModelId) -> Option<GenerationVectors<'_>> {
        (self.manifest.model.as_deref() == Some(model.as_str())).then(|| self.archives.vectors())
    }

    /// Returns the index of a file. A file that a draft replaces is not found in the generation below it.
    pub(crate) fn file_index(&self, path: &str) -> Option<usize> {
        let found = self.tables().files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
        found.filter(|file_idx| !self.is_replaced(*file_idx as u32))
    }

    /// Returns the index of a file that must exist.
    pub(crate) fn file_index_of(&self, path: &str) -> Result<usize, IndexError> {
        self.file_index(path).ok_or_else(|| damaged(&self.dir, format!("no file `{path}`")))
    }

    /// Returns the symbols of a file.
    pub(crate) fn symbols_of(&self, file_idx: usize) -> &[ArchivedSymbolRecord] {
        let file = &self.tables().files[file_idx];
        let first = file.first_symbol.to_native() as usize;
        &self.tables().symbols[first..first + file.n_symbols.to_native() as usize]
    }

    /// Returns the source of a file; empty if it was not read.
    pub(crate) fn source_bytes(&self, file_idx: usize) -> Result<Vec<u8>, IndexError> {
        self.decompress(&self.tables().files[file_idx].source)
    }

    /// Returns the signatures and doc comments of the symbols of a file.
    pub(crate) fn symbol_texts(&self, file_idx: usize) -> Result<SymbolTexts, IndexError> {
        self.decompress(&self.tables().files[file_idx].symbol_texts).map(SymbolTexts::parse)
    }

    fn decompress(&self, range: &ArchivedCompressedRange) -> Result<Vec<u8>, IndexError> {
        let range = CompressedRange::from(range);
        let compressed = self.compressed(range);
        if compressed.is_empty() {
            return Ok(Vec::new());
        }
        decompress_block(compressed, range.n_raw as usize).map_err(|error| damaged(&self.dir, error.to_string()))
    }

    /// Returns a compressed source or symbol text; empty if it was not read.
    pub(crate) fn compressed(&self, range: CompressedRange) -> &[u8] {
        self.archives.source(range.offset as usize, range.n_compressed as usize)
    }

    /// Returns the length of the source file.
    pub(crate) fn n_source_file_bytes(&self) -> u64 {
        self.archives.source_lens().0 as u64
    }

    /// Returns the file that a graph node belongs to, or is.
    pub(crate) fn file_of_node(&self, node: u32) -> Option<usize> {
        let graph = self.graph();
        let (n_symbols, n_files) = (graph.n_symbols.to_native(), graph.n_files.to_native());
        if let Some(symbol) = self.tables().symbols.get(node as usize) {
            return Some(symbol.file.to_native() as usize);
        }
        match node.checked_sub(n_symbols)? {
            file if file < n_files => Some(file as usize),
            rest => graph.routes.get((rest - n_files) as usize).map(|route| route.file.to_native() as usize),
        }
    }

    /// Returns the graph node of a file.
    pub(crate) fn file_node(&self, file_idx: usize) -> u32 {
        self.graph().n_symbols.to_native() + file_idx as u32
    }

    /// Returns the number of nodes that use a graph node.
    pub(crate) fn used_by(&self, node: u32) -> u32 {
        if let Some((base, node)) = self.base_node(node) {
            return node.map_or(0, |node| base.used_by(node));
        }
        self.graph().used_by.get(node as usize).map_or(0, |count| count.to_native())
    }

    /// Returns the PageRank of a graph node, with 1 as the mean.
    pub(crate) fn importance(&self, node: u32) -> f32 {
        if let Some((base, node)) = self.base_node(node) {
            return node.map_or(0.0, |node| base.importance(node));
        }
        self.graph().importance.get(node as usize).map_or(0.0, |importance| importance.to_native())
    }
}

/// Returns the row ranges of the files of a segment, ascending.
fn row_ranges(
    segment_idx: usize,
    segment: &SegmentReader,
    tables: &ArchivedTables,
) -> Result<Vec<FileRowRange>, IndexError> {
    let rows = segment.fast_fields().u64("row")?;
    let slot = |doc: u32| split_row(rows.first(doc).unwrap_or(u64::MAX)).0;
    let mut ranges = Vec::new();
    let mut first = 0;
    while first < segment.max_doc() {
        let slot_of_file = slot(first);
        let end = (first + 1..segment.max_doc()).find(|doc| slot(*doc) != slot_of_file).unwrap_or(segment.max_doc());
        // Rows of a removed file stay in the segment until the text index is rebuilt.
        if let Ok(slot_idx) = tables.slots.binary_search_by(|entry| entry.0.to_native().cmp(&slot_of_file)) {
            let file_idx = tables.slots[slot_idx].1.to_native();
            ranges.push(FileRowRange { segment: segment_idx as u32, file_idx, first, end });
        }
        first = end;
    }
    Ok(ranges)
}
