//! The store: get, put, and the change of generations.

use std::{
    path::{Path, PathBuf},
    sync::{
        PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crate::{
    OpenReport, StoreError,
    entry::{full_key, seal, unseal},
    open::{self, Pair},
};

/// Bytes of the largest value that is kept. One that is larger is cheaper to make again than to let it push out others.
pub const MAX_VALUE_BYTES: usize = 4 * 1024 * 1024;

/// The least cap that a store works with: an empty database of sled already takes half a megabyte.
pub const MIN_CAP_BYTES: u64 = 8 * 1024 * 1024;

/// A key-value store that may forget. Shared between threads; one process at a time.
pub struct Store {
    dir: PathBuf,
    cap_bytes: u64,
    pair: RwLock<Pair>,
    /// What the young generation takes on disk, as last measured, and what was written since.
    young_bytes: AtomicU64,
    has_warned: AtomicBool,
}

impl Store {
    /// Opens the store in `dir`, or begins it. On disk it takes about `cap_bytes` at most, [`MIN_CAP_BYTES`] at least.
    pub fn open(dir: &Path, cap_bytes: u64) -> Result<(Store, OpenReport), StoreError> {
        let (pair, report) = open::open(dir)?;
        let store = Store {
            dir: dir.to_owned(),
            cap_bytes: cap_bytes.max(MIN_CAP_BYTES),
            young_bytes: AtomicU64::new(pair.young.size_on_disk()),
            pair: RwLock::new(pair),
            has_warned: AtomicBool::new(false),
        };
        store.make_room()?;
        Ok((store, report))
    }

    /// Returns the value that was put last under this key of this space, if it is still there and undamaged.
    ///
    /// After a crash, or where a part was set aside, an earlier one may be back: let keys name what values depend on.
    pub fn get(&self, space: &str, key: &[u8]) -> Option<Vec<u8>> {
        let full_key = full_key(space, key);
        let found_in_old = {
            let pair = self.read();
            if let Some(sealed) = pair.young.get(&full_key) {
                let value = unseal(&full_key, &sealed).map(<[u8]>::to_vec);
                if value.is_none() {
                    self.warn_of_mismatch();
                    forget(&pair, &full_key);
                }
                return value;
            }
            let old = pair.old.as_ref()?;
            let sealed = old.get(&full_key)?;
            let Some(value) = unseal(&full_key, &sealed) else {
                self.warn_of_mismatch();
                old.remove(&full_key);
                return None;
            };
            // The hit stands whether or not the copy succeeds; without one it may be forgotten sooner.
            if pair.young.insert_if_absent(&full_key, &sealed).is_ok() {
                self.young_bytes.fetch_add(sealed.len() as u64, Ordering::Relaxed);
            }
            value.to_vec()
        };
        let _ = self.make_room();
        Some(found_in_old)
    }

    /// Puts entries of one space, each over the one that was there. Values over [`MAX_VALUE_BYTES`] are not kept.
    ///
    /// They are on disk for certain after the next [`Store::flush`]. After an error, some may have been put.
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
                    forget(&pair, &full_key);
                    continue;
                }
                pair.young.insert(&full_key, &seal(&full_key, value))?;
            }
            self.young_bytes.store(pair.young.size_on_disk(), Ordering::Relaxed);
        }
        self.make_room()
    }

    /// Waits until everything that was put is on disk.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.read().young.flush()
    }

    /// Counts the entries by looking at each; those that are in both generations count twice.
    pub fn len(&self) -> usize {
        let pair = self.read();
        pair.young.len() + pair.old.as_ref().map_or(0, |old| old.len())
    }

    /// Says whether the store holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes that the store takes on disk.
    pub fn size_on_disk(&self) -> u64 {
        let pair = self.read();
        pair.young.size_on_disk() + pair.old.as_ref().map_or(0, |old| old.size_on_disk())
    }

    /// Lets go of the old generation when the young one has outgrown its half.
    fn make_room(&self) -> Result<(), StoreError> {
        if self.young_bytes.load(Ordering::Relaxed) <= self.cap_bytes / 2 {
            return Ok(());
        }
        let outdated = {
            let mut pair = self.pair.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been here first.
            if pair.young.size_on_disk() <= self.cap_bytes / 2 {
                self.young_bytes.store(pair.young.size_on_disk(), Ordering::Relaxed);
                return Ok(());
            }
            pair.young.flush()?;
            let empty = open::begin(&self.dir, pair.young.number + 1)?;
            self.young_bytes.store(empty.size_on_disk(), Ordering::Relaxed);
            let full = std::mem::replace(&mut pair.young, empty);
            pair.old.replace(full)
        };
        outdated.map_or(Ok(()), |generation| generation.delete())
    }

    fn read(&self) -> RwLockReadGuard<'_, Pair> {
        self.pair.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn_of_mismatch(&self) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(dir = %self.dir.display(), "an entry of the store failed its checksum and was removed; more are not logged");
        }
    }
}

fn forget(pair: &Pair, full_key: &[u8]) {
    pair.young.remove(full_key);
    if let Some(old) = &pair.old {
        old.remove(full_key);
    }
}

#[cfg(test)]
mod tests;
