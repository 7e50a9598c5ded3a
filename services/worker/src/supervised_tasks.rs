//! The long-lived tasks of a worker. A task that ends before its time is restarted, and the operators are told.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt as _;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{backoff::LinearBackoff, repositories::Catalog};

/// Pause before a restart.
const RESTART_BACKOFF: LinearBackoff = LinearBackoff { step: Duration::from_secs(1), max: Duration::from_secs(60) };

/// Starts the tasks, and restarts them.
#[derive(Clone)]
pub(crate) struct SupervisedTasks {
    tracker: TaskTracker,
    catalog: Arc<Catalog>,
}

impl SupervisedTasks {
    /// `tracker` owns the tasks; `catalog` reports their failures.
    pub(crate) fn new(tracker: TaskTracker, catalog: Arc<Catalog>) -> SupervisedTasks {
        SupervisedTasks { tracker, catalog }
    }

    pub(crate) fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }

    /// Starts a task that runs until `until` is cancelled.
    pub(crate) fn spawn<F>(
        &self,
        name: &'static str,
        until: &CancellationToken,
        mut task: impl FnMut() -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let (catalog, until) = (self.catalog.clone(), until.clone());
        self.tracker.spawn(async move {
            let mut n_failures = 0;
            loop {
                let ended = AssertUnwindSafe(task()).catch_unwind().await;
                if until.is_cancelled() {
                    return;
                }
                n_failures += 1;
                let reason = match ended {
                    Ok(()) => "it ended",
                    Err(_) => "it panicked",
                };
                tracing::error!(task = name, reason, n_failures, "a task is restarted");
                catalog.set_problem(
                    name,
                    format!("the task `{name}` was restarted {n_failures} times: {reason}; see the log"),
                );
                if until.run_until_cancelled(tokio::time::sleep(RESTART_BACKOFF.pause(n_failures))).await.is_none() {
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_or_ends_is_restarted_and_reported() {
        let (tracker, until, catalog) = (TaskTracker::new(), CancellationToken::new(), Arc::new(Catalog::new()));
        let tasks = SupervisedTasks::new(tracker.clone(), catalog.clone());
        let n_starts = Arc::new(AtomicUsize::new(0));
        let (counted, stopped) = (n_starts.clone(), until.clone());
        tasks.spawn("watch", &until, move || {
            let (n_before, stopped) = (counted.fetch_add(1, Ordering::SeqCst), stopped.clone());
            async move {
                match n_before {
                    0 => panic!("odd input"),
                    1 => {}
                    _ => stopped.cancel(),
                }
            }
        });
        tracker.close();
        tracker.wait().await;
        assert_eq!(n_starts.load(Ordering::SeqCst), 3);
        let problems = catalog.inventory("w").problems;
        assert_eq!(problems, ["the task `watch` was restarted 2 times: it ended; see the log"]);
    }
}
