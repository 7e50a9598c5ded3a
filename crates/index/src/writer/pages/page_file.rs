//! Writing pages: their text in compressed blocks, since neighbouring pages are similar; and a record of each page.
//!
//! A block ends at a page whose text has a certain hash. Hence a page that changes moves the ends of a few blocks only, and the blocks
//! without changes are copied from the previous generation.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use ::pages::Page;

use crate::{
    compression::compress_block,
    error::{IndexError, damaged, io_error},
    records::{
        page_tables::{ArchivedPageRecord, PageRecord},
        tables::CompressedRange,
    },
    snapshot::Snapshot,
};

/// Maximum length of a block before compression. Blocks of this length contain most of what pages have in common. Reading one page
/// decompresses a block, which takes about 50 microseconds.
const MAX_BLOCK_BYTES: usize = 64 << 10;

/// Minimum length of a block that ends at a page.
const MIN_BLOCK_BYTES: usize = 32 << 10;

/// Mean number of pages behind the minimum length before a block ends.
const MEAN_PAGES_TO_END: u64 = 32;

/// Writes the page file of a generation.
pub(crate) struct PageFileWriter<'a> {
    path: PathBuf,
    file: BufWriter<File>,
    /// The generation whose pages are reused.
    previous: Option<&'a Snapshot>,
    /// The texts of the current block, and their length.
    block: Vec<BlockText>,
    n_block_bytes: usize,
    n_written: u64,
    records: PageRecords,
}

/// The text of a page.
enum BlockText {
    Rendered(String),
    /// That of a page of the previous generation.
    Stored(StoredPage),
}

/// The number of a page of the previous generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredPage(pub(super) usize);

/// The records of the written pages.
#[derive(Default)]
pub(crate) struct PageRecords {
    pub(crate) pages: Vec<PageRecord>,
    pub(crate) blocks: Vec<CompressedRange>,
}

impl<'a> PageFileWriter<'a> {
    /// Creates the file. Pages of the generation `previous` may be reused.
    pub(super) fn create(path: &Path, previous: Option<&'a Snapshot>) -> Result<PageFileWriter<'a>, IndexError> {
        let file = BufWriter::new(File::create(path).map_err(io_error("cannot create", path))?);
        Ok(PageFileWriter {
            path: path.to_owned(),
            file,
            previous,
            block: Vec::new(),
            n_block_bytes: 0,
            n_written: 0,
            records: PageRecords::default(),
        })
    }

    /// Adds a page with the hash of its inputs. Pages must be sorted by type and path.
    pub(super) fn add(&mut self, page: Page, inputs: u64) -> Result<(), IndexError> {
        let mut hash = [0; 8];
        hash.copy_from_slice(&blake3::hash(page.text.as_bytes()).as_bytes()[..8]);
        let record = PageRecord {
            page_type: page.page_type as u8,
            title: if page.title == page.path { String::new() } else { page.title },
            path: page.path,
            block: 0,
            start: 0,
            n_bytes: page.text.len() as u32,
            hash: u64::from_le_bytes(hash),
            inputs,
        };
        self.push(record, BlockText::Rendered(page.text))
    }

    /// Adds a page of the previous generation.
    pub(super) fn reuse(&mut self, page: StoredPage) -> Result<(), IndexError> {
        let Some(stored) = self.stored(page.0) else { return Ok(()) };
        let record = PageRecord {
            page_type: stored.page_type,
            path: stored.path.as_str().to_owned(),
            title: stored.title.as_str().to_owned(),
            block: 0,
            start: 0,
            n_bytes: stored.n_bytes.to_native(),
            hash: stored.hash.to_native(),
            inputs: stored.inputs.to_native(),
        };
        self.push(record, BlockText::Stored(page))
    }

    /// Writes the last block, and returns the records of all pages.
    pub(super) fn finish(mut self) -> Result<PageRecords, IndexError> {
        self.end_block()?;
        self.file.flush().map_err(io_error("cannot write", &self.path))?;
        Ok(self.records)
    }

    /// Adds a page to the current block, which the writer sets in its record.
    fn push(&mut self, record: PageRecord, text: BlockText) -> Result<(), IndexError> {
        let n_bytes = record.n_bytes as usize;
        if self.n_block_bytes + n_bytes > MAX_BLOCK_BYTES {
            self.end_block()?;
        }
        let (block, start) = (self.records.blocks.len() as u32, self.n_block_bytes as u32);
        let is_end = record.hash.is_multiple_of(MEAN_PAGES_TO_END);
        self.records.pages.push(PageRecord { block, start, ..record });
        self.block.push(text);
        self.n_block_bytes += n_bytes;
        if is_end && self.n_block_bytes >= MIN_BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), IndexError> {
        let (texts, n_raw) = (std::mem::take(&mut self.block), std::mem::take(&mut self.n_block_bytes) as u32);
        if n_raw == 0 {
            return Ok(());
        }
        let n_compressed = match self.stored_block(&texts) {
            Some(compressed) => self.write(compressed)?,
            None => {
                let block = self.raw_block(&texts)?;
                let compressed = compress_block(&block);
                self.write(&compressed.map_err(io_error("cannot compress pages for", &self.path))?)?
            }
        };
        self.records.blocks.push(CompressedRange { offset: self.n_written, n_compressed, n_raw });
        self.n_written += u64::from(n_compressed);
        Ok(())
    }

    fn write(&mut self, compressed: &[u8]) -> Result<u32, IndexError> {
        self.file.write_all(compressed).map_err(io_error("cannot write", &self.path))?;
        Ok(compressed.len() as u32)
    }

    fn stored(&self, page_idx: usize) -> Option<&'a ArchivedPageRecord> {
        self.previous?.page_tables().pages.get(page_idx)
    }

    /// Returns the compressed block of the previous generation that has exactly these texts.
    fn stored_block(&self, texts: &[BlockText]) -> Option<&'a [u8]> {
        let page_idx = |text: &BlockText| match text {
            BlockText::Stored(page) => Some(page.0),
            BlockText::Rendered(_) => None,
        };
        let first = page_idx(texts.first()?)?;
        let block = self.stored(first)?.block;
        let is_next = |(nth, text): (usize, &BlockText)| page_idx(text) == Some(first + nth);
        let is_of_block = |page_idx: Option<usize>| {
            page_idx.and_then(|page_idx| self.stored(page_idx)).is_some_and(|page| page.block == block)
        };
        let last = first + texts.len() - 1;
        let is_whole = texts.iter().enumerate().all(is_next)
            && is_of_block(Some(last))
            && !is_of_block(Some(last + 1))
            && !is_of_block(first.checked_sub(1));
        if is_whole { self.previous?.compressed_page_block(block.to_native()) } else { None }
    }

    /// Returns the texts of a block.
    fn raw_block(&self, texts: &[BlockText]) -> Result<Vec<u8>, IndexError> {
        let mut raw = Vec::new();
        let mut open_block: Option<(u32, Vec<u8>)> = None;
        for text in texts {
            match (text, self.previous) {
                (BlockText::Rendered(text), _) => raw.extend_from_slice(text.as_bytes()),
                (BlockText::Stored(page), Some(previous)) => {
                    let Some(stored) = self.stored(page.0) else { continue };
                    let block_idx = stored.block.to_native();
                    if open_block.as_ref().is_none_or(|(open_idx, _)| *open_idx != block_idx) {
                        open_block = Some((block_idx, previous.page_block(block_idx)?));
                    }
                    let block = open_block.as_ref().map_or(&[][..], |(_, bytes)| bytes);
                    let start = stored.start.to_native() as usize;
                    let text = block.get(start..start + stored.n_bytes.to_native() as usize);
                    raw.extend_from_slice(text.ok_or_else(|| damaged(previous.dir(), "a page is not in its block"))?);
                }
                (BlockText::Stored(_), None) => {}
            }
        }
        Ok(raw)
    }
}
