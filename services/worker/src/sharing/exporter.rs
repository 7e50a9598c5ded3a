//! The task that stores what was published: one generation at a time, of each repository the newest alone. Nobody waits for
//! it; what it could not do when the worker is stopped is offered again at the next start.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use index::{GenerationKey, IndexError, Snapshot};
use model::{CommitId, GenerationId, RepoId};
use share::{Exported, ShareError};
use tokio::sync::Notify;

use super::Sharing;
use crate::metrics::ShareOutcome;

/// After the n-th failure in a row an export waits n times this long.
const RETRY_STEP: Duration = Duration::from_secs(15);

/// It never waits longer than this.
const RETRY_MAX: Duration = Duration::from_secs(600);

/// What is to be stored: no more than one generation of each repository.
#[derive(Default)]
pub(super) struct Exports {
    queue: Mutex<Queue>,
    wake: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeMap<RepoId, Offer>,
    /// What is known to be stored.
    stored: BTreeMap<RepoId, GenerationId>,
    n_failures: u32,
}

#[derive(Clone)]
struct Offer {
    alias: String,
    snapshot: Arc<Snapshot>,
    /// Even if it is there.
    anew: bool,
    not_before: Instant,
}

impl Sharing {
    /// Takes a generation to be stored, in the place of an older one of the same repository that waits. `anew` stores it
    /// even if it is there.
    pub(crate) fn offer(&self, alias: &str, snapshot: &Arc<Snapshot>, anew: bool) {
        let key = snapshot.manifest().key();
        // Of a repository without commits there is nothing to share.
        if !self.role.indexes() || key.commit == CommitId([0; 20]) {
            return;
        }
        let anew = anew || self.is_damaged(key.generation);
        let mut queue = self.exports.queue();
        if !anew && queue.stored.get(&key.repo) == Some(&key.generation) {
            return;
        }
        let offer = Offer { alias: alias.to_owned(), snapshot: snapshot.clone(), anew, not_before: Instant::now() };
        queue.waiting.insert(key.repo, offer);
        drop(queue);
        self.exports.wake.notify_one();
    }

    /// Notes that a generation came from the store.
    pub(crate) fn came_from_store(&self, snapshot: &Snapshot) {
        let key = snapshot.manifest().key();
        self.exports.queue().stored.insert(key.repo, key.generation);
    }

    /// Stores what is offered until the worker stops.
    pub(crate) async fn export_offers(self: Arc<Self>) {
        let working = async {
            loop {
                match self.exports.next() {
                    Next::Due(offer) => self.export(offer).await,
                    Next::At(at) => tokio::select! {
                        () = self.exports.wake.notified() => {}
                        () = tokio::time::sleep_until(at.into()) => {}
                    },
                    Next::Nothing => self.exports.wake.notified().await,
                }
            }
        };
        // What is under way is given up: without its seal nobody sees it.
        let _: Option<()> = self.stop.run_until_cancelled(working).await;
    }

    async fn export(&self, offer: Offer) {
        let began = Instant::now();
        let key = offer.snapshot.manifest().key();
        let opening = offer.snapshot.clone();
        let opened = tokio::task::spawn_blocking(move || opening.export()).await;
        let export = match opened {
            Ok(Ok(export)) => export,
            // Its files went, since a newer one was published, which is offered too.
            Ok(Err(IndexError::Io { .. })) => return,
            Ok(Err(error)) => return tracing::warn!(alias = offer.alias, %error, "a generation is not stored"),
            Err(error) => return tracing::error!(alias = offer.alias, %error, "opening a generation failed"),
        };
        match self.share.export(export, offer.anew).await {
            Ok(exported) => {
                self.exports.succeeded(key.repo, key.generation);
                self.state().damaged.remove(&key.generation);
                if let Exported::Written { bytes } = exported {
                    self.metrics.record_share(ShareOutcome::Stored, bytes);
                    let ms = began.elapsed().as_millis() as u64;
                    tracing::info!(alias = offer.alias, generation = %key.generation, bytes, ms, "stored");
                    self.sweep(&offer.alias, &key).await;
                }
            }
            Err(error) => {
                self.metrics.record_share(ShareOutcome::Failed, 0);
                self.exports.failed(key.repo, offer, &error);
            }
        }
    }

    async fn sweep(&self, alias: &str, newest: &GenerationKey) {
        match self.share.sweep(newest, self.keep).await {
            Ok(swept) => {
                self.metrics.record_swept(swept.generations);
                tracing::debug!(alias, generations = swept.generations, bytes = swept.bytes, "swept the object store");
            }
            Err(error) => tracing::warn!(alias, %error, "old generations stay in the object store for now"),
        }
    }
}

enum Next {
    Due(Offer),
    At(Instant),
    Nothing,
}

impl Exports {
    /// Takes what has waited longest, if it is due.
    fn next(&self) -> Next {
        let mut queue = self.queue();
        let first = queue.waiting.iter().min_by_key(|(_, offer)| offer.not_before);
        let Some((repo, at)) = first.map(|(repo, offer)| (*repo, offer.not_before)) else { return Next::Nothing };
        if at > Instant::now() {
            return Next::At(at);
        }
        queue.waiting.remove(&repo).map_or(Next::Nothing, Next::Due)
    }

    fn succeeded(&self, repo: RepoId, generation: GenerationId) {
        let mut queue = self.queue();
        if queue.n_failures > 0 {
            tracing::info!("generations are stored again");
        }
        queue.n_failures = 0;
        queue.stored.insert(repo, generation);
    }

    /// Puts an offer back, unless a newer one waits, and all others behind the pause: it is the same store.
    fn failed(&self, repo: RepoId, offer: Offer, error: &ShareError) {
        let mut queue = self.queue();
        queue.n_failures += 1;
        if queue.n_failures == 1 {
            tracing::warn!(alias = offer.alias, %error, "a generation could not be stored; it is tried again later");
        }
        let not_before = Instant::now() + (RETRY_STEP * queue.n_failures).min(RETRY_MAX);
        queue.waiting.entry(repo).or_insert(offer);
        for waiting in queue.waiting.values_mut() {
            waiting.not_before = waiting.not_before.max(not_before);
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
