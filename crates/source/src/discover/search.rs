//! The search for repositories and plain folders below the roots.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::Bound,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::{Discoverer, LastDiscovery, RealRoot, RootProblem, layout::CheckoutLayout};
use crate::{
    AliasRegistry, CheckoutKind, IsolatedReadError, PathDiagnostic,
    boundary::{Boundary, without_dot_git},
    crawl::{Crawl, crawl},
    folder, git,
};

/// A search in progress: first the roots, then the repositories below them, then the plain folders beside those.
pub(super) struct RootSearch<'a> {
    discoverer: &'a Discoverer,
    last: &'a LastDiscovery,
    aliases: &'a AliasRegistry,
    roots: Vec<SearchedRoot>,
    /// The canonical paths of roots that are not there any more, with the problems.
    lost: Vec<(PathBuf, String)>,
    pub(super) real_roots: BTreeMap<PathBuf, RealRoot>,
    pub(super) layouts: BTreeMap<PathBuf, CheckoutLayout>,
    pub(super) diagnostics: Vec<PathDiagnostic>,
}

/// A root that was searched.
struct SearchedRoot {
    /// As it is configured.
    root: PathBuf,
    /// Its canonical path.
    real: PathBuf,
    crawl: Crawl,
}

impl<'a> RootSearch<'a> {
    pub(super) fn new(
        discoverer: &'a Discoverer,
        last: &'a LastDiscovery,
        aliases: &'a AliasRegistry,
    ) -> RootSearch<'a> {
        let (roots, lost, real_roots, layouts, diagnostics) = Default::default();
        RootSearch { discoverer, last, aliases, roots, lost, real_roots, layouts, diagnostics }
    }

    /// Searches the roots for repositories.
    pub(super) fn enter_roots(&mut self) {
        let Discoverer { roots, reads, patience, nested, .. } = self.discoverer;
        let found = reads.roots.read_all(roots, *patience, real_root);
        let (mut entered, mut failed) = (Vec::new(), Vec::new());
        for (root, found) in roots.iter().zip(found) {
            let known = self.last.roots.get(root).cloned();
            let real = found.unwrap_or_else(|error| {
                let message = || format!("this folder cannot be searched: {error}");
                known.clone().ok_or_else(|| RootProblem { message: message(), is_missing: false })
            });
            match real {
                Ok(real) => entered.push((root.clone(), real)),
                Err(problem) => failed.push((root, known, problem)),
            }
        }
        let real: Vec<PathBuf> = entered.iter().map(|(_, real)| real.path.clone()).collect();
        let crawls = crawl(&real, &reads.folders, *patience, *nested);
        for ((root, real), crawl) in entered.into_iter().zip(crawls) {
            self.report_crawl(&root, &crawl);
            let known = self.last.roots.get(&root).filter(|known| known.is_other_than(&real)).cloned();
            match known {
                Some(known) if crawl.is_empty() && self.has_known_below(&real.path) => {
                    let problem =
                        "this folder is empty and another one than before; its repositories stay as they were";
                    self.record_lost_root(&root, known, problem.to_owned());
                }
                _ => {
                    self.real_roots.insert(root.clone(), real.clone());
                    self.roots.push(SearchedRoot { root, real: real.path, crawl });
                }
            }
        }
        for (root, known, RootProblem { message, is_missing }) in failed {
            let known = known.filter(|known| match is_missing {
                true => self.has_known_below(&known.path) && !self.is_searched_around(&known.path),
                false => self.has_known_at_or_below(&known.path),
            });
            match known {
                Some(known) => {
                    self.record_lost_root(root, known, format!("{message}; its repositories stay as they were"))
                }
                None => self.report(root, message),
            }
        }
    }

    /// Returns true if a folder is below a root that was searched completely, so that the file system of the root has answered.
    fn is_searched_around(&self, folder: &Path) -> bool {
        let is_complete = |Crawl { unreadable, unanswered, is_truncated, .. }: &Crawl| {
            unreadable.is_empty() && unanswered.is_empty() && !is_truncated
        };
        self.roots.iter().any(|root| folder != root.real && folder.starts_with(&root.real) && is_complete(&root.crawl))
    }

    /// Returns true if the last discovery has found something below a folder that is neither a repository nor a plain folder itself.
    fn has_known_below(&self, folder: &Path) -> bool {
        !self.last.layouts.contains_key(folder) && self.has_known_at_or_below(folder)
    }

    fn has_known_at_or_below(&self, folder: &Path) -> bool {
        self.known_at_or_below(folder).next().is_some()
    }

    /// Returns what the last discovery has found at or below a folder. Paths below a folder follow it in the order of paths.
    fn known_at_or_below(&self, folder: &Path) -> impl Iterator<Item = (&PathBuf, &CheckoutLayout)> {
        let from_folder = self.last.layouts.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
        from_folder.take_while(move |(path, _)| path.starts_with(folder))
    }

    /// Notes a root that is not there any more: what is known of it stays.
    fn record_lost_root(&mut self, root: &Path, known: RealRoot, problem: String) {
        self.report(root, problem.clone());
        self.lost.push((known.path.clone(), problem));
        self.real_roots.insert(root.to_owned(), known);
    }

    fn report_crawl(&mut self, root: &Path, crawl: &Crawl) {
        for (folder, error) in &crawl.unreadable {
            self.report(folder, format!("this folder cannot be read: {}", error.kind()));
        }
        for (folder, error) in &crawl.unanswered {
            self.report(folder, format!("this folder cannot be searched: {error}"));
        }
        if crawl.is_truncated {
            self.report(
                root,
                "the root has too many folders to search; configure the repositories below it one by one",
            );
        }
    }

    /// Reads the repositories that were found.
    pub(super) fn read_repositories(&mut self) {
        let Discoverer { outside_links, reads, patience, .. } = self.discoverer;
        let boundary = Boundary::new(self.real_roots.values().map(|root| root.path.clone()), *outside_links);
        let found: BTreeSet<&PathBuf> = self.roots.iter().flat_map(|root| &root.crawl.repositories).collect();
        let found: Vec<PathBuf> = found.into_iter().cloned().collect();
        let known = self.last.layouts.clone();
        let read = move |path: &Path| {
            let first_commit = known.get(path).and_then(CheckoutLayout::first_commit);
            git::repository_facts(path, boundary.clone(), first_commit)
        };
        let facts = reads.facts.read_all(&found, *patience, read);
        for (path, facts) in found.into_iter().zip(facts) {
            let layout = match facts {
                Ok(Ok(facts)) => self.readable(&path, facts),
                Ok(Err(error)) => self.refused(&path, &error),
                Err(error) => self.unread(&path, &error),
            };
            self.layouts.insert(path, layout);
        }
        self.keep_unanswered();
    }

    fn readable(&mut self, path: &Path, facts: git::RepositoryFacts) -> CheckoutLayout {
        for name in facts.dirs.outside_links() {
            self.report(path, format!("its `{name}` leads out of the configured folders"));
        }
        CheckoutLayout::of_facts(path, facts)
    }

    fn refused(&mut self, path: &Path, error: &git::FactsError) -> CheckoutLayout {
        let detail = std::error::Error::source(error).map(|cause| format!(" ({cause})")).unwrap_or_default();
        self.report(path, format!("this repository is not read: {error}{detail}"));
        CheckoutLayout::refused(path, error)
    }

    fn unread(&mut self, path: &Path, error: &IsolatedReadError) -> CheckoutLayout {
        if *error != IsolatedReadError::Unfinished {
            self.report(path, format!("this is not read: {error}"));
        }
        CheckoutLayout::unread(path, error, self.last.layouts.get(path))
    }

    /// Adds what is known of folders that do not answer: the checkouts of the last discovery at, below and around them, and the
    /// repository that has an alias of exactly this path. Adds what is known at and below lost roots and unreadable folders, too.
    fn keep_unanswered(&mut self) {
        let mut kept = BTreeMap::new();
        for (folder, error) in self.roots.iter().flat_map(|root| &root.crawl.unanswered) {
            let is_kept = |(path, layout): &(&PathBuf, &CheckoutLayout)| {
                path.starts_with(folder) || (layout.kind() == CheckoutKind::Folder && folder.starts_with(path))
            };
            let known = self.last.layouts.iter().filter(is_kept).map(|(path, _)| path);
            let named = Some(folder).filter(|folder| self.aliases.has_path(folder));
            for path in known.chain(named) {
                kept.insert(path.clone(), CheckoutLayout::unread(path, error, self.last.layouts.get(path)));
            }
        }
        let lost = self.lost.iter().map(|(root, problem)| (root, format!("its root is not there: {problem}")));
        let unreadable = self.roots.iter().flat_map(|root| &root.crawl.unreadable);
        // A folder that was removed during the search is gone.
        let unreadable = unreadable.filter(|(_, error)| !files::is_missing(error));
        let unreadable =
            unreadable.map(|(folder, error)| (folder, format!("its folder cannot be read: {}", error.kind())));
        for (folder, reason) in lost.chain(unreadable) {
            for (path, known) in self.known_at_or_below(folder) {
                // A view of a repository has no alias of its own, and is no repository.
                if known.kind() != CheckoutKind::LinkedWorkTree || self.aliases.has_path(path) {
                    kept.insert(path.clone(), known.unreachable(&reason));
                }
            }
        }
        for (path, layout) in kept {
            self.layouts.entry(path).or_insert(layout);
        }
    }

    /// Reads the plain folders: each root without repositories, or the folders directly below it that have none.
    pub(super) fn read_folders(&mut self) {
        let Discoverer { reads, patience, .. } = self.discoverer;
        let mut candidates: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
        for SearchedRoot { root, real, crawl } in &self.roots {
            // A repository may be in a folder that does not answer.
            let below: Vec<&PathBuf> =
                crawl.unanswered.iter().map(|(folder, _)| folder).chain(&crawl.repositories).collect();
            if below.is_empty() {
                candidates.insert(real.clone(), Some(root.clone()));
            } else if !self.layouts.contains_key(real) {
                let is_plain = |child: &&PathBuf| !below.iter().any(|path| path.starts_with(child));
                candidates.extend(crawl.children.iter().filter(is_plain).map(|child| (child.clone(), None)));
            }
        }
        let paths: Vec<PathBuf> = candidates.keys().cloned().collect();
        let are_readable = reads.contents.read_all(&paths, *patience, folder::has_readable_file);
        for ((path, root), is_readable) in candidates.into_iter().zip(are_readable) {
            match is_readable {
                Ok(true) => _ = self.layouts.entry(path).or_insert(CheckoutLayout::Folder),
                Ok(false) => {
                    if let Some(root) = root {
                        self.report(&root, "this folder contains neither a repository nor a readable file");
                    }
                }
                Err(error) => {
                    let layout = self.unread(&path, &error).into_folder();
                    self.layouts.entry(path).or_insert(layout);
                }
            }
        }
    }

    fn report(&mut self, path: &Path, message: impl Into<String>) {
        self.diagnostics.push(PathDiagnostic { path: path.to_string_lossy().into_owned(), message: message.into() });
    }
}

/// Returns a root on disk, or the problem of the root.
fn real_root(root: &Path) -> Result<RealRoot, RootProblem> {
    let found = root.canonicalize().and_then(|real| Ok((fs::metadata(&real)?, real)));
    match found {
        Ok((metadata, real)) if metadata.is_dir() => {
            let (device, inode) = (Some(metadata.dev()), metadata.ino());
            Ok(RealRoot { path: without_dot_git(real), device, inode })
        }
        Ok(_) => {
            let message = "this is not a folder; configure the folder that contains it".to_owned();
            Err(RootProblem { message, is_missing: false })
        }
        Err(error) => {
            let message = format!("this folder cannot be read: {}", error.kind());
            Err(RootProblem { message, is_missing: files::is_missing(&error) })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io::ErrorKind, sync::Arc};

    use super::*;
    use crate::{OutsideLinks, UnreadReason};

    #[test]
    fn what_is_known_below_an_unreadable_folder_stays() {
        let layouts = [
            ("/r/app", CheckoutKind::WorkTree),
            ("/r/team", CheckoutKind::Bare),
            ("/r/team/api", CheckoutKind::Folder),
            ("/r/team/view", CheckoutKind::LinkedWorkTree),
            ("/r/teams/web", CheckoutKind::WorkTree),
        ]
        .map(|(path, kind)| (PathBuf::from(path), CheckoutLayout::Unread(kind, UnreadReason::Reading)));
        let last = LastDiscovery { layouts: Arc::new(BTreeMap::from(layouts)), ..LastDiscovery::default() };
        let discoverer = Discoverer::new(Vec::new(), OutsideLinks::Refuse);
        let aliases = AliasRegistry::default();
        for (folder, error, expected) in [
            ("/r/team", ErrorKind::PermissionDenied, &["/r/team", "/r/team/api"][..]),
            ("/r", ErrorKind::StaleNetworkFileHandle, &["/r/app", "/r/team", "/r/team/api", "/r/teams/web"]),
            ("/r/other", ErrorKind::PermissionDenied, &[]),
            ("/r/team", ErrorKind::NotFound, &[]),
        ] {
            let mut search = RootSearch::new(&discoverer, &last, &aliases);
            let mut crawl = Crawl::default();
            crawl.unreadable.push((PathBuf::from(folder), error.into()));
            search.roots.push(SearchedRoot { root: PathBuf::from("/r"), real: PathBuf::from("/r"), crawl });
            search.keep_unanswered();
            let kept: Vec<&Path> = search.layouts.keys().map(PathBuf::as_path).collect();
            let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
            assert_eq!(kept, expected, "{folder}: {error}");
            let is_refused =
                |layout: &CheckoutLayout| matches!(layout, CheckoutLayout::Unread(_, UnreadReason::Refused(_)));
            assert!(search.layouts.values().all(is_refused), "{folder}: {error}");
        }
    }
}
