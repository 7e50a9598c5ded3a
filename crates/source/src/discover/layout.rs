//! A discovered path before it has an alias.

use std::path::{Path, PathBuf};

use model::RepoId;

use crate::{
    Checkout, CheckoutKind, CheckoutView, IsolatedReadError, UnreadReason, alias_registry::CheckoutIdentity,
    crawl::has_dot_git, git, git_dirs::GitDirs, identity,
};

/// The kind of a discovered path, and the git facts of a repository.
#[derive(Debug, Clone)]
pub(super) enum CheckoutLayout {
    Repository(CheckoutKind, git::RepositoryFacts),
    Folder,
    /// A repository or a folder that is not read.
    Unread(CheckoutKind, UnreadReason),
}

impl CheckoutLayout {
    pub(super) fn of_facts(path: &Path, facts: git::RepositoryFacts) -> CheckoutLayout {
        let kind = if facts.dirs.git_dir != facts.dirs.common_dir {
            CheckoutKind::LinkedWorkTree
        } else if has_dot_git(path) {
            CheckoutKind::WorkTree
        } else {
            CheckoutKind::Bare
        };
        CheckoutLayout::Repository(kind, facts)
    }

    /// Returns the layout of a path whose read has no result. `known` is its last layout, which stays while a read is not slow.
    pub(super) fn unread(path: &Path, error: &IsolatedReadError, known: Option<&CheckoutLayout>) -> CheckoutLayout {
        let kind = known.map_or_else(|| kind_by_name(path), CheckoutLayout::kind);
        match (error, known) {
            (IsolatedReadError::Unfinished, Some(known)) => known.clone(),
            (IsolatedReadError::Unfinished, None) => CheckoutLayout::Unread(kind, UnreadReason::Reading),
            (error, _) => CheckoutLayout::Unread(kind, UnreadReason::Refused(error.to_string())),
        }
    }

    /// Returns the layout of a repository that is refused.
    pub(super) fn refused(path: &Path, error: &git::FactsError) -> CheckoutLayout {
        CheckoutLayout::Unread(kind_by_name(path), UnreadReason::Refused(error.to_string()))
    }

    /// Returns the layout of something known that cannot be reached for a reason.
    pub(super) fn unreachable(&self, reason: &str) -> CheckoutLayout {
        CheckoutLayout::Unread(self.kind(), UnreadReason::Refused(reason.to_owned()))
    }

    /// Returns the layout of a plain folder that is not read.
    pub(super) fn into_folder(self) -> CheckoutLayout {
        match self {
            CheckoutLayout::Unread(_, reason) => CheckoutLayout::Unread(CheckoutKind::Folder, reason),
            known => known,
        }
    }

    /// Returns the first commit of a repository, if that was searched.
    pub(super) fn first_commit(&self) -> Option<git::FirstCommit> {
        match self {
            CheckoutLayout::Repository(_, facts) => facts.first_commit,
            CheckoutLayout::Folder | CheckoutLayout::Unread(..) => None,
        }
    }

    /// Returns the folders of a repository.
    fn dirs(&self) -> Option<&GitDirs> {
        match self {
            CheckoutLayout::Repository(_, facts) => Some(&facts.dirs),
            CheckoutLayout::Folder | CheckoutLayout::Unread(..) => None,
        }
    }

    /// Returns true if this is the repository of a linked work tree.
    pub(super) fn is_repository_of(&self, linked: &CheckoutLayout) -> bool {
        let (Some(own), Some(of_linked)) = (self.dirs(), linked.dirs()) else { return false };
        linked.kind() == CheckoutKind::LinkedWorkTree
            && self.kind() != CheckoutKind::LinkedWorkTree
            && own.common_dir == of_linked.common_dir
    }

    /// Returns the name of a linked work tree as a view.
    pub(super) fn view_name(&self) -> Option<String> {
        let name = self.dirs()?.git_dir.file_name()?.to_string_lossy();
        let name: String = name.chars().map(|c| if matches!(c, ',' | ':' | '/') { '-' } else { c }).collect();
        Some(format!("worktree:{name}"))
    }

    pub(super) fn kind(&self) -> CheckoutKind {
        match self {
            CheckoutLayout::Repository(kind, _) | CheckoutLayout::Unread(kind, _) => *kind,
            CheckoutLayout::Folder => CheckoutKind::Folder,
        }
    }

    pub(super) fn identity(&self) -> CheckoutIdentity {
        match self {
            CheckoutLayout::Folder => CheckoutIdentity::Path,
            CheckoutLayout::Repository(kind, facts) => {
                repository_id(*kind, facts).map_or(CheckoutIdentity::Path, CheckoutIdentity::Repository)
            }
            CheckoutLayout::Unread(..) => CheckoutIdentity::Unknown,
        }
    }

    /// Makes the checkout. `view` is that of repositories with a work tree.
    pub(super) fn into_checkout(self, path: PathBuf, alias: String, repo: RepoId, view: &CheckoutView) -> Checkout {
        let kind = self.kind();
        let has_work_tree = matches!(kind, CheckoutKind::WorkTree | CheckoutKind::LinkedWorkTree);
        let view = if has_work_tree { view.clone() } else { CheckoutView::Commit };
        let (dirs, unread) = match self {
            CheckoutLayout::Folder => (GitDirs::of_own(&path), None),
            CheckoutLayout::Repository(_, facts) => (facts.dirs, None),
            CheckoutLayout::Unread(_, reason) => (GitDirs::of_own(&path), Some(reason)),
        };
        Checkout { repo, alias, path, kind, view, view_of: None, unread, dirs }
    }
}

/// Returns the probable kind of a repository that cannot be read. Its alias depends on it.
fn kind_by_name(path: &Path) -> CheckoutKind {
    match path.extension() {
        Some(extension) if extension == "git" => CheckoutKind::Bare,
        _ => CheckoutKind::WorkTree,
    }
}

fn repository_id(kind: CheckoutKind, facts: &git::RepositoryFacts) -> Option<RepoId> {
    let origin = facts.origin.as_deref().and_then(identity::normalise_url);
    let id = match (origin, facts.first_commit) {
        (Some(origin), _) => identity::of_origin(&origin),
        (None, Some(first_commit)) => identity::of_first_commit(first_commit.id),
        (None, None) => return None,
    };
    Some(match facts.dirs.git_dir.file_name() {
        Some(name) if kind == CheckoutKind::LinkedWorkTree => {
            identity::with_part(id, "work tree", &name.to_string_lossy())
        }
        _ => id,
    })
}
