//! The supervisor: it notices that a `HEAD` has moved, and runs the queue of the catalog.

mod configured_indexes;
mod drafts;
mod follow;
mod poll;
mod run_clock;
mod work_tree_watch;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use embed::Embedder;
use index::{RepositoryDir, Snapshot};
use model::{CommitId, RepoId};
use rayon::{ThreadPool, ThreadPoolBuildError};
use source::Checkout;
use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    FactsCache, IndexingRun, MemoryBudget, MissingVectors, PublishedRun, RunError, RunFigures, RunOutcome, RunProgress,
    RunShortfall, run,
};
use crate::{
    operators::{RunResult, WorkerMetrics},
    repositories::{CatalogEntry, QueuedRun, Repositories, RunLane},
    sharing::Sharing,
    supervised_tasks::SupervisedTasks,
};
use run_clock::RunClock;

pub use configured_indexes::{IndexLocation, ScipSettings};
pub(crate) use drafts::DraftQueue;
pub(crate) use work_tree_watch::WorkTreeWatch;

/// Number of repositories that are indexed concurrently. Extraction is parallel within one; a second one uses the cores while the
/// first one writes.
const N_TEXT_RUNNERS: usize = 2;

/// Number of repositories for which vectors are requested concurrently. Such a run mostly waits, and must not delay the text of
/// others.
const N_VECTOR_RUNNERS: usize = 2;

/// Maximum time for a run to end after the worker stops. A run checks between batches, unless it is blocked.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// Watches and indexes the repositories of a worker until it stops.
pub(crate) struct Supervisor {
    pub(crate) repositories: Arc<Repositories>,
    pub(crate) facts: FactsCache,
    pub(crate) memory: MemoryBudget,
    pub(crate) model: Embedder,
    /// The object store that generations are shared through, if there is one.
    pub(crate) sharing: Option<Arc<Sharing>>,
    /// The places of SCIP indexes by alias.
    pub(crate) scip: ScipSettings,
    /// The watches of work trees.
    pub(crate) work_trees: WorkTreeWatch,
    /// The work trees that are to have a draft.
    pub(crate) drafts: DraftQueue,
    pub(crate) threads: RunThreads,
    pub(crate) metrics: Arc<WorkerMetrics>,
    /// Cancelled when no further run may begin.
    pub(crate) draining: CancellationToken,
    /// Cancelled when runs have to end.
    pub(crate) stop: CancellationToken,
}

impl Supervisor {
    /// Starts the tasks that watch, index and export; `tasks` owns them.
    pub(crate) fn start(self: &Arc<Self>, tasks: &SupervisedTasks) {
        let supervisor = self.clone();
        tasks.spawn("watch", &self.draining, move || supervisor.clone().watch());
        let supervisor = self.clone();
        tasks.spawn("follow", &self.draining, move || supervisor.clone().follow_work_trees());
        let supervisor = self.clone();
        tasks.spawn("draft", &self.draining, move || supervisor.clone().make_drafts());
        if let Some(sharing) = self.exporting_store().cloned() {
            tasks.spawn("export", &self.stop, move || sharing.clone().export_queued());
        }
        let n_vector_runners = if self.model.static_model().is_some() { 0 } else { N_VECTOR_RUNNERS };
        for (lane, n_runners) in [(RunLane::Text, N_TEXT_RUNNERS), (RunLane::Vectors, n_vector_runners)] {
            for _ in 0..n_runners {
                let (supervisor, tracker) = (self.clone(), tasks.tracker().clone());
                tasks.spawn("index", &self.draining, move || supervisor.clone().run_queue(lane, tracker.clone()));
            }
        }
    }

    /// Returns true if the worker only loads generations. It is not ready before it has tried to load all: until then,
    /// gateways should ask the workers that have them.
    pub(crate) fn only_loads(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| !sharing.role().indexes())
    }

    /// Waits until every repository is served or has a reason why not, or the worker stops.
    pub(crate) async fn first_loads(self: Arc<Self>) {
        let catalog = &self.repositories.catalog;
        let mut changes = catalog.watch_progress();
        let loading = async { while !catalog.is_settled() && changes.changed().await.is_ok() {} };
        self.stop.run_until_cancelled(loading).await;
    }

    /// Returns the object store that this worker exports to, if there is one.
    fn exporting_store(&self) -> Option<&Arc<Sharing>> {
        self.sharing.as_ref().filter(|sharing| sharing.role().indexes())
    }

    /// Runs the queued repositories of one lane sequentially.
    async fn run_queue(self: Arc<Self>, lane: RunLane, tracker: TaskTracker) {
        let catalog = &self.repositories.catalog;
        while !self.draining.is_cancelled() {
            let change = catalog.queue_change();
            let Some(queued) = catalog.start_next_run(lane) else {
                tokio::select! {
                    () = change => continue,
                    () = self.draining.cancelled() => return,
                }
            };
            let began = Instant::now();
            let (checkout, is_forced) = (queued.checkout.clone(), queued.is_forced);
            let (result, blocked) = self.run_until_ended(queued).await;
            match blocked {
                None => catalog.run_ended(checkout.repo),
                Some(blocked) => drop(tracker.spawn(self.clone().until_unblocked(checkout.repo, blocked))),
            }
            let took = began.elapsed();
            self.count(&result, took);
            self.record(&checkout, result, is_forced, took);
        }
    }

    /// Indexes one repository on a thread. A run that makes no progress is abandoned, and returned with its error: its thread
    /// is blocked until the system answers.
    async fn run_until_ended(
        self: &Arc<Self>,
        queued: QueuedRun,
    ) -> (RunResultText, Option<JoinHandle<RunResultText>>) {
        let (clock, abandoned) = (Arc::new(RunClock::start()), CancellationToken::new());
        let threads = match self.threads.current() {
            Ok(threads) => threads,
            Err(error) => return (Err(format!("the threads of the run cannot be started: {error}")), None),
        };
        let mut running = {
            let (supervisor, clock, abandoned) = (self.clone(), clock.clone(), abandoned.clone());
            let threads = threads.clone();
            tokio::task::spawn_blocking(move || supervisor.index(queued, &threads, &clock, &abandoned))
        };
        let reason = tokio::select! {
            ended = &mut running => {
                return (ended.unwrap_or_else(|error| Err(format!("the run panicked: {error}"))), None);
            }
            reason = clock.stalled() => reason,
            () = self.stop_deadline() => "the run did not end when the worker stopped".to_owned(),
        };
        abandoned.cancel();
        self.threads.abandon(&threads);
        (Err(reason), Some(running))
    }

    /// Waits until the worker stops, and then as long as a run may take to notice.
    async fn stop_deadline(&self) {
        self.stop.cancelled().await;
        tokio::time::sleep(STOP_DEADLINE).await;
    }

    /// Waits until an abandoned run ends. Until then, its repository is not indexed again.
    async fn until_unblocked(self: Arc<Self>, repo: RepoId, blocked: JoinHandle<RunResultText>) {
        if self.stop.run_until_cancelled(blocked).await.is_some() {
            self.repositories.catalog.run_ended(repo);
            self.repositories.catalog.queue_changed();
        }
    }

    /// Indexes one repository. Blocking.
    fn index(
        &self,
        queued: QueuedRun,
        threads: &ThreadPool,
        clock: &RunClock,
        abandoned: &CancellationToken,
    ) -> RunResultText {
        let QueuedRun { checkout, served, stat_cache, warm_facts, is_forced } = queued;
        let catalog = &self.repositories.catalog;
        let on_progress = |progress: RunProgress| {
            clock.note_progress(progress.step);
            catalog.note_progress(checkout.repo, progress);
        };
        let on_head = |commit: CommitId| {
            let remote_seen_at = self.repositories.remote_seen_at(&checkout, commit);
            let note = |entry: &mut CatalogEntry| entry.note_head(commit, remote_seen_at);
            let is_new = catalog.entries().get_mut(&checkout.repo).is_some_and(note);
            if is_new {
                catalog.inventory_changed();
            }
        };
        let directory = self.repositories.directory(checkout.repo);
        let served = served.filter(|snapshot| self.is_whole(&directory, snapshot));
        let location = self.scip.get(&checkout.alias).filter(|_| self.sharing.is_none());
        if let Some(location) = location.filter(|_| self.repositories.data.write_refusal().is_none()) {
            configured_indexes::fetch(location, &directory, &checkout.alias);
        }
        let outcome = run(&IndexingRun {
            checkout: &checkout,
            directory: &directory,
            warm_facts: &warm_facts,
            stat_cache: &stat_cache,
            served,
            facts: &self.facts,
            memory: &self.memory,
            threads,
            model: &self.model,
            sharing: self.sharing.as_deref(),
            is_forced,
            write_refusal: self.repositories.data.write_refusal(),
            on_progress: &on_progress,
            on_head: &on_head,
            on_work_tree: &|work_tree| self.watch_work_tree(checkout.repo, work_tree, &stat_cache),
            is_stopped: &|| self.stop.is_cancelled() || abandoned.is_cancelled(),
        });
        outcome.map_err(|error| run_error_text(&error))
    }

    /// Returns true if a run may build on the files of a generation. Otherwise the run begins from nothing, and callers see why.
    fn is_whole(&self, directory: &RepositoryDir, snapshot: &Snapshot) -> bool {
        let Some(loss) = directory.find_loss(snapshot) else { return true };
        if let Some(entry) = self.repositories.catalog.entries().get_mut(&snapshot.manifest().repo) {
            entry.note_files(Some(&loss));
        }
        self.repositories.catalog.inventory_changed();
        false
    }

    /// Counts a run, unless it failed since the worker stops.
    fn count(&self, result: &Result<RunOutcome, String>, took: Duration) {
        let result = match result {
            Ok(outcome) if outcome.published.is_some() => RunResult::Published,
            Ok(_) => RunResult::UpToDate,
            Err(_) if self.stop.is_cancelled() => return,
            Err(_) => RunResult::Failed,
        };
        self.metrics.record_run(result, took);
    }

    /// Brings the catalog up to date with the result of a run.
    fn record(&self, checkout: &Checkout, result: Result<RunOutcome, String>, is_forced: bool, took: Duration) {
        let catalog = &self.repositories.catalog;
        {
            let mut entries = catalog.entries();
            let Some(entry) = entries.get_mut(&checkout.repo) else { return };
            match result {
                Ok(outcome) => self.record_outcome(entry, &checkout.alias, outcome, is_forced),
                Err(error) => self.record_failure(entry, &checkout.alias, error, took),
            }
        }
        catalog.inventory_changed();
        catalog.queue_changed();
    }

    fn record_outcome(&self, entry: &mut CatalogEntry, alias: &str, outcome: RunOutcome, is_forced: bool) {
        let RunOutcome { published, shortfall } = outcome;
        let has_published = published.is_some();
        if let Some(published) = published {
            self.log_published(alias, &published);
            entry.publish(published);
        }
        if let Some(RunShortfall::Vectors(missing @ MissingVectors::Failed(error))) = &shortfall
            && entry.lifecycle.missing_vectors() != Some(missing)
        {
            tracing::warn!(alias, %error, "vectors are missing, and are requested again later");
        }
        entry.end_run();
        if entry.has_outdated_draft() {
            // It has later edits than the generation.
            self.drafts.request(entry.checkout.repo);
        }
        entry.lifecycle.complete_run(shortfall, Instant::now());
        if let (Some(sharing), Some(served), None) = (&self.sharing, &entry.served, entry.lifecycle.pending_load()) {
            sharing.offer(alias, served, is_forced && has_published);
        }
    }

    fn log_published(&self, alias: &str, published: &PublishedRun) {
        let RunFigures { files, files_extracted, symbols, milliseconds, incremental, loaded, loaded_bytes, .. } =
            published.figures;
        let message = if loaded { "loaded" } else { "indexed" };
        let (extracted, ms) = (files_extracted, milliseconds);
        tracing::info!(alias, files, symbols, extracted, ms, incremental, loaded_bytes, "{message}");
        if let Some(sharing) = self.sharing.as_ref().filter(|_| loaded) {
            sharing.note_loaded(&published.snapshot);
        }
    }

    fn record_failure(&self, entry: &mut CatalogEntry, alias: &str, reason: String, took: Duration) {
        if self.stop.is_cancelled() {
            tracing::debug!(alias, reason, "run stopped");
            return entry.lifecycle.stop_run();
        }
        // An error may quote a reference or a remote.
        let masked = text::mask_secrets(&reason).into_owned();
        tracing::warn!(alias, reason = masked, "indexing failed");
        entry.lifecycle.fail_run(masked, took, Instant::now());
    }
}

/// Returns the reason of a failed run for callers, with the remedy if the process has too many open files.
fn run_error_text(error: &RunError) -> String {
    match source::is_out_of_files(error) {
        true => "the worker has too many open files; raise its limit (`ulimit -n`), and restart it".to_owned(),
        false => error.to_string(),
    }
}

/// The result of a run, or the reason why it failed.
type RunResultText = Result<RunOutcome, String>;

/// The threads of all runs, as many as there are cores. They end with the last run that uses them, and give back the memory of
/// their parsers, decompressors and automata.
#[derive(Default)]
pub(crate) struct RunThreads(Mutex<Weak<ThreadPool>>);

impl RunThreads {
    /// Returns the threads that other runs use now, or starts them.
    fn current(&self) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let mut shared = self.shared();
        if let Some(threads) = shared.upgrade() {
            return Ok(threads);
        }
        let threads = Arc::new(super::threads()?);
        *shared = Arc::downgrade(&threads);
        Ok(threads)
    }

    /// Leaves threads that a run has blocked to the runs that use them. The next run starts others.
    fn abandon(&self, blocked: &Arc<ThreadPool>) {
        let mut shared = self.shared();
        if shared.as_ptr() == Arc::as_ptr(blocked) {
            *shared = Weak::new();
        }
    }

    fn shared(&self) -> MutexGuard<'_, Weak<ThreadPool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use index::IndexError;

    use super::*;

    #[test]
    fn threads_are_shared_by_concurrent_runs_and_end_with_the_last_one() {
        let threads = RunThreads::default();
        let first = threads.current().unwrap();
        assert!(Arc::ptr_eq(&first, &threads.current().unwrap()));
        threads.abandon(&first);
        let second = threads.current().unwrap();
        assert!(!Arc::ptr_eq(&first, &second), "the first ones are blocked");
        threads.abandon(&first);
        assert!(Arc::ptr_eq(&second, &threads.current().unwrap()), "the second ones are not");
        let ended = Arc::downgrade(&second);
        drop(second);
        assert!(ended.upgrade().is_none());
        assert!(threads.current().is_ok());
    }

    #[test]
    fn a_run_without_open_files_has_a_reason_and_a_remedy() {
        let index_error = |source| IndexError::Io { action: "cannot create", path: "f".to_owned(), source };
        let text = |code| run_error_text(&index_error(std::io::Error::from_raw_os_error(code)).into());
        assert!(text(24).contains("too many open files") && text(24).contains("ulimit -n"));
        assert_eq!(text(28), "cannot create `f`: No space left on device (os error 28)");
    }
}
