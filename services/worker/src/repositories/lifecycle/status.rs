//! The views of a life cycle: the state in the inventory, in the status and in the metrics.

use std::time::{Duration, Instant, SystemTime};

use proto::v1;
use source::UnreadReason;

use super::{AfterRun, LifecycleState, RepositoryLifecycle, RunLane};
use crate::repositories::run_outcome::{MissingVectors, PendingLoad, RunProgress};

/// Time for which requests for a retired repository are still answered. It equals the hard deadline of a gateway, so that no call
/// fails that was planned before the gateway learned of the change.
const RETIRED_ANSWERS: Duration = Duration::from_secs(10);

/// Number of consecutive failed fetches after which the head of the remote counts as unknown. They take at least half a minute.
pub(super) const N_FAILED_FETCHES: u32 = 3;

impl RepositoryLifecycle {
    /// Returns the state that gateways see.
    pub(crate) fn wire_state(&self, is_served: bool) -> v1::RepositoryState {
        match (self.state, self.error(), is_served) {
            (LifecycleState::Indexing { .. }, ..) => v1::RepositoryState::Indexing,
            (LifecycleState::Queued { .. }, _, false) => v1::RepositoryState::Pending,
            (_, Some(_), _) => v1::RepositoryState::Failed,
            (_, None, true) => v1::RepositoryState::Ready,
            (_, None, false) => v1::RepositoryState::Pending,
        }
    }

    /// Returns the step in the status.
    pub(crate) fn wire_step(&self) -> v1::IndexingStep {
        match self.state {
            LifecycleState::NotCloned if self.awaits_clone() => v1::IndexingStep::Queued,
            LifecycleState::Queued { .. } => v1::IndexingStep::Queued,
            LifecycleState::Indexing { .. } => self.progress.step.into(),
            LifecycleState::NotCloned
            | LifecycleState::Idle
            | LifecycleState::AwaitsRetry { .. }
            | LifecycleState::Retired { .. } => v1::IndexingStep::Idle,
        }
    }

    /// Returns the progress of the current run, or of the last one.
    pub(crate) fn progress(&self) -> RunProgress {
        self.progress
    }

    /// Returns the lane that it waits in, if it is queued.
    pub(crate) fn queued_in(&self) -> Option<RunLane> {
        match self.state {
            LifecycleState::Queued { lane, .. } => Some(lane),
            _ => None,
        }
    }

    pub(crate) fn is_indexing(&self) -> bool {
        matches!(self.state, LifecycleState::Indexing { .. })
    }

    /// Returns true if a run is queued or in progress.
    pub(crate) fn has_planned_run(&self) -> bool {
        matches!(self.state, LifecycleState::Queued { .. } | LifecycleState::Indexing { .. })
    }

    /// Returns true if there is something to read.
    pub(crate) fn is_cloned(&self) -> bool {
        !matches!(self.state, LifecycleState::NotCloned | LifecycleState::Indexing { next: AfterRun::AwaitClone, .. })
    }

    /// Returns true if its first clone or its first read is running or about to begin.
    pub(crate) fn awaits_clone(&self) -> bool {
        self.state == LifecycleState::NotCloned && self.fetch_failure.is_none() && self.refusal().is_none()
    }

    /// Returns why the discovery has refused it.
    fn refusal(&self) -> Option<&str> {
        match &self.unread {
            Some(UnreadReason::Refused(reason)) => Some(reason),
            Some(UnreadReason::Reading) | None => None,
        }
    }

    /// Returns true if no work is left for it now.
    pub(crate) fn is_at_rest(&self) -> bool {
        !self.has_planned_run() && !self.awaits_clone()
    }

    /// Returns true if the last fetch failed.
    pub(crate) fn has_fetch_error(&self) -> bool {
        self.fetch_failure.is_some()
    }

    /// Returns the error of the discovery, or else of the last run, or else of the last fetch.
    pub(crate) fn error(&self) -> Option<&str> {
        self.refusal()
            .or(self.run_error.as_deref())
            .or(self.fetch_failure.as_ref().map(|failure| failure.error.as_str()))
    }

    /// Returns the reason why it is not up to date, if one is known.
    pub(crate) fn reason(&self) -> Option<&str> {
        let reading = matches!(self.unread, Some(UnreadReason::Reading)).then_some("it is still being read");
        self.error().or(reading).or(self.pending_load().map(|pending| pending.reason.as_str())).or(self.loss())
    }

    /// Returns the difference between the served generation and its files on disk, if one was found.
    pub(crate) fn loss(&self) -> Option<&str> {
        self.loss.as_deref()
    }

    /// Returns why the served generation has no vectors.
    pub(crate) fn missing_vectors(&self) -> Option<&MissingVectors> {
        self.missing_vectors.as_ref()
    }

    /// Returns the generation that another worker has to store first.
    pub(crate) fn pending_load(&self) -> Option<&PendingLoad> {
        self.pending_load.as_ref().map(|requests| &requests.pending)
    }

    /// Returns the time since which the head of the remote is unknown, after several failed fetches.
    pub(crate) fn unfollowed_since(&self) -> Option<SystemTime> {
        let failure = self.fetch_failure.as_ref()?;
        (failure.n_in_a_row >= N_FAILED_FETCHES).then_some(failure.since)
    }

    /// Returns how long the served generation has been out of date, by `HEAD` or by an unknown remote.
    pub(crate) fn lag(&self, now: SystemTime) -> Duration {
        let behind = self.behind_since.map_or(Duration::ZERO, |since| since.elapsed());
        let unfollowed = self.unfollowed_since().and_then(|since| now.duration_since(since).ok());
        behind.max(unfollowed.unwrap_or_default())
    }

    /// Returns true while requests for the repository are answered, even if it is retired.
    pub(crate) fn is_answered(&self, now: Instant) -> bool {
        match self.state {
            LifecycleState::Retired { since } => now.saturating_duration_since(since) < RETIRED_ANSWERS,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_unfollowed_after_several_failed_fetches() {
        let since = SystemTime::UNIX_EPOCH + Duration::from_secs(7);
        let mut lifecycle = RepositoryLifecycle::new(false, Instant::now());
        assert!(lifecycle.awaits_clone());
        for n_failed in 1..=N_FAILED_FETCHES {
            let later = since + Duration::from_secs(u64::from(n_failed) - 1);
            assert_eq!(lifecycle.fetch_failed("it is gone".to_owned(), later), n_failed == 1);
            assert_eq!(lifecycle.unfollowed_since(), (n_failed == N_FAILED_FETCHES).then_some(since));
        }
        assert!(lifecycle.is_at_rest() && lifecycle.wire_state(false) == v1::RepositoryState::Failed);
        lifecycle.fetch_succeeded();
        assert_eq!((lifecycle.error(), lifecycle.unfollowed_since()), (None, None));
    }

    #[test]
    fn a_refused_repository_has_failed_until_it_is_read_again() {
        let mut lifecycle = RepositoryLifecycle::new(false, Instant::now());
        lifecycle.note_unread(Some(UnreadReason::Reading));
        assert_eq!((lifecycle.wire_state(false), lifecycle.is_at_rest()), (v1::RepositoryState::Pending, false));
        assert_eq!((lifecycle.reason(), lifecycle.error()), (Some("it is still being read"), None));
        let refused = || Some(UnreadReason::Refused("`HEAD` is a pipe".to_owned()));
        lifecycle.note_unread(refused());
        assert_eq!((lifecycle.wire_state(true), lifecycle.is_at_rest()), (v1::RepositoryState::Failed, true));
        lifecycle.note_unread(None);
        assert_eq!((lifecycle.error(), lifecycle.queued_in()), (None, Some(RunLane::Text)));
        // A run that began before goes on, and is not repeated.
        lifecycle.start_run();
        lifecycle.note_unread(refused());
        lifecycle.fail_run("it is gone".to_owned(), Duration::ZERO, Instant::now());
        assert_eq!((lifecycle.error(), lifecycle.queued_in()), (Some("`HEAD` is a pipe"), None));
        lifecycle.enqueue(true);
        assert_eq!(lifecycle.queued_in(), None);
        lifecycle.note_unread(None);
        assert_eq!(lifecycle.queued_in(), Some(RunLane::Text));
    }

    #[test]
    fn a_loss_is_the_reason_until_a_run_completes() {
        let mut lifecycle = RepositoryLifecycle::new(true, Instant::now());
        let loss = || Some("`text/a.idx` is missing".to_owned());
        assert!(lifecycle.note_loss(loss()) && !lifecycle.note_loss(loss()));
        assert_eq!((lifecycle.reason(), lifecycle.error()), (loss().as_deref(), None));
        lifecycle.start_run();
        lifecycle.fail_run("the disk is full".to_owned(), Duration::ZERO, Instant::now());
        assert_eq!(lifecycle.reason(), Some("the disk is full"));
        lifecycle.head_moved();
        lifecycle.start_run();
        lifecycle.complete_run(None, Instant::now());
        assert_eq!(lifecycle.reason(), None);
    }

    #[test]
    fn a_retired_repository_is_answered_for_a_while() {
        let now = Instant::now();
        let mut lifecycle = RepositoryLifecycle::new(true, now);
        lifecycle.retire(now);
        assert!(lifecycle.is_answered(now) && !lifecycle.is_answered(now + RETIRED_ANSWERS));
    }

    #[test]
    fn wire_states_follow_the_life_cycle() {
        use v1::RepositoryState::{Failed, Indexing, Pending, Ready};
        let mut lifecycle = RepositoryLifecycle::new(true, Instant::now());
        let states = |lifecycle: &RepositoryLifecycle| [false, true].map(|is_served| lifecycle.wire_state(is_served));
        assert_eq!((states(&lifecycle), lifecycle.wire_step()), ([Pending, Ready], v1::IndexingStep::Queued));
        lifecycle.start_run();
        assert_eq!((states(&lifecycle), lifecycle.wire_step()), ([Indexing; 2], v1::IndexingStep::Resolve));
        lifecycle.fail_run("broken".to_owned(), Duration::ZERO, Instant::now());
        assert_eq!((states(&lifecycle), lifecycle.wire_step()), ([Failed; 2], v1::IndexingStep::Idle));
        lifecycle.enqueue(false);
        assert_eq!((states(&lifecycle), lifecycle.error()), ([Pending, Failed], Some("broken")));
        lifecycle.start_run();
        lifecycle.complete_run(None, Instant::now());
        assert_eq!((states(&lifecycle), lifecycle.error()), ([Pending, Ready], None));
    }
}
