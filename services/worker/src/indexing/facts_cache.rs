//! The cache of facts by blob. A blob is parsed once, in whatever branches, clones and forks it occurs.

use std::{cell::RefCell, fs, path::Path};

use model::{BlobId, FileFacts, Language};
use rayon::prelude::*;
use store::{OpenReport, Store, StoreError};
use zstd::bulk::{Compressor, Decompressor};

use super::FACTS_VERSION;

/// Maximum size of the cache on disk, for all repositories of a worker together.
const CAP_BYTES: u64 = 2 << 30;

const SPACE: &str = "facts";

/// Version of the encoding of facts. Facts in another encoding are not found.
const FORM: u8 = 2;

/// Compression level of zstd. Level 9 would save 4 % of the bytes, and take three times as long.
const LEVEL: i32 = 3;

/// Length of the header: the number of bytes before compression.
const LENGTH_BYTES: usize = 4;

/// The facts of files that were read before. It may evict anything at any time.
pub struct FactsCache(Option<Store>);

impl FactsCache {
    /// Opens the cache in `dir`, in a folder of this version. The folders of other versions are removed: they are not used
    /// again, and may hold secrets that this version masks.
    pub fn open(dir: &Path) -> Result<(FactsCache, OpenReport), StoreError> {
        let own = dir.join(format!("{FACTS_VERSION:x}"));
        remove_others(dir, &own);
        let (store, report) = Store::open(&own, CAP_BYTES)?;
        Ok((FactsCache(Some(store)), report))
    }

    /// Returns a cache that stores nothing, for a worker whose store cannot be opened.
    pub fn disabled() -> FactsCache {
        FactsCache(None)
    }

    pub(super) fn get(&self, blob: BlobId, language: Language) -> Option<FileFacts> {
        unpack(&self.0.as_ref()?.get(SPACE, &key(blob, language))?)
    }

    /// Stores facts. Facts that cannot be stored are extracted again when they are needed.
    pub(super) fn put(&self, facts: &[(BlobId, Language, &FileFacts)]) {
        let Some(store) = &self.0 else { return };
        let entries: Vec<(Vec<u8>, Vec<u8>)> = facts
            .par_iter()
            .map_init(
                || Compressor::new(LEVEL).ok(),
                |packer, (blob, language, facts)| Some((key(*blob, *language), pack(packer.as_mut()?, facts)?)),
            )
            .flatten()
            .collect();
        let entries = entries.iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
        if let Err(error) = store.put_batch(SPACE, entries) {
            tracing::warn!(%error, "facts are not cached");
        }
    }

    /// Opens an empty cache in place of one whose files were removed. Returns true if it did.
    pub(super) fn restore(&self) -> Result<bool, StoreError> {
        self.0.as_ref().map_or(Ok(false), Store::restore)
    }

    pub(super) fn flush(&self) {
        if let Some(Err(error)) = self.0.as_ref().map(Store::flush) {
            tracing::warn!(%error, "cannot flush the cache of facts");
        }
    }
}

fn remove_others(dir: &Path, own: &Path) {
    for other in fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path != own)
    {
        let removed = if other.is_dir() { fs::remove_dir_all(&other) } else { fs::remove_file(&other) };
        if let Err(error) = removed {
            let path = other.display();
            tracing::warn!(
                %error, %path,
                "cannot remove the cache of another version; remove it manually, since it may contain secrets"
            );
        }
    }
}

fn key(blob: BlobId, language: Language) -> Vec<u8> {
    [&blob.0[..], &[FORM, language as u8]].concat()
}

fn pack(packer: &mut Compressor<'_>, facts: &FileFacts) -> Option<Vec<u8>> {
    let bytes = postcard::to_stdvec(facts).ok()?;
    let n_bytes = u32::try_from(bytes.len()).ok()?;
    let packed = packer.compress(&bytes).ok()?;
    Some([&n_bytes.to_le_bytes()[..], &packed].concat())
}

thread_local! {
    /// The decompressor of this thread. Creating one takes longer than decompressing the facts of a file.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn unpack(packed: &[u8]) -> Option<FileFacts> {
    let (n_bytes, packed) = packed.split_first_chunk::<LENGTH_BYTES>()?;
    let bytes = UNPACKER.with_borrow_mut(|cached| {
        let unpacker = match cached {
            Some(unpacker) => unpacker,
            None => cached.insert(Decompressor::new().ok()?),
        };
        unpacker.decompress(packed, u32::from_le_bytes(*n_bytes) as usize).ok()
    })?;
    postcard::from_bytes(&bytes).ok()
}
