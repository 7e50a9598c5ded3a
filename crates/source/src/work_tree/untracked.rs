//! The files of a work tree that git does not track and does not ignore.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, Metadata},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use gix::objs::tree::EntryKind;
use ignore::{DirEntry, WalkBuilder};
use rayon::prelude::*;

use super::{
    WorkTreeEntries, WorkTreeEntry,
    change_events::is_temporary_name,
    disk_file::{self, DiskFile},
    kept_listing::EntryOrigin,
    stat_cache::Scan,
    tracked::{TrackedFiles, object_id, parent_of},
};
use crate::{
    MAX_FILES, MAX_PATH_BYTES,
    crawl::has_dot_git,
    error::Cause,
    folder::{SkippedFolders, check_ignore_file, is_generated_folder},
    open_files::is_out_of_files,
};

/// Maximum number of untracked files that are read. More are the output of a tool that git was not told to ignore.
const MAX_UNTRACKED: usize = 20_000;

/// The file with the rules of git.
const IGNORE_FILE: &str = ".gitignore";

/// The folders that a walk leaves out for a file in them.
type LeftOutFolders = Arc<Mutex<Vec<PathBuf>>>;

/// The untracked paths, before any of them is read.
#[derive(Default)]
pub(super) struct UntrackedPaths {
    files: Vec<Vec<u8>>,
    found: WorkTreeEntries,
    trusts_mode: bool,
}

/// Finds the untracked files. Folders that tools fill, nested repositories and temporary files of editors are left out.
/// `exclude` is the file of rules in the git folder, which linked work trees share.
pub(super) fn find(root: &Path, exclude: &Path, tracked: &TrackedFiles) -> Result<UntrackedPaths, Cause> {
    let mut untracked = UntrackedPaths { trusts_mode: tracked.trusts_mode(), ..Default::default() };
    let root_check = [&root.join(IGNORE_FILE), exclude];
    if let Some(error) = root_check.iter().find_map(|path| check_ignore_file(path).err()) {
        untracked.found.problems.push((Vec::new(), format!("untracked files are not read: {error}")));
        return Ok(untracked);
    }
    let (skipped, left_out) = (SkippedFolders::default(), LeftOutFolders::default());
    for entry in walk(root, &skipped, &left_out) {
        match entry {
            Ok(entry) => untracked.note(root, tracked, &entry),
            Err(error) if is_out_of_files(&error) => return Err(Box::new(error)),
            Err(error) => {
                let problem = error.io_error().map_or("an unreadable ignore rule", |_| "a folder that cannot be read");
                untracked.found.problems.push((Vec::new(), problem.to_owned()));
            }
        }
        if untracked.files.len() > MAX_FILES {
            break;
        }
    }
    untracked.limit(MAX_UNTRACKED.min(MAX_FILES.saturating_sub(tracked.n_paths())));
    for (folder, reason) in skipped.take() {
        let path = relative(root, &folder).to_vec();
        untracked.found.problems.push((path, format!("the folder is not read: {reason}")));
    }
    untracked.found.left_out = std::mem::take(&mut *left_out.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(untracked)
}

impl UntrackedPaths {
    fn note(&mut self, root: &Path, tracked: &TrackedFiles, entry: &DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            return self.found.folders.push(entry.path().to_owned());
        }
        let path = relative(root, entry.path());
        if tracked.contains(path) || is_temporary_name(entry.file_name().as_bytes()) {
            return;
        }
        match kind {
            kind if kind.is_symlink() => self.found.n_links += 1,
            kind if !kind.is_file() => self.found.n_specials += 1,
            _ if path.len() > MAX_PATH_BYTES => {
                self.found.problems.push((path[..256].to_vec(), "the path is too long".to_owned()));
            }
            _ => self.files.push(path.to_vec()),
        }
    }

    /// Drops the folders with the most untracked files, until the others have `n_files` at most.
    fn limit(&mut self, n_files: usize) {
        if self.files.len() <= n_files {
            return;
        }
        let mut counts: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        self.files.iter().for_each(|path| *counts.entry(parent_of(path).to_vec()).or_default() += 1);
        let mut by_count: Vec<(usize, Vec<u8>)> = counts.into_iter().map(|(folder, count)| (count, folder)).collect();
        by_count.sort_unstable();
        let mut n_kept = 0;
        let kept: BTreeSet<Vec<u8>> = by_count
            .into_iter()
            .take_while(|(count, _)| {
                n_kept += count;
                n_kept <= n_files
            })
            .map(|(_, folder)| folder)
            .collect();
        self.files.retain(|path| kept.contains(parent_of(path)));
        let problem = format!("more than {n_files} untracked files; the folders with the most of them are not read");
        self.found.problems.push((Vec::new(), problem));
    }

    /// Reads the files. One that is gone meanwhile is left out.
    pub(super) fn read(self, root: &Path, scan: &Scan) -> WorkTreeEntries {
        let UntrackedPaths { files, mut found, trusts_mode } = self;
        let read = |path: &Vec<u8>| {
            let metadata: Metadata = fs::symlink_metadata(root.join(disk_file::to_path(path)))?;
            Ok((
                disk_file::kind_of(&metadata, EntryKind::Tree, trusts_mode),
                DiskFile::read(root, path, &metadata, scan)?,
            ))
        };
        let read: Vec<io::Result<(EntryKind, DiskFile)>> = files.par_iter().map(read).collect();
        for (path, read) in files.into_iter().zip(read) {
            match read {
                Ok((kind, file)) => {
                    let (id, origin) = (object_id(file.blob), EntryOrigin::Untracked);
                    found.entries.push(WorkTreeEntry { path, kind, id, on_disk: Some(file), origin });
                }
                Err(error) if files::is_missing(&error) => {}
                Err(error) => found.problems.push((path, format!("cannot be read: {}", error.kind()))),
            }
        }
        found
    }
}

fn walk(root: &Path, skipped: &SkippedFolders, left_out: &LeftOutFolders) -> ignore::Walk {
    let (skipped, left_out) = (skipped.clone(), left_out.clone());
    WalkBuilder::new(root)
        .hidden(false)
        .ignore(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| is_entered(entry, &skipped, &left_out))
        .build()
}

fn is_entered(entry: &DirEntry, skipped: &SkippedFolders, left_out: &LeftOutFolders) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    if entry.file_name().eq_ignore_ascii_case(".git") {
        return false;
    }
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return true;
    }
    if is_left_out(entry.path()) {
        left_out.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
        return false;
    }
    let checked = check_ignore_file(&entry.path().join(IGNORE_FILE));
    if let Err(reason) = &checked {
        skipped.add(entry.path(), reason);
    }
    checked.is_ok()
}

/// Returns true for a folder that tools fill, and for a nested repository.
pub(super) fn is_left_out(folder: &Path) -> bool {
    is_generated_folder(folder) || has_dot_git(folder)
}

fn relative<'a>(root: &Path, path: &'a Path) -> &'a [u8] {
    path.strip_prefix(root).unwrap_or(path).as_os_str().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_with_the_most_untracked_files_give_way() {
        let paths = ["out/a/1", "out/a/2", "out/a/3", "src/new.rs", "notes.md", "out/b/1", "out/b/2"];
        for (limit, expected) in [(7, paths.len()), (4, 4), (3, 2), (1, 1), (0, 0)] {
            let files = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
            let mut untracked = UntrackedPaths { files, ..Default::default() };
            untracked.limit(limit);
            assert_eq!(untracked.files.len(), expected, "{limit}");
            assert_eq!(untracked.found.problems.len(), usize::from(expected < paths.len()));
        }
    }
}
