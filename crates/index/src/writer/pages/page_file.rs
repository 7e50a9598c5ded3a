//! Writing pages: their text in compressed blocks, since neighbouring pages are similar; and a record of each page.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use ::pages::Page;

use crate::{
    compression::compress_block,
    error::{IndexError, io_error},
    records::tables::{CompressedRange, PageRecord},
};

/// Length of a block before compression. Blocks of this length contain most of what pages have in common. Reading one page
/// decompresses a block, which takes about 50 microseconds.
const BLOCK_BYTES: usize = 64 << 10;

/// Writes the page file of a generation.
pub(crate) struct PageFileWriter {
    path: PathBuf,
    file: BufWriter<File>,
    block: Vec<u8>,
    n_written: u64,
    records: PageRecords,
}

/// The records of the written pages.
#[derive(Default)]
pub(crate) struct PageRecords {
    pub(crate) pages: Vec<PageRecord>,
    pub(crate) blocks: Vec<CompressedRange>,
}

impl PageFileWriter {
    /// Creates the file.
    pub(crate) fn create(path: &Path) -> Result<PageFileWriter, IndexError> {
        let file = BufWriter::new(File::create(path).map_err(io_error("cannot create", path))?);
        Ok(PageFileWriter {
            path: path.to_owned(),
            file,
            block: Vec::new(),
            n_written: 0,
            records: PageRecords::default(),
        })
    }

    /// Adds a page. Pages must be sorted by type and path.
    pub(crate) fn add(&mut self, page: &Page) -> Result<(), IndexError> {
        if self.block.len() + page.text.len() > BLOCK_BYTES {
            self.end_block()?;
        }
        let mut hash = [0; 8];
        hash.copy_from_slice(&blake3::hash(page.text.as_bytes()).as_bytes()[..8]);
        self.records.pages.push(PageRecord {
            page_type: page.page_type as u8,
            path: page.path.clone(),
            title: if page.title == page.path { String::new() } else { page.title.clone() },
            block: self.records.blocks.len() as u32,
            start: self.block.len() as u32,
            n_bytes: page.text.len() as u32,
            hash: u64::from_le_bytes(hash),
        });
        self.block.extend_from_slice(page.text.as_bytes());
        Ok(())
    }

    /// Writes the last block, and returns the records of all pages.
    pub(crate) fn finish(mut self) -> Result<PageRecords, IndexError> {
        self.end_block()?;
        self.file.flush().map_err(io_error("cannot write", &self.path))?;
        Ok(self.records)
    }

    fn end_block(&mut self) -> Result<(), IndexError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let compressed = compress_block(&self.block).map_err(io_error("cannot compress pages for", &self.path))?;
        self.file.write_all(&compressed).map_err(io_error("cannot write", &self.path))?;
        let (n_compressed, n_raw) = (compressed.len() as u32, self.block.len() as u32);
        self.records.blocks.push(CompressedRange { offset: self.n_written, n_compressed, n_raw });
        self.n_written += u64::from(n_compressed);
        self.block.clear();
        Ok(())
    }
}
