//! Discovers the checkouts below the configured roots.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use model::RepoId;

use crate::{
    Checkout, CheckoutKind, IsolatedReads, OutsideLinks, PathDiagnostic,
    alias_registry::{AliasRegistry, UnnamedCheckout},
    boundary::{Boundary, without_dot_git},
    crawl::{Crawl, crawl, has_dot_git, subfolders},
    folder, git,
    git_dirs::GitDirs,
    identity,
};

/// Deadline of reading what identifies one repository. The longest history takes a few seconds.
const REPOSITORY_DEADLINE: Duration = Duration::from_secs(15);

/// Deadline of the search for repositories below one root.
const ROOT_DEADLINE: Duration = Duration::from_secs(120);

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

/// Discovers repositories below roots, once or repeatedly.
#[derive(Debug, Clone, Default)]
pub struct Discoverer {
    /// The folders to search.
    pub roots: Vec<PathBuf>,
    /// Whether files of a repository may be outside of the roots.
    pub outside_links: OutsideLinks,
    /// The reads of repositories, which may block. They are shared with the readers of what is discovered.
    pub reads: IsolatedReads,
}

/// Discovers all repositories at or below the roots. [`Discoverer::discover`] describes the result.
pub fn discover(roots: &[PathBuf], aliases: AliasRegistry) -> Discovery {
    Discoverer { roots: roots.to_owned(), ..Discoverer::default() }.discover(aliases)
}

impl Discoverer {
    /// Discovers all repositories at or below the roots, and the plain folders beside them.
    ///
    /// A root without any repository is one plain folder. If a root contains repositories, each folder directly below it that
    /// contains none is a separate plain folder. An unreadable path becomes a diagnostic; discovery continues with the rest.
    /// Each repository is read on a thread of its own, with a deadline.
    ///
    /// A repository without an origin costs a walk over its first parents: a few milliseconds for each thousand commits.
    /// Callers that poll should use [`crate::head_signature()`].
    pub fn discover(&self, mut aliases: AliasRegistry) -> Discovery {
        let boundary = Boundary::new(&self.roots, self.outside_links);
        let mut search = RootSearch { boundary, reads: &self.reads, layouts: BTreeMap::new(), diagnostics: Vec::new() };
        for root in &self.roots {
            search.enter_root(root);
        }
        let RootSearch { layouts, mut diagnostics, .. } = search;
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
}

struct RootSearch<'a> {
    boundary: Boundary,
    reads: &'a IsolatedReads,
    layouts: BTreeMap<PathBuf, CheckoutLayout>,
    diagnostics: Vec<PathDiagnostic>,
}

impl RootSearch<'_> {
    fn enter_root(&mut self, root: &Path) {
        let own_root = root.to_owned();
        let searched = self.reads.read(root, ROOT_DEADLINE, move || search_root(&own_root));
        let (real, crawl) = match searched {
            Ok(Ok(searched)) => searched,
            Ok(Err(problem)) => return self.report(root, problem),
            Err(error) => return self.report(root, format!("this folder cannot be searched: {error}")),
        };
        let Crawl { repositories, unreadable, is_truncated } = crawl;
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
        let (own_path, boundary) = (path.to_owned(), self.boundary.clone());
        let reading = move || git::repository_facts(&own_path, boundary).map_err(|error| error.to_string());
        let facts = self.reads.read(path, REPOSITORY_DEADLINE, reading);
        match facts.map_err(|error| error.to_string()).and_then(|facts| facts) {
            Ok(facts) => {
                for name in facts.dirs.outside_links() {
                    self.report(path, format!("its `{name}` leads out of the configured folders"));
                }
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
        let own_path = path.to_owned();
        let is_readable = self.reads.read(path, REPOSITORY_DEADLINE, move || folder::has_readable_file(&own_path));
        if let Err(error) = &is_readable {
            self.report(path, format!("this folder cannot be searched: {error}"));
        } else if is_readable == Ok(true) {
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
        let dirs = match self {
            CheckoutLayout::Folder => GitDirs::of_own(&path),
            CheckoutLayout::Repository(_, facts) => facts.dirs,
        };
        Checkout { repo, alias, path, kind, dirs }
    }
}

fn repository_id(kind: CheckoutKind, facts: &git::RepositoryFacts) -> Option<RepoId> {
    let origin = facts.origin.as_deref().and_then(identity::normalise_url);
    let id = match (origin, facts.first_commit) {
        (Some(origin), _) => identity::of_origin(&origin),
        (None, Some(first_commit)) => identity::of_first_commit(first_commit),
        (None, None) => return None,
    };
    Some(match facts.dirs.git_dir.file_name() {
        Some(name) if kind == CheckoutKind::LinkedWorkTree => {
            identity::with_part(id, "work tree", &name.to_string_lossy())
        }
        _ => id,
    })
}

fn kind_of(path: &Path, facts: &git::RepositoryFacts) -> CheckoutKind {
    if facts.dirs.git_dir != facts.dirs.common_dir {
        CheckoutKind::LinkedWorkTree
    } else if has_dot_git(path) {
        CheckoutKind::WorkTree
    } else {
        CheckoutKind::Bare
    }
}

/// Searches a root. Returns its canonical path, or what is wrong with it.
fn search_root(root: &Path) -> Result<(PathBuf, Crawl), String> {
    let real = match root.canonicalize() {
        Ok(real) if real.is_dir() => without_dot_git(real),
        Ok(_) => return Err("this is not a folder; configure the folder that contains it".to_owned()),
        Err(error) => return Err(format!("this folder cannot be read: {}", error.kind())),
    };
    let crawl = crawl(&real);
    Ok((real, crawl))
}

#[cfg(test)]
mod tests;
