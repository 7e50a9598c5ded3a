//! The source file of a generation: the compressed source and symbol texts of all files.

use std::{
    fs::File,
    io::{BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use crate::{
    compression::{BlockCompressor, decompress_block},
    error::{IndexError, damaged, io_error},
    records::{SOURCE_FILE, tables::CompressedRange},
};

/// Buffer size of the writer.
const BUFFER_BYTES: usize = 1 << 18;

/// Appends compressed texts to the source file.
pub(super) struct SourceFileWriter {
    path: PathBuf,
    file: BufWriter<File>,
    compressor: BlockCompressor,
    n_written: u64,
}

impl SourceFileWriter {
    pub(super) fn create(dir: &Path) -> Result<SourceFileWriter, IndexError> {
        let path = dir.join(SOURCE_FILE);
        let file = File::create(&path).map_err(io_error("cannot create", &path))?;
        let compressor = BlockCompressor::new().map_err(io_error("cannot compress for", dir))?;
        Ok(SourceFileWriter { path, file: BufWriter::with_capacity(BUFFER_BYTES, file), compressor, n_written: 0 })
    }

    /// Compresses and appends a text. The range of an empty text is empty.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<CompressedRange, IndexError> {
        if bytes.is_empty() {
            return Ok(CompressedRange::default());
        }
        let compressed = self.compressor.compress(bytes).map_err(io_error("cannot compress for", &self.path))?;
        self.add_compressed(&compressed, bytes.len() as u32)
    }

    /// Appends a text that is compressed already. `n_raw` is its decompressed length.
    pub(super) fn add_compressed(&mut self, compressed: &[u8], n_raw: u32) -> Result<CompressedRange, IndexError> {
        self.file.write_all(compressed).map_err(io_error("cannot write", &self.path))?;
        let range = CompressedRange { offset: self.n_written, n_compressed: compressed.len() as u32, n_raw };
        self.n_written += compressed.len() as u64;
        Ok(range)
    }

    /// Flushes the file, and opens it for reading.
    pub(super) fn finish(mut self) -> Result<SourceFileReader, IndexError> {
        self.file.flush().map_err(io_error("cannot write", &self.path))?;
        let file = File::open(&self.path).map_err(io_error("cannot open", &self.path))?;
        Ok(SourceFileReader { path: self.path, file })
    }
}

/// Reads texts of a source file that was just written.
pub(super) struct SourceFileReader {
    path: PathBuf,
    file: File,
}

impl SourceFileReader {
    pub(super) fn read(&self, range: CompressedRange) -> Result<Vec<u8>, IndexError> {
        let mut compressed = vec![0; range.n_compressed as usize];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(range.offset)).map_err(io_error("cannot read", &self.path))?;
        file.read_exact(&mut compressed).map_err(io_error("cannot read", &self.path))?;
        decompress_block(&compressed, range.n_raw as usize).map_err(|error| damaged(&self.path, error.to_string()))
    }
}
