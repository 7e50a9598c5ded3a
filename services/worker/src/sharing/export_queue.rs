//! The queue of generations to store: at most one of each repository.
//!
//! A store may lose generations. Therefore stored generations are rechecked in rotation: such a generation is queued again,
//! and its export first checks whether the store still has it. If one is lost, all are rechecked.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use index::{GenerationKey, Snapshot};
use model::{GenerationId, RepoId};
use share::{ExportOutcome, ShareError};

use crate::backoff::LinearBackoff;

/// Pauses after a failed export.
const EXPORT_BACKOFF: LinearBackoff = LinearBackoff { step: Duration::from_secs(15), max: Duration::from_secs(600) };

/// The generations to store, and those that need not be stored.
#[derive(Default)]
pub(super) struct ExportQueue {
    waiting: BTreeMap<RepoId, QueuedExport>,
    /// The last generation of each repository that was stored or found unreadable, and its state.
    known: BTreeMap<RepoId, (GenerationId, StoredState)>,
    /// The last repository in the rotation of rechecks.
    last_rechecked: Option<RepoId>,
    /// Consecutive failures.
    n_failures: u32,
}

/// The state of a generation that is not in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoredState {
    Stored,
    /// It was stored, and must be rechecked.
    NeedsRecheck,
    /// Its files cannot be read, so it cannot be stored.
    Unreadable,
}

/// A generation to store.
#[derive(Clone)]
pub(super) struct QueuedExport {
    pub(super) alias: String,
    pub(super) snapshot: Arc<Snapshot>,
    /// True to store it even if the store has it.
    pub(super) is_forced: bool,
    not_before: Instant,
}

impl QueuedExport {
    pub(super) fn new(alias: &str, snapshot: &Arc<Snapshot>, is_forced: bool) -> QueuedExport {
        QueuedExport { alias: alias.to_owned(), snapshot: snapshot.clone(), is_forced, not_before: Instant::now() }
    }
}

/// The next export of the queue.
pub(super) enum NextExport {
    Due(QueuedExport),
    At(Instant),
    None,
}

impl ExportQueue {
    /// Queues a generation, and replaces an older one of its repository. Returns false if it need not be stored.
    pub(super) fn push(&mut self, export: QueuedExport) -> bool {
        let key = export.snapshot.manifest().key();
        let is_new = export.is_forced || !self.is_settled(&key);
        if is_new {
            self.waiting.insert(key.repo, export);
        }
        is_new
    }

    /// Takes the export that has waited longest, if it is due.
    pub(super) fn next(&mut self) -> NextExport {
        let first = self.waiting.iter().min_by_key(|(_, export)| export.not_before);
        let Some((repo, at)) = first.map(|(repo, export)| (*repo, export.not_before)) else { return NextExport::None };
        if at > Instant::now() {
            return NextExport::At(at);
        }
        self.waiting.remove(&repo).map_or(NextExport::None, NextExport::Due)
    }

    /// Notes that the store has a generation.
    pub(super) fn note_stored(&mut self, key: &GenerationKey) {
        self.known.insert(key.repo, (key.generation, StoredState::Stored));
    }

    /// Notes that an export has succeeded.
    pub(super) fn note_exported(&mut self, key: &GenerationKey, exported: ExportOutcome) {
        if self.n_failures > 0 {
            tracing::info!("generations are stored again");
        }
        self.n_failures = 0;
        let needed_recheck = self.known.get(&key.repo) == Some(&(key.generation, StoredState::NeedsRecheck));
        if needed_recheck && exported != ExportOutcome::AlreadyStored {
            tracing::warn!(repo = %key.repo, "the object store has lost a generation; all generations are rechecked");
            self.recheck_all();
        }
        self.note_stored(key);
    }

    /// Notes that a generation was removed from the store.
    pub(super) fn note_removed(&mut self, key: &GenerationKey) {
        self.known.remove(&key.repo);
    }

    /// Notes that the files of a generation cannot be read.
    pub(super) fn note_unreadable(&mut self, key: &GenerationKey) {
        self.known.insert(key.repo, (key.generation, StoredState::Unreadable));
    }

    /// Queues a failed export again unless a newer one waits. Delays all exports, since they use the same store.
    pub(super) fn note_failed(&mut self, export: QueuedExport, error: &ShareError) {
        self.n_failures += 1;
        if self.n_failures == 1 {
            tracing::warn!(alias = export.alias, %error, "storing a generation failed, and is retried later");
        }
        let not_before = Instant::now() + EXPORT_BACKOFF.pause(self.n_failures);
        self.waiting.entry(export.snapshot.manifest().key().repo).or_insert(export);
        for waiting in self.waiting.values_mut() {
            waiting.not_before = waiting.not_before.max(not_before);
        }
    }

    /// Marks the next stored generation for a recheck, in the order of repositories.
    pub(super) fn recheck_next(&mut self) {
        let is_after = |repo: &RepoId| self.last_rechecked.is_none_or(|last| *repo > last);
        let is_stored = |(_, (_, state)): &(&RepoId, &(GenerationId, StoredState))| *state == StoredState::Stored;
        let stored = || self.known.iter().filter(is_stored).map(|(repo, _)| *repo);
        let next = stored().find(is_after).or_else(|| stored().next());
        self.last_rechecked = next;
        if let Some((_, state)) = next.and_then(|repo| self.known.get_mut(&repo)) {
            *state = StoredState::NeedsRecheck;
        }
    }

    fn recheck_all(&mut self) {
        for (_, state) in self.known.values_mut().filter(|(_, state)| *state == StoredState::Stored) {
            *state = StoredState::NeedsRecheck;
        }
    }

    /// Returns true if a generation is queued, or need not be stored.
    fn is_settled(&self, key: &GenerationKey) -> bool {
        let is_waiting = self.waiting.get(&key.repo).is_some_and(|export| export.snapshot.manifest().key() == *key);
        let known = self.known.get(&key.repo).filter(|(generation, _)| *generation == key.generation);
        is_waiting || known.is_some_and(|(_, state)| *state != StoredState::NeedsRecheck)
    }
}

#[cfg(test)]
mod tests {
    use model::CommitId;

    use super::*;

    fn key(repo: u8) -> GenerationKey {
        GenerationKey { repo: RepoId([repo; 16]), commit: CommitId([1; 20]), generation: GenerationId([repo; 16]) }
    }

    #[test]
    fn stored_generations_are_rechecked_in_rotation() {
        let mut queue = ExportQueue::default();
        (1..=3).for_each(|repo| queue.note_exported(&key(repo), ExportOutcome::AlreadyStored));
        let settled = |queue: &ExportQueue| [1, 2, 3].map(|repo| queue.is_settled(&key(repo)));
        assert_eq!(settled(&queue), [true; 3]);
        queue.recheck_next();
        assert_eq!(settled(&queue), [false, true, true]);
        queue.note_exported(&key(1), ExportOutcome::AlreadyStored);
        queue.recheck_next();
        assert_eq!(settled(&queue), [true, false, true], "one after the other");
        // If one is lost, all may be.
        queue.note_exported(&key(2), ExportOutcome::Written { bytes: 1 });
        assert_eq!(settled(&queue), [false, true, false]);
        (1..=3).for_each(|repo| queue.note_exported(&key(repo), ExportOutcome::AlreadyStored));
        queue.note_removed(&key(3));
        queue.note_unreadable(&key(1));
        (0..3).for_each(|_| queue.recheck_next());
        assert_eq!(settled(&queue), [true, false, false]);
    }
}
