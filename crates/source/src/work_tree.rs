//! Reads the work tree of a git repository as a commit of all its files would have them: changed, staged and untracked files, without
//! deleted and ignored ones.
//!
//! Git's index has the size and the times of every tracked file. A file with the same ones is not read. Nothing is written, so that
//! git's lock does not matter.

mod change_events;
mod changes;
mod disk_file;
mod folder_tree;
mod index_file;
mod index_nesting;
mod kept_listing;
mod listing_turn;
mod stat_cache;
mod tracked;
mod untracked;

use std::{
    collections::BTreeSet,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use gix::{ObjectId, objs::tree::EntryKind};
use model::{BlobId, CommitId, ContentsId};
use rustc_hash::FxHashMap;

use crate::{
    Checkout, FileMode, Head, SourceError, Tree, TreeFile, classify_path,
    error::Cause,
    folder,
    git::{self, SizeOfBlob},
    open_files::is_out_of_files,
    path_text,
    tree::TreeBuilder,
};
use disk_file::DiskFile;
use folder_tree::FolderTree;
use kept_listing::{EntryOrigin, KeptListing, ListingBase, ListingStart};
use tracked::TrackedFiles;

pub use change_events::{has_change_events, is_temporary_name};
pub use listing_turn::ListingTurn;
pub use stat_cache::{StatCache, drop_unused_listings};

/// The contents of files that were read while a work tree was listed, by blob id.
pub(crate) type HeldContents = Arc<FxHashMap<BlobId, Arc<[u8]>>>;

/// A work tree at one moment.
#[derive(Debug, Clone)]
pub struct WorkTree {
    /// Its files. The commit is that of `HEAD`, or zero before the first one.
    pub tree: Tree,
    /// The differences to the commit of `HEAD`; `None` if there are none.
    pub changes: Option<WorkTreeChanges>,
    /// Its canonical path.
    pub root: PathBuf,
    /// The folder of git that has its `HEAD` and its index.
    pub git_dir: PathBuf,
    /// The folders in which a file may appear or change, without ignored ones. They are canonical and sorted.
    pub folders: Vec<PathBuf>,
}

impl WorkTree {
    /// Returns true if a path of the machine is a file of the work tree that is read.
    pub fn has_file(&self, path: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(&self.root) else { return false };
        let text = path_text::to_text(relative.as_os_str().as_bytes());
        self.tree.file(&text).is_some()
    }
}

/// The differences between a work tree and the commit of its `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTreeChanges {
    /// The contents of the work tree.
    pub contents: ContentsId,
    /// The paths that were added, changed or deleted, sorted.
    pub paths: Vec<String>,
}

/// A path of a work tree.
#[derive(Debug)]
struct WorkTreeEntry {
    path: Vec<u8>,
    kind: EntryKind,
    id: ObjectId,
    /// Its content on disk, if that is not in the database of objects.
    on_disk: Option<DiskFile>,
    origin: EntryOrigin,
}

/// The entries of a work tree, and the folders and problems that were met.
#[derive(Debug, Default)]
struct WorkTreeEntries {
    entries: Vec<WorkTreeEntry>,
    problems: Vec<(Vec<u8>, String)>,
    n_links: usize,
    n_specials: usize,
    folders: Vec<PathBuf>,
    /// The folders without ignored ones that are left out for a file in them. They are not watched.
    left_out: Vec<PathBuf>,
}

/// Lists the work tree of a checkout. `head` is its `HEAD`; `None` before the first commit. Files that are as in `cache` are not read,
/// and `size_of` returns the sizes of blobs that are known already.
pub(crate) fn list(
    checkout: &Checkout,
    head: Option<&Head>,
    cache: &StatCache,
    size_of: SizeOfBlob<'_>,
) -> Result<WorkTree, SourceError> {
    let root = folder::canonical_root(checkout)?;
    let repository = git::open_checkout(checkout)?.to_thread_local();
    let commit = head.map_or(CommitId([0; 20]), |head| head.commit);
    let base = ListingBase::of(checkout, commit);
    let ListingStart { kept, is_edited, number } = cache.listing.begin();
    if let Some((kept, changed)) = kept.filter(|(kept, _)| kept.base == base)
        && let Some(work_tree) = list_changed(checkout, (&repository, head), cache, (kept, number), &changed)?
    {
        return Ok(work_tree);
    }
    let scan = cache.begin();
    let index = TrackedFiles::read(checkout, &repository)?;
    let exclude = checkout.dirs.common_dir.join("info/exclude");
    let (tracked, untracked) = rayon::join(|| index.compare(&root, &scan), || untracked::find(&root, &exclude, &index));
    let untracked = untracked.map_err(|error| unreadable(checkout, error))?;
    let untracked = untracked.read(&root, &scan);
    let found = [tracked, untracked];
    if let Some((_, reason)) = found.iter().flat_map(|found| &found.problems).find(|(_, reason)| is_exhausted(reason)) {
        return Err(unreadable(checkout, reason.clone().into()));
    }
    // A work tree that is being removed looks like one whose files were all deleted.
    folder::canonical_root(checkout)?;
    let mut folders = watched_folders(&root, &found);
    folders.sort_unstable();
    folders.dedup();
    let mut entries = merge(found);
    let changes = changes::find(checkout, &repository, head, &FolderTree::of(&entries.entries))?;
    cache.end(scan);
    // A problem may end without an event.
    let is_kept = is_edited && entries.problems.is_empty();
    let is_counted = entries.n_links == 0 && entries.n_specials == 0;
    let left_out = std::mem::take(&mut entries.left_out);
    let (tree, entries) = tree(&repository, commit, entries, size_of).map_err(|error| unreadable(checkout, error))?;
    let kept = is_kept.then(|| {
        KeptListing::new(base, entries, &tree, (folders.as_slice(), left_out), (index.trusts_mode(), is_counted))
    });
    kept.flatten().into_iter().for_each(|kept| cache.listing.keep(number, kept));
    Ok(WorkTree { tree, changes, git_dir: checkout.dirs.git_dir.clone(), root, folders })
}

/// Lists a work tree by its last listing and the paths that changed since; `None` if that is not enough.
fn list_changed(
    checkout: &Checkout,
    (repository, head): (&gix::Repository, Option<&Head>),
    cache: &StatCache,
    (mut kept, number): (KeptListing, u64),
    changed: &BTreeSet<Vec<u8>>,
) -> Result<Option<WorkTree>, SourceError> {
    let root = folder::canonical_root(checkout)?;
    let scan = cache.begin();
    if !kept.update(changed, &root, &scan) {
        return Ok(None);
    }
    folder::canonical_root(checkout)?;
    let changes = changes::find(checkout, repository, head, &FolderTree::of(&kept.entries))?;
    cache.end_of_paths(scan, changed);
    let (tree, folders) = (kept.tree.clone(), kept.folders.clone());
    cache.listing.keep(number, kept);
    Ok(Some(WorkTree { tree, changes, git_dir: checkout.dirs.git_dir.clone(), root, folders }))
}

/// Lists the files of the index of a checkout: the contents that the next commit would have.
pub(crate) fn list_staged(checkout: &Checkout, head: &Head) -> Result<Tree, SourceError> {
    let repository = git::open_checkout(checkout)?.to_thread_local();
    let staged = TrackedFiles::read(checkout, &repository)?.staged();
    let (tree, _) =
        tree(&repository, head.commit, staged, &|_, _| None).map_err(|error| unreadable(checkout, error))?;
    Ok(tree)
}

/// Returns the root, the untracked folders, and those of every tracked file.
fn watched_folders(root: &Path, found: &[WorkTreeEntries; 2]) -> Vec<PathBuf> {
    let parents: BTreeSet<&[u8]> =
        found[0].entries.iter().flat_map(|entry| ancestors(&entry.path)).collect::<BTreeSet<_>>();
    let tracked = parents.into_iter().map(|parent| root.join(disk_file::to_path(parent))).filter(|path| path.is_dir());
    // The walk over untracked files is empty if it is refused.
    tracked.chain(found[1].folders.iter().cloned()).chain([root.to_owned()]).collect()
}

/// Returns the folders of a path, without the root.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at])
}

/// Merges tracked and untracked entries, sorted by path.
fn merge(found: [WorkTreeEntries; 2]) -> WorkTreeEntries {
    let [tracked, untracked] = found;
    let mut entries = tracked.entries;
    entries.extend(untracked.entries);
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    entries.dedup_by(|a, b| a.path == b.path);
    let mut problems = tracked.problems;
    problems.extend(untracked.problems);
    WorkTreeEntries {
        entries,
        problems,
        n_links: tracked.n_links + untracked.n_links,
        n_specials: tracked.n_specials + untracked.n_specials,
        folders: Vec::new(),
        left_out: untracked.left_out,
    }
}

/// Builds the listing of a work tree, and returns its entries again.
fn tree(
    repository: &gix::Repository,
    commit: CommitId,
    found: WorkTreeEntries,
    size_of: SizeOfBlob<'_>,
) -> Result<(Tree, Vec<WorkTreeEntry>), Cause> {
    let mut builder = TreeBuilder::default();
    let mut held = FxHashMap::default();
    let mut n_folders = 0;
    let mut last: &[u8] = &[];
    for WorkTreeEntry { path, kind, id, on_disk, .. } in &found.entries {
        // The listing of a commit counts folders, too.
        let n_common = path.iter().zip(last).take_while(|(a, b)| a == b).count();
        n_folders += path[n_common..].iter().filter(|byte| **byte == b'/').count();
        last = path;
        match kind {
            EntryKind::Link => builder.skip_symlink(),
            EntryKind::Commit => builder.skip_submodule(),
            EntryKind::Tree => git::list_subtree(repository, path, *id, size_of, &mut builder)?,
            EntryKind::Blob | EntryKind::BlobExecutable if !builder.admit_entry() => {}
            EntryKind::Blob | EntryKind::BlobExecutable => {
                let mode = if *kind == EntryKind::Blob { FileMode::Regular } else { FileMode::Executable };
                match on_disk {
                    None => git::add_file(repository, path, *id, mode, size_of, &mut builder)?,
                    Some(file) => {
                        let path = path_text::to_text(path);
                        held.extend(file.content.clone().map(|content| (file.blob, content)));
                        let (blob, size, class) = (file.blob, file.size, classify_path(&path));
                        builder.add(TreeFile { path, blob, size, class, mode });
                    }
                }
            }
        }
    }
    (0..n_folders).for_each(|_| _ = builder.admit_entry());
    (0..found.n_links).for_each(|_| builder.skip_symlink());
    (0..found.n_specials).for_each(|_| builder.skip_special());
    for (path, problem) in found.problems {
        builder.report(&path_text::to_text(&path), problem);
    }
    Ok((Tree { held: Arc::new(held), ..builder.finish(commit) }, found.entries))
}

/// Returns true if a problem is that the process has too many open files, which concerns all of them.
fn is_exhausted(reason: &str) -> bool {
    is_out_of_files(&std::io::Error::other(reason.to_owned()))
}

fn unreadable(checkout: &Checkout, source: Cause) -> SourceError {
    SourceError::Unreadable { alias: checkout.alias.clone(), source }
}

#[cfg(test)]
mod tests;
