//! Drafts of work trees that are being edited: they are made beside the runs, so that a search does not wait for one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use model::RepoId;
use rayon::ThreadPool;
use source::{CheckoutView, ListingTurn};
use tokio::sync::Notify;

use super::Supervisor;
use crate::{
    indexing::{self, IndexingRun, RunError, WorkTreeDraft},
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
    /// The work trees whose drafts are being made, also those that are late; true if another one was requested since.
    at_work: Mutex<BTreeMap<RepoId, bool>>,
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

    /// Notes that a draft begins; false if an earlier one of the same work tree has not ended.
    fn begin(&self, repo: RepoId) -> bool {
        let mut at_work = self.at_work();
        let is_late = at_work.contains_key(&repo);
        at_work.insert(repo, is_late);
        !is_late
    }

    /// Notes that the draft of a work tree has ended. One that was requested meanwhile is requested again.
    fn end(&self, repo: RepoId) {
        let is_requested = self.at_work().remove(&repo) == Some(true);
        if is_requested {
            self.request(repo);
        }
    }

    fn at_work(&self) -> MutexGuard<'_, BTreeMap<RepoId, bool>> {
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
                        self.drafts.end(repo);
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

    /// Makes the draft of a work tree, and serves it. If an earlier one is late, it is requested again when that one ends. Blocking.
    fn make_draft(self: &Arc<Self>, repo: RepoId) {
        if !self.drafts.begin(repo) {
            return;
        }
        self.make_and_serve(repo);
        self.drafts.end(repo);
    }

    fn make_and_serve(self: &Arc<Self>, repo: RepoId) {
        let can_write = self.repositories.data.write_refusal().is_none();
        let candidate = |entry: &CatalogEntry| (entry.stat_cache.clone(), can_write && self.can_have_draft(entry));
        let found = self.repositories.catalog.entries().get(&repo).map(candidate);
        let Some((stat_cache, can_have_draft)) = found else { return };
        let threads = if can_have_draft { self.drafts.threads() } else { None };
        let turn = threads.and_then(|_| stat_cache.try_take_turn(self.request_later(repo)));
        if threads.is_some() && turn.is_none() {
            // A run lists the work tree, which may take long. Drafts of other work trees are made meanwhile.
            return;
        }
        let task = {
            let mut entries = self.repositories.catalog.entries();
            let entry = entries.get_mut(&repo).filter(|entry| Arc::ptr_eq(&entry.stat_cache, &stat_cache));
            entry.map(CatalogEntry::begin_draft)
        };
        let Some(task) = task else { return };
        let draft = turn.zip(threads).and_then(|(turn, threads)| {
            let alias = &task.checkout.alias;
            let made = self.write_draft(&task, threads, turn);
            made.inspect_err(|error| tracing::debug!(%alias, %error, "a work tree has no draft")).ok().flatten()
        });
        self.end_draft(repo, task.listing, draft);
    }

    /// Returns a function that requests a draft. It does not keep the supervisor alive.
    fn request_later(self: &Arc<Self>, repo: RepoId) -> impl FnOnce() + Send + 'static + use<> {
        let supervisor = Arc::downgrade(self);
        move || {
            if let Some(supervisor) = supervisor.upgrade() {
                supervisor.drafts.request(repo);
            }
        }
    }

    /// Returns true if edits of a repository may have drafts.
    fn can_have_draft(&self, entry: &CatalogEntry) -> bool {
        let is_followed = entry.checkout.view == CheckoutView::WorkTree && self.sharing.is_none();
        let is_large = entry.served.as_ref().is_some_and(|served| is_large(served.manifest().files));
        is_followed && is_large
    }

    fn write_draft(
        &self,
        task: &DraftTask,
        threads: &ThreadPool,
        turn: ListingTurn<'_>,
    ) -> Result<Option<WorkTreeDraft>, RunError> {
        let DraftTask { checkout, served, stat_cache, warm_facts, .. } = task;
        let directory = self.repositories.directory(checkout.repo);
        let run = IndexingRun {
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
        };
        indexing::make_draft(&run, turn)
    }

    /// Serves a draft, or none any more.
    fn end_draft(&self, repo: RepoId, listing: u64, draft: Option<WorkTreeDraft>) {
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

/// Returns true if a repository has so many files that a draft is made sooner than a generation.
fn is_large(n_files: u64) -> bool {
    n_files >= MIN_FILES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_of_a_thousand_files_have_drafts() {
        for (n_files, has_drafts) in [(0, false), (999, false), (1_000, true), (1_001, true)] {
            assert_eq!(is_large(n_files), has_drafts, "{n_files}");
        }
    }

    #[test]
    fn a_work_tree_is_queued_once() {
        let queue = DraftQueue::default();
        let [first, second] = [1, 2].map(|byte| RepoId([byte; 16]));
        [first, second, first].into_iter().for_each(|repo| queue.request(repo));
        assert_eq!([queue.take(), queue.take(), queue.take()], [Some(first), Some(second), None]);
        queue.request(first);
        assert_eq!(queue.take(), Some(first));
    }

    #[test]
    fn a_draft_behind_a_late_one_is_requested_again() {
        let queue = DraftQueue::default();
        let [late, other] = [1, 2].map(|byte| RepoId([byte; 16]));
        assert!(queue.begin(late) && queue.begin(other));
        assert!(!queue.begin(late));
        assert_eq!(queue.take(), None);
        queue.end(late);
        queue.end(other);
        assert_eq!([queue.take(), queue.take()], [Some(late), None], "nothing was requested of the other one");
        assert!(queue.begin(late));
    }
}
