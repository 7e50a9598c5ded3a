//! Git's index: the tracked files, each with the size and the times that it had when its content was last known.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
};

use gix::{
    ObjectId,
    index::{self, entry::Flags, entry::Mode, entry::Stage},
    objs::tree::EntryKind,
};
use model::BlobId;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    WorkTreeEntries, WorkTreeEntry,
    disk_file::{self, DiskFile},
    index_file::IndexFile,
    kept_listing::EntryOrigin,
    stat_cache::Scan,
};
use crate::{
    Checkout, MAX_PATH_BYTES, SourceError,
    git::{blob_id, is_valid_name},
};

/// The index of a work tree.
pub(super) struct TrackedFiles {
    state: index::State,
    /// The time of its file in seconds and nanoseconds.
    written_at: (i64, i64),
    /// The configuration trusts the permission to execute.
    trusts_mode: bool,
    /// The paths, in lower case if the file system ignores case.
    paths: FxHashSet<Vec<u8>>,
    ignores_case: bool,
}

/// The state of a tracked file on disk.
enum TrackedState {
    Entry(WorkTreeEntry),
    Deleted,
    Special,
    /// The committed content stays, since that on disk is unknown.
    Unreadable(WorkTreeEntry, String),
}

impl TrackedFiles {
    /// Reads the index. One that does not exist is empty.
    pub(super) fn read(checkout: &Checkout, repository: &gix::Repository) -> Result<TrackedFiles, SourceError> {
        let IndexFile { state, written_at } = IndexFile::read(checkout)?;
        let config = repository.config_snapshot();
        let ignores_case = config.boolean("core.ignorecase").unwrap_or(false);
        let paths = state.entries().iter().map(|entry| comparable(entry.path(&state), ignores_case)).collect();
        let trusts_mode = config.boolean("core.filemode").unwrap_or(true);
        Ok(TrackedFiles { paths, trusts_mode, ignores_case, state, written_at })
    }

    pub(super) fn contains(&self, path: &[u8]) -> bool {
        self.paths.contains(&comparable(path, self.ignores_case))
    }

    /// Returns the number of tracked files.
    pub(super) fn n_paths(&self) -> usize {
        self.paths.len()
    }

    pub(super) fn trusts_mode(&self) -> bool {
        self.trusts_mode
    }

    /// Compares the tracked files with those on disk.
    pub(super) fn compare(&self, root: &Path, scan: &Scan) -> WorkTreeEntries {
        let entries = self.state.entries();
        // A path with a conflict has up to three entries.
        let is_first =
            |idx: &usize| *idx == 0 || entries[*idx - 1].path(&self.state) != entries[*idx].path(&self.state);
        let first: Vec<usize> = (0..entries.len()).filter(is_first).collect();
        let states: Vec<TrackedState> = first
            .into_par_iter()
            .with_min_len(256)
            .map_init(FxHashMap::default, |folders, idx| self.state_of(root, &entries[idx], folders, scan))
            .collect();
        let mut found = WorkTreeEntries::default();
        for state in states {
            match state {
                TrackedState::Entry(entry) => found.entries.push(entry),
                TrackedState::Deleted => {}
                TrackedState::Special => found.n_specials += 1,
                TrackedState::Unreadable(entry, reason) => {
                    found.problems.push((entry.path.clone(), reason));
                    found.entries.push(entry);
                }
            }
        }
        found
    }

    /// Returns the tracked files as the index has them. Of a file in conflict, the own side counts.
    pub(super) fn staged(&self) -> WorkTreeEntries {
        let is_staged = |entry: &&index::Entry| {
            matches!(entry.stage(), Stage::Unconflicted | Stage::Ours) && !entry.flags.contains(Flags::INTENT_TO_ADD)
        };
        let staged = self.state.entries().iter().filter(is_staged).filter_map(|entry| {
            let path: &[u8] = entry.path(&self.state);
            let (path, kind) = match entry.mode.is_sparse() {
                true => (path.strip_suffix(b"/").unwrap_or(path), EntryKind::Tree),
                false => (path, kind_of(entry.mode)),
            };
            let origin = EntryOrigin::Other;
            is_valid(path).then(|| WorkTreeEntry { path: path.to_vec(), kind, id: entry.id, on_disk: None, origin })
        });
        WorkTreeEntries { entries: staged.collect(), ..WorkTreeEntries::default() }
    }

    fn state_of(
        &self,
        root: &Path,
        entry: &index::Entry,
        folders: &mut FxHashMap<Vec<u8>, bool>,
        scan: &Scan,
    ) -> TrackedState {
        let path: &[u8] = entry.path(&self.state);
        let with_origin = |kind: EntryKind, origin: EntryOrigin| WorkTreeEntry {
            path: path.to_vec(),
            kind,
            id: entry.id,
            on_disk: None,
            origin,
        };
        let unread = |kind: EntryKind| with_origin(kind, EntryOrigin::Other);
        if entry.mode.is_sparse() {
            let path = path.strip_suffix(b"/").unwrap_or(path).to_vec();
            return match is_valid(&path) {
                true => TrackedState::Entry(WorkTreeEntry { path, ..unread(EntryKind::Tree) }),
                false => TrackedState::Deleted,
            };
        }
        if !is_valid(path) {
            return TrackedState::Deleted;
        }
        let kind = kind_of(entry.mode);
        if entry.flags.intersects(Flags::SKIP_WORKTREE | Flags::ASSUME_VALID) || kind == EntryKind::Commit {
            return TrackedState::Entry(unread(kind));
        }
        let is_known = kind != EntryKind::Link && entry.stage() == Stage::Unconflicted;
        let origin = EntryOrigin::Tracked { id: entry.id, kind, is_known };
        let committed = |kind: EntryKind| with_origin(kind, origin);
        if !is_real_folder(root, parent_of(path), folders) {
            return TrackedState::Deleted;
        }
        let metadata = match fs::symlink_metadata(root.join(disk_file::to_path(path))) {
            Err(error) if files::is_missing(&error) => return TrackedState::Deleted,
            Err(error) => return TrackedState::Unreadable(committed(kind), unread_reason(&error)),
            Ok(metadata) => metadata,
        };
        if metadata.is_dir() {
            return TrackedState::Deleted;
        }
        if metadata.is_symlink() {
            return TrackedState::Entry(committed(EntryKind::Link));
        }
        if !metadata.is_file() {
            return TrackedState::Special;
        }
        let kind_on_disk = disk_file::kind_of(&metadata, kind, self.trusts_mode);
        if is_known && self.is_unchanged(entry, &metadata) {
            return TrackedState::Entry(committed(kind_on_disk));
        }
        match DiskFile::read(root, path, &metadata, scan) {
            Ok(file) if is_known && blob_id(entry.id).is_some_and(|id| file.blob == id || file.has_text_of(id)) => {
                TrackedState::Entry(committed(kind_on_disk))
            }
            Ok(file) => TrackedState::Entry(WorkTreeEntry {
                id: object_id(file.blob),
                on_disk: Some(file),
                ..committed(kind_on_disk)
            }),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                TrackedState::Deleted
            }
            Err(error) => TrackedState::Unreadable(committed(kind_on_disk), unread_reason(&error)),
        }
    }

    /// Returns true if a file has the size and the times of its entry. A file that was written when the index was, or later, may
    /// have been written again without another time.
    fn is_unchanged(&self, entry: &index::Entry, metadata: &Metadata) -> bool {
        let stat = &entry.stat;
        let (seconds, nanos) = self.written_at;
        let has_nanos = stat.mtime.nsecs != 0;
        let is_older = match i64::from(stat.mtime.secs).cmp(&seconds) {
            std::cmp::Ordering::Equal => has_nanos && i64::from(stat.mtime.nsecs) < nanos,
            order => order.is_lt(),
        };
        // Git stores the lower 32 bits of each number.
        let is_same_time = |stored: &index::entry::stat::Time, seconds: i64, nanos: i64| {
            stored.secs == seconds as u32 && (stored.nsecs == 0 || stored.nsecs == nanos as u32)
        };
        // Some other tools store neither the time of the inode's change nor its number.
        let is_same_inode = stat.ino == 0 || stat.ino == metadata.ino() as u32;
        let is_same_change = stat.ctime.secs == 0 || is_same_time(&stat.ctime, metadata.ctime(), metadata.ctime_nsec());
        is_older
            && !entry.flags.contains(Flags::INTENT_TO_ADD)
            && stat.size == metadata.len() as u32
            && is_same_time(&stat.mtime, metadata.mtime(), metadata.mtime_nsec())
            && is_same_inode
            && is_same_change
    }
}

pub(super) fn object_id(blob: BlobId) -> ObjectId {
    ObjectId::from_bytes_or_panic(&blob.0)
}

fn unread_reason(error: &io::Error) -> String {
    format!("cannot be read: {}; the committed content is used", error.kind())
}

fn comparable(path: &[u8], ignores_case: bool) -> Vec<u8> {
    if ignores_case { path.to_ascii_lowercase() } else { path.to_vec() }
}

fn kind_of(mode: Mode) -> EntryKind {
    match mode {
        Mode::FILE_EXECUTABLE => EntryKind::BlobExecutable,
        Mode::SYMLINK => EntryKind::Link,
        mode if mode.is_submodule() => EntryKind::Commit,
        _ => EntryKind::Blob,
    }
}

fn is_valid(path: &[u8]) -> bool {
    path.len() <= MAX_PATH_BYTES && path.split(|byte| *byte == b'/').all(is_valid_name)
}

pub(super) fn parent_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &path[..at])
}

/// Returns true if no component of a folder is a symbolic link. Git treats the files behind one as deleted. A folder that cannot be
/// read counts as real, so that its files are reported.
fn is_real_folder(root: &Path, folder: &[u8], known: &mut FxHashMap<Vec<u8>, bool>) -> bool {
    if folder.is_empty() {
        return true;
    }
    if let Some(is_real) = known.get(folder) {
        return *is_real;
    }
    let is_real = is_real_folder(root, parent_of(folder), known)
        && match fs::symlink_metadata(root.join(disk_file::to_path(folder))) {
            Ok(metadata) => metadata.is_dir(),
            Err(error) => !files::is_missing(&error),
        };
    known.insert(folder.to_vec(), is_real);
    is_real
}
