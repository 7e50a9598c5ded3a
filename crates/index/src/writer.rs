//! Writing a generation.
//!
//! Files are added sorted by path. Each is either new, or reused from the previous generation if its content is unchanged.
//!
//! Tables are always written in full. The text index is expensive: after few changes, the previous one is linked and extended, and
//! the rows of removed files are deleted in it. Statistics stay exact in both cases, since the terms of removed rows are subtracted.
//! The generation of a changed work tree also links the source, the vectors and the term counts, and the history if its commit and its paths are the same.

mod archive_file;
mod complexity;
mod draft;
mod extension;
mod file_records;
mod graph;
mod history;
mod manifest;
mod messages;
mod name_index;
mod pages;
mod row_index;
mod source_file;
mod vectors;
mod written_rows;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use embed::{StaticModel, Vector};
use model::{BlobId, Extent, FileClass, FileFacts};
use ranking::ANALYSER_VERSION;

use crate::{
    error::{IndexError, damaged, io_error},
    generation::GenerationProvenance,
    manifest::GenerationManifest,
    records::{
        SOURCE_FILE, TABLES_FILE, TERMS_FILE, TEXT_DIR, VECTORS_FILE,
        symbol_texts::SymbolTexts,
        tables::{ArchivedFileRecord, FileRecord, SymbolRecord, Tables},
    },
    snapshot::Snapshot,
};

pub(crate) use archive_file::link_file;
use archive_file::write_archive;
use extension::can_extend;
use file_records::{PreviousFileRecords, file_record, row_source, slot_records, symbol_records};
use name_index::{MovedSymbols, extended_name_records, name_records};
use row_index::RowIndexWriter;
use source_file::SourceFileWriter;
use vectors::VectorsWriter;

pub use draft::DraftChanges;
pub use graph::NewGraph;
pub use history::NewHistory;
pub use written_rows::WrittenRows;

/// Returns empty tables with room for those of a generation like the previous one.
fn tables_like(previous: Option<&Snapshot>) -> Tables {
    let n_records = previous.map(|previous| (previous.tables().files.len(), previous.tables().symbols.len()));
    let (n_files, n_symbols) = n_records.unwrap_or_default();
    let (files, symbols) = (Vec::with_capacity(n_files + 1), Vec::with_capacity(n_symbols + n_symbols / 16));
    Tables { files, symbols, ..Tables::default() }
}

/// A file that the previous generation does not have, or has with other content.
#[derive(Clone, Copy)]
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

/// A file of the previous generation that was read to be reused.
pub struct ReusedFile {
    records: PreviousFileRecords,
    file_idx: usize,
    has_texts: bool,
}

impl ReusedFile {
    /// Reads a file of the previous generation, which must have it, for a text index that is built again.
    pub fn read(previous: &Snapshot, path: &str) -> Result<ReusedFile, IndexError> {
        let file_idx = previous.file_index_of(path)?;
        Ok(ReusedFile { records: PreviousFileRecords::read(previous, file_idx)?, file_idx, has_texts: true })
    }

    /// Reads the same without the texts of its symbols, for a text index that is extended.
    pub fn read_without_texts(previous: &Snapshot, path: &str) -> Result<ReusedFile, IndexError> {
        let file_idx = previous.file_index_of(path)?;
        let records = PreviousFileRecords::read_without_texts(previous, file_idx)?;
        Ok(ReusedFile { records, file_idx, has_texts: false })
    }
}

/// Writes one generation: create, add or reuse each file, seal.
pub struct GenerationWriter {
    dir: PathBuf,
    provenance: GenerationProvenance,
    previous: Option<Arc<Snapshot>>,
    /// By file of the previous generation: true if it was reused.
    is_reused: Vec<bool>,
    moved: Vec<MovedSymbols>,
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
        let rows = RowIndexWriter::create(dir, extended)?;
        // The generation of a changed work tree links what it has in common with the previous one.
        let linked = previous.as_ref().filter(|_| rows.is_extension() && provenance.changes.is_some());
        let vectors = VectorsWriter::new(provenance.model.clone(), linked);
        let source = match linked {
            Some(previous) => SourceFileWriter::extend(dir, previous)?,
            None => SourceFileWriter::create(dir)?,
        };
        Ok(GenerationWriter {
            dir: dir.to_owned(),
            rows,
            source,
            vectors,
            tables: tables_like(previous.as_deref()),
            moved: Vec::new(),
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

    /// Reuses a file of the previous generation, which has it with equal content.
    pub fn reuse_file(&mut self, file: ReusedFile) -> Result<(), IndexError> {
        let previous = self.previous.clone().ok_or_else(|| damaged(&self.dir, "there is no previous generation"))?;
        let ReusedFile { mut records, file_idx, has_texts } = file;
        if !self.is_incremental() && !has_texts {
            records = PreviousFileRecords::read(&previous, file_idx)?;
        }
        let PreviousFileRecords { mut record, symbols } = records;
        self.is_reused[file_idx] = true;
        let now = self.tables.symbols.len() as u32;
        self.moved.push(MovedSymbols { before: record.first_symbol, now, n_symbols: symbols.len() as u32 });
        record.source = self.source.reuse(record.source, previous.compressed(record.source))?;
        record.symbol_texts = self.source.reuse(record.symbol_texts, previous.compressed(record.symbol_texts))?;
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

    /// Returns true if the files that were added have the history of the previous generation: its commit, paths and classes are the
    /// same.
    pub fn has_previous_history(&self) -> bool {
        // The files of an extended generation are known to be on disk.
        let can_link = self.is_incremental() && self.provenance.changes.is_some();
        let Some(previous) = self.previous.as_deref().filter(|_| can_link) else { return false };
        let (manifest, before) = (previous.manifest(), &previous.tables().files);
        let is_same = |(file, before): (&FileRecord, &ArchivedFileRecord)| {
            file.path == before.path.as_str() && file.class == before.class
        };
        (manifest.commit, manifest.extractor) == (self.provenance.commit, self.provenance.extractor)
            && manifest.analyser == ANALYSER_VERSION
            && previous.history_extent() != Extent::Nothing
            && previous.message_tables().model == *StaticModel::built_in().id().as_str()
            && self.tables.files.len() == before.len()
            && self.tables.files.iter().zip(before.iter()).all(is_same)
    }

    /// Writes the tables, the vectors and the text index, in two threads. They depend on no graph.
    pub fn finish_rows(self) -> Result<WrittenRows, IndexError> {
        let GenerationWriter {
            dir,
            mut provenance,
            previous,
            is_reused,
            moved,
            mut tables,
            source,
            vectors,
            mut rows,
            compiler_files,
        } = self;
        let base = previous.as_deref();
        rows.remove_dropped_files(base, &is_reused)?;
        let has_linked_source = source.is_linked();
        let read_source = source.finish()?;
        let has_extended_text = rows.is_extension();
        let can_link = has_extended_text && provenance.changes.is_some();
        // A generation without all vectors differs from one with them, so its id must differ, too.
        provenance.model = vectors.model().cloned();
        let write_tables = || {
            tables.names = match base.filter(|_| has_extended_text) {
                Some(base) => extended_name_records(base, &moved, &tables.symbols),
                None => name_records(&tables.symbols),
            };
            tables.slots = slot_records(&tables.files);
            write_archive(&dir, TABLES_FILE, &tables)
        };
        let write_rows = || Ok::<_, IndexError>((vectors.write(&dir)?, rows.finish(&dir, base, can_link)?));
        let (written_tables, written_rows) = rayon::join(write_tables, write_rows);
        let (has_linked_vectors, row_counts) = written_rows?;
        written_tables?;
        let linked_names = [
            has_extended_text.then_some(TEXT_DIR),
            has_linked_source.then_some(SOURCE_FILE),
            has_linked_vectors.then_some(VECTORS_FILE),
            row_counts.has_linked_terms.then_some(TERMS_FILE),
        ];
        let linked_names = linked_names.into_iter().flatten().collect();
        Ok(WrittenRows { dir, provenance, previous, tables, read_source, row_counts, compiler_files, linked_names })
    }

    /// Writes everything that depends on all files, and seals the generation; see [`WrittenRows::seal`].
    pub fn seal(
        self,
        graph: &NewGraph<'_>,
        history: Option<&NewHistory<'_>>,
    ) -> Result<GenerationManifest, IndexError> {
        self.finish_rows()?.seal(graph, history)
    }

    fn push(&mut self, mut record: FileRecord, symbols: Vec<SymbolRecord>) {
        debug_assert!(self.tables.files.last().is_none_or(|last| last.path < record.path), "files are sorted by path");
        record.first_symbol = self.tables.symbols.len() as u32;
        let file_idx = self.tables.files.len() as u32;
        self.tables.symbols.extend(symbols.into_iter().map(|symbol| SymbolRecord { file: file_idx, ..symbol }));
        self.tables.files.push(record);
    }
}
