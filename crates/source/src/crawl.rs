//! Searches a folder for repositories.

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};

/// Maximum depth of the search: `root/host/owner/name`, with room for a submodule two levels down.
const MAX_DEPTH: usize = 6;

/// Maximum number of folders visited below one root. It bounds the time for a root that is a whole disk.
const MAX_FOLDERS: usize = 100_000;

/// Folders that tools fill. They contain no repository of the user. Hidden folders are skipped as well.
const TOOL_FOLDERS: &[&str] = &["node_modules", "target"];

/// The result of a search below one root.
#[derive(Debug, Default)]
pub(crate) struct Crawl {
    /// Breadth-first, then sorted by name.
    pub(crate) repositories: Vec<PathBuf>,
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// True if the search stopped before it visited all folders.
    pub(crate) is_truncated: bool,
}

/// Searches `root` and the folders below it. The search enters work trees, and stops at bare repositories.
pub(crate) fn crawl(root: &Path) -> Crawl {
    let mut crawl = Crawl::default();
    let mut queue = VecDeque::from([(root.to_owned(), 0)]);
    let mut n_folders = 0;
    while let Some((folder, depth)) = queue.pop_front() {
        n_folders += 1;
        if n_folders > MAX_FOLDERS {
            crawl.is_truncated = true;
            return crawl;
        }
        let is_bare = looks_bare(&folder);
        if is_bare || has_dot_git(&folder) {
            crawl.repositories.push(folder.clone());
        }
        if is_bare || depth == MAX_DEPTH {
            continue;
        }
        match subfolders(&folder) {
            Ok(folders) => queue.extend(folders.into_iter().map(|folder| (folder, depth + 1))),
            Err(error) => crawl.unreadable.push((folder, error)),
        }
    }
    crawl
}

/// Returns the folders directly within `folder` that are searched, sorted. Symbolic links are skipped.
pub(crate) fn subfolders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !name.starts_with('.') && !TOOL_FOLDERS.contains(&&*name) {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Returns true if a folder is a work tree, which contains `.git`.
pub(crate) fn has_dot_git(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok_and(|metadata| metadata.is_dir() || metadata.is_file())
}

fn looks_bare(folder: &Path) -> bool {
    let is =
        |name: &str, test: fn(&fs::Metadata) -> bool| fs::symlink_metadata(folder.join(name)).is_ok_and(|m| test(&m));
    is("HEAD", |m| m.is_file() || m.is_symlink())
        && is("objects", fs::Metadata::is_dir)
        && is("refs", fs::Metadata::is_dir)
}
