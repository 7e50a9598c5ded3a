//! The inputs of the page of a file or a module as a hash. A page of the previous generation with the same inputs has the same text, and
//! is not rendered again.

use model::PageType;

use super::{
    context::PageContext,
    file_relations::{FileRelation, of_file},
    modules::ModuleFiles,
    page_file::StoredPage,
};
use crate::snapshot::Snapshot;

impl PageContext<'_> {
    /// Returns the hash of everything that the page of a file is rendered from, apart from the history and the classes of files.
    pub(super) fn file_inputs(&self, file_idx: usize) -> u64 {
        let (file, counted, idx) = (&self.generation.tables.files[file_idx], self.relations, file_idx as u32);
        let mut hash = blake3::Hasher::new();
        hash.update(&::pages::PAGES_VERSION.to_le_bytes());
        hash.update(&file.blob).update(&[file.class, file.language]);
        for symbol in self.symbols_of(idx) {
            hash.update(&counted.uses[symbol as usize].to_le_bytes());
        }
        for relations in [&counted.used_by, &counted.documented_in, &counted.depends_on] {
            add_relations(&mut hash, of_file(relations, idx));
        }
        for (package, n_sites) in &counted.packages[file_idx] {
            hash.update(&(package.len() as u64).to_le_bytes());
            hash.update(package.as_bytes()).update(&n_sites.to_le_bytes());
        }
        first_bytes(&hash)
    }

    /// Returns the hash of everything that the page of a module is rendered from, apart from the history. `of_files` are the inputs of the
    /// pages of files.
    pub(super) fn module_inputs(&self, module: &ModuleFiles<'_>, purpose: &str, of_files: &[u64]) -> u64 {
        let mut hash = blake3::Hasher::new();
        hash.update(&::pages::PAGES_VERSION.to_le_bytes()).update(&[u8::from(module.package.is_some())]);
        for text in [module.path, module.package.unwrap_or_default(), purpose] {
            hash.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        for file in &module.members {
            hash.update(&file.to_le_bytes()).update(&of_files[*file as usize].to_le_bytes());
            for symbol in self.symbols_of(*file) {
                hash.update(&self.relations.cross_folder_uses[symbol as usize].to_le_bytes());
            }
        }
        first_bytes(&hash)
    }
}

fn first_bytes(hash: &blake3::Hasher) -> u64 {
    hash.finalize().as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn add_relations(hash: &mut blake3::Hasher, relations: &[FileRelation]) {
    hash.update(&(relations.len() as u64).to_le_bytes());
    for FileRelation { file: _, other, count } in relations {
        hash.update(&other.to_le_bytes()).update(&count.to_le_bytes());
    }
}

/// Returns the page of a file or a module in a generation with the same paths, classes and history, if its inputs were the same.
pub(super) fn find_stored(previous: &Snapshot, page_type: PageType, path: &str, inputs: u64) -> Option<StoredPage> {
    let pages = &previous.page_tables().pages;
    let found = pages.binary_search_by(|page| (page.page_type, page.path.as_str()).cmp(&(page_type as u8, path)));
    let page_idx = found.ok()?;
    (pages[page_idx].inputs.to_native() == inputs).then_some(StoredPage(page_idx))
}
