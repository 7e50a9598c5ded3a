//! The folders that the files of a repository may be in.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The policy for files of a repository outside of the configured folders, as in a linked work tree or a clone that
/// shares objects with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutsideLinks {
    /// They may be anywhere: whoever can write to the folders is the user of this process.
    #[default]
    Follow,
    /// They must be in the configured folders. Whoever can write to one of these could otherwise read every repository
    /// that this process can read.
    Refuse,
}

/// The configured folders, and what a link out of them means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Boundary {
    /// Canonical.
    folders: Arc<[PathBuf]>,
    outside_links: OutsideLinks,
}

impl Boundary {
    /// Creates the boundary of these canonical folders.
    pub(crate) fn new(folders: impl IntoIterator<Item = PathBuf>, outside_links: OutsideLinks) -> Boundary {
        let mut real: Vec<PathBuf> = folders.into_iter().collect();
        real.sort();
        // A folder sorts right before the folders within it.
        real.dedup_by(|inner, outer| inner.starts_with(outer));
        Boundary { folders: real.into(), outside_links }
    }

    /// Creates the boundary of a folder that this process writes itself.
    pub(crate) fn none() -> Boundary {
        Boundary { folders: Arc::default(), outside_links: OutsideLinks::Follow }
    }

    /// Returns true if a canonical path is in one of the folders.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Returns an error if a canonical path may not be read.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        if self.outside_links == OutsideLinks::Follow || self.contains(path) {
            return Ok(());
        }
        Err(files::refused("it leads out of the configured folders; add the folder it leads to, or allow it with `follow_outside_links`".to_owned()))
    }
}

/// Replaces the `.git` of a work tree by the work tree.
pub(crate) fn without_dot_git(root: PathBuf) -> PathBuf {
    match root.parent() {
        Some(work_tree) if root.ends_with(".git") => work_tree.to_owned(),
        _ => root,
    }
}
