//! The files of a work tree and of its index.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path};

use gix::index::{
    decode,
    entry::{Flags, Mode, Stage},
};
use model::BlobId;

use super::{SideFile, side_file};
use crate::{Checkout, MAX_FILE_BYTES, SourceError, Tree, TreeFile, folder, git, path_text};

/// Maximum size of an index: five times that of 200,000 files.
const MAX_INDEX_BYTES: u64 = 256 << 20;

/// A file of the index.
struct IndexedFile {
    blob: BlobId,
    size: u32,
    modified: (i64, i64),
    /// True if the file is left out of a sparse work tree.
    is_absent: bool,
}

/// Returns the files of the index, by path. An index that is locked or being written is read as it was before.
pub(super) fn staged(checkout: &Checkout) -> Result<Vec<SideFile>, SourceError> {
    let index = read_index(checkout)?;
    Ok(index.files.into_iter().map(|(path, file)| side_file(path, file.blob, u64::from(file.size), false)).collect())
}

/// Returns the files of the work tree, by path: tracked ones, and untracked ones that are not ignored.
pub(super) fn files(checkout: &Checkout, committed: &Tree) -> Result<Vec<SideFile>, SourceError> {
    let root = folder::canonical_root(checkout)?;
    let index = read_index(checkout)?;
    let tracked = committed.files.iter().map(|file| (file.path.as_str(), Some(file)));
    let staged = index.files.keys().map(|path| (path.as_str(), None));
    let mut paths: BTreeMap<&str, Option<&TreeFile>> = staged.collect();
    paths.extend(tracked);
    let mut files: Vec<SideFile> =
        paths.into_iter().filter_map(|(path, committed)| tracked_file(&root, &index, path, committed)).collect();
    let is_known = |path: &str| {
        index.files.contains_key(path) || committed.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    };
    let untracked = folder::paths(&root).into_iter().filter(|path| !is_known(path));
    files.extend(untracked.filter_map(|path| on_disk(&root, &path, None)));
    files.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    Ok(files)
}

/// Returns a tracked file; `None` if it is deleted.
fn tracked_file(root: &Path, index: &WorkTreeIndex, path: &str, committed: Option<&TreeFile>) -> Option<SideFile> {
    let indexed = index.files.get(path);
    if indexed.is_some_and(|file| file.is_absent) {
        return committed.map(|file| SideFile { file: file.clone(), is_on_disk: false });
    }
    let metadata = fs::symlink_metadata(root.join(folder::to_path(path))).ok().filter(fs::Metadata::is_file)?;
    // A file that was written in the second of the index may differ without a trace.
    let is_same = |file: &&IndexedFile| {
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        u64::from(file.size) == metadata.len() && file.modified == modified && modified.0 < index.written_at
    };
    match indexed.filter(is_same) {
        Some(file) => Some(side_file(path.to_owned(), file.blob, metadata.len(), true)),
        None => on_disk(root, path, committed),
    }
}

/// Reads a file to hash it. A committed file that cannot be read counts as unchanged.
fn on_disk(root: &Path, path: &str, committed: Option<&TreeFile>) -> Option<SideFile> {
    let unchanged = || committed.map(|file| SideFile { file: file.clone(), is_on_disk: false });
    let Ok(content) = folder::read_regular(root, &folder::to_path(path), MAX_FILE_BYTES) else { return unchanged() };
    let blob = git::hash_blob(&content)?;
    // Git may have written other line ends than it stored.
    if let Some(file) = committed.filter(|file| file.blob != blob)
        && content.contains(&b'\r')
        && git::hash_blob(&without_carriage_returns(&content)) == Some(file.blob)
    {
        return unchanged();
    }
    Some(side_file(path.to_owned(), blob, content.len() as u64, true))
}

fn without_carriage_returns(content: &[u8]) -> Vec<u8> {
    let is_kept = |(at, byte): &(usize, &u8)| **byte != b'\r' || content.get(at + 1) != Some(&b'\n');
    content.iter().enumerate().filter(is_kept).map(|(_, byte)| *byte).collect()
}

struct WorkTreeIndex {
    files: BTreeMap<String, IndexedFile>,
    /// Seconds since the epoch.
    written_at: i64,
}

fn read_index(checkout: &Checkout) -> Result<WorkTreeIndex, SourceError> {
    let path = checkout.dirs.git_dir.join("index");
    let unreadable = |source: crate::error::Cause| SourceError::Unreadable { alias: checkout.alias.clone(), source };
    if !path.exists() {
        return Ok(WorkTreeIndex { files: BTreeMap::new(), written_at: 0 });
    }
    // A pipe or a device is refused before the library opens it.
    files::check_if_present(&path, MAX_INDEX_BYTES).map_err(|error| unreadable(Box::new(error)))?;
    let index = gix::index::File::at(&path, gix::hash::Kind::Sha1, true, decode::Options::default());
    let index = index.map_err(|error| unreadable(error.to_string().into()))?;
    let mut files = BTreeMap::new();
    for entry in index.entries() {
        let is_file = entry.mode == Mode::FILE || entry.mode == Mode::FILE_EXECUTABLE;
        // Of a file in conflict, the own side is read.
        if !is_file
            || !matches!(entry.stage(), Stage::Unconflicted | Stage::Ours)
            || entry.flags.contains(Flags::INTENT_TO_ADD)
        {
            continue;
        }
        let Ok(blob) = entry.id.as_bytes().try_into().map(BlobId) else { continue };
        let stat = &entry.stat;
        let indexed = IndexedFile {
            blob,
            size: stat.size,
            modified: (i64::from(stat.mtime.secs), i64::from(stat.mtime.nsecs)),
            is_absent: entry.flags.contains(Flags::SKIP_WORKTREE),
        };
        files.insert(path_text::to_text(entry.path(&index)), indexed);
    }
    Ok(WorkTreeIndex { files, written_at: index.timestamp().unix_seconds() })
}
