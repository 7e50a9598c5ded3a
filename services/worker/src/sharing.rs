//! Sharing of work: what one worker has indexed, others load from an object store.
//!
//! A run asks here before it indexes (`load`), and what it published is offered to the exporter (`exporter`), a task that
//! carries one generation at a time and is never waited for. A store that fails costs one deadline, and is left alone for a
//! while that grows; what is damaged in it is told, counted and indexed instead.

mod exporter;
mod settings;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use index::{GenerationKey, RepositoryDir};
use model::GenerationId;
use share::{Loaded, Share, ShareError};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

pub use settings::{GenerationsSettings, Role};

use crate::metrics::{Metrics, ShareOutcome};
use exporter::Exports;

/// After the n-th failure in a row the store is left alone n times this long: a request of each repository would be
/// a deadline of each.
const AWAY_STEP: Duration = Duration::from_secs(10);

/// It is never left alone for longer than this.
const AWAY_MAX: Duration = Duration::from_secs(300);

/// A generation that is damaged in the store, and cannot be taken out of it, is not read again for so long: it may have been
/// stored anew.
const DAMAGED_PAUSE: Duration = Duration::from_secs(600);

/// What a worker shares with others.
pub struct Sharing {
    share: Share,
    role: Role,
    keep: usize,
    runtime: Handle,
    stop: CancellationToken,
    state: Mutex<State>,
    exports: Exports,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct State {
    n_failures: u32,
    away_until: Option<Instant>,
    damaged: BTreeMap<GenerationId, Instant>,
}

/// What a store has of what a run wants.
pub(crate) enum Found {
    Loaded(Box<Loaded>),
    /// It is not stored, or the store cannot be asked. Here is why, for those who wait for it.
    Nothing(&'static str),
}

const NOT_STORED: &str =
    "it is not in the object store yet; it is loaded as soon as a worker that indexes has stored it";
const IS_AWAY: &str =
    "the object store cannot be read, which is tried again by itself; the worker's log says what is wrong";
const IS_DAMAGED: &str = "what the object store held of it was damaged, as the worker's log says; a worker that indexes stores it again by itself";

impl Sharing {
    /// Makes ready to share as configured. Blocking; to be called within the runtime that carries the bytes.
    pub(crate) fn open(
        settings: &GenerationsSettings,
        metrics: Arc<Metrics>,
        stop: CancellationToken,
    ) -> Result<Sharing, ShareError> {
        Ok(Sharing {
            share: Share::open(settings.place())?,
            role: settings.role(),
            keep: settings.keep(),
            runtime: Handle::current(),
            stop,
            state: Mutex::default(),
            exports: Exports::default(),
            metrics,
        })
    }

    /// Returns what the worker does of the work.
    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Loads the first of these generations that is stored, and publishes it. Blocking.
    pub(crate) fn load(&self, wanted: &[GenerationKey], repository: &RepositoryDir) -> Found {
        let mut nothing = NOT_STORED;
        for key in wanted {
            if self.is_away() {
                return Found::Nothing(IS_AWAY);
            }
            if self.is_damaged(key.generation) {
                nothing = IS_DAMAGED;
                continue;
            }
            let loading = self.stop.run_until_cancelled(self.share.load(key, repository));
            let Some(loaded) = self.runtime.block_on(loading) else { return Found::Nothing(NOT_STORED) };
            match loaded {
                Ok(Some(loaded)) => {
                    self.answered();
                    self.metrics.record_share(ShareOutcome::Loaded, loaded.bytes);
                    return Found::Loaded(Box::new(loaded));
                }
                Ok(None) => self.answered(),
                Err(error) => nothing = self.failed(key, &error),
            }
        }
        Found::Nothing(nothing)
    }

    /// Notes why nothing came, and returns what to tell those who wait.
    fn failed(&self, key: &GenerationKey, error: &ShareError) -> &'static str {
        let generation = key.generation;
        match error {
            ShareError::Damaged(_) => {
                tracing::warn!(repo = %key.repo, %generation, %error, "a stored generation is not used");
                self.metrics.record_share(ShareOutcome::Damaged, 0);
                self.discard(key);
                IS_DAMAGED
            }
            error => {
                self.metrics.record_share(ShareOutcome::Failed, 0);
                let mut state = self.state();
                state.n_failures += 1;
                let pause = (AWAY_STEP * state.n_failures).min(AWAY_MAX);
                state.away_until = Some(Instant::now() + pause);
                if state.n_failures == 1 {
                    tracing::warn!(repo = %key.repo, %error, "no generation can be loaded; it is tried again later");
                }
                IS_AWAY
            }
        }
    }

    /// Takes what is damaged out of the store, so that nobody reads it and whoever indexes stores it again. Blocking.
    fn discard(&self, key: &GenerationKey) {
        let discarding = self.stop.run_until_cancelled(self.share.discard(key));
        match self.runtime.block_on(discarding) {
            Some(Ok(())) => self.exports.lost(key),
            Some(Err(error)) => {
                tracing::warn!(repo = %key.repo, generation = %key.generation, %error, "it cannot be removed: let this worker write to the store, or remove it by hand");
                self.state().damaged.insert(key.generation, Instant::now() + DAMAGED_PAUSE);
            }
            None => {}
        }
    }

    fn answered(&self) {
        let mut state = self.state();
        if state.n_failures > 0 {
            tracing::info!("the object store answers again");
        }
        (state.n_failures, state.away_until) = (0, None);
    }

    fn is_away(&self) -> bool {
        self.state().away_until.is_some_and(|until| Instant::now() < until)
    }

    fn is_damaged(&self, generation: GenerationId) -> bool {
        let mut state = self.state();
        state.damaged.retain(|_, until| Instant::now() < *until);
        state.damaged.contains_key(&generation)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
