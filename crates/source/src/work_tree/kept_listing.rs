//! The last listing of a work tree that is being edited. If a few files have changed since, only they are read again.
//!
//! Every other change makes a new listing: a path that appeared or is gone, a folder, a link, a file with rules of git, git's index or
//! configuration, or another `HEAD`. A caller that does not follow the changes of a work tree gets a new listing each time.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use gix::{ObjectId, objs::tree::EntryKind};
use model::{BlobId, CommitId};
use rustc_hash::FxHashMap;

use super::{
    WorkTreeEntry,
    change_events::is_temporary_name,
    disk_file::{self, DiskFile},
    stat_cache::{FileVersion, Scan},
    tracked::object_id,
    untracked::is_left_out,
};
use crate::{Checkout, FileMode, MAX_FILE_BYTES, Tree, folder::CACHE_TAG, git::blob_id, path_text};

/// Maximum number of changed paths. More are the work of a tool, and a new listing takes little longer.
const MAX_CHANGED: usize = 64;

/// Time after which a listing is made again. Rules of git outside of the repository may have changed without an event.
const MAX_AGE: Duration = Duration::from_secs(600);

/// Maximum number of bytes of contents that a kept listing holds. They are those of the last edits, for the runs that list them again.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// The file with the rules of git of a folder.
const IGNORE_FILE: &[u8] = b".gitignore";

/// The last listing, if it is kept, and the changes since it began.
#[derive(Debug, Default)]
pub(super) struct ListingMemory(Mutex<NotedChanges>);

#[derive(Debug, Default)]
struct NotedChanges {
    kept: Option<KeptListing>,
    /// True if all changes since the last listing began are noted.
    is_followed: bool,
    paths: BTreeSet<Vec<u8>>,
    has_unnamed: bool,
    /// The number of listings that have begun.
    n_begun: u64,
}

/// The start of a listing.
pub(super) struct ListingStart {
    /// The last listing, and the paths that changed since.
    pub(super) kept: Option<(KeptListing, BTreeSet<Vec<u8>>)>,
    /// True if the work tree is being edited, so that the new listing is worth its memory.
    pub(super) is_edited: bool,
    pub(super) number: u64,
}

impl ListingMemory {
    /// Begins a listing: changes from now on belong to the next one.
    pub(super) fn begin(&self) -> ListingStart {
        let mut noted = self.noted();
        let number = noted.n_begun + 1;
        let begun = NotedChanges { n_begun: number, ..NotedChanges::default() };
        let NotedChanges { kept, is_followed, paths, has_unnamed, .. } = std::mem::replace(&mut *noted, begun);
        drop(noted);
        let is_edited = is_followed && (!paths.is_empty() || has_unnamed);
        let kept = kept.filter(|_| is_followed && !has_unnamed && paths.len() <= MAX_CHANGED);
        ListingStart { kept: kept.map(|kept| (kept, paths)), is_edited, number }
    }

    /// Keeps a listing, unless another one has begun since: that one has taken changes which are not noted any more.
    pub(super) fn keep(&self, number: u64, listing: KeptListing) {
        let mut noted = self.noted();
        if number == noted.n_begun {
            noted.kept = Some(listing);
        }
    }

    /// Notes that all changes since the last listing began are noted, and will be.
    pub(super) fn follow(&self) {
        self.noted().is_followed = true;
    }

    /// Notes that a path changed, relative to the root. Without a path, any may have.
    pub(super) fn note(&self, path: Option<&Path>) {
        let mut noted = self.noted();
        match path {
            Some(path) if noted.paths.len() <= MAX_CHANGED => {
                _ = noted.paths.insert(path.as_os_str().as_bytes().to_vec())
            }
            Some(_) => {}
            None => noted.has_unnamed = true,
        }
    }

    /// Returns when the kept listing was used.
    pub(super) fn used_at(&self) -> Option<Instant> {
        self.noted().kept.as_ref().map(|kept| kept.used_at)
    }

    pub(super) fn drop_kept(&self) {
        self.noted().kept = None;
    }

    fn noted(&self) -> MutexGuard<'_, NotedChanges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of a work tree's state that the meaning of all paths depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListingBase {
    commit: CommitId,
    /// The versions of git's files.
    files: [Option<FileVersion>; 3],
}

impl ListingBase {
    pub(super) fn of(checkout: &Checkout, commit: CommitId) -> ListingBase {
        let version = |path: PathBuf| fs::symlink_metadata(path).ok().map(|metadata| FileVersion::of(&metadata));
        let common = &checkout.dirs.common_dir;
        let files =
            [checkout.dirs.git_dir.join("index"), common.join("info/exclude"), common.join("config")].map(version);
        ListingBase { commit, files }
    }
}

/// The origin of an entry of a work tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum EntryOrigin {
    /// A file that git's index has.
    Tracked {
        id: ObjectId,
        kind: EntryKind,
        /// True if a file with this content is as it is committed.
        is_known: bool,
    },
    Untracked,
    /// A folder or a file that is not compared with the disk.
    Other,
}

/// A listing of a work tree.
#[derive(Debug)]
pub(super) struct KeptListing {
    pub(super) base: ListingBase,
    /// Sorted by path, without contents.
    pub(super) entries: Vec<WorkTreeEntry>,
    /// With the contents of the last edits.
    pub(super) tree: Tree,
    pub(super) folders: Vec<PathBuf>,
    /// The folders that are left out for a file in them, without a watch.
    left_out: Vec<PathBuf>,
    /// The paths of entries whose names are temporary, so that their changes have no events. They are read each time.
    unreported: Vec<Vec<u8>>,
    trusts_mode: bool,
    /// True if all paths that were met are entries.
    is_counted: bool,
    listed_at: Instant,
    used_at: Instant,
}

impl KeptListing {
    /// Keeps a listing without problems; `None` if it is not worth it, since changes of many of its files have no events. `is_counted` is
    /// true if all paths that were met are entries.
    pub(super) fn new(
        base: ListingBase,
        mut entries: Vec<WorkTreeEntry>,
        tree: &Tree,
        (folders, left_out): (&[PathBuf], Vec<PathBuf>),
        (trusts_mode, is_counted): (bool, bool),
    ) -> Option<KeptListing> {
        let unreported: Vec<Vec<u8>> =
            entries.iter().map(|entry| &entry.path).filter(|path| is_temporary_name(name_of(path))).cloned().collect();
        if unreported.len() > MAX_CHANGED {
            return None;
        }
        entries.iter_mut().filter_map(|entry| entry.on_disk.as_mut()).for_each(|file| file.content = None);
        let (tree, folders) = (tree.clone(), folders.to_vec());
        let (listed_at, used_at) = (Instant::now(), Instant::now());
        let mut kept = KeptListing {
            base,
            entries,
            tree,
            folders,
            left_out,
            unreported,
            trusts_mode,
            is_counted,
            listed_at,
            used_at,
        };
        kept.hold(FxHashMap::default());
        Some(kept)
    }

    /// Reads the paths that changed. Returns false if a new listing is needed.
    pub(super) fn update(&mut self, changed: &BTreeSet<Vec<u8>>, root: &Path, scan: &Scan) -> bool {
        let read = self.read_changed(changed, root, scan);
        let is_updated = read.is_some();
        self.hold(read.unwrap_or_default());
        is_updated
    }

    /// Holds contents beside those of the edits before, or instead of them if they are too long together.
    fn hold(&mut self, read: FxHashMap<BlobId, Arc<[u8]>>) {
        let n_bytes =
            |contents: &FxHashMap<BlobId, Arc<[u8]>>| contents.values().map(|content| content.len()).sum::<usize>();
        let has_room = n_bytes(&self.tree.held) + n_bytes(&read) <= MAX_KEPT_BYTES;
        let mut held = if has_room { FxHashMap::clone(&self.tree.held) } else { FxHashMap::default() };
        held.extend(Some(read).filter(|read| n_bytes(read) <= MAX_KEPT_BYTES).unwrap_or_default());
        self.tree.held = Arc::new(held);
    }

    /// Reads the paths that changed, and returns the contents that were read; `None` if a new listing is needed.
    fn read_changed(
        &mut self,
        changed: &BTreeSet<Vec<u8>>,
        root: &Path,
        scan: &Scan,
    ) -> Option<FxHashMap<BlobId, Arc<[u8]>>> {
        if self.listed_at.elapsed() > MAX_AGE || !self.left_out.iter().all(|folder| is_left_out(folder)) {
            return None;
        }
        self.used_at = Instant::now();
        let mut held = FxHashMap::default();
        let unreported = std::mem::take(&mut self.unreported);
        for path in changed.iter().chain(&unreported) {
            if [IGNORE_FILE, CACHE_TAG.as_bytes()].contains(&name_of(path)) {
                return None;
            }
            match self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path)) {
                Ok(entry_idx) => {
                    let DiskFile { blob, content, .. } = self.update_entry(entry_idx, root, scan)?;
                    held.extend(content.map(|content| (blob, content)));
                }
                Err(at) if self.is_gone_again(path, at, root) => {}
                Err(_) => return None,
            }
        }
        self.unreported = unreported;
        Some(held)
    }

    /// Returns true if a path without an entry appeared after the listing and is gone.
    fn is_gone_again(&self, path: &[u8], at: usize, root: &Path) -> bool {
        let has_entries = self.entries[at..].iter().any(|entry| is_below(&entry.path, path));
        let is_missing =
            fs::symlink_metadata(root.join(disk_file::to_path(path))).is_err_and(|error| files::is_missing(&error));
        // A folder that comes again must be watched again.
        let is_folder = self.folders.binary_search(&root.join(disk_file::to_path(path))).is_ok();
        self.is_counted && !path.is_empty() && !has_entries && !is_folder && is_missing
    }

    fn update_entry(&mut self, entry_idx: usize, root: &Path, scan: &Scan) -> Option<DiskFile> {
        let entry = &mut self.entries[entry_idx];
        let (index_kind, committed) = match entry.origin {
            EntryOrigin::Tracked { id, kind, is_known } => (kind, blob_id(id).filter(|_| is_known)),
            EntryOrigin::Untracked => (EntryKind::Tree, None),
            EntryOrigin::Other => return None,
        };
        let metadata = fs::symlink_metadata(root.join(disk_file::to_path(&entry.path))).ok()?;
        let is_file = matches!(entry.kind, EntryKind::Blob | EntryKind::BlobExecutable) && metadata.is_file();
        if !is_file || metadata.len() > MAX_FILE_BYTES {
            return None;
        }
        let file = DiskFile::read(root, &entry.path, &metadata, scan).ok()?;
        // With other ends of lines, the size in the tree is that of the committed content.
        if committed.is_some_and(|committed| committed != file.blob && file.has_text_of(committed)) {
            return None;
        }
        let path = path_text::to_text(&entry.path);
        let at = self.tree.files.binary_search_by(|listed| listed.path.as_str().cmp(&path)).ok()?;
        let listed = &mut self.tree.files[at];
        // The diagnostic of a file over the limit or without its committed content may be wrong now.
        let has_diagnostic = self.tree.diagnostics.iter().any(|diagnostic| diagnostic.path == path);
        if listed.size > MAX_FILE_BYTES || has_diagnostic {
            return None;
        }
        entry.kind = disk_file::kind_of(&metadata, index_kind, self.trusts_mode);
        entry.id = object_id(file.blob);
        entry.on_disk = (committed != Some(file.blob)).then(|| DiskFile { content: None, ..file.clone() });
        listed.mode = if entry.kind == EntryKind::Blob { FileMode::Regular } else { FileMode::Executable };
        (listed.blob, listed.size) = (file.blob, file.size);
        Some(file)
    }
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.len() > folder.len() && path.starts_with(folder) && path[folder.len()] == b'/'
}
