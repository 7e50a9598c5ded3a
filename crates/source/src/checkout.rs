//! A place on disk that holds one repository.

use std::path::PathBuf;

use model::RepoId;

/// One repository, or one plain folder, and where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub repo: RepoId,
    /// The name that people use; unique among the checkouts of one discovery. Holds no comma and no colon.
    pub alias: String,
    /// Where it lies. For reading only: neither the identity nor an answer ever contains it.
    pub path: PathBuf,
    pub kind: CheckoutKind,
    /// The directory with its own `HEAD`; the path itself for a folder.
    pub(crate) git_dir: PathBuf,
    /// The directory with its branches and objects; differs from `git_dir` in a linked work tree.
    pub(crate) common_dir: PathBuf,
}

/// How a checkout is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckoutKind {
    /// A work tree with its repository, be it in `.git` or elsewhere (a submodule).
    WorkTree,
    /// A further work tree of a repository, made by `git worktree add`.
    LinkedWorkTree,
    /// A repository without a work tree.
    Bare,
    /// A folder without git.
    Folder,
}

impl CheckoutKind {
    /// Returns the lower-case name that users read.
    pub fn name(self) -> &'static str {
        match self {
            CheckoutKind::WorkTree => "work tree",
            CheckoutKind::LinkedWorkTree => "linked work tree",
            CheckoutKind::Bare => "bare",
            CheckoutKind::Folder => "folder",
        }
    }
}

/// Something about one path that its owner should know: it was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathDiagnostic {
    /// As the user wrote it for a root; relative to the repository for a file; empty for the repository as a whole.
    pub path: String,
    pub message: String,
}
