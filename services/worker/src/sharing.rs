//! Sharing of generations: one worker indexes, and others load its generations from an object store.
//!
//! A run checks the store before it indexes. A published generation is queued for the exporter, a background task that stores
//! one generation at a time. A failed store costs one deadline, and gets no requests during a back-off. A damaged generation is
//! logged, counted, and indexed instead.

mod export_queue;
mod exporter;
mod settings;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use index::{GenerationKey, RepositoryDir};
use model::GenerationId;
use share::{GenerationStore, LoadedGeneration, ShareError};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

pub use settings::{GenerationsSettings, SharingRole};

use crate::{
    backoff::LinearBackoff,
    operators::{ShareResult, WorkerMetrics},
};
use exporter::Exporter;

/// Pauses after failures of the store. Otherwise every repository would wait for a deadline.
const STORE_BACKOFF: LinearBackoff = LinearBackoff { step: Duration::from_secs(10), max: Duration::from_secs(300) };

/// Time for which a damaged generation is not read if it cannot be removed from the store. Another worker may have replaced it
/// afterwards.
const DAMAGED_PAUSE: Duration = Duration::from_secs(600);

/// The object store through which workers share generations.
pub struct Sharing {
    share: GenerationStore,
    role: SharingRole,
    /// Generations of a repository that stay in the store.
    keep: usize,
    /// Runs the transfers while blocking callers wait.
    runtime: Handle,
    stop: CancellationToken,
    health: Mutex<StoreHealth>,
    exporter: Exporter,
    metrics: Arc<WorkerMetrics>,
}

/// The errors of the store during loads.
#[derive(Default)]
struct StoreHealth {
    /// Consecutive failures.
    n_failures: u32,
    /// No request is sent to the store before this time.
    paused_until: Option<Instant>,
    /// Damaged generations that cannot be removed, and until when they are not read.
    damaged: BTreeMap<GenerationId, Instant>,
}

/// The result of a load.
pub(crate) enum LoadResult {
    Loaded(Box<LoadedGeneration>),
    /// The generation is not stored, or the store cannot be read; with the reason for callers that wait for it.
    NotLoaded(&'static str),
}

const NOT_STORED: &str =
    "its generation is not in the object store yet; it is loaded as soon as an indexing worker has stored it";
const STORE_FAILED: &str = "the object store cannot be read and is retried; the worker's log has the cause";
const DAMAGED: &str =
    "its generation in the object store is damaged; an indexing worker stores it again; the worker's log has the cause";

impl Sharing {
    /// Opens the configured object store. Blocking; must be called within the runtime that carries the bytes.
    pub(crate) fn open(
        settings: &GenerationsSettings,
        metrics: Arc<WorkerMetrics>,
        stop: CancellationToken,
    ) -> Result<Sharing, ShareError> {
        Ok(Sharing {
            share: GenerationStore::open(settings.location())?,
            role: settings.role(),
            keep: settings.keep(),
            runtime: Handle::current(),
            stop,
            health: Mutex::default(),
            exporter: Exporter::default(),
            metrics,
        })
    }

    pub(crate) fn role(&self) -> SharingRole {
        self.role
    }

    /// Loads and publishes the first of these generations that is stored. Blocking.
    pub(crate) fn load(&self, acceptable: &[GenerationKey], repository: &RepositoryDir) -> LoadResult {
        let mut reason = NOT_STORED;
        for key in acceptable {
            if self.is_paused() {
                return LoadResult::NotLoaded(STORE_FAILED);
            }
            if self.is_damaged(key.generation) {
                reason = DAMAGED;
                continue;
            }
            let loading = self.stop.run_until_cancelled(self.share.load(key, repository));
            let Some(loaded) = self.runtime.block_on(loading) else { return LoadResult::NotLoaded(NOT_STORED) };
            match loaded {
                Ok(Some(loaded)) => {
                    self.note_success();
                    self.metrics.record_share(ShareResult::Loaded, loaded.bytes);
                    return LoadResult::Loaded(Box::new(loaded));
                }
                Ok(None) => self.note_success(),
                Err(error) => reason = self.note_failure(key, &error),
            }
        }
        LoadResult::NotLoaded(reason)
    }

    /// Notes that a load failed, and returns the reason for callers.
    fn note_failure(&self, key: &GenerationKey, error: &ShareError) -> &'static str {
        let generation = key.generation;
        match error {
            ShareError::Damaged(_) => {
                tracing::warn!(repo = %key.repo, %generation, %error, "a stored generation is damaged");
                self.metrics.record_share(ShareResult::Damaged, 0);
                self.remove_damaged(key);
                DAMAGED
            }
            error => {
                self.metrics.record_share(ShareResult::Failed, 0);
                let mut health = self.health();
                health.n_failures += 1;
                health.paused_until = Some(Instant::now() + STORE_BACKOFF.pause(health.n_failures));
                if health.n_failures == 1 {
                    tracing::warn!(repo = %key.repo, %error, "loading a generation failed, and is retried later");
                }
                STORE_FAILED
            }
        }
    }

    /// Removes a damaged generation from the store, so that no worker reads it and one that indexes stores it again. Blocking.
    fn remove_damaged(&self, key: &GenerationKey) {
        let discarding = self.stop.run_until_cancelled(self.share.discard(key));
        match self.runtime.block_on(discarding) {
            Some(Ok(())) => self.exporter.note_removed(key),
            Some(Err(error)) => {
                tracing::warn!(
                    repo = %key.repo, generation = %key.generation, %error,
                    "cannot remove the damaged generation: allow this worker to write to the store, or remove it manually"
                );
                self.health().damaged.insert(key.generation, Instant::now() + DAMAGED_PAUSE);
            }
            None => {}
        }
    }

    fn note_success(&self) {
        let mut health = self.health();
        if health.n_failures > 0 {
            tracing::info!("the object store answers again");
        }
        (health.n_failures, health.paused_until) = (0, None);
    }

    fn is_paused(&self) -> bool {
        self.health().paused_until.is_some_and(|until| Instant::now() < until)
    }

    fn is_damaged(&self, generation: GenerationId) -> bool {
        let mut health = self.health();
        health.damaged.retain(|_, until| Instant::now() < *until);
        health.damaged.contains_key(&generation)
    }

    fn health(&self) -> MutexGuard<'_, StoreHealth> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
