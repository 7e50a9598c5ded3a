//! Discovers the checkouts below the configured roots.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use model::RepoId;

use crate::{
    Checkout, CheckoutKind, PathDiagnostic,
    alias_registry::{AliasRegistry, UnnamedCheckout},
    crawl::{Crawl, crawl, has_dot_git, subfolders},
    folder, git, identity,
};

/// The result of a discovery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery {
    /// All assigned aliases, including those of this discovery. The caller passes them to the next discovery.
    pub aliases: AliasRegistry,
    /// Sorted by path. Paths, aliases and identities are unique.
    pub checkouts: Vec<Checkout>,
    /// The paths that could not be read or were skipped, sorted.
    pub diagnostics: Vec<PathDiagnostic>,
}

/// Discovers all repositories at or below the roots, and the plain folders beside them.
///
/// A root without any repository is one plain folder. If a root contains repositories, each folder directly below it that
/// contains none is a separate plain folder. An unreadable path becomes a diagnostic; discovery continues with the rest.
///
/// A repository without an origin costs a walk over its first parents: a few milliseconds for each thousand commits.
/// Callers that poll should use [`crate::head_signature()`].
pub fn discover(roots: &[PathBuf], mut aliases: AliasRegistry) -> Discovery {
    let mut search = RootSearch::default();
    for root in roots {
        search.enter_root(root);
    }
    let RootSearch { layouts, mut diagnostics } = search;
    diagnostics.sort();
    diagnostics.dedup();
    let unnamed: Vec<UnnamedCheckout<'_>> = layouts
        .iter()
        .map(|(path, layout)| UnnamedCheckout { path, kind: layout.kind(), identity: layout.identity() })
        .collect();
    let assigned = aliases.assign(&unnamed);
    let checkouts = layouts
        .into_iter()
        .zip(assigned)
        .map(|((path, layout), (alias, repo))| layout.into_checkout(path, alias, repo));
    Discovery { checkouts: checkouts.collect(), diagnostics, aliases }
}

#[derive(Default)]
struct RootSearch {
    layouts: BTreeMap<PathBuf, CheckoutLayout>,
    diagnostics: Vec<PathDiagnostic>,
}

impl RootSearch {
    fn enter_root(&mut self, root: &Path) {
        let real = match root.canonicalize() {
            Ok(real) if real.is_dir() => without_dot_git(real),
            Ok(_) => return self.report(root, "this is not a folder; configure the folder that contains it"),
            Err(error) => return self.report(root, format!("this folder cannot be read: {}", error.kind())),
        };
        let Crawl { repositories, unreadable, is_truncated } = crawl(&real);
        for (folder, error) in unreadable {
            self.report(&folder, format!("this folder cannot be read: {}", error.kind()));
        }
        if is_truncated {
            self.report(
                root,
                "the root has too many folders to search; configure the repositories below it one by one",
            );
        }
        let repositories: Vec<PathBuf> = repositories.into_iter().filter(|path| self.add_repository(path)).collect();
        if repositories.is_empty() {
            self.add_folder(&real, Some(root));
        } else if !repositories.contains(&real) {
            for child in subfolders(&real).unwrap_or_default() {
                if !repositories.iter().any(|repository| repository.starts_with(&child)) {
                    self.add_folder(&child, None);
                }
            }
        }
    }

    /// Adds the repository at `path`. Returns false if git cannot read it.
    fn add_repository(&mut self, path: &Path) -> bool {
        if self.layouts.get(path).is_some_and(|layout| matches!(layout, CheckoutLayout::Repository(..))) {
            return true;
        }
        match git::repository_facts(path) {
            Ok(facts) => {
                self.layouts.insert(path.to_owned(), CheckoutLayout::Repository(kind_of(path, &facts), facts));
                true
            }
            Err(error) => {
                self.report(path, format!("this looks like a repository, but git cannot read it, so it is indexed as a plain folder: {error}"));
                false
            }
        }
    }

    /// Adds a plain folder if it contains a readable file; otherwise reports `root`, if given.
    fn add_folder(&mut self, path: &Path, root: Option<&Path>) {
        if folder::has_readable_file(path) {
            self.layouts.entry(path.to_owned()).or_insert(CheckoutLayout::Folder);
        } else if let Some(root) = root {
            self.report(root, "this folder contains neither a repository nor a readable file");
        }
    }

    fn report(&mut self, path: &Path, message: impl Into<String>) {
        self.diagnostics.push(PathDiagnostic { path: path.to_string_lossy().into_owned(), message: message.into() });
    }
}

/// The kind of a discovered path, and the git facts of a repository.
enum CheckoutLayout {
    Repository(CheckoutKind, git::RepositoryFacts),
    Folder,
}

impl CheckoutLayout {
    fn kind(&self) -> CheckoutKind {
        match self {
            CheckoutLayout::Repository(kind, _) => *kind,
            CheckoutLayout::Folder => CheckoutKind::Folder,
        }
    }

    /// Returns the identity that is independent of the path; `None` for a plain folder and for a repository without commits.
    fn identity(&self) -> Option<RepoId> {
        match self {
            CheckoutLayout::Folder => None,
            CheckoutLayout::Repository(kind, facts) => repository_id(*kind, facts),
        }
    }

    fn into_checkout(self, path: PathBuf, alias: String, repo: RepoId) -> Checkout {
        let kind = self.kind();
        let (git_dir, common_dir) = match self {
            CheckoutLayout::Folder => (path.clone(), path.clone()),
            CheckoutLayout::Repository(_, facts) => (facts.git_dir, facts.common_dir),
        };
        Checkout { repo, alias, path, kind, git_dir, common_dir }
    }
}

fn repository_id(kind: CheckoutKind, facts: &git::RepositoryFacts) -> Option<RepoId> {
    let origin = facts.origin.as_deref().and_then(identity::normalise_url);
    let id = match (origin, facts.first_commit) {
        (Some(origin), _) => identity::of_origin(&origin),
        (None, Some(first_commit)) => identity::of_first_commit(first_commit),
        (None, None) => return None,
    };
    Some(match facts.git_dir.file_name() {
        Some(name) if kind == CheckoutKind::LinkedWorkTree => {
            identity::with_part(id, "work tree", &name.to_string_lossy())
        }
        _ => id,
    })
}

fn kind_of(path: &Path, facts: &git::RepositoryFacts) -> CheckoutKind {
    if facts.git_dir != facts.common_dir {
        CheckoutKind::LinkedWorkTree
    } else if has_dot_git(path) {
        CheckoutKind::WorkTree
    } else {
        CheckoutKind::Bare
    }
}

/// Replaces the `.git` of a work tree by the work tree.
fn without_dot_git(root: PathBuf) -> PathBuf {
    match root.parent() {
        Some(work_tree) if root.ends_with(".git") => work_tree.to_owned(),
        _ => root,
    }
}

#[cfg(test)]
mod tests;
