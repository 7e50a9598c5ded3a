//! Facts by blob, so that a file is parsed once in its life, whatever branch, clone or fork it stands in.

mod near;

use std::{cell::RefCell, fs, path::Path};

use model::{BlobId, FileFacts, Language};
use rayon::prelude::*;
use store::{OpenReport, Store, StoreError};
use zstd::bulk::{Compressor, Decompressor};

use super::FACTS_VERSION;

/// Bytes that cached facts take on disk at most, for all repositories of a worker together.
const CAP_BYTES: u64 = 2 << 30;

const SPACE: &str = "facts";

/// How facts are packed; those in another form are not found.
const FORM: u8 = 1;

/// Level of zstd: level 9 would save a twenty-fifth, and take three times as long.
const LEVEL: i32 = 3;

/// Bytes before the packed ones: how many they are unpacked.
const LENGTH_BYTES: usize = 4;

/// The facts of files that were read before. It may forget anything at any time.
pub struct FactsCache(Option<Store>);

impl FactsCache {
    /// Opens the cache in `dir`, where those of each version have a folder of their own. That of any other is removed: nobody
    /// asks for it again, and it may hold what this version masks.
    pub fn open(dir: &Path) -> Result<(FactsCache, OpenReport), StoreError> {
        let own = dir.join(format!("{FACTS_VERSION:x}"));
        sweep_all_but(dir, &own);
        let (store, report) = Store::open(&own, CAP_BYTES)?;
        Ok((FactsCache(Some(store)), report))
    }

    /// Returns a cache that keeps nothing, for a worker whose store cannot be opened.
    pub fn none() -> FactsCache {
        FactsCache(None)
    }

    pub(super) fn get(&self, blob: BlobId, language: Language) -> Option<FileFacts> {
        unpack(&self.0.as_ref()?.get(SPACE, &key(blob, language))?)
    }

    /// Keeps facts. What cannot be kept is made again when it is needed.
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

    pub(super) fn flush(&self) {
        if let Some(Err(error)) = self.0.as_ref().map(Store::flush) {
            tracing::warn!(%error, "cached facts are not on disk");
        }
    }
}

fn sweep_all_but(dir: &Path, own: &Path) {
    for other in fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path != own)
    {
        let removed = if other.is_dir() { fs::remove_dir_all(&other) } else { fs::remove_file(&other) };
        if let Err(error) = removed {
            let path = other.display();
            tracing::warn!(%error, %path, "facts of another version cannot be removed, and may hold secrets: remove them");
        }
    }
}

fn key(blob: BlobId, language: Language) -> Vec<u8> {
    [&blob.0[..], &[FORM, language as u8]].concat()
}

fn pack(packer: &mut Compressor<'_>, facts: &FileFacts) -> Option<Vec<u8>> {
    let mut facts = facts.clone();
    near::to_distances(&mut facts);
    let bytes = postcard::to_stdvec(&facts).ok()?;
    let n_bytes = u32::try_from(bytes.len()).ok()?;
    let packed = packer.compress(&bytes).ok()?;
    Some([&n_bytes.to_le_bytes()[..], &packed].concat())
}

thread_local! {
    /// What this thread unpacks with: to make one takes longer than to unpack the facts of a file.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn unpack(packed: &[u8]) -> Option<FileFacts> {
    let (n_bytes, packed) = packed.split_first_chunk::<LENGTH_BYTES>()?;
    let bytes = UNPACKER.with_borrow_mut(|kept| {
        let unpacker = match kept {
            Some(unpacker) => unpacker,
            None => kept.insert(Decompressor::new().ok()?),
        };
        unpacker.decompress(packed, u32::from_le_bytes(*n_bytes) as usize).ok()
    })?;
    let mut facts = postcard::from_bytes(&bytes).ok()?;
    near::from_distances(&mut facts);
    Some(facts)
}
