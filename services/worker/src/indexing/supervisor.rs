//! The supervisor: it notices that a `HEAD` has moved, and runs the queue of the catalog.

mod poll;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use embed::Embedder;
use model::CommitId;
use rayon::ThreadPool;
use source::Checkout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    FactsCache, IndexingRun, MissingVectors, PublishedRun, RunFigures, RunOutcome, RunProgress, RunShortfall, run,
};
use crate::{
    operators::{RunResult, WorkerMetrics},
    repositories::{CatalogEntry, QueuedRun, Repositories, RunLane},
    sharing::Sharing,
};

/// A worker that only loads generations is ready after this time at the latest, also if some are not loaded yet.
const FIRST_LOADS_DEADLINE: Duration = Duration::from_secs(300);

/// Number of repositories that are indexed concurrently. Extraction is parallel within one; a second one uses the cores while the
/// first one writes.
const N_TEXT_RUNNERS: usize = 2;

/// Number of repositories for which vectors are requested concurrently. Such a run mostly waits, and must not delay the text of
/// others.
const N_VECTOR_RUNNERS: usize = 2;

/// Watches and indexes the repositories of a worker until it stops.
pub(crate) struct Supervisor {
    pub(crate) repositories: Arc<Repositories>,
    pub(crate) facts: FactsCache,
    pub(crate) model: Embedder,
    /// The object store that generations are shared through, if there is one.
    pub(crate) sharing: Option<Arc<Sharing>>,
    /// The threads of all runs: as many as there are cores.
    pub(crate) threads: ThreadPool,
    pub(crate) metrics: Arc<WorkerMetrics>,
    /// Cancelled when no further run may begin.
    pub(crate) draining: CancellationToken,
    /// Cancelled when runs have to end.
    pub(crate) stop: CancellationToken,
}

impl Supervisor {
    /// Starts the tasks that watch, index and export; `tasks` owns them.
    pub(crate) fn start(self: &Arc<Self>, tasks: &TaskTracker) {
        tasks.spawn(self.clone().watch());
        if let Some(sharing) = self.exporting_store() {
            tasks.spawn(sharing.clone().export_queued());
        }
        let n_vector_runners = if self.model.static_model().is_some() { 0 } else { N_VECTOR_RUNNERS };
        for (lane, n_runners) in [(RunLane::Text, N_TEXT_RUNNERS), (RunLane::Vectors, n_vector_runners)] {
            for _ in 0..n_runners {
                tasks.spawn(self.clone().run_queue(lane));
            }
        }
    }

    /// Returns true if the worker only loads generations. It is not ready before it has tried to load all: until then,
    /// gateways should ask the workers that have them.
    pub(crate) fn only_loads(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| !sharing.role().indexes())
    }

    /// Waits until every repository is served or has a reason why not, up to a deadline.
    pub(crate) async fn first_loads(&self) {
        let catalog = &self.repositories.catalog;
        let mut changes = catalog.watch_progress();
        let loading = async { while !catalog.is_settled() && changes.changed().await.is_ok() {} };
        let loaded = tokio::time::timeout(FIRST_LOADS_DEADLINE, self.stop.run_until_cancelled(loading)).await;
        if loaded.is_err() {
            tracing::warn!("some generations are not loaded yet, and the worker becomes ready without them");
        }
    }

    /// Returns the object store that this worker exports to, if there is one.
    fn exporting_store(&self) -> Option<&Arc<Sharing>> {
        self.sharing.as_ref().filter(|sharing| sharing.role().indexes())
    }

    /// Runs the queued repositories of one lane sequentially.
    async fn run_queue(self: Arc<Self>, lane: RunLane) {
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
            let supervisor = self.clone();
            let result = tokio::task::spawn_blocking(move || supervisor.index(queued)).await;
            let result = result.unwrap_or_else(|error| Err(format!("the run panicked: {error}")));
            catalog.run_ended(checkout.repo);
            self.count(&result, began.elapsed());
            self.record(&checkout, result, is_forced);
        }
    }

    /// Indexes one repository. Blocking.
    fn index(&self, queued: QueuedRun) -> Result<RunOutcome, String> {
        let QueuedRun { checkout, served, is_forced } = queued;
        let catalog = &self.repositories.catalog;
        let on_progress = |progress: RunProgress| catalog.note_progress(checkout.repo, progress);
        let on_head = |commit: CommitId| {
            let remote_seen_at = self.repositories.remote_seen_at(&checkout, commit);
            let note = |entry: &mut CatalogEntry| entry.note_head(commit, remote_seen_at);
            let is_new = catalog.entries().get_mut(&checkout.repo).is_some_and(note);
            if is_new {
                catalog.inventory_changed();
            }
        };
        let directory = self.repositories.directory(checkout.repo).map_err(|error| error.to_string())?;
        let outcome = run(&IndexingRun {
            checkout: &checkout,
            directory: &directory,
            served,
            facts: &self.facts,
            threads: &self.threads,
            model: &self.model,
            sharing: self.sharing.as_deref(),
            is_forced,
            on_progress: &on_progress,
            on_head: &on_head,
            is_stopped: &|| self.stop.is_cancelled(),
        });
        outcome.map_err(|error| error.to_string())
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
    fn record(&self, checkout: &Checkout, result: Result<RunOutcome, String>, is_forced: bool) {
        let catalog = &self.repositories.catalog;
        {
            let mut entries = catalog.entries();
            let Some(entry) = entries.get_mut(&checkout.repo) else { return };
            match result {
                Ok(outcome) => self.record_outcome(entry, &checkout.alias, outcome, is_forced),
                Err(error) => self.record_failure(entry, &checkout.alias, error),
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

    fn record_failure(&self, entry: &mut CatalogEntry, alias: &str, reason: String) {
        if self.stop.is_cancelled() {
            tracing::debug!(alias, reason, "run stopped");
            return entry.lifecycle.stop_run();
        }
        tracing::warn!(alias, reason, "indexing failed");
        entry.lifecycle.fail_run(reason, Instant::now());
    }
}
