//! Reading pages out of a generation.

use model::PageType;

use crate::{IndexError, Snapshot, error::damaged, packed::unpack, table::ArchivedPageRecord};

/// A page of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageView {
    pub page_type: PageType,
    /// Of the file or folder that it is about; empty for that of the repository.
    pub path: String,
    pub title: String,
    /// Markdown. It quotes the repository.
    pub text: String,
}

impl Snapshot {
    /// Returns the page of a type about a path; nothing where there is none.
    pub fn page(&self, page_type: PageType, path: &str) -> Result<Option<PageView>, IndexError> {
        let pages = &self.tables().pages;
        let found = pages.binary_search_by(|page| (page.page_type, page.path.as_str()).cmp(&(page_type as u8, path)));
        let Ok(page_idx) = found else { return Ok(None) };
        let block = self.page_block(pages[page_idx].block.to_native())?;
        Ok(Some(self.page_view(&pages[page_idx], &block)))
    }

    /// Returns all pages, in the order of their types and paths.
    pub fn pages(&self) -> impl Iterator<Item = Result<PageView, IndexError>> {
        let mut open: Option<(u32, Vec<u8>)> = None;
        self.tables().pages.iter().map(move |page| {
            let wanted = page.block.to_native();
            if open.as_ref().is_none_or(|(block, _)| *block != wanted) {
                open = Some((wanted, self.page_block(wanted)?));
            }
            Ok(self.page_view(page, open.as_ref().map_or(&[][..], |(_, bytes)| bytes)))
        })
    }

    /// Returns the type of the page that a file has.
    pub fn page_type_of(&self, file_idx: usize) -> PageType {
        let record = self.tables().files.get(file_idx);
        record.and_then(|file| PageType::from_index(file.page_type)).unwrap_or(PageType::File)
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

    fn page_block(&self, block: u32) -> Result<Vec<u8>, IndexError> {
        let Some(stored) = self.tables().page_blocks.get(block as usize) else { return Ok(Vec::new()) };
        let start = stored.offset.to_native() as usize;
        let compressed = self.stored_pages().get(start..start + stored.n_stored.to_native() as usize);
        unpack(compressed.unwrap_or_default(), stored.n_raw.to_native() as usize)
            .map_err(|error| damaged(self.dir(), error.to_string()))
    }
}
