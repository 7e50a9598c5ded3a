//! Finds repositories below a folder.

use std::{
    collections::VecDeque,
    fs, io,
    path::{Path, PathBuf},
};

/// Folders below a root that are entered: `root/host/owner/name` with room for a submodule two levels down.
const MAX_DEPTH: usize = 6;

/// Folders that are looked into below one root; bounds the time for a root that is a whole disk.
const MAX_FOLDERS: usize = 100_000;

/// Folders that tools fill, and in which no repository of the user lies. Hidden ones are left out as well.
const TOOL_FOLDERS: &[&str] = &["node_modules", "target"];

/// What was found below a root.
#[derive(Debug, Default)]
pub(crate) struct Crawl {
    /// Nearest to the root first, then by name.
    pub(crate) repositories: Vec<PathBuf>,
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    /// Whether the search ended before every folder was seen.
    pub(crate) is_cut: bool,
}

/// Searches `root` and the folders below it. The search goes on within work trees, and stops at bare repositories.
pub(crate) fn crawl(root: &Path) -> Crawl {
    let mut crawl = Crawl::default();
    let mut queue = VecDeque::from([(root.to_owned(), 0)]);
    let mut n_folders = 0;
    while let Some((folder, depth)) = queue.pop_front() {
        n_folders += 1;
        if n_folders > MAX_FOLDERS {
            crawl.is_cut = true;
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

/// Returns the folders directly within `folder` that are worth entering, sorted. Symbolic links are not.
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

/// Says whether a folder is a work tree, by its `.git`.
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
