//! Writing a generation.
//!
//! Files are added sorted by path. Each is either new, or reused from the previous generation if its content is unchanged.
//!
//! Tables and source are always written in full, which is cheap. The text index is expensive: after few changes, the previous
//! one is linked and extended, and the rows of removed files are deleted in it. Statistics stay exact in both cases, since
//! the terms of removed rows are subtracted.

mod archive_file;
mod complexity;
mod extension;
mod file_records;
mod graph;
mod history;
mod manifest;
mod messages;
mod pages;
mod row_index;
mod source_file;
mod vectors;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use embed::Vector;
use model::{BlobId, FileClass, FileFacts};

use crate::{
    compression::compress_file,
    error::{IndexError, damaged, io_error},
    generation::GenerationProvenance,
    manifest::GenerationManifest,
    records::{
        GRAPH_FILE, HISTORY_FILE, HISTORY_STATE_FILE, LINK_FACTS_FILE, MESSAGES_FILE, OVERVIEW_FILE, TABLES_FILE,
        VECTORS_FILE, WORDS_FILE,
        symbol_texts::SymbolTexts,
        tables::{FileRecord, SymbolRecord, Tables},
        term_bags::TermBagTables,
    },
    snapshot::Snapshot,
};

use archive_file::{write_archive, write_file};
use extension::can_extend;
use file_records::{PreviousFileRecords, file_record, name_records, row_source, slot_records, symbol_records};
use graph::graph_tables;
use history::history_tables;
use manifest::manifest;
use messages::commit_messages;
use pages::{UnsealedGeneration, WrittenPages, write_pages};
use row_index::RowIndexWriter;
use source_file::SourceFileWriter;
use vectors::VectorsWriter;

pub use graph::NewGraph;
pub use history::NewHistory;

/// A file that the previous generation does not have, or has with other content.
pub struct NewFile<'a> {
    /// Path within the repository.
    pub path: &'a str,
    /// Id of the content.
    pub blob: BlobId,
    /// The role of the file: source, test, documentation, ...
    pub class: FileClass,
    /// Length in bytes, also of a file that was not read.
    pub n_bytes: u64,
    /// The extracted facts.
    pub facts: &'a FileFacts,
    /// The content; empty for a file that was not read.
    pub bytes: &'a [u8],
    /// The vector of each row, in the order of the rows; empty without an embedding model.
    pub vectors: &'a [Vector],
}

/// Writes one generation: create, add or reuse each file, seal.
pub struct GenerationWriter {
    dir: PathBuf,
    provenance: GenerationProvenance,
    previous: Option<Arc<Snapshot>>,
    /// By file of the previous generation: true if it was reused.
    is_reused: Vec<bool>,
    tables: Tables,
    source: SourceFileWriter,
    vectors: VectorsWriter,
    rows: RowIndexWriter,
    compiler_files: u64,
}

impl GenerationWriter {
    /// Begins a generation in `dir`, which must be empty or absent. `n_changed` is the number of files that will be added or
    /// dropped.
    pub fn create(
        dir: &Path,
        provenance: GenerationProvenance,
        previous: Option<Arc<Snapshot>>,
        n_changed: u64,
    ) -> Result<GenerationWriter, IndexError> {
        fs::create_dir_all(dir).map_err(io_error("cannot create", dir))?;
        let extended = previous.as_deref().filter(|previous| can_extend(previous, &provenance, n_changed));
        Ok(GenerationWriter {
            dir: dir.to_owned(),
            rows: RowIndexWriter::create(dir, extended)?,
            source: SourceFileWriter::create(dir)?,
            vectors: VectorsWriter::new(provenance.model.clone()),
            tables: Tables::default(),
            is_reused: vec![false; previous.as_ref().map_or(0, |previous| previous.tables().files.len())],
            provenance,
            previous,
            compiler_files: 0,
        })
    }

    /// Returns true if the text index of the previous generation is extended rather than rebuilt.
    pub fn is_incremental(&self) -> bool {
        self.rows.is_extension()
    }

    /// Returns true if the generation has row vectors.
    pub fn has_vectors(&self) -> bool {
        self.provenance.model.is_some()
    }

    /// Reuses a file of the previous generation, which must have it with equal content.
    pub fn reuse_file(&mut self, path: &str) -> Result<(), IndexError> {
        let previous = self.previous.clone().ok_or_else(|| damaged(&self.dir, "there is no previous generation"))?;
        let file_idx = previous.file_index(path).ok_or_else(|| damaged(previous.dir(), format!("no file `{path}`")))?;
        self.is_reused[file_idx] = true;
        let PreviousFileRecords { mut record, symbols } = PreviousFileRecords::read(&previous, file_idx)?;
        let archived = &previous.tables().files[file_idx];
        record.source = self.source.add_compressed(previous.compressed(&archived.source), record.source.n_raw)?;
        let symbol_texts = previous.compressed(&archived.symbol_texts);
        record.symbol_texts = self.source.add_compressed(symbol_texts, record.symbol_texts.n_raw)?;
        self.vectors.reuse_file(&previous, file_idx);
        if !self.is_incremental() {
            record.slot = self.rows.take_slot();
            let bytes = previous.source_bytes(file_idx)?;
            record.n_rows = self.rows.add_file(&record, &row_source(&record, &symbols, &bytes))?;
        }
        self.push(record, symbols);
        Ok(())
    }

    /// Adds a file that the previous generation does not have, or has with other content.
    pub fn add_file(&mut self, file: NewFile<'_>) -> Result<(), IndexError> {
        let symbols = symbol_records(file.facts);
        let mut record = FileRecord {
            source: self.source.add(file.bytes)?,
            symbol_texts: self.source.add(&SymbolTexts::serialise(&symbols))?,
            slot: self.rows.take_slot(),
            ..file_record(&file)
        };
        let source = row_source(&record, &symbols, file.bytes);
        self.vectors.add_file(&source, file.vectors);
        record.n_rows = self.rows.add_file(&record, &source)?;
        self.push(record, symbols);
        Ok(())
    }

    /// Adds the number of files whose uses a compiler resolved, and diagnostics of its index.
    pub fn with_compiler_index(mut self, n_files: u64, diagnostics: Vec<String>) -> GenerationWriter {
        self.compiler_files = n_files;
        self.provenance.diagnostics.extend(diagnostics);
        self
    }

    /// Writes everything that depends on all files, in two threads, and seals the generation. It never changes afterwards.
    pub fn seal(self, graph: &NewGraph<'_>, history: &NewHistory<'_>) -> Result<GenerationManifest, IndexError> {
        let GenerationWriter {
            dir,
            mut provenance,
            previous,
            is_reused,
            mut tables,
            source,
            vectors,
            mut rows,
            compiler_files,
        } = self;
        let previous = previous.as_deref();
        rows.remove_dropped_files(previous, &is_reused)?;
        let read_source = source.finish()?;

        let (model, vector_tables) = vectors.finish();
        // A generation without all vectors differs from one with them, so its id must differ, too.
        provenance.model = model;
        let extended = previous.filter(|_| rows.is_extension()).map(Snapshot::manifest);
        let beside_pages = || {
            write_archive(&dir, GRAPH_FILE, &graph_tables(graph, &tables.symbols))?;
            write_file(&dir, LINK_FACTS_FILE, graph.link_facts)?;
            write_archive(&dir, VECTORS_FILE, &vector_tables)?;
            let row_counts = rows.finish(&dir, previous)?;
            let (message_bags, message_tables) = commit_messages(history, &tables.files, previous);
            write_archive(&dir, MESSAGES_FILE, &message_tables)?;
            Ok::<_, IndexError>((row_counts, message_bags))
        };
        let pages = || {
            let history_tables = history_tables(history, &tables.files);
            write_archive(&dir, HISTORY_FILE, &history_tables)?;
            let state = compress_file(history.state).map_err(io_error("cannot compress the history for", &dir))?;
            write_file(&dir, HISTORY_STATE_FILE, &state)?;
            let read_source = |file_idx: usize| read_source.read(tables.files[file_idx].source);
            let unsealed =
                UnsealedGeneration { tables: &tables, graph, history: &history_tables, read_source: &read_source };
            let pages = write_pages(&dir, &unsealed)?;
            write_archive(&dir, OVERVIEW_FILE, &pages.overview)?;
            Ok::<_, IndexError>(pages)
        };
        let (beside_pages, pages) = rayon::join(beside_pages, pages);
        let (row_counts, message_bags) = beside_pages?;
        let WrittenPages { records, type_of_file, term_bags, overview: _ } = pages?;
        write_archive(&dir, WORDS_FILE, &TermBagTables { messages: message_bags, pages: term_bags })?;

        (tables.pages, tables.page_blocks) = (records.pages, records.blocks);
        for (file, page_type) in tables.files.iter_mut().zip(type_of_file) {
            file.page_type = page_type as u8;
        }
        tables.names = name_records(&tables.symbols);
        tables.slots = slot_records(&tables.files);
        write_archive(&dir, TABLES_FILE, &tables)?;
        manifest(provenance, &tables, &history.diagnostics, row_counts, compiler_files).seal(&dir, extended)
    }

    fn push(&mut self, mut record: FileRecord, symbols: Vec<SymbolRecord>) {
        debug_assert!(self.tables.files.last().is_none_or(|last| last.path < record.path), "files are sorted by path");
        record.first_symbol = self.tables.symbols.len() as u32;
        let file_idx = self.tables.files.len() as u32;
        self.tables.symbols.extend(symbols.into_iter().map(|symbol| SymbolRecord { file: file_idx, ..symbol }));
        self.tables.files.push(record);
    }
}
