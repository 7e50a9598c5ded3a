//! Drafts of work trees that are being edited: they are made beside the runs, so that a search does not wait for one.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
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

/// The work trees that are to have a draft.
#[derive(Default)]
pub(crate) struct DraftQueue {
    repos: Mutex<BTreeSet<RepoId>>,
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
            let made = tokio::task::spawn_blocking(move || supervisor.make_draft(repo)).await;
            if let Err(error) = made {
                tracing::error!(%error, "the draft of a work tree panicked");
                self.end_draft(repo, None);
            }
        }
    }

    /// Makes the draft of a work tree, and serves it. Blocking.
    fn make_draft(&self, repo: RepoId) {
        let can_write = self.repositories.data.write_refusal().is_none();
        let task = self.repositories.catalog.entries().get_mut(&repo).map(CatalogEntry::begin_draft);
        let Some(task) = task else { return };
        let is_large = task.served.as_ref().is_some_and(|served| served.manifest().files >= MIN_FILES);
        let is_followed = task.checkout.view == CheckoutView::WorkTree && self.sharing.is_none();
        let threads = self.drafts.threads().filter(|_| can_write && is_large && is_followed);
        let made = threads.map(|threads| self.write_draft(&task, threads));
        let draft = made.and_then(|made| {
            let alias = &task.checkout.alias;
            made.inspect_err(|error| tracing::debug!(%alias, %error, "a work tree has no draft")).ok().flatten()
        });
        self.end_draft(repo, draft);
    }

    fn write_draft(&self, task: &DraftTask, threads: &ThreadPool) -> Result<Option<NewDraft>, RunError> {
        let DraftTask { checkout, served, stat_cache, warm_facts } = task;
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
    fn end_draft(&self, repo: RepoId, draft: Option<NewDraft>) {
        if let Some(entry) = self.repositories.catalog.entries().get_mut(&repo) {
            entry.end_draft(draft);
        }
        self.repositories.catalog.inventory_changed();
    }
}
