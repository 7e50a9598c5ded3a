//! Discovers the checkouts below the configured roots.

mod known_roots;
mod layout;
mod search;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{
    Checkout, CheckoutView, IsolatedReads, OutsideLinks, PathDiagnostic,
    alias_registry::{AliasRegistry, UnnamedCheckout},
    checkout::ViewOf,
    crawl::{NestedSearch, VisitedFolder},
    git, identity,
};
pub use known_roots::KnownRoots;
use layout::CheckoutLayout;
use search::RootSearch;

/// Time that a discovery without a configured one waits for a repository: as long as the longest history takes.
const DEFAULT_PATIENCE: Duration = Duration::from_secs(15);

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
#[derive(Debug)]
pub struct Discoverer {
    /// The folders to search.
    roots: Vec<PathBuf>,
    /// The policy for files of a repository outside of the roots.
    outside_links: OutsideLinks,
    /// Time to wait for one folder or repository.
    patience: Duration,
    /// The contents that are read of repositories with a work tree.
    view: CheckoutView,
    nested: NestedSearch,
    reads: DiscoveryReads,
    /// The roots of earlier processes.
    earlier_roots: KnownRoots,
    last: Mutex<LastDiscovery>,
}

/// The reads of a discovery, which may block.
#[derive(Debug, Default)]
struct DiscoveryReads {
    roots: IsolatedReads<Result<RealRoot, RootProblem>>,
    folders: IsolatedReads<VisitedFolder>,
    facts: IsolatedReads<Result<git::RepositoryFacts, git::FactsError>>,
    contents: IsolatedReads<bool>,
}

/// The results of the last discovery. They count for paths that do not answer.
#[derive(Debug, Clone, Default)]
struct LastDiscovery {
    /// Each root when it was entered last.
    roots: BTreeMap<PathBuf, RealRoot>,
    layouts: Arc<BTreeMap<PathBuf, CheckoutLayout>>,
}

/// A root on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RealRoot {
    /// Its canonical path.
    path: PathBuf,
    /// The device; `None` if another process has seen it, since devices get other numbers at the next boot.
    device: Option<u64>,
    inode: u64,
}

impl RealRoot {
    /// Returns true if this is not the same folder. An empty mount point is not the folder of the file system that belongs there.
    fn is_other_than(&self, other: &RealRoot) -> bool {
        let has_other_device = matches!((self.device, other.device), (Some(own), Some(other)) if own != other);
        self.inode != other.inode || has_other_device
    }
}

/// Why a root cannot be searched.
#[derive(Debug)]
struct RootProblem {
    message: String,
    /// There is no such folder.
    is_missing: bool,
}

/// Discovers all repositories at or below the roots. [`Discoverer::discover`] describes the result.
pub fn discover(roots: &[PathBuf], aliases: AliasRegistry) -> Discovery {
    Discoverer::new(roots.to_owned(), OutsideLinks::default()).discover(aliases)
}

impl Discoverer {
    /// Creates the discovery of repositories below roots.
    pub fn new(roots: Vec<PathBuf>, outside_links: OutsideLinks) -> Discoverer {
        let (view, nested, reads, earlier_roots, last) = Default::default();
        Discoverer { roots, outside_links, patience: DEFAULT_PATIENCE, view, nested, reads, earlier_roots, last }
    }

    /// Sets the roots of earlier processes. Repositories of a root that was lost since then stay, as those of one that is lost later.
    pub fn with_known_roots(self, known: KnownRoots) -> Discoverer {
        let last = Mutex::new(known.to_last_discovery(&self.roots));
        Discoverer { earlier_roots: known, last, ..self }
    }

    /// Sets the contents that are read of repositories with a work tree; otherwise their commits.
    pub fn with_view(self, view: CheckoutView) -> Discoverer {
        Discoverer { view, ..self }
    }

    /// Sets the time to wait for one folder or repository. A discovery waits for a small multiple of it in all.
    pub fn with_patience(self, patience: Duration) -> Discoverer {
        Discoverer { patience, ..self }
    }

    /// Leaves out repositories in the work tree of another one, such as submodules.
    pub fn without_nested(self) -> Discoverer {
        Discoverer { nested: NestedSearch::Skipped, ..self }
    }

    /// Returns the roots of the last discovery, for the next process.
    pub fn known_roots(&self) -> KnownRoots {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        KnownRoots::of_discovery(&self.roots, &last, &self.earlier_roots)
    }

    /// Discovers all repositories at or below the roots, and the plain folders beside them.
    ///
    /// A root without any repository is one plain folder. If a root contains repositories, each folder directly below it that
    /// contains none is a separate plain folder. An unreadable path becomes a diagnostic; discovery continues with the rest.
    /// Folders and repositories are read in parallel, on threads of their own. One that does not answer is unread, and the next
    /// discovery has the result of its read. A repository that is refused or damaged is unread as well, and so are those below a
    /// root that has disappeared, or is an empty mount point, and those below a folder that cannot be read any more.
    ///
    /// A repository without an origin costs a walk over its first parents: a few milliseconds for each thousand commits.
    /// Callers that poll should use [`crate::head_signature()`].
    pub fn discover(&self, mut aliases: AliasRegistry) -> Discovery {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut search = RootSearch::new(self, &last, &aliases);
        search.enter_roots();
        search.read_repositories();
        search.read_folders();
        let RootSearch { layouts, mut diagnostics, real_roots, .. } = search;
        diagnostics.sort();
        diagnostics.dedup();
        let (views, repositories): (Vec<NamedView<'_>>, Vec<(&PathBuf, &CheckoutLayout)>) = split_views(&layouts);
        let unnamed: Vec<UnnamedCheckout<'_>> = repositories
            .iter()
            .map(|(path, layout)| UnnamedCheckout { path, kind: layout.kind(), identity: layout.identity() })
            .collect();
        let assigned = aliases.assign(&unnamed);
        let checkouts = repositories.iter().zip(assigned).map(|((path, layout), (alias, repo))| {
            (*layout).clone().into_checkout((*path).clone(), alias, repo, &self.view)
        });
        let mut checkouts: Vec<Checkout> = checkouts.collect();
        let views: Vec<Checkout> = views.iter().filter_map(|view| view.checkout(&checkouts, &self.view)).collect();
        checkouts.extend(views);
        checkouts.sort_by(|a, b| a.path.cmp(&b.path));
        let found = LastDiscovery { roots: real_roots, layouts: Arc::new(layouts) };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = found;
        Discovery { checkouts, diagnostics, aliases }
    }
}

/// A linked work tree, which is a view of a repository that was found as well.
struct NamedView<'a> {
    path: &'a PathBuf,
    layout: &'a CheckoutLayout,
    /// The path of the repository.
    repository: &'a PathBuf,
    name: String,
}

impl NamedView<'_> {
    fn checkout(&self, repositories: &[Checkout], view: &CheckoutView) -> Option<Checkout> {
        let repository = repositories.iter().find(|repository| repository.path == *self.repository)?;
        let alias = format!("{}@{}", repository.alias, self.name);
        let repo = identity::with_part(repository.repo, "view", &self.name);
        let view_of = Some(ViewOf { repo: repository.repo, name: self.name.clone() });
        let checkout = self.layout.clone().into_checkout(self.path.clone(), alias, repo, view);
        Some(Checkout { view_of, ..checkout })
    }
}

/// Splits layouts into views of repositories and all others. A linked work tree whose repository was not found stands for it.
fn split_views(layouts: &BTreeMap<PathBuf, CheckoutLayout>) -> (Vec<NamedView<'_>>, Vec<(&PathBuf, &CheckoutLayout)>) {
    let mut views = Vec::new();
    let mut others = Vec::new();
    for (path, layout) in layouts {
        let repository = layouts.iter().find(|(_, other)| other.is_repository_of(layout)).map(|(path, _)| path);
        match (repository, layout.view_name()) {
            (Some(repository), Some(name)) => views.push(NamedView { path, layout, repository, name }),
            _ => others.push((path, layout)),
        }
    }
    (views, others)
}

#[cfg(test)]
mod tests;
