//! Writing a generation: files come in the order of their paths, each either kept from the generation before or new.
//!
//! Tables and source are written whole every time; they cost little. The text index is the dear part: where little has
//! changed, the older one is linked and extended, and the rows of files that are gone are deleted in it. Statistics stay
//! exact either way, since what goes is counted out as exactly as what comes is counted in.

mod records;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use embed::{ModelId, Vector};
use model::{BlobId, CommitId, FileClass, FileFacts, GenerationId, PageType, RepoId};
use ranking::{ANALYSER_VERSION, Kept, aggregate::class_factor, analyser::Analyser};
use rkyv::{Serialize, api::high::HighSerializer, rancor, ser::allocator::ArenaHandle, util::AlignedVec};

use crate::{
    FORMAT_VERSION, IndexError, Manifest, Snapshot, complexity,
    error::{at, damaged},
    graph::{self, NewGraph},
    history::{self, HistoryTables, NewHistory, STATE_FILE},
    messages::{MessageTables, MessagesWriter},
    packed::{Packer, pack_whole, unpack},
    pages::{self, PageWriter, Sealing, Written},
    row::{RowSource, for_each_row},
    snapshot::{
        GRAPH_FILE, HISTORY_FILE, MESSAGES_FILE, OVERVIEW_FILE, PAGES_FILE, SOURCE_FILE, TABLES_FILE, TERMS_FILE,
        TEXT_DIR, VECTORS_FILE, WORDS_FILE,
    },
    table::{FileRecord, StoredRecord, SymbolRecord, Tables},
    term_counts::TermCounts,
    text::TextWriter,
    vectors::VectorsWriter,
    wording::Wordings,
    words::WordTables,
};

use records::{OlderFile, diagnostic_line, diagnostics, languages, names, row_source, span_record, symbol_records};

/// A text index is written anew when more than one file in this many has changed: then a new one costs little more, and
/// is smaller and faster to search.
const EXTEND_MIN_FILES_PER_CHANGE: u64 = 4;

/// A text index is written anew when more than one row in this many is dead.
const EXTEND_MIN_ROWS_PER_DEAD: u64 = 5;

/// A text index is written anew when it has this many segments: each costs every query a look-up per term.
const EXTEND_MAX_SEGMENTS: usize = 8;

/// What a generation is of, and by what it was made.
#[derive(Debug, Clone)]
pub struct Provenance {
    pub repo: RepoId,
    pub commit: CommitId,
    pub branch: Option<String>,
    /// Seconds since the epoch.
    pub committed_at: i64,
    pub indexed_at: i64,
    /// Version of what extracted the facts.
    pub extractor: u32,
    /// The model that vectors are made by; none if the generation is to have none.
    pub model: Option<ModelId>,
    /// What reading the repository had to leave out.
    pub diagnostics: Vec<String>,
}

impl Provenance {
    /// Returns the id of the generation.
    pub fn generation(&self) -> GenerationId {
        Provenance::generation_of(self.repo, self.commit, self.model.as_ref(), self.extractor)
    }

    /// Returns the id of a generation: the same for the same repository, commit, model and versions of the software.
    pub fn generation_of(repo: RepoId, commit: CommitId, model: Option<&ModelId>, extractor: u32) -> GenerationId {
        generation_id(repo, commit, model.map(ModelId::as_str), ANALYSER_VERSION, extractor)
    }
}

/// Returns the id of the generation of this format that is of these.
pub(crate) fn generation_id(
    repo: RepoId,
    commit: CommitId,
    model: Option<&str>,
    analyser: u32,
    extractor: u32,
) -> GenerationId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&repo.0).update(&commit.0);
    hasher.update(model.unwrap_or_default().as_bytes());
    for version in [FORMAT_VERSION, analyser, extractor] {
        hasher.update(&version.to_le_bytes());
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    GenerationId(id)
}

/// A file that was not in the generation before, or was another one.
pub struct NewFile<'a> {
    pub path: &'a str,
    pub blob: BlobId,
    pub class: FileClass,
    pub n_bytes: u64,
    pub facts: &'a FileFacts,
    /// Empty for a file that was not read.
    pub bytes: &'a [u8],
    /// The vector of each row, in their order; empty if there are none.
    pub vectors: &'a [Vector],
}

/// A generation in the making.
pub struct GenerationWriter {
    dir: PathBuf,
    provenance: Provenance,
    previous: Option<Arc<Snapshot>>,
    extends: bool,
    text: TextWriter,
    analyser: Analyser,
    counts: TermCounts,
    tables: Tables,
    packer: Packer,
    source: BufWriter<File>,
    n_source: u64,
    vectors: VectorsWriter,
    rows: i64,
    dead_rows: u64,
    next_slot: u64,
    /// By index of the file in the generation before: whether it was kept.
    kept: Vec<bool>,
}

impl GenerationWriter {
    /// Starts a generation in `dir`, which must be empty or absent. `n_changed` tells how many files will be new or gone.
    pub fn create(
        dir: &Path,
        provenance: Provenance,
        previous: Option<Arc<Snapshot>>,
        n_changed: u64,
    ) -> Result<GenerationWriter, IndexError> {
        fs::create_dir_all(dir).map_err(at("cannot create", dir))?;
        let extends = previous.as_ref().is_some_and(|previous| can_extend(previous, &provenance, n_changed));
        let text_dir = dir.join(TEXT_DIR);
        let older = previous.as_ref().filter(|_| extends);
        let text = match older {
            Some(older) => TextWriter::extend(&older.dir().join(TEXT_DIR), &text_dir)?,
            None => TextWriter::create(&text_dir)?,
        };
        let source_path = dir.join(SOURCE_FILE);
        let source = File::create(&source_path).map_err(at("cannot create", &source_path))?;
        let manifest = older.map(|older| older.manifest());
        Ok(GenerationWriter {
            dir: dir.to_owned(),
            extends,
            text,
            analyser: Analyser::default(),
            counts: TermCounts::default(),
            tables: Tables::default(),
            packer: Packer::new().map_err(at("cannot pack for", dir))?,
            source: BufWriter::with_capacity(1 << 18, source),
            n_source: 0,
            rows: manifest.map_or(0, |manifest| manifest.rows as i64),
            vectors: VectorsWriter::new(provenance.model.clone()),
            dead_rows: manifest.map_or(0, |manifest| manifest.dead_rows),
            next_slot: manifest.map_or(0, |manifest| manifest.next_slot),
            kept: vec![false; previous.as_ref().map_or(0, |previous| previous.tables().files.len())],
            provenance,
            previous,
        })
    }

    /// Says whether the text index of the generation before is being extended.
    pub fn is_incremental(&self) -> bool {
        self.extends
    }

    /// Says whether the vectors of rows are of any use.
    pub fn wants_vectors(&self) -> bool {
        self.provenance.model.is_some()
    }

    /// Takes over a file of the generation before, which must hold it with the same content.
    pub fn keep(&mut self, path: &str) -> Result<(), IndexError> {
        let previous = self.previous.clone().ok_or_else(|| damaged(&self.dir, "no generation before"))?;
        let file_idx = previous.file_index(path).ok_or_else(|| damaged(previous.dir(), format!("no file `{path}`")))?;
        self.kept[file_idx] = true;
        let OlderFile { mut record, symbols } = OlderFile::read(&previous, file_idx)?;
        let archived = &previous.tables().files[file_idx];
        record.stored = self.store(previous.stored(&archived.stored), record.stored.n_raw)?;
        record.wording = self.store(previous.stored(&archived.wording), record.wording.n_raw)?;
        self.vectors.keep(&previous, file_idx);
        if !self.extends {
            record.slot = self.take_slot();
            let bytes = previous.bytes(file_idx)?;
            record.n_rows = self.add_rows(&record, &row_source(&record, &symbols, &bytes))?;
        }
        self.push(record, symbols);
        Ok(())
    }

    /// Adds a file that the generation before did not hold, or held with other content.
    pub fn add(&mut self, file: NewFile<'_>) -> Result<(), IndexError> {
        let symbols = symbol_records(file.facts);
        let stored = self.pack(file.bytes)?;
        let wording = self.pack(&Wordings::to_bytes(&symbols))?;
        let mut record = FileRecord {
            path: file.path.to_owned(),
            blob: file.blob.0,
            class: file.class as u8,
            language: file.facts.language as u8,
            n_lines: file.facts.n_lines,
            n_bytes: file.n_bytes,
            complexity: complexity::of(file.bytes),
            doc: file.facts.doc.clone(),
            slot: self.take_slot(),
            n_rows: 0,
            first_symbol: 0,
            n_symbols: file.facts.definitions.len() as u32,
            chunks: file.facts.chunks.iter().map(|chunk| span_record(chunk.lines, chunk.bytes)).collect(),
            diagnostics: file
                .facts
                .diagnostics
                .iter()
                .map(|diagnostic| diagnostic_line(diagnostic.line, &diagnostic.message))
                .collect(),
            page_type: PageType::File as u8,
            stored,
            wording,
        };
        let source = row_source(&record, &symbols, file.bytes);
        self.vectors.add(&source, file.vectors);
        record.n_rows = self.add_rows(&record, &source)?;
        self.push(record, symbols);
        Ok(())
    }

    /// Writes what is left, and seals the generation. Nothing in it changes from here on.
    pub fn seal(mut self, graph: &NewGraph<'_>, history: &NewHistory<'_>) -> Result<Manifest, IndexError> {
        self.remove_gone()?;
        self.write_archive(GRAPH_FILE, &graph::tables(graph, &self.tables.symbols))?;
        let past = history::tables(history, &self.tables.files);
        self.write_archive(HISTORY_FILE, &past)?;
        let state = pack_whole(history.state).map_err(at("cannot pack the past for", &self.dir))?;
        self.write_file(STATE_FILE, &state)?;
        let vectors = std::mem::replace(&mut self.vectors, VectorsWriter::new(None));
        let (model, vectors) = vectors.finish();
        // Where a vector is missing, it is another generation than the one that has them all.
        self.provenance.model = model;
        self.write_archive(VECTORS_FILE, &vectors)?;
        self.source.flush().map_err(at("cannot write", &self.dir.join(SOURCE_FILE)))?;
        let (words, messages) = self.messages(history);
        self.write_archive(MESSAGES_FILE, &messages)?;
        let words = self.write_pages(graph, &past, words)?;
        self.write_archive(WORDS_FILE, &words)?;
        self.tables.names = names(&self.tables.symbols);
        self.tables.slots =
            self.tables.files.iter().enumerate().map(|(file_idx, file)| (file.slot, file_idx as u32)).collect();
        self.tables.slots.sort_unstable();
        self.write_archive(TABLES_FILE, &self.tables)?;
        let older = self.previous.as_ref().filter(|_| self.extends);
        let older_terms = older.map(|older| older.terms());
        self.counts.write(&self.analyser, older_terms, &self.dir.join(TERMS_FILE))?;
        self.text.finish()?;
        let manifest = Manifest {
            format: FORMAT_VERSION,
            analyser: ANALYSER_VERSION,
            extractor: self.provenance.extractor,
            generation: self.provenance.generation(),
            repo: self.provenance.repo,
            commit: self.provenance.commit,
            branch: self.provenance.branch.clone(),
            committed_at: self.provenance.committed_at,
            indexed_at: self.provenance.indexed_at,
            files: self.tables.files.len() as u64,
            symbols: self.tables.symbols.len() as u64,
            source_bytes: self.tables.files.iter().map(|file| u64::from(file.stored.n_raw)).sum(),
            rows: self.rows.max(0) as u64,
            model: self.provenance.model.as_ref().map(|model| model.as_str().to_owned()),
            dead_rows: self.dead_rows,
            next_slot: self.next_slot,
            languages: languages(&self.tables.files),
            diagnostics: diagnostics(&self.provenance, history, &self.tables.files),
            checksums: BTreeMap::new(),
        };
        manifest.seal(&self.dir)
    }

    /// Renders the pages, which tell of everything that was written before, and returns what is searched of them.
    fn write_pages(
        &mut self,
        graph: &NewGraph<'_>,
        past: &HistoryTables,
        mut words: WordTables,
    ) -> Result<WordTables, IndexError> {
        let mut analyser = Analyser::default();
        let source_path = self.dir.join(SOURCE_FILE);
        let source = File::open(&source_path).map_err(at("cannot open", &source_path))?;
        let read = |file_idx: usize| read_back(&source, &source_path, self.tables.files[file_idx].stored);
        let sealing = Sealing { tables: &self.tables, graph, past, read: &read };
        let kinds = pages::infra_kinds(&sealing)?;
        let mut writer = PageWriter::create(&self.dir.join(PAGES_FILE))?;
        let overview = pages::for_each_page(&sealing, &kinds, |page, file_idx| {
            match file_idx {
                // A file is found by its rows.
                Some(_) => words.pages.push_none(),
                None => words.pages.push_page(&format!("{} {}", page.title, page.path), &page.text, &mut analyser),
            }
            writer.add(&page)
        })?;
        self.write_archive(OVERVIEW_FILE, &overview)?;
        words.pages.end();
        let Written { pages, blocks } = writer.finish()?;
        (self.tables.pages, self.tables.page_blocks) = (pages, blocks);
        for (file, kind) in self.tables.files.iter_mut().zip(kinds) {
            file.page_type = if kind.is_some() { PageType::Infra } else { PageType::File } as u8;
        }
        Ok(words)
    }

    fn write_archive<T>(&self, name: &str, tables: &T) -> Result<(), IndexError>
    where
        T: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>>,
    {
        let archive = rkyv::to_bytes::<rancor::Error>(tables)
            .map_err(|error| damaged(&self.dir.join(name), error.to_string()))?;
        self.write_file(name, &archive)
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), IndexError> {
        let path = self.dir.join(name);
        fs::write(&path, bytes).map_err(at("cannot write", &path))
    }

    fn take_slot(&mut self) -> u64 {
        self.next_slot += 1;
        self.next_slot - 1
    }

    fn push(&mut self, mut record: FileRecord, symbols: Vec<SymbolRecord>) {
        debug_assert!(self.tables.files.last().is_none_or(|last| last.path < record.path), "files come in order");
        record.first_symbol = self.tables.symbols.len() as u32;
        let file_idx = self.tables.files.len() as u32;
        self.tables.symbols.extend(symbols.into_iter().map(|symbol| SymbolRecord { file: file_idx, ..symbol }));
        self.tables.files.push(record);
    }

    fn pack(&mut self, bytes: &[u8]) -> Result<StoredRecord, IndexError> {
        if bytes.is_empty() {
            return Ok(StoredRecord::default());
        }
        let packed = self.packer.pack(bytes).map_err(at("cannot pack a file for", &self.dir))?;
        self.store(&packed, bytes.len() as u32)
    }

    fn store(&mut self, packed: &[u8], n_raw: u32) -> Result<StoredRecord, IndexError> {
        self.source.write_all(packed).map_err(at("cannot write", &self.dir.join(SOURCE_FILE)))?;
        let stored = StoredRecord { offset: self.n_source, n_stored: packed.len() as u32, n_raw };
        self.n_source += packed.len() as u64;
        Ok(stored)
    }

    /// Returns what was said of the files, by its words and by its meaning.
    fn messages(&self, history: &NewHistory<'_>) -> (WordTables, MessageTables) {
        let mut analyser = Analyser::default();
        let mut words = WordTables::default();
        let mut messages = MessagesWriter::new(self.previous.as_deref());
        for (file_idx, file) in self.tables.files.iter().enumerate() {
            let of_file = (history.messages_of_file)(&file.path);
            words.messages.push_messages(&of_file, &mut analyser);
            // What else changes is looked for by its words; half of all messages are about nothing but it.
            if file.class == FileClass::Source as u8 {
                messages.push(file_idx, &of_file);
            }
        }
        words.messages.end();
        (words, messages.finish())
    }

    fn add_rows(&mut self, file: &FileRecord, source: &RowSource<'_>) -> Result<u32, IndexError> {
        let class = FileClass::from_index(file.class).unwrap_or(FileClass::Source);
        let factor = class_factor(class, Kept::default());
        let mut n_rows = 0;
        let mut failed = None;
        for_each_row(source, &mut self.analyser, |row, analyser| {
            n_rows += 1;
            self.counts.add(row, analyser);
            if let Err(error) = self.text.add(file.slot, row, analyser) {
                failed.get_or_insert(error);
            }
        });
        self.counts.end_file(factor);
        self.rows += i64::from(n_rows);
        failed.map_or(Ok(n_rows), Err)
    }

    /// Takes the rows of files that were not kept out of an index that is being extended.
    fn remove_gone(&mut self) -> Result<(), IndexError> {
        let Some(previous) = self.previous.clone().filter(|_| self.extends) else { return Ok(()) };
        for file_idx in (0..self.kept.len()).filter(|file_idx| !self.kept[*file_idx]).collect::<Vec<_>>() {
            let OlderFile { record, symbols } = OlderFile::read(&previous, file_idx)?;
            let bytes = previous.bytes(file_idx)?;
            for_each_row(&row_source(&record, &symbols, &bytes), &mut self.analyser, |row, analyser| {
                self.counts.remove(row, analyser);
            });
            self.rows -= i64::from(record.n_rows);
            self.dead_rows += u64::from(record.n_rows);
            self.text.remove(record.slot);
        }
        Ok(())
    }
}

/// Reads the source of a file that was written before.
fn read_back(mut source: &File, path: &Path, stored: StoredRecord) -> Result<Vec<u8>, IndexError> {
    let mut compressed = vec![0; stored.n_stored as usize];
    source.seek(SeekFrom::Start(stored.offset)).map_err(at("cannot read", path))?;
    source.read_exact(&mut compressed).map_err(at("cannot read", path))?;
    unpack(&compressed, stored.n_raw as usize).map_err(|error| damaged(path, error.to_string()))
}

fn can_extend(previous: &Snapshot, provenance: &Provenance, n_changed: u64) -> bool {
    let manifest = previous.manifest();
    manifest.extractor == provenance.extractor
        && manifest.analyser == ANALYSER_VERSION
        && n_changed * EXTEND_MIN_FILES_PER_CHANGE <= manifest.files
        && manifest.dead_rows * EXTEND_MIN_ROWS_PER_DEAD <= manifest.rows
        && previous.n_segments() < EXTEND_MAX_SEGMENTS
}
