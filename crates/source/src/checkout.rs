//! A checkout: one repository or plain folder on disk.

use std::path::PathBuf;

use model::RepoId;

use crate::git_dirs::GitDirs;

/// One repository or one plain folder on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The identity of the repository; independent of its path.
    pub repo: RepoId,
    /// The name that users see. Unique among the checkouts of one discovery; contains no comma and no colon.
    pub alias: String,
    /// The path on disk. It is used for reading only: no identity and no response contains it.
    pub path: PathBuf,
    /// The layout of the checkout.
    pub kind: CheckoutKind,
    /// The folders of its git repository; for a plain folder, the path itself.
    pub(crate) dirs: GitDirs,
}

/// The layout of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckoutKind {
    /// A work tree whose repository is in `.git` or, for a submodule, elsewhere.
    WorkTree,
    /// An additional work tree, created by `git worktree add`.
    LinkedWorkTree,
    /// A repository without a work tree.
    Bare,
    /// A folder without git.
    Folder,
}

impl CheckoutKind {
    /// Returns the lower-case name for users.
    pub fn name(self) -> &'static str {
        match self {
            CheckoutKind::WorkTree => "work tree",
            CheckoutKind::LinkedWorkTree => "linked work tree",
            CheckoutKind::Bare => "bare",
            CheckoutKind::Folder => "folder",
        }
    }
}

/// A path that was skipped, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathDiagnostic {
    /// The root as configured, or a file relative to its repository; empty if it concerns the whole repository.
    pub path: String,
    /// The reason, in words for the owner of the path.
    pub message: String,
}
