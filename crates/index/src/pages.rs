//! Pages by type and path.

use model::PageType;

use crate::{
    compression::decompress_block,
    error::{IndexError, damaged},
    records::page_tables::ArchivedPageRecord,
    snapshot::Snapshot,
};

/// A page of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageView {
    /// The type of the page.
    pub page_type: PageType,
    /// The file or folder that it describes; empty for the page of the repository.
    pub path: String,
    /// The title.
    pub title: String,
    /// Markdown, with quotations from the repository.
    pub text: String,
}

impl Snapshot {
    /// Returns the page of a type about a path, if there is one. The edits of a draft have none.
    pub fn page(&self, page_type: PageType, path: &str) -> Result<Option<PageView>, IndexError> {
        if self.is_edits() {
            return Ok(None);
        }
        let pages = &self.page_tables().pages;
        let found = pages.binary_search_by(|page| (page.page_type, page.path.as_str()).cmp(&(page_type as u8, path)));
        let Ok(page_idx) = found else { return Ok(None) };
        let block = self.page_block(pages[page_idx].block.to_native())?;
        Ok(Some(self.page_view(&pages[page_idx], &block)))
    }

    /// Returns all pages, sorted by type and path.
    pub fn pages(&self) -> impl Iterator<Item = Result<PageView, IndexError>> {
        let mut open_block: Option<(u32, Vec<u8>)> = None;
        self.page_tables().pages.iter().map(move |page| {
            let block_idx = page.block.to_native();
            if open_block.as_ref().is_none_or(|(open_idx, _)| *open_idx != block_idx) {
                open_block = Some((block_idx, self.page_block(block_idx)?));
            }
            Ok(self.page_view(page, open_block.as_ref().map_or(&[][..], |(_, bytes)| bytes)))
        })
    }

    /// Returns the type of the page of a file.
    pub fn page_type_of(&self, file_idx: usize) -> PageType {
        let index = self.page_tables().type_of_file.get(file_idx);
        index.and_then(|index| PageType::from_index(*index)).unwrap_or(PageType::File)
    }

    fn page_view(&self, page: &ArchivedPageRecord, block: &[u8]) -> PageView {
        let start = page.start.to_native() as usize;
        let text = block.get(start..start + page.n_bytes.to_native() as usize).unwrap_or_default();
        let path = page.path.as_str().to_owned();
        let title = Some(page.title.as_str()).filter(|title| !title.is_empty()).map(str::to_owned);
        PageView {
            page_type: PageType::from_index(page.page_type).unwrap_or(PageType::File),
            title: title.unwrap_or_else(|| path.clone()),
            path,
            text: String::from_utf8_lossy(text).into_owned(),
        }
    }

    /// Returns the pages of a block.
    pub(crate) fn page_block(&self, block_idx: u32) -> Result<Vec<u8>, IndexError> {
        let Some(range) = self.page_tables().blocks.get(block_idx as usize) else { return Ok(Vec::new()) };
        let compressed = self.compressed_page_block(block_idx).unwrap_or_default();
        decompress_block(compressed, range.n_raw.to_native() as usize)
            .map_err(|error| damaged(self.dir(), error.to_string()))
    }

    /// Returns the compressed pages of a block.
    pub(crate) fn compressed_page_block(&self, block_idx: u32) -> Option<&[u8]> {
        let range = self.page_tables().blocks.get(block_idx as usize)?;
        let start = range.offset.to_native() as usize;
        self.compressed_pages().get(start..start + range.n_compressed.to_native() as usize)
    }
}
