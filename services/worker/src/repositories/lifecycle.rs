//! The life cycle of a repository in the catalog: one state machine, whose transitions are the methods below.
//!
//! | from | transition | to |
//! |---|---|---|
//! | - | [`new`](RepositoryLifecycle::new) | `Queued` if it is cloned, else `NotCloned` |
//! | `NotCloned` | [`cloned`](RepositoryLifecycle::cloned) | `Idle` |
//! | `Idle`, `AwaitsRetry` | [`enqueue`](RepositoryLifecycle::enqueue), [`head_moved`](RepositoryLifecycle::head_moved), [`cause_changed`](RepositoryLifecycle::cause_changed), [`retry_if_due`](RepositoryLifecycle::retry_if_due) | `Queued` |
//! | `AwaitsRetry` | [`files_changed`](RepositoryLifecycle::files_changed) | `AwaitsRetry`, no longer than the cost of its runs requires |
//! | `Queued` | `enqueue` | `Queued`, forced if either request was |
//! | `Queued` | [`start_run`](RepositoryLifecycle::start_run) | `Indexing` |
//! | `Indexing` | `enqueue`, `head_moved` | `Indexing`, then `Queued` |
//! | `Indexing` | [`complete_run`](RepositoryLifecycle::complete_run) without a shortfall | `Idle` |
//! | `Indexing` | `complete_run`, vectors are pending | `Queued` in the lane of vectors |
//! | `Indexing` | `complete_run`, vectors failed, or another worker has to store first | `AwaitsRetry` |
//! | `Indexing` | [`fail_run`](RepositoryLifecycle::fail_run) | `AwaitsRetry` |
//! | `Indexing` | [`stop_run`](RepositoryLifecycle::stop_run) | `Idle` |
//! | `Idle`, `Queued`, `AwaitsRetry` | [`clone_lost`](RepositoryLifecycle::clone_lost) | `NotCloned` |
//! | `Indexing` | `clone_lost` | `Indexing`, then `NotCloned` |
//! | `NotCloned` | [`note_unread`](RepositoryLifecycle::note_unread) that it is read again | `Queued` |
//! | any other | `note_unread` with a reason | as by `clone_lost` |
//! | any | [`retire`](RepositoryLifecycle::retire) | `Retired` |
//!
//! Any other pair leaves the state as it is. `Retired` is final: a repository that comes back gets a new life cycle, and a run
//! of the old one may end in it.
//!
//! Errors outlive states: an error stays until a run or a fetch succeeds, also while the repository is queued or indexed again.
//! The fetches of a mirror and its handover to another worker do not depend on these states (`mirrors/followed.rs`).

mod status;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant, SystemTime};

use source::UnreadReason;

use super::run_outcome::{MissingVectors, PendingLoad, RunProgress, RunShortfall, RunStep};
use crate::backoff::{ExponentialBackoff, LinearBackoff};

/// Pauses of a repository whose runs or fetches fail, so that it does not hold up the others.
pub(crate) const RETRY_BACKOFF: LinearBackoff =
    LinearBackoff { step: Duration::from_secs(10), max: Duration::from_secs(600) };

/// Pauses of a repository whose runs fail with the same reason on the same commit. Something else than the repository may be repaired
/// without a sign, so that the longest pause is short.
const REPEATED_BACKOFF: ExponentialBackoff =
    ExponentialBackoff { first: Duration::from_secs(10), max: Duration::from_secs(300) };

/// The longest pause after a long run.
const MAX_PAUSE: Duration = Duration::from_secs(1_800);

/// The pause after the second failed run and later ones is at least the duration of the run, and this multiple of it if the reason is
/// the same again: a repository whose runs fail late uses at most a tenth of a core. The first failure is often over soon, such as a
/// pack that was replaced during the run.
const PAUSES_PER_REPEATED_RUN: u32 = 9;

/// Pauses between requests for a generation that another worker has to store.
const LOAD_BACKOFF: LinearBackoff = LinearBackoff { step: Duration::from_secs(2), max: Duration::from_secs(60) };

/// The state of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LifecycleState {
    /// It cannot be read: a repository by URL must be cloned first, and the discovery may have refused one in a folder.
    NotCloned,
    /// It waits for a runner of its lane.
    Queued { lane: RunLane, is_forced: bool },
    /// A runner indexes it.
    Indexing { lane: RunLane, next: AfterRun },
    /// No run is planned.
    Idle,
    /// The last run failed or left a shortfall. It is queued again at `at`.
    AwaitsRetry { lane: RunLane, at: Instant },
    /// It has left the inventory. Requests for it are still answered for a while.
    Retired { since: Instant },
}

/// The queue that a repository waits in. Each lane has separate runners, so that no text waits for an embedding service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunLane {
    /// The commit has changed.
    Text,
    /// The text is up to date, and its vectors are missing.
    Vectors,
}

/// The consequence of events during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRun {
    /// No event: the outcome of the run decides.
    ByOutcome,
    /// The repository was queued again.
    RunAgain,
    /// Its clone is gone.
    AwaitClone,
}

/// The state of a repository, and the errors that outlive states.
#[derive(Debug)]
pub(crate) struct RepositoryLifecycle {
    state: LifecycleState,
    /// Of the current run, or of the last one.
    progress: RunProgress,
    /// The error of the last run.
    run_error: Option<String>,
    /// Consecutive failed runs.
    n_failures: u32,
    /// Consecutive failed runs with the same error, since `HEAD` moved.
    n_repeated: u32,
    /// Time until which the duration of the last failed run delays the next one.
    costs_until: Option<Instant>,
    missing_vectors: Option<MissingVectors>,
    pending_load: Option<LoadRequests>,
    /// The difference between the served generation and its files on disk.
    loss: Option<String>,
    fetch_failure: Option<FetchFailure>,
    /// Why the discovery does not read it.
    unread: Option<UnreadReason>,
    /// Time from which on the commit of the served generation, if any, differs from `HEAD`.
    behind_since: Option<Instant>,
}

/// A generation that another worker has to store, with the number of requests for it.
#[derive(Debug)]
struct LoadRequests {
    pending: PendingLoad,
    n_requests: u32,
}

/// Consecutive failed fetches.
#[derive(Debug)]
struct FetchFailure {
    /// The error of the last one.
    error: String,
    /// The time of the first one.
    since: SystemTime,
    n_in_a_row: u32,
}

/// Transitions of the clone.
impl RepositoryLifecycle {
    pub(crate) fn new(is_cloned: bool, now: Instant) -> RepositoryLifecycle {
        let queued = LifecycleState::Queued { lane: RunLane::Text, is_forced: false };
        RepositoryLifecycle {
            state: if is_cloned { queued } else { LifecycleState::NotCloned },
            progress: RunProgress::default(),
            run_error: None,
            n_failures: 0,
            n_repeated: 0,
            costs_until: None,
            missing_vectors: None,
            pending_load: None,
            loss: None,
            fetch_failure: None,
            unread: None,
            behind_since: Some(now),
        }
    }

    /// Notes that the repository can be read.
    pub(crate) fn cloned(&mut self) {
        match &mut self.state {
            state @ LifecycleState::NotCloned => *state = LifecycleState::Idle,
            LifecycleState::Indexing { next: next @ AfterRun::AwaitClone, .. } => *next = AfterRun::ByOutcome,
            _ => {}
        }
    }

    /// Notes that the repository cannot be read any more. This happens when a mirror gets another name.
    pub(crate) fn clone_lost(&mut self) {
        match &mut self.state {
            LifecycleState::Indexing { next, .. } => *next = AfterRun::AwaitClone,
            LifecycleState::Retired { .. } => {}
            state => *state = LifecycleState::NotCloned,
        }
    }

    /// Notes whether the repository can be read.
    pub(crate) fn set_cloned(&mut self, is_cloned: bool) {
        if is_cloned { self.cloned() } else { self.clone_lost() }
    }

    /// Notes whether the discovery reads it, which outlives runs. A repository that is read again is queued.
    pub(crate) fn note_unread(&mut self, unread: Option<UnreadReason>) {
        let was_unread = self.unread.is_some();
        self.unread = unread;
        if self.unread.is_some() {
            self.clone_lost();
        } else if was_unread {
            self.cloned();
            self.head_moved();
        }
    }

    /// Notes a fetch that succeeded.
    pub(crate) fn fetch_succeeded(&mut self) {
        self.fetch_failure = None;
    }

    /// Notes a failed fetch. Returns true if its error is new.
    pub(crate) fn fetch_failed(&mut self, error: String, now: SystemTime) -> bool {
        let first = || FetchFailure { error: String::new(), since: now, n_in_a_row: 0 };
        let failure = self.fetch_failure.get_or_insert_with(first);
        failure.n_in_a_row += 1;
        let is_new = failure.error != error;
        failure.error = error;
        is_new
    }

    /// Notes that it has left the inventory.
    pub(crate) fn retire(&mut self, now: Instant) {
        self.state = LifecycleState::Retired { since: now };
    }
}

/// Transitions of the queue and of runs.
impl RepositoryLifecycle {
    /// Queues a run. A forced run indexes a commit even if it is served.
    pub(crate) fn enqueue(&mut self, is_forced: bool) {
        match &mut self.state {
            LifecycleState::Queued { is_forced: was_forced, .. } => *was_forced |= is_forced,
            LifecycleState::Indexing { next: next @ AfterRun::ByOutcome, .. } => *next = AfterRun::RunAgain,
            state @ LifecycleState::Idle => *state = LifecycleState::Queued { lane: RunLane::Text, is_forced },
            LifecycleState::AwaitsRetry { lane, .. } => {
                self.state = LifecycleState::Queued { lane: *lane, is_forced };
            }
            LifecycleState::Indexing { .. } | LifecycleState::NotCloned | LifecycleState::Retired { .. } => {}
        }
    }

    /// Queues a run in the lane of text, since `HEAD` has moved.
    pub(crate) fn head_moved(&mut self) {
        self.n_repeated = 0;
        self.use_text_lane();
        self.enqueue(false);
    }

    /// Notes that the served generation is behind `HEAD` from now on, unless it is already.
    pub(crate) fn fall_behind(&mut self, now: Instant) {
        self.behind_since.get_or_insert(now);
    }

    /// Notes whether files of the served generation were removed or changed. Returns true if that is new.
    pub(crate) fn note_loss(&mut self, loss: Option<String>) -> bool {
        let is_new = self.loss != loss;
        self.loss = loss;
        is_new
    }

    /// Queues a run if its retry is due.
    pub(crate) fn retry_if_due(&mut self, now: Instant) -> bool {
        let is_due = matches!(self.state, LifecycleState::AwaitsRetry { at, .. } if at <= now);
        if is_due {
            self.enqueue(false);
        }
        is_due
    }

    /// Returns true if it waits since its last run has failed.
    pub(crate) fn awaits_repair(&self) -> bool {
        self.run_error.is_some() && matches!(self.state, LifecycleState::AwaitsRetry { .. })
    }

    /// Queues a run that waits since the last one has failed: its cause may be gone. Returns true if so.
    pub(crate) fn cause_changed(&mut self) -> bool {
        let awaits_repair = self.awaits_repair();
        if awaits_repair {
            (self.n_failures, self.n_repeated) = (0, 0);
            self.enqueue(false);
        }
        awaits_repair
    }

    /// Shortens the pause after a failed run, since its files of git were changed. A busy repository changes all the time, so that the
    /// pause for the cost of its runs stays, and the counts too.
    pub(crate) fn files_changed(&mut self) {
        if self.awaits_repair()
            && let (LifecycleState::AwaitsRetry { at, .. }, Some(earliest)) = (&mut self.state, self.costs_until)
        {
            *at = (*at).min(earliest);
        }
    }

    /// Begins the run of a queued repository. Returns true if it is forced.
    pub(crate) fn start_run(&mut self) -> bool {
        let LifecycleState::Queued { lane, is_forced } = self.state else { return false };
        self.state = LifecycleState::Indexing { lane, next: AfterRun::ByOutcome };
        self.progress.step = RunStep::Resolve;
        is_forced
    }

    pub(crate) fn note_progress(&mut self, progress: RunProgress) {
        self.progress = progress;
    }

    /// Ends a run that did not fail.
    pub(crate) fn complete_run(&mut self, shortfall: Option<RunShortfall>, now: Instant) {
        let lacks_text = matches!(&shortfall, Some(RunShortfall::Load(pending)) if !pending.has_text);
        let by_outcome = self.note_shortfall(shortfall, now);
        self.run_error = None;
        self.n_repeated = 0;
        self.loss = None;
        self.use_text_lane();
        self.leave_run(by_outcome);
        // A run in the lane of text is about a commit that came later.
        let is_behind = matches!(self.state, LifecycleState::Queued { lane: RunLane::Text, .. });
        if !is_behind && !lacks_text {
            self.behind_since = None;
        }
    }

    /// Ends a run that failed after the time that it took.
    pub(crate) fn fail_run(&mut self, error: String, took: Duration, now: Instant) {
        let is_repeated = self.run_error.as_ref() == Some(&error);
        self.n_repeated = if is_repeated { self.n_repeated + 1 } else { 1 };
        self.run_error = Some(error);
        self.n_failures += 1;
        let LifecycleState::Indexing { lane, .. } = self.state else { return };
        let n_pauses = match (self.n_failures, self.n_repeated) {
            (1, _) => 0,
            (_, 1) => 1,
            _ => PAUSES_PER_REPEATED_RUN,
        };
        let by_cost = took.saturating_mul(n_pauses).min(MAX_PAUSE);
        let by_count = RETRY_BACKOFF.pause(self.n_failures).max(REPEATED_BACKOFF.pause(self.n_repeated));
        let by_count = by_count.min(REPEATED_BACKOFF.max);
        self.costs_until = Some(now + by_cost);
        let at = now + by_count.max(by_cost);
        self.leave_run(LifecycleState::AwaitsRetry { lane, at });
    }

    /// Ends a run that was stopped because the worker stops.
    pub(crate) fn stop_run(&mut self) {
        self.leave_run(LifecycleState::Idle);
    }

    /// Notes the shortfall of the last run. Returns the state that follows from it.
    fn note_shortfall(&mut self, shortfall: Option<RunShortfall>, now: Instant) -> LifecycleState {
        let requests_before = self.pending_load.take();
        self.missing_vectors = match &shortfall {
            Some(RunShortfall::Vectors(missing)) => Some(missing.clone()),
            Some(RunShortfall::Load(_)) | None => None,
        };
        self.n_failures = match &shortfall {
            Some(RunShortfall::Vectors(MissingVectors::Failed(_))) => self.n_failures + 1,
            _ => 0,
        };
        match shortfall {
            None => LifecycleState::Idle,
            Some(RunShortfall::Vectors(MissingVectors::Pending)) => {
                LifecycleState::Queued { lane: RunLane::Vectors, is_forced: false }
            }
            Some(RunShortfall::Vectors(MissingVectors::Failed(_))) => {
                let at = now + RETRY_BACKOFF.pause(self.n_failures);
                LifecycleState::AwaitsRetry { lane: RunLane::Vectors, at }
            }
            Some(RunShortfall::Load(pending)) => {
                let same_commit = requests_before.filter(|before| before.pending.commit == pending.commit);
                let n_requests = same_commit.map_or(1, |before| before.n_requests + 1);
                self.pending_load = Some(LoadRequests { pending, n_requests });
                LifecycleState::AwaitsRetry { lane: RunLane::Text, at: now + LOAD_BACKOFF.pause(n_requests) }
            }
        }
    }

    /// Leaves `Indexing`. A life cycle that began during the run is in another state, and stays there.
    fn leave_run(&mut self, by_outcome: LifecycleState) {
        self.progress.step = RunStep::Idle;
        let LifecycleState::Indexing { lane, next } = self.state else { return };
        self.state = match next {
            AfterRun::ByOutcome => by_outcome,
            AfterRun::RunAgain => LifecycleState::Queued { lane, is_forced: false },
            AfterRun::AwaitClone => LifecycleState::NotCloned,
        };
    }

    fn use_text_lane(&mut self) {
        if let LifecycleState::Queued { lane, .. }
        | LifecycleState::Indexing { lane, .. }
        | LifecycleState::AwaitsRetry { lane, .. } = &mut self.state
        {
            *lane = RunLane::Text;
        }
    }
}
