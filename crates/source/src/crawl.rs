//! Searches folders for repositories. A folder that does not answer is left out, and the search goes on.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{IsolatedReadError, IsolatedReads, folder::CACHE_TAG};

/// Maximum depth of the search: `root/host/owner/name`, with room for a submodule two levels down.
const MAX_DEPTH: usize = 6;

/// Maximum number of folders visited below one root. It bounds the time for a root that is a whole disk.
const MAX_FOLDERS: usize = 100_000;

/// Folders that tools fill. They contain no repository of the user. Hidden folders and caches are skipped as well.
const TOOL_FOLDERS: &[&str] = &["node_modules", "target"];

/// The result of a search below one root.
#[derive(Debug, Default)]
pub(crate) struct Crawl {
    /// Breadth-first, then sorted by name.
    pub(crate) repositories: Vec<PathBuf>,
    /// The folders directly below the root, sorted.
    pub(crate) children: Vec<PathBuf>,
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// Folders that do not answer. Repositories below them are unknown.
    pub(crate) unanswered: Vec<(PathBuf, IsolatedReadError)>,
    /// True if the search stopped before it visited all folders.
    pub(crate) is_truncated: bool,
    n_folders: usize,
}

/// The search inside the work trees of repositories, which may have submodules and vendored repositories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum NestedSearch {
    #[default]
    Entered,
    /// The search ends at each repository.
    Skipped,
}

/// A folder of the search.
#[derive(Debug)]
pub(crate) struct VisitedFolder {
    is_repository: bool,
    /// The folders in it that are searched; `None` if the search ends here.
    subfolders: Option<io::Result<Vec<PathBuf>>>,
}

/// Searches each root and the folders below it, all roots level by level. The search enters work trees unless these are skipped, and
/// stops at bare repositories. It waits for each folder for the time of `patience`.
pub(crate) fn crawl(
    roots: &[PathBuf],
    reads: &IsolatedReads<VisitedFolder>,
    patience: Duration,
    nested: NestedSearch,
) -> Vec<Crawl> {
    let mut crawls: Vec<Crawl> = roots.iter().map(|_| Crawl::default()).collect();
    let mut level: Vec<(usize, PathBuf)> = roots.iter().cloned().enumerate().collect();
    for depth in 0..=MAX_DEPTH {
        level.retain(|(root_idx, _)| crawls[*root_idx].admit_folder());
        let paths: Vec<PathBuf> = level.iter().map(|(_, folder)| folder.clone()).collect();
        let visited = reads.read_all(&paths, patience, move |folder| visit(folder, depth < MAX_DEPTH, nested));
        let mut next_level = Vec::new();
        for ((root_idx, folder), visited) in level.into_iter().zip(visited) {
            let subfolders = match visited {
                Ok(visited) => crawls[root_idx].note(folder, visited),
                Err(error) => {
                    crawls[root_idx].unanswered.push((folder, error));
                    continue;
                }
            };
            if depth == 0 {
                crawls[root_idx].children.clone_from(&subfolders);
            }
            next_level.extend(subfolders.into_iter().map(|subfolder| (root_idx, subfolder)));
        }
        level = next_level;
    }
    crawls
}

impl Crawl {
    /// Returns true if the root has neither folders to search, nor repositories, nor problems.
    pub(crate) fn is_empty(&self) -> bool {
        self.repositories.is_empty()
            && self.children.is_empty()
            && self.unanswered.is_empty()
            && self.unreadable.is_empty()
    }

    /// Counts a folder. Returns false if there are too many.
    fn admit_folder(&mut self) -> bool {
        self.n_folders += 1;
        self.is_truncated |= self.n_folders > MAX_FOLDERS;
        !self.is_truncated
    }

    /// Notes a folder, and returns the folders in it that are searched.
    fn note(&mut self, folder: PathBuf, visited: VisitedFolder) -> Vec<PathBuf> {
        if visited.is_repository {
            self.repositories.push(folder.clone());
        }
        match visited.subfolders {
            Some(Ok(subfolders)) => subfolders,
            Some(Err(error)) => {
                self.unreadable.push((folder, error));
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}

fn visit(folder: &Path, is_entered: bool, nested: NestedSearch) -> VisitedFolder {
    let is_bare = looks_bare(folder);
    let is_repository = is_bare || has_dot_git(folder);
    let is_end = is_bare || (is_repository && nested == NestedSearch::Skipped);
    let subfolders = (is_entered && !is_end).then(|| subfolders(folder));
    VisitedFolder { is_repository, subfolders }
}

/// Returns the folders directly within `folder` that are searched, sorted. Symbolic links are skipped.
fn subfolders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_of_tool = name.starts_with('.') || TOOL_FOLDERS.contains(&&*name);
        let folder = entry.path();
        if is_folder && !is_of_tool && !folder.join(CACHE_TAG).exists() {
            folders.push(folder);
        }
    }
    folders.sort();
    Ok(folders)
}

/// Returns true if a folder is a work tree, which contains `.git`. Whatever has this name, the files beside it may be uncommitted.
pub(crate) fn has_dot_git(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok()
}

fn looks_bare(folder: &Path) -> bool {
    let is =
        |name: &str, test: fn(&fs::Metadata) -> bool| fs::symlink_metadata(folder.join(name)).is_ok_and(|m| test(&m));
    is("HEAD", |m| !m.is_dir()) && is("objects", |m| !m.is_file()) && is("refs", |m| !m.is_file())
}
