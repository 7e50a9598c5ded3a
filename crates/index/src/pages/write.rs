//! Keeping pages: texts in blocks, since pages of neighbours are alike, and a record of each.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use ::pages::Page;

use crate::{
    IndexError,
    error::at,
    packed::pack,
    table::{PageRecord, StoredRecord},
};

/// Text of a block before it is compressed: far enough for what pages have in common. Reading one page unpacks a block, which takes some
/// 50 microseconds.
const BLOCK_BYTES: usize = 64 << 10;

/// Pages that are being written.
pub(crate) struct PageWriter {
    path: PathBuf,
    file: BufWriter<File>,
    block: Vec<u8>,
    n_stored: u64,
    written: Written,
}

/// What there is to tell of pages that were written.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) pages: Vec<PageRecord>,
    pub(crate) blocks: Vec<StoredRecord>,
}

impl PageWriter {
    /// Begins the file at a path.
    pub(crate) fn create(path: &Path) -> Result<PageWriter, IndexError> {
        let file = BufWriter::new(File::create(path).map_err(at("cannot create", path))?);
        Ok(PageWriter { path: path.to_owned(), file, block: Vec::new(), n_stored: 0, written: Written::default() })
    }

    /// Adds a page; they come in the order of type and path.
    pub(crate) fn add(&mut self, page: &Page) -> Result<(), IndexError> {
        if self.block.len() + page.text.len() > BLOCK_BYTES {
            self.end_block()?;
        }
        let mut hash = [0; 8];
        hash.copy_from_slice(&blake3::hash(page.text.as_bytes()).as_bytes()[..8]);
        self.written.pages.push(PageRecord {
            page_type: page.page_type as u8,
            path: page.path.clone(),
            title: if page.title == page.path { String::new() } else { page.title.clone() },
            block: self.written.blocks.len() as u32,
            start: self.block.len() as u32,
            n_bytes: page.text.len() as u32,
            hash: u64::from_le_bytes(hash),
        });
        self.block.extend_from_slice(page.text.as_bytes());
        Ok(())
    }

    /// Writes what is left, and ends.
    pub(crate) fn finish(mut self) -> Result<Written, IndexError> {
        self.end_block()?;
        self.file.flush().map_err(at("cannot write", &self.path))?;
        Ok(self.written)
    }

    fn end_block(&mut self) -> Result<(), IndexError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let compressed = pack(&self.block).map_err(at("cannot pack pages for", &self.path))?;
        self.file.write_all(&compressed).map_err(at("cannot write", &self.path))?;
        let (n_stored, n_raw) = (compressed.len() as u32, self.block.len() as u32);
        self.written.blocks.push(StoredRecord { offset: self.n_stored, n_stored, n_raw });
        self.n_stored += u64::from(n_stored);
        self.block.clear();
        Ok(())
    }
}
