//! The task that stores what was published: one generation at a time, of each repository the newest alone. Nobody waits for
//! it; what it could not do when the worker is stopped is offered again at the next start.
//!
//! A store may lose what it held. So what is served is offered again and again, and one generation after the other is looked
//! for anew; once one turns out to be lost, all are.

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
    /// What is known of those that need not be stored.
    known: BTreeMap<RepoId, (GenerationId, Known)>,
    /// The one that was doubted last.
    doubted: Option<RepoId>,
    n_failures: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Stored,
    /// It was stored; the store is asked for it again.
    Doubted,
    /// It cannot be read here, so that there is nothing to store.
    Unreadable,
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
        if !anew && queue.is_settled(&key) {
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
        self.exports.queue().known.insert(key.repo, (key.generation, Known::Stored));
    }

    /// Doubts that the next one is still stored: offered again, the store is asked for it.
    pub(crate) fn doubt_next(&self) {
        self.exports.queue().doubt_next();
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
            Ok(Err(error)) => {
                tracing::warn!(alias = offer.alias, %error, "a generation is not stored");
                return self.exports.is_unreadable(&key);
            }
            Err(error) => {
                tracing::error!(alias = offer.alias, %error, "opening a generation failed");
                return self.exports.is_unreadable(&key);
            }
        };
        match self.share.export(export, offer.anew).await {
            Ok(exported) => {
                self.exports.succeeded(&key, exported);
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

    fn succeeded(&self, key: &GenerationKey, exported: Exported) {
        let mut queue = self.queue();
        if queue.n_failures > 0 {
            tracing::info!("generations are stored again");
        }
        queue.n_failures = 0;
        let was_lost = queue.known.get(&key.repo) == Some(&(key.generation, Known::Doubted));
        if was_lost && exported != Exported::AlreadyThere {
            tracing::warn!(repo = %key.repo, "the object store has lost a generation, and is asked for all");
            queue.doubt_all();
        }
        queue.known.insert(key.repo, (key.generation, Known::Stored));
    }

    /// Notes that a generation was taken out of the store.
    pub(super) fn lost(&self, key: &GenerationKey) {
        self.queue().known.remove(&key.repo);
    }

    fn is_unreadable(&self, key: &GenerationKey) {
        self.queue().known.insert(key.repo, (key.generation, Known::Unreadable));
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

impl Queue {
    /// Says whether a generation waits to be stored, or need not be.
    fn is_settled(&self, key: &GenerationKey) -> bool {
        let waits = self.waiting.get(&key.repo).is_some_and(|offer| offer.snapshot.manifest().key() == *key);
        let known = self.known.get(&key.repo).filter(|(generation, _)| *generation == key.generation);
        waits || known.is_some_and(|(_, known)| *known != Known::Doubted)
    }

    fn doubt_next(&mut self) {
        let behind = |repo: &RepoId| self.doubted.is_none_or(|last| *repo > last);
        let is_stored = |(_, (_, known)): &(&RepoId, &(GenerationId, Known))| *known == Known::Stored;
        let stored = || self.known.iter().filter(is_stored).map(|(repo, _)| *repo);
        let next = stored().find(behind).or_else(|| stored().next());
        self.doubted = next;
        if let Some((_, known)) = next.and_then(|repo| self.known.get_mut(&repo)) {
            *known = Known::Doubted;
        }
    }

    fn doubt_all(&mut self) {
        for (_, known) in self.known.values_mut().filter(|(_, known)| *known == Known::Stored) {
            *known = Known::Doubted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(repo: u8) -> GenerationKey {
        GenerationKey { repo: RepoId([repo; 16]), commit: CommitId([1; 20]), generation: GenerationId([repo; 16]) }
    }

    #[test]
    fn what_is_stored_is_believed_for_a_while() {
        let exports = Exports::default();
        (1..=3).for_each(|repo| exports.succeeded(&key(repo), Exported::AlreadyThere));
        let settled = || [1, 2, 3].map(|repo| exports.queue().is_settled(&key(repo)));
        assert_eq!(settled(), [true; 3]);
        exports.queue().doubt_next();
        assert_eq!(settled(), [false, true, true]);
        exports.succeeded(&key(1), Exported::AlreadyThere);
        exports.queue().doubt_next();
        assert_eq!(settled(), [true, false, true], "one after the other");
        // Where one is lost, all may be.
        exports.succeeded(&key(2), Exported::Written { bytes: 1 });
        assert_eq!(settled(), [false, true, false]);
        (1..=3).for_each(|repo| exports.succeeded(&key(repo), Exported::AlreadyThere));
        exports.lost(&key(3));
        exports.is_unreadable(&key(1));
        (0..3).for_each(|_| exports.queue().doubt_next());
        assert_eq!(settled(), [true, false, false]);
    }
}
