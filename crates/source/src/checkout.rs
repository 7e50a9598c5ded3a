//! A checkout: one repository or plain folder on disk.

use std::{path::PathBuf, sync::Arc};

use model::RepoId;
use serde::{Deserialize, Serialize};

use crate::{git_dirs::GitDirs, identity};

/// One repository or one plain folder on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The identity of the repository; independent of its path.
    pub repo: RepoId,
    /// The name that users see. Unique among the checkouts of one discovery. It contains no comma, and no colon but that of a view.
    pub alias: String,
    /// The path on disk. It is used for reading only: no identity and no response contains it.
    pub path: PathBuf,
    /// The layout of the checkout.
    pub kind: CheckoutKind,
    /// The contents that are read.
    pub view: CheckoutView,
    /// The repository that this is another view of; `None` for the default view of a repository.
    pub view_of: Option<ViewOf>,
    /// Why it is not read now; `None` if it can be read.
    pub unread: Option<UnreadReason>,
    /// The folders of its git repository; for a plain folder or one that is not read, the path itself.
    pub(crate) dirs: GitDirs,
}

impl Checkout {
    /// Returns the view of this repository at a branch, tag or commit. `name` is the name by which users know it, and `full_name`
    /// that of [`crate::find_reference`].
    pub fn at_reference(&self, name: &str, full_name: &str) -> Checkout {
        Checkout {
            repo: identity::with_part(self.repo, "view", name),
            alias: format!("{}@{name}", self.alias),
            view: CheckoutView::Reference(full_name.into()),
            view_of: Some(ViewOf { repo: self.repo, name: name.to_owned() }),
            ..self.clone()
        }
    }
}

/// The place of a view among those of its repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewOf {
    /// The repository, by its default view.
    pub repo: RepoId,
    /// The name of the view, which follows the alias of the repository and `@`.
    pub name: String,
}

/// The contents that are read of a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CheckoutView {
    /// The commit of `HEAD`; of a plain folder, its files.
    #[default]
    Commit,
    /// The files of the work tree that git tracks or would add.
    WorkTree,
    /// The commit of a branch or tag by its full name, or a commit by all its digits; see [`crate::find_reference`].
    Reference(Arc<str>),
}

/// Why a checkout is not read. It has its alias all the same, and is never read as a plain folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadReason {
    /// Its first read goes on.
    Reading,
    /// Its files are refused or damaged, or its file system does not answer. The reason names no path of the machine.
    Refused(String),
}

/// The layout of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
