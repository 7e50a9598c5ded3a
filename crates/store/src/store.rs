//! The store: get, put, and the rotation of generations.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crate::{
    entry::{full_key, seal, unseal},
    error::StoreError,
    open::{self, GenerationPair, OpenReport},
};

/// Maximum length of a stored value. Recomputing a longer one is cheaper than evicting others for it.
pub const MAX_VALUE_BYTES: usize = 4 * 1024 * 1024;

/// Minimum cap of a store. An empty sled database takes half a megabyte.
pub const MIN_CAP_BYTES: u64 = 8 * 1024 * 1024;

/// Number of entries after which a flush opens the database again: those of a large repository.
const MAX_WRITTEN: u64 = 2_000;

/// A key-value store that may evict any entry. Threads can share it; only one process can open it at a time.
pub struct Store {
    dir: PathBuf,
    cap_bytes: u64,
    pair: RwLock<GenerationPair>,
    /// Size of the young generation on disk when last measured, plus bytes written since.
    young_bytes: AtomicU64,
    has_warned: AtomicBool,
}

impl Store {
    /// Opens or creates the store in `dir`. Its size on disk is at most about `cap_bytes`, which is at least [`MIN_CAP_BYTES`].
    pub fn open(dir: &Path, cap_bytes: u64) -> Result<(Store, OpenReport), StoreError> {
        let (pair, report) = open::open(dir)?;
        let store = Store {
            dir: dir.to_owned(),
            cap_bytes: cap_bytes.max(MIN_CAP_BYTES),
            young_bytes: AtomicU64::new(pair.young.size_on_disk()),
            pair: RwLock::new(pair),
            has_warned: AtomicBool::new(false),
        };
        store.rotate_if_full()?;
        Ok((store, report))
    }

    /// Returns the last value of this key in this space, unless it was evicted or is damaged.
    ///
    /// After a crash or a quarantine, it may be an earlier value. Therefore a key should contain everything that its value
    /// depends on.
    pub fn get(&self, space: &str, key: &[u8]) -> Option<Vec<u8>> {
        let full_key = full_key(space, key);
        let found_in_old = {
            let pair = self.read();
            if let Some(sealed) = pair.young.get(&full_key) {
                let value = unseal(&full_key, &sealed).map(<[u8]>::to_vec);
                if value.is_none() {
                    self.warn_once_of_mismatch();
                    remove_entry(&pair, &full_key);
                }
                return value;
            }
            let old = pair.old.as_ref()?;
            let sealed = old.get(&full_key)?;
            let Some(value) = unseal(&full_key, &sealed) else {
                self.warn_once_of_mismatch();
                old.remove(&full_key);
                return None;
            };
            // A failed copy is harmless: the entry may only be evicted earlier.
            if pair.young.insert_if_absent(&full_key, &sealed).is_ok() {
                self.young_bytes.fetch_add(sealed.len() as u64, Ordering::Relaxed);
            }
            value.to_vec()
        };
        let _ = self.rotate_if_full();
        Some(found_in_old)
    }

    /// Inserts or replaces entries of one space. A value longer than [`MAX_VALUE_BYTES`] only removes the previous one.
    ///
    /// The entries are durable after the next [`Store::flush`]. After an error, some of them may have been written.
    pub fn put_batch<'a>(
        &self,
        space: &str,
        entries: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Result<(), StoreError> {
        {
            let pair = self.read();
            for (key, value) in entries {
                let full_key = full_key(space, key);
                if value.len() > MAX_VALUE_BYTES {
                    remove_entry(&pair, &full_key);
                    continue;
                }
                pair.young.insert(&full_key, &seal(&full_key, value))?;
            }
            self.young_bytes.store(pair.young.size_on_disk(), Ordering::Relaxed);
        }
        self.rotate_if_full()
    }

    /// Makes all entries durable. After many new ones, the database is closed and opened again, since it keeps tables of all that was
    /// written in memory.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.read().young.flush()?;
        if self.read().young.n_written() < MAX_WRITTEN {
            return Ok(());
        }
        let mut pair = self.pair.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have done it first.
        if pair.young.n_written() < MAX_WRITTEN || !pair.young.is_on_disk() { Ok(()) } else { pair.young.reopen() }
    }

    /// Counts the entries with a full scan. An entry in both generations counts twice.
    pub fn len(&self) -> usize {
        let pair = self.read();
        pair.young.len() + pair.old.as_ref().map_or(0, |old| old.len())
    }

    /// Returns true if the store has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes on disk.
    pub fn size_on_disk(&self) -> u64 {
        let pair = self.read();
        pair.young.size_on_disk() + pair.old.as_ref().map_or(0, |old| old.size_on_disk())
    }

    /// Begins an empty generation if the files were removed while the store was open: until then, nothing that is written would be
    /// found by the next process. Returns true if it did.
    pub fn restore(&self) -> Result<bool, StoreError> {
        if self.read().young.is_on_disk() {
            return Ok(false);
        }
        let removed = {
            let mut pair = self.pair.write().unwrap_or_else(PoisonError::into_inner);
            fs::create_dir_all(&self.dir).map_err(|source| StoreError::Io { path: self.dir.clone(), source })?;
            // The open database may still write files by its old name.
            let young = open::create(&self.dir, pair.young.number + 1)?;
            self.young_bytes.store(young.size_on_disk(), Ordering::Relaxed);
            std::mem::replace(&mut *pair, GenerationPair { young, old: None })
        };
        drop(removed);
        Ok(true)
    }

    /// Rotates the generations if the young one has outgrown half of the cap.
    fn rotate_if_full(&self) -> Result<(), StoreError> {
        if self.young_bytes.load(Ordering::Relaxed) <= self.cap_bytes / 2 {
            return Ok(());
        }
        let evicted = {
            let mut pair = self.pair.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have rotated first.
            if pair.young.size_on_disk() <= self.cap_bytes / 2 {
                self.young_bytes.store(pair.young.size_on_disk(), Ordering::Relaxed);
                return Ok(());
            }
            pair.young.flush()?;
            let empty = open::create(&self.dir, pair.young.number + 1)?;
            self.young_bytes.store(empty.size_on_disk(), Ordering::Relaxed);
            let full = std::mem::replace(&mut pair.young, empty);
            pair.old.replace(full)
        };
        evicted.map_or(Ok(()), |generation| generation.delete())
    }

    fn read(&self) -> RwLockReadGuard<'_, GenerationPair> {
        self.pair.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn_once_of_mismatch(&self) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(dir = %self.dir.display(), "removed an entry of the store that failed its checksum; further ones are not logged");
        }
    }
}

/// Removes an entry from both generations.
fn remove_entry(pair: &GenerationPair, full_key: &[u8]) {
    pair.young.remove(full_key);
    if let Some(old) = &pair.old {
        old.remove(full_key);
    }
}

#[cfg(test)]
mod tests;
