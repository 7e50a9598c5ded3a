//! The clock of a run: it tells when a run has made no progress for too long.
//!
//! Files of a repository may be on a file system that does not answer, and a blocked read cannot be cancelled. Such a run is
//! abandoned: its repository fails with a reason, and the other repositories go on.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::indexing::RunStep;

/// The step of a run, and when it last made progress.
pub(super) struct RunClock(Mutex<(RunStep, Instant)>);

impl RunClock {
    pub(super) fn start() -> RunClock {
        RunClock(Mutex::new((RunStep::Resolve, Instant::now())))
    }

    pub(super) fn note_progress(&self, step: RunStep) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (step, Instant::now());
    }

    /// Waits until a step has made no progress for its limit. Returns the reason why the run is abandoned.
    pub(super) async fn stalled(&self) -> String {
        loop {
            let (step, since) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(limit) = limit_of(step) else {
                tokio::time::sleep(CHECK_INTERVAL).await;
                continue;
            };
            if since.elapsed() >= limit {
                return format!(
                    "the step `{}` made no progress for {} s; is the file system of the repository reachable?",
                    step.name(),
                    limit.as_secs()
                );
            }
            tokio::time::sleep_until(since + limit).await;
        }
    }
}

/// Interval of the checks of a step without a limit.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Returns the time without progress after which a step that reads the repository counts as blocked; `None` for the steps
/// that only compute, and for those that wait for a service with deadlines of its own.
fn limit_of(step: RunStep) -> Option<Duration> {
    match step {
        // A few small files.
        RunStep::Resolve => Some(Duration::from_secs(60)),
        // The headers of at most 200,000 objects.
        RunStep::Diff => Some(Duration::from_secs(300)),
        // A batch has at most 512 files.
        RunStep::Extract | RunStep::History => Some(Duration::from_secs(600)),
        RunStep::Idle | RunStep::Load | RunStep::Embed | RunStep::Link | RunStep::Write | RunStep::Publish => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_run_without_progress_stalls() {
        let clock = RunClock::start();
        let began = Instant::now();
        assert!(clock.stalled().await.starts_with("the step `resolve` made no progress for 60 s"));
        assert_eq!(began.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn progress_and_computing_steps_do_not_stall() {
        let clock = RunClock::start();
        let day = Duration::from_secs(86_400);
        clock.note_progress(RunStep::Link);
        assert!(tokio::time::timeout(day, clock.stalled()).await.is_err());
        clock.note_progress(RunStep::Extract);
        let reading = async {
            for _ in 0..100 {
                tokio::time::sleep(Duration::from_secs(500)).await;
                clock.note_progress(RunStep::Extract);
            }
        };
        tokio::select! {
            reason = clock.stalled() => panic!("{reason}"),
            () = reading => {}
        }
        assert!(clock.stalled().await.contains("600 s"));
    }
}
