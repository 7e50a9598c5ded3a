//! Facts by blob, so that a file is parsed once in its life, whatever branch, clone or fork it stands in.

use std::path::Path;

use model::{BlobId, FileFacts, Language};
use store::{OpenReport, Store, StoreError};

use super::FACTS_VERSION;

/// Bytes that cached facts take on disk at most, for all repositories of a worker together.
const CAP_BYTES: u64 = 2 << 30;

const SPACE: &str = "facts";

/// The facts of files that were read before. It may forget anything at any time.
pub struct FactsCache(Option<Store>);

impl FactsCache {
    /// Opens the cache in `dir`.
    pub fn open(dir: &Path) -> Result<(FactsCache, OpenReport), StoreError> {
        let (store, report) = Store::open(dir, CAP_BYTES)?;
        Ok((FactsCache(Some(store)), report))
    }

    /// Returns a cache that keeps nothing, for a worker whose store cannot be opened.
    pub fn none() -> FactsCache {
        FactsCache(None)
    }

    pub(super) fn get(&self, blob: BlobId, language: Language) -> Option<FileFacts> {
        let packed = self.0.as_ref()?.get(SPACE, &key(blob, language))?;
        let bytes = lz4_flex::decompress_size_prepended(&packed).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    /// Keeps facts. What cannot be kept is made again when it is needed.
    pub(super) fn put<'a>(&self, facts: impl Iterator<Item = (BlobId, Language, &'a FileFacts)>) {
        let Some(store) = &self.0 else { return };
        let entries: Vec<(Vec<u8>, Vec<u8>)> = facts
            .filter_map(|(blob, language, facts)| {
                let bytes = postcard::to_stdvec(facts).ok()?;
                Some((key(blob, language), lz4_flex::compress_prepend_size(&bytes)))
            })
            .collect();
        let entries = entries.iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
        if let Err(error) = store.put_batch(SPACE, entries) {
            tracing::warn!(%error, "facts are not cached");
        }
    }

    pub(super) fn flush(&self) {
        if let Some(Err(error)) = self.0.as_ref().map(Store::flush) {
            tracing::warn!(%error, "cached facts are not on disk");
        }
    }
}

fn key(blob: BlobId, language: Language) -> Vec<u8> {
    [&blob.0[..], &FACTS_VERSION.to_le_bytes(), &[language as u8]].concat()
}
