//! The blob ids of files that differ from git's index, so that a file is read once and not with every listing.

use std::{
    cmp::Reverse,
    collections::BTreeSet,
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use model::BlobId;
use rustc_hash::FxHashMap;

use super::{
    kept_listing::ListingMemory,
    listing_turn::{ListingTurn, ListingTurns},
};

/// Time that a file must have been left alone before its times count as its version, in nanoseconds. File systems have clocks
/// that tick some milliseconds at a time, and those of a network run apart.
const SETTLED_NANOS: i128 = 1_000_000_000;

/// Maximum number of bytes of contents that one listing holds. Other contents are read again when they are extracted.
const MAX_HELD_BYTES: u64 = 64 << 20;

/// Maximum number of work trees whose listings are kept: a few hundred bytes a file.
const MAX_LISTINGS: usize = 4;

/// The blob ids of files that were hashed by the last listing of a work tree, and that listing while it is being edited.
#[derive(Debug, Default)]
pub struct StatCache {
    blobs: Mutex<Arc<FxHashMap<Vec<u8>, CachedBlob>>>,
    pub(super) listing: ListingMemory,
    turns: ListingTurns,
}

/// The version of a file: it changes whenever the file is written or replaced. The kernel sets the time of the change of an inode,
/// which no program can set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileVersion {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

#[derive(Debug, Clone, Copy)]
struct CachedBlob {
    version: FileVersion,
    blob: BlobId,
    /// The same with the ends of lines that git stores, if they are others.
    text: Option<BlobId>,
}

/// One listing in progress.
pub(super) struct Scan {
    known: Arc<FxHashMap<Vec<u8>, CachedBlob>>,
    hashed: Mutex<FxHashMap<Vec<u8>, CachedBlob>>,
    began: i128,
    n_held_bytes: AtomicU64,
}

impl FileVersion {
    pub(super) fn of(metadata: &Metadata) -> FileVersion {
        let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        FileVersion {
            size: metadata.len(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

impl StatCache {
    /// Waits until no other thread lists the work tree. A listing that begins while another one is made would not find the last one, nor the
    /// changes since.
    pub fn take_turn(&self) -> ListingTurn<'_> {
        self.turns.take()
    }

    /// Takes the turn if no other thread lists the work tree. Otherwise `on_release` is called once that thread has ended.
    pub fn try_take_turn(&self, on_release: impl FnOnce() + Send + 'static) -> Option<ListingTurn<'_>> {
        self.turns.try_take(on_release)
    }

    /// Notes that all changes since the last listing began are noted, and will be. The next listing reads only the changed paths then.
    pub fn follow_changes(&self) {
        self.listing.follow();
    }

    /// Notes that a path changed, relative to the root.
    pub fn note_changed(&self, path: &Path) {
        self.listing.note(Some(path));
    }

    /// Notes that any path may have changed.
    pub fn note_unnamed_changes(&self) {
        self.listing.note(None);
    }

    pub(super) fn begin(&self) -> Scan {
        let known = self.blobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX);
        Scan { known, hashed: Mutex::default(), began, n_held_bytes: AtomicU64::new(0) }
    }

    /// Replaces the entries by those of a listing. Files that are gone leave the cache.
    pub(super) fn end(&self, scan: Scan) {
        let hashed = scan.hashed.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.blobs.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(hashed);
    }

    /// Replaces the entries of some paths by those of a listing of these paths.
    pub(super) fn end_of_paths(&self, scan: Scan, paths: &BTreeSet<Vec<u8>>) {
        let mut entries = FxHashMap::clone(&scan.known);
        entries.retain(|path, _| !paths.contains(path));
        entries.extend(scan.hashed.into_inner().unwrap_or_else(PoisonError::into_inner));
        *self.blobs.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(entries);
    }
}

/// Drops the listings that were not used since a time, and all but those of the few work trees that were edited last.
pub fn drop_unused_listings<'c>(caches: impl Iterator<Item = &'c StatCache>, since: Option<Instant>) {
    let mut used: Vec<(Instant, &StatCache)> =
        caches.filter_map(|cache| Some((cache.listing.used_at()?, cache))).collect();
    used.sort_by_key(|(used_at, _)| Reverse(*used_at));
    for (nth, (used_at, cache)) in used.into_iter().enumerate() {
        if nth >= MAX_LISTINGS || since.is_some_and(|since| used_at < since) {
            cache.listing.drop_kept();
        }
    }
}

impl Scan {
    /// Returns the blob id of a file that is as it was when it was hashed, and that with the ends of lines that git stores.
    pub(super) fn get(&self, path: &[u8], version: FileVersion) -> Option<(BlobId, Option<BlobId>)> {
        let cached = *self.known.get(path).filter(|known| known.version == version)?;
        self.insert(path, cached);
        Some((cached.blob, cached.text))
    }

    /// Notes the blob ids of a file. A file that was just written may be written again without another time.
    pub(super) fn note(&self, path: &[u8], version: FileVersion, (blob, text): (BlobId, Option<BlobId>)) {
        if version.changed + SETTLED_NANOS < self.began {
            self.insert(path, CachedBlob { version, blob, text });
        }
    }

    /// Returns true if the content of a file of this size can be held.
    pub(super) fn can_hold(&self, size: u64) -> bool {
        self.n_held_bytes.fetch_add(size, Ordering::Relaxed) + size <= MAX_HELD_BYTES
    }

    fn insert(&self, path: &[u8], cached: CachedBlob) {
        self.hashed.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_vec(), cached);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{git, testing::Sandbox, work_tree::disk_file::DiskFile};

    #[test]
    fn ends_of_lines_of_cached_files_are_known() {
        let sandbox = Sandbox::new();
        sandbox.write("a.txt", "one\r\ntwo\r\n");
        sandbox.write("b.txt", "one\ntwo\n");
        let committed = git::hash_blob(b"one\ntwo\n").expect("it is small");
        let cache = StatCache::default();
        for is_cached in [false, true] {
            // All files have been left alone.
            let scan = Scan { began: i128::MAX, ..cache.begin() };
            let read = |path: &str| {
                let metadata = std::fs::symlink_metadata(sandbox.path(path)).expect("a file");
                DiskFile::read(&sandbox.path(""), path.as_bytes(), &metadata, &scan).expect("it is read")
            };
            let (converted, same) = (read("a.txt"), read("b.txt"));
            assert_eq!(converted.content.is_none(), is_cached);
            assert!(converted.has_text_of(committed) && converted.blob != committed);
            assert!(!same.has_text_of(committed) && same.blob == committed);
            cache.end(scan);
        }
    }
}
