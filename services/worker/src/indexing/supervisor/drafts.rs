//! Drafts of work trees that are being edited: they are made beside the runs, so that a search does not wait for one.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use model::RepoId;
use rayon::ThreadPool;
use source::CheckoutView;
use tokio::sync::Notify;

use super::Supervisor;
use crate::{
    indexing::{self, IndexingRun, NewDraft, RunError},
    repositories::{CatalogEntry, DraftTask},
};

/// Minimum number of files of a repository whose edits have drafts. The run after an edit of a smaller one takes as long as a draft.
const MIN_FILES: u64 = 1_000;

/// Number of threads that make a draft. They do not give way to other threads as those of runs do: callers wait for a draft.
const N_THREADS: usize = 2;

/// Maximum time to wait for a draft. A work tree whose file system does not answer must not hold up the others; its thread is left to itself.
const DEADLINE: Duration = Duration::from_secs(10);

/// The work trees that are to have a draft.
#[derive(Default)]
pub(crate) struct DraftQueue {
    repos: Mutex<BTreeSet<RepoId>>,
    /// The work trees whose drafts are being made, also those that are late.
    at_work: Mutex<BTreeSet<RepoId>>,
    wake: Notify,
    threads: OnceLock<Option<ThreadPool>>,
}

impl DraftQueue {
    /// Requests a draft of a work tree that has changed.
    pub(super) fn request(&self, repo: RepoId) {
        self.repos().insert(repo);
        self.wake.notify_one();
    }

    fn take(&self) -> Option<RepoId> {
        self.repos().pop_first()
    }

    /// Returns the threads that make drafts. They are started with the first draft.
    fn threads(&self) -> Option<&ThreadPool> {
        let start = || {
            let threads = rayon::ThreadPoolBuilder::new()
                .thread_name(|idx| format!("draft-{idx}"))
                .stack_size(indexing::STACK_BYTES)
                .num_threads(N_THREADS)
                .build();
            threads.inspect_err(|error| tracing::warn!(%error, "the threads of drafts cannot be started")).ok()
        };
        self.threads.get_or_init(start).as_ref()
    }

    fn at_work(&self) -> MutexGuard<'_, BTreeSet<RepoId>> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn repos(&self) -> MutexGuard<'_, BTreeSet<RepoId>> {
        self.repos.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Supervisor {
    /// Makes the requested drafts, one after the other, until the worker drains.
    pub(super) async fn make_drafts(self: Arc<Self>) {
        while !self.draining.is_cancelled() {
            let Some(repo) = self.drafts.take() else {
                tokio::select! {
                    () = self.drafts.wake.notified() => continue,
                    () = self.draining.cancelled() => return,
                }
            };
            let supervisor = self.clone();
            let making = tokio::task::spawn_blocking(move || supervisor.make_draft(repo));
            let failure = tokio::select! {
                made = making => match made {
                    Ok(()) => continue,
                    Err(error) => {
                        self.drafts.at_work().remove(&repo);
                        error.to_string()
                    }
                },
                () = tokio::time::sleep(DEADLINE) => "its work tree was not read in time".to_owned(),
                () = self.draining.cancelled() => return,
            };
            tracing::warn!(reason = failure, "a work tree has no draft");
            if let Some(entry) = self.repositories.catalog.entries().get_mut(&repo) {
                entry.abandon_draft();
            }
            self.repositories.catalog.inventory_changed();
        }
    }

    /// Makes the draft of a work tree, and serves it, unless an earlier one is late. Blocking.
    fn make_draft(&self, repo: RepoId) {
        if self.drafts.at_work().insert(repo) {
            self.make_and_serve(repo);
            self.drafts.at_work().remove(&repo);
        }
    }

    fn make_and_serve(&self, repo: RepoId) {
        let can_write = self.repositories.data.write_refusal().is_none();
        let task = self.repositories.catalog.entries().get_mut(&repo).map(CatalogEntry::begin_draft);
        let Some(task) = task else { return };
        let is_large = task.served.as_ref().is_some_and(|served| served.manifest().files >= MIN_FILES);
        let is_followed = task.checkout.view == CheckoutView::WorkTree && self.sharing.is_none();
        let threads = if can_write && is_large && is_followed { self.drafts.threads() } else { None };
        let made = threads.map(|threads| self.write_draft(&task, threads));
        let draft = made.and_then(|made| {
            let alias = &task.checkout.alias;
            made.inspect_err(|error| tracing::debug!(%alias, %error, "a work tree has no draft")).ok().flatten()
        });
        self.end_draft(repo, task.listing, draft);
    }

    fn write_draft(&self, task: &DraftTask, threads: &ThreadPool) -> Result<Option<NewDraft>, RunError> {
        let DraftTask { checkout, served, stat_cache, warm_facts, .. } = task;
        let directory = self.repositories.directory(checkout.repo);
        indexing::make_draft(&IndexingRun {
            checkout,
            directory: &directory,
            warm_facts,
            stat_cache,
            served: served.clone(),
            facts: &self.facts,
            memory: &self.memory,
            threads,
            model: &self.model,
            sharing: None,
            is_forced: false,
            write_refusal: None,
            on_progress: &|_| {},
            on_head: &|_| {},
            on_work_tree: &|work_tree| self.watch_work_tree(checkout.repo, work_tree, stat_cache),
            is_stopped: &|| self.stop.is_cancelled(),
        })
    }

    /// Serves a draft, or none any more.
    fn end_draft(&self, repo: RepoId, listing: u64, draft: Option<NewDraft>) {
        let is_new = {
            let mut entries = self.repositories.catalog.entries();
            let Some(entry) = entries.get_mut(&repo) else { return };
            let had_draft = entry.draft().is_some();
            entry.end_draft(listing, draft);
            if entry.has_outdated_draft() {
                self.drafts.request(repo);
            }
            had_draft || entry.draft().is_some()
        };
        if is_new {
            self.repositories.catalog.inventory_changed();
        }
    }
}
