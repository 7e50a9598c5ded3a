//! Finds the checkouts below the roots that a user names.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use model::RepoId;

use crate::{
    Checkout, CheckoutKind, PathDiagnostic,
    crawl::{Crawl, crawl, has_dot_git, subfolders},
    folder, git, identity,
    names::{Names, Unnamed},
};

/// What was found below the roots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The names given so far, those of this discovery among them: to be handed to the next one.
    pub names: Names,
    /// In the order of their paths; no path, alias or identity twice.
    pub checkouts: Vec<Checkout>,
    pub diagnostics: Vec<PathDiagnostic>,
}

/// Finds every repository at or below the roots, and the plain folders beside them.
///
/// A root without any repository is one plain folder. In a root with some, each folder directly within it that has
/// none is a plain folder of its own. What cannot be read is a diagnostic, and does not keep the rest from being found.
///
/// A repository without an origin costs a walk over its first parents, some milliseconds for each thousand commits; a
/// poller should rather ask for head signatures.
pub fn discover(roots: &[PathBuf], mut names: Names) -> Discovery {
    let mut search = Search::default();
    for root in roots {
        search.enter_root(root);
    }
    let Search { places, mut diagnostics } = search;
    diagnostics.sort();
    diagnostics.dedup();
    let unnamed: Vec<Unnamed<'_>> =
        places.iter().map(|(path, place)| Unnamed { path, kind: place.kind(), identity: place.identity() }).collect();
    let named = names.give(&unnamed);
    let checkouts =
        places.into_iter().zip(named).map(|((path, place), (alias, repo))| place.into_checkout(path, alias, repo));
    Discovery { checkouts: checkouts.collect(), diagnostics, names }
}

#[derive(Default)]
struct Search {
    places: BTreeMap<PathBuf, Place>,
    diagnostics: Vec<PathDiagnostic>,
}

impl Search {
    fn enter_root(&mut self, root: &Path) {
        let real = match root.canonicalize() {
            Ok(real) if real.is_dir() => without_dot_git(real),
            Ok(_) => return self.report(root, "this is no folder; name the folder that holds it"),
            Err(error) => return self.report(root, format!("this folder cannot be read: {}", error.kind())),
        };
        let Crawl { repositories, unreadable, is_cut } = crawl(&real);
        for (folder, error) in unreadable {
            self.report(&folder, format!("this folder cannot be read: {}", error.kind()));
        }
        if is_cut {
            self.report(root, "too many folders to look into all of them; name the repositories below it one by one");
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

    /// Adds what looks like a repository, if it is one.
    fn add_repository(&mut self, path: &Path) -> bool {
        if self.places.get(path).is_some_and(|place| matches!(place, Place::Repository(..))) {
            return true;
        }
        match git::facts(path) {
            Ok(facts) => {
                self.places.insert(path.to_owned(), Place::Repository(kind_of(path, &facts), facts));
                true
            }
            Err(error) => {
                self.report(path, format!("this looks like a repository, but git cannot read it, so that it counts as a plain folder: {error}"));
                false
            }
        }
    }

    /// Adds a plain folder, if it holds a file; if not, and a root is given, reports the root.
    fn add_folder(&mut self, path: &Path, root: Option<&Path>) {
        if folder::holds_a_file(path) {
            self.places.entry(path.to_owned()).or_insert(Place::Folder);
        } else if let Some(root) = root {
            self.report(root, "this folder holds neither a repository nor a file that can be read");
        }
    }

    fn report(&mut self, path: &Path, message: impl Into<String>) {
        self.diagnostics.push(PathDiagnostic { path: path.to_string_lossy().into_owned(), message: message.into() });
    }
}

enum Place {
    Repository(CheckoutKind, git::Facts),
    Folder,
}

impl Place {
    fn kind(&self) -> CheckoutKind {
        match self {
            Place::Repository(kind, _) => *kind,
            Place::Folder => CheckoutKind::Folder,
        }
    }

    /// Returns what makes it this repository wherever it lies; nothing for what has only a name.
    fn identity(&self) -> Option<RepoId> {
        match self {
            Place::Folder => None,
            Place::Repository(kind, facts) => repository_id(*kind, facts),
        }
    }

    fn into_checkout(self, path: PathBuf, alias: String, repo: RepoId) -> Checkout {
        let kind = self.kind();
        let (git_dir, common_dir) = match self {
            Place::Folder => (path.clone(), path.clone()),
            Place::Repository(_, facts) => (facts.git_dir, facts.common_dir),
        };
        Checkout { repo, alias, path, kind, git_dir, common_dir }
    }
}

fn repository_id(kind: CheckoutKind, facts: &git::Facts) -> Option<RepoId> {
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

fn kind_of(path: &Path, facts: &git::Facts) -> CheckoutKind {
    if facts.git_dir != facts.common_dir {
        CheckoutKind::LinkedWorkTree
    } else if has_dot_git(path) {
        CheckoutKind::WorkTree
    } else {
        CheckoutKind::Bare
    }
}

/// Takes a root that names the `.git` of a work tree as the work tree.
fn without_dot_git(root: PathBuf) -> PathBuf {
    match root.parent() {
        Some(work_tree) if root.ends_with(".git") => work_tree.to_owned(),
        _ => root,
    }
}

#[cfg(test)]
mod tests;
