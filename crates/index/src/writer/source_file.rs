//! The source of a generation: the compressed source and symbol texts of all files.
//!
//! The generation of a changed work tree links the source of the previous one, and has the texts of changed files in a second file.
//! Ranges count through both.

use std::{
    fs::File,
    io::{BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::archive_file::link_file;
use crate::{
    compression::{BlockCompressor, decompress_block},
    error::{IndexError, damaged, io_error},
    records::{SOURCE_CHANGES_FILE, SOURCE_FILE, tables::CompressedRange},
    snapshot::Snapshot,
};

/// Buffer size of the writer.
const BUFFER_BYTES: usize = 1 << 18;

/// Appends compressed texts to the source.
pub(super) struct SourceFileWriter {
    path: PathBuf,
    file: BufWriter<File>,
    compressor: BlockCompressor,
    linked: Option<LinkedSource>,
    n_written: u64,
}

/// The source file of the previous generation.
#[derive(Clone)]
struct LinkedSource {
    previous: Arc<Snapshot>,
    n_bytes: u64,
}

impl LinkedSource {
    fn has(&self, range: CompressedRange) -> bool {
        range.offset + u64::from(range.n_compressed) <= self.n_bytes
    }
}

impl SourceFileWriter {
    /// Begins an empty source.
    pub(super) fn create(dir: &Path) -> Result<SourceFileWriter, IndexError> {
        SourceFileWriter::new(dir, SOURCE_FILE, None)
    }

    /// Begins with the source file of the previous generation.
    pub(super) fn extend(dir: &Path, previous: &Arc<Snapshot>) -> Result<SourceFileWriter, IndexError> {
        link_file(&previous.dir().join(SOURCE_FILE), &dir.join(SOURCE_FILE))?;
        let linked = LinkedSource { previous: previous.clone(), n_bytes: previous.n_source_file_bytes() };
        SourceFileWriter::new(dir, SOURCE_CHANGES_FILE, Some(linked))
    }

    fn new(dir: &Path, name: &str, linked: Option<LinkedSource>) -> Result<SourceFileWriter, IndexError> {
        let path = dir.join(name);
        let file = File::create(&path).map_err(io_error("cannot create", &path))?;
        let compressor = BlockCompressor::new().map_err(io_error("cannot compress for", dir))?;
        let n_written = linked.as_ref().map_or(0, |linked| linked.n_bytes);
        Ok(SourceFileWriter { path, file: BufWriter::with_capacity(BUFFER_BYTES, file), compressor, linked, n_written })
    }

    /// Returns true if the source file is that of the previous generation.
    pub(super) fn is_linked(&self) -> bool {
        self.linked.is_some()
    }

    /// Compresses and appends a text. The range of an empty text is empty.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<CompressedRange, IndexError> {
        if bytes.is_empty() {
            return Ok(CompressedRange::default());
        }
        let compressed = self.compressor.compress(bytes).map_err(io_error("cannot compress for", &self.path))?;
        self.append(&compressed, bytes.len() as u32)
    }

    /// Takes a text of the previous generation: its range there, and its compressed bytes.
    pub(super) fn reuse(&mut self, range: CompressedRange, compressed: &[u8]) -> Result<CompressedRange, IndexError> {
        match &self.linked {
            Some(linked) if linked.has(range) => Ok(range),
            _ => self.append(compressed, range.n_raw),
        }
    }

    fn append(&mut self, compressed: &[u8], n_raw: u32) -> Result<CompressedRange, IndexError> {
        self.file.write_all(compressed).map_err(io_error("cannot write", &self.path))?;
        let range = CompressedRange { offset: self.n_written, n_compressed: compressed.len() as u32, n_raw };
        self.n_written += compressed.len() as u64;
        Ok(range)
    }

    /// Flushes the file, and opens it for reading.
    pub(super) fn finish(mut self) -> Result<SourceFileReader, IndexError> {
        self.file.flush().map_err(io_error("cannot write", &self.path))?;
        let file = File::open(&self.path).map_err(io_error("cannot open", &self.path))?;
        Ok(SourceFileReader { path: self.path, file, linked: self.linked })
    }
}

/// Reads texts of a source that was just written.
pub(super) struct SourceFileReader {
    path: PathBuf,
    file: File,
    linked: Option<LinkedSource>,
}

impl SourceFileReader {
    pub(super) fn read(&self, range: CompressedRange) -> Result<Vec<u8>, IndexError> {
        let to_damaged = |error: std::io::Error| damaged(&self.path, error.to_string());
        if let Some(linked) = self.linked.as_ref().filter(|linked| linked.has(range)) {
            let compressed = linked.previous.compressed(range);
            return decompress_block(compressed, range.n_raw as usize).map_err(to_damaged);
        }
        let n_before = self.linked.as_ref().map_or(0, |linked| linked.n_bytes);
        let mut compressed = vec![0; range.n_compressed as usize];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(range.offset - n_before)).map_err(io_error("cannot read", &self.path))?;
        file.read_exact(&mut compressed).map_err(io_error("cannot read", &self.path))?;
        decompress_block(&compressed, range.n_raw as usize).map_err(to_damaged)
    }
}
