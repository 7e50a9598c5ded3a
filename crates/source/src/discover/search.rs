//! The search for repositories and plain folders below the roots.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{Discoverer, LastDiscovery, layout::CheckoutLayout};
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
    /// The canonical path of each root.
    pub(super) real_roots: BTreeMap<PathBuf, PathBuf>,
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
        let (roots, real_roots, layouts, diagnostics) = Default::default();
        RootSearch { discoverer, last, aliases, roots, real_roots, layouts, diagnostics }
    }

    /// Searches the roots for repositories.
    pub(super) fn enter_roots(&mut self) {
        let Discoverer { roots, reads, patience, nested, .. } = self.discoverer;
        let found = reads.roots.read_all(roots, *patience, real_root);
        let mut entered = Vec::new();
        for (root, found) in roots.iter().zip(found) {
            let known = self.last.roots.get(root).cloned();
            let real =
                found.unwrap_or_else(|error| known.ok_or_else(|| format!("this folder cannot be searched: {error}")));
            match real {
                Ok(real) => entered.push((root.clone(), real)),
                Err(problem) => self.report(root, problem),
            }
        }
        let real: Vec<PathBuf> = entered.iter().map(|(_, real)| real.clone()).collect();
        let crawls = crawl(&real, &reads.folders, *patience, *nested);
        for ((root, real), crawl) in entered.into_iter().zip(crawls) {
            self.report_crawl(&root, &crawl);
            self.real_roots.insert(root.clone(), real.clone());
            self.roots.push(SearchedRoot { root, real, crawl });
        }
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
        let boundary = Boundary::new(self.real_roots.values().cloned(), *outside_links);
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
    /// repository that has an alias of exactly this path.
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

/// Returns the canonical path of a root, or the problem of the root.
fn real_root(root: &Path) -> Result<PathBuf, String> {
    match root.canonicalize() {
        Ok(real) if real.is_dir() => Ok(without_dot_git(real)),
        Ok(_) => Err("this is not a folder; configure the folder that contains it".to_owned()),
        Err(error) => Err(format!("this folder cannot be read: {}", error.kind())),
    }
}
