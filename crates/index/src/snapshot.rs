//! An open generation. It never changes, and stays readable while anybody holds it, even when its files are unlinked.

use std::{
    collections::hash_map::Entry,
    path::{Path, PathBuf},
};

use model::{LineSpan, SymbolId, SymbolKind};
use ranking::Statistics;
use tantivy::{Searcher, SegmentReader};

use crate::{
    IndexError, Manifest,
    error::damaged,
    graph::ArchivedGraphTables,
    history::ArchivedHistoryTables,
    mapped::{MappedArchive, MappedBytes},
    messages::ArchivedMessageTables,
    overview::ArchivedOverview,
    packed::unpack,
    sound,
    table::FileView,
    table::{ArchivedFileRecord, ArchivedStoredRecord, ArchivedSymbolRecord, ArchivedTables},
    term_counts::TermMap,
    text::{self, Fields, split_row},
    vectors::ArchivedVectorTables,
    wording::{Wording, Wordings, WordingsByFile},
    words::ArchivedWordTables,
};

pub(crate) const TABLES_FILE: &str = "tables.rkyv";
pub(crate) const OVERVIEW_FILE: &str = "overview.rkyv";
pub(crate) const PAGES_FILE: &str = "pages.zst";
pub(crate) const SOURCE_FILE: &str = "source.zst";
pub(crate) const GRAPH_FILE: &str = "graph.rkyv";
pub(crate) const HISTORY_FILE: &str = "history.rkyv";
pub(crate) const MESSAGES_FILE: &str = "messages.rkyv";
pub(crate) const TERMS_FILE: &str = "terms.fst";
pub(crate) const VECTORS_FILE: &str = "vectors.rkyv";
pub(crate) const WORDS_FILE: &str = "words.rkyv";
pub(crate) const TEXT_DIR: &str = "text";

/// Where the rows of a file stand in the text index: side by side, in one segment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileDocs {
    pub(crate) segment: u32,
    pub(crate) file_idx: u32,
    pub(crate) first: u32,
    pub(crate) end: u32,
}

/// An open generation.
pub struct Snapshot {
    dir: PathBuf,
    manifest: Manifest,
    tables: MappedArchive<ArchivedTables>,
    graph: MappedArchive<ArchivedGraphTables>,
    history: MappedArchive<ArchivedHistoryTables>,
    terms: TermMap,
    /// Absent where no file was read: an empty file cannot be mapped.
    source: Option<MappedBytes>,
    /// Absent where there is no page.
    pages: Option<MappedBytes>,
    searcher: Searcher,
    fields: Fields,
    vectors: MappedArchive<ArchivedVectorTables>,
    words: MappedArchive<ArchivedWordTables>,
    messages: MappedArchive<ArchivedMessageTables>,
    overview: MappedArchive<ArchivedOverview>,
    /// By segment: where the rows of its files stand, in their order.
    docs: Vec<Vec<FileDocs>>,
    /// By index of the file: where its rows stand; of length 0 if it has none.
    docs_by_file: Vec<FileDocs>,
}

impl Snapshot {
    /// Opens the generation in `dir` after comparing every file with its checksum.
    pub fn open(dir: &Path) -> Result<Snapshot, IndexError> {
        let manifest = Manifest::read(dir)?;
        manifest.verify(dir)?;
        let tables = MappedArchive::<ArchivedTables>::open(&dir.join(TABLES_FILE))?;
        let graph = MappedArchive::<ArchivedGraphTables>::open(&dir.join(GRAPH_FILE))?;
        let history = MappedArchive::<ArchivedHistoryTables>::open(&dir.join(HISTORY_FILE))?;
        let terms = TermMap::open(&dir.join(TERMS_FILE))?;
        let mapped = |name: &str| {
            let is_empty = manifest.checksums.get(name).is_none_or(|checksum| checksum.bytes == 0);
            (!is_empty).then(|| MappedBytes::open(&dir.join(name))).transpose()
        };
        let (source, pages) = (mapped(SOURCE_FILE)?, mapped(PAGES_FILE)?);
        let (reader, fields) = text::open(&dir.join(TEXT_DIR))?;
        let searcher = reader.searcher();
        let segments = searcher.segment_readers().iter().enumerate();
        let docs: Vec<Vec<FileDocs>> = segments
            .map(|(segment_idx, segment)| docs(segment_idx, segment, tables.get()))
            .collect::<Result<_, _>>()?;
        let mut docs_by_file = vec![FileDocs::default(); tables.get().files.len()];
        for docs in docs.iter().flatten() {
            let of_file = docs_by_file.get_mut(docs.file_idx as usize);
            *of_file.ok_or_else(|| damaged(dir, "rows of a file that is not there"))? = *docs;
        }
        let snapshot = Snapshot {
            dir: dir.to_owned(),
            vectors: MappedArchive::<ArchivedVectorTables>::open(&dir.join(VECTORS_FILE))?,
            words: MappedArchive::<ArchivedWordTables>::open(&dir.join(WORDS_FILE))?,
            messages: MappedArchive::<ArchivedMessageTables>::open(&dir.join(MESSAGES_FILE))?,
            overview: MappedArchive::<ArchivedOverview>::open(&dir.join(OVERVIEW_FILE))?,
            manifest,
            tables,
            graph,
            history,
            terms,
            source,
            pages,
            searcher,
            fields,
            docs,
            docs_by_file,
        };
        match sound::fault(&snapshot) {
            Some(what) => Err(damaged(dir, what)),
            None => Ok(snapshot),
        }
    }

    /// Returns the same snapshot after its folder was renamed, which its mapped files do not notice.
    pub(crate) fn moved_to(self, dir: PathBuf) -> Snapshot {
        Snapshot { dir, ..self }
    }

    /// Returns what the generation says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the statistics of this repository for the given terms and identifiers.
    pub fn statistics(&self, terms: &[String], identifiers: &[String]) -> Statistics {
        Statistics {
            rows: self.manifest.rows,
            document_frequencies: terms.iter().map(|term| self.terms.get(term).rows).collect(),
            name_counts: identifiers.iter().map(|typed| self.count_named(typed)).collect(),
        }
    }

    /// Returns path and blob of each file, in the order of paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, model::BlobId)> {
        self.tables().files.iter().map(|file| (file.path.as_str(), model::BlobId(file.blob)))
    }

    /// Returns the part that a file plays, as its content told.
    pub fn class(&self, path: &str) -> Option<model::FileClass> {
        self.file_index(path).map(|file_idx| self.tables().files[file_idx].class())
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn tables(&self) -> &ArchivedTables {
        self.tables.get()
    }

    pub(crate) fn graph(&self) -> &ArchivedGraphTables {
        self.graph.get()
    }

    pub(crate) fn history(&self) -> &ArchivedHistoryTables {
        self.history.get()
    }

    pub(crate) fn terms(&self) -> &TermMap {
        &self.terms
    }

    pub(crate) fn n_segments(&self) -> usize {
        self.docs.len()
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = &SegmentReader> {
        self.searcher.segment_readers().iter()
    }

    /// Returns where the rows of the files of a segment stand, in their order.
    pub(crate) fn docs_of_segment(&self, segment_idx: usize) -> &[FileDocs] {
        &self.docs[segment_idx]
    }

    /// Returns where the rows of a file stand, if it has any.
    pub(crate) fn docs_of(&self, file_idx: u32) -> Option<FileDocs> {
        self.docs_by_file.get(file_idx as usize).copied().filter(|docs| docs.first < docs.end)
    }

    pub(crate) fn vector_tables(&self) -> &ArchivedVectorTables {
        self.vectors.get()
    }

    pub(crate) fn word_tables(&self) -> &ArchivedWordTables {
        self.words.get()
    }

    pub(crate) fn message_tables(&self) -> &ArchivedMessageTables {
        self.messages.get()
    }

    pub(crate) fn archived_overview(&self) -> &ArchivedOverview {
        self.overview.get()
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(crate) fn file_index(&self, path: &str) -> Option<usize> {
        self.tables().files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    pub(crate) fn symbols_of(&self, file_idx: usize) -> &[ArchivedSymbolRecord] {
        let file = &self.tables().files[file_idx];
        let first = file.first_symbol.to_native() as usize;
        &self.tables().symbols[first..first + file.n_symbols.to_native() as usize]
    }

    /// Returns a piece of the compressed sources; empty if it was not read.
    pub(crate) fn stored(&self, stored: &ArchivedStoredRecord) -> &[u8] {
        let start = stored.offset.to_native() as usize;
        self.stored_sources().get(start..start + stored.n_stored.to_native() as usize).unwrap_or_default()
    }

    /// Returns the compressed sources of all files.
    pub(crate) fn stored_sources(&self) -> &[u8] {
        self.source.as_ref().map_or(&[], |source| source.as_ref())
    }

    /// Returns the compressed texts of all pages.
    pub(crate) fn stored_pages(&self) -> &[u8] {
        self.pages.as_ref().map_or(&[], |pages| pages.as_ref())
    }

    /// Returns the source of a file; empty if it was not read.
    pub(crate) fn bytes(&self, file_idx: usize) -> Result<Vec<u8>, IndexError> {
        self.unpacked(&self.tables().files[file_idx].stored)
    }

    /// Returns what the symbols of a file say of themselves.
    pub(crate) fn wordings(&self, file_idx: usize) -> Result<Wordings, IndexError> {
        self.unpacked(&self.tables().files[file_idx].wording).map(Wordings::new)
    }

    fn unpacked(&self, stored: &ArchivedStoredRecord) -> Result<Vec<u8>, IndexError> {
        let packed = self.stored(stored);
        if packed.is_empty() {
            return Ok(Vec::new());
        }
        unpack(packed, stored.n_raw.to_native() as usize).map_err(|error| damaged(&self.dir, error.to_string()))
    }

    /// Returns a symbol; what all of its file say of themselves stays in `read`, for the next of them.
    pub(crate) fn symbol(&self, symbol_idx: usize, read: &mut WordingsByFile) -> Result<SymbolView, IndexError> {
        let file_idx = self.tables().symbols[symbol_idx].file.to_native();
        let wordings = match read.entry(file_idx) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unread) => unread.insert(self.wordings(file_idx as usize)?),
        };
        Ok(self.symbol_view(symbol_idx, wordings.at(self.place_in_file(symbol_idx))))
    }

    /// Returns a symbol that says this of itself.
    pub(crate) fn symbol_view(&self, symbol_idx: usize, wording: Wording<'_>) -> SymbolView {
        let symbol = &self.tables().symbols[symbol_idx];
        let file = &self.tables().files[symbol.file.to_native() as usize];
        SymbolView::new(symbol, file, wording).in_graph(self, symbol_idx as u32)
    }

    /// Returns the place of a symbol among those of its file.
    fn place_in_file(&self, symbol_idx: usize) -> usize {
        let file = &self.tables().files[self.tables().symbols[symbol_idx].file.to_native() as usize];
        symbol_idx.saturating_sub(file.first_symbol.to_native() as usize)
    }

    pub(crate) fn file_view(&self, file_idx: usize) -> FileView {
        let node = self.file_node(file_idx);
        FileView { node, used_by: self.used_by(node), ..self.tables().files[file_idx].view() }
    }
}

fn docs(segment_idx: usize, segment: &SegmentReader, tables: &ArchivedTables) -> Result<Vec<FileDocs>, IndexError> {
    let rows = segment.fast_fields().u64("row")?;
    let slot = |doc: u32| split_row(rows.first(doc).unwrap_or(u64::MAX)).0;
    let mut files = Vec::new();
    let mut first = 0;
    while first < segment.max_doc() {
        let slot_of_file = slot(first);
        let end = (first + 1..segment.max_doc()).find(|doc| slot(*doc) != slot_of_file).unwrap_or(segment.max_doc());
        // The rows of a file that is gone stay behind until the index is written anew.
        if let Ok(found) = tables.slots.binary_search_by(|entry| entry.0.to_native().cmp(&slot_of_file)) {
            let file_idx = tables.slots[found].1.to_native();
            files.push(FileDocs { segment: segment_idx as u32, file_idx, first, end });
        }
        first = end;
    }
    Ok(files)
}

/// A symbol of a generation.
#[derive(Debug, Clone, PartialEq)]
pub struct SymbolView {
    pub kind: SymbolKind,
    pub name: String,
    pub container: String,
    pub signature: String,
    pub doc: String,
    pub lines: LineSpan,
    pub name_line: u32,
    pub id: SymbolId,
    /// Its node in the code graph.
    pub node: u32,
    /// How many nodes use it.
    pub used_by: u32,
    /// PageRank, with 1 as the mean.
    pub importance: f32,
}

impl SymbolView {
    fn new(symbol: &ArchivedSymbolRecord, file: &ArchivedFileRecord, wording: Wording<'_>) -> SymbolView {
        SymbolView {
            kind: symbol.kind(),
            name: symbol.name.as_str().to_owned(),
            container: symbol.container.as_str().to_owned(),
            signature: wording.signature.to_owned(),
            doc: wording.doc.to_owned(),
            lines: symbol.lines(),
            name_line: symbol.name_line.to_native(),
            id: SymbolId {
                path: file.path.as_str().to_owned(),
                qualified: symbol.qualified(),
                ordinal: symbol.ordinal.to_native(),
            },
            node: 0,
            used_by: 0,
            importance: 0.0,
        }
    }

    fn in_graph(self, snapshot: &Snapshot, node: u32) -> SymbolView {
        SymbolView { node, used_by: snapshot.used_by(node), importance: snapshot.importance(node), ..self }
    }
}

/// A piece of source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Lines joined by line feeds, invalid UTF-8 replaced.
    pub text: String,
    pub lines: LineSpan,
    /// Lines of the whole file.
    pub n_file_lines: u32,
}
