//! Admission control: a bounded number of calls run concurrently and the others queue in order of arrival. A call whose
//! expected queueing time is too long is rejected immediately.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use tokio::{sync::Semaphore, time::Instant};

use crate::Core;

/// Maximum expected queueing time of a call. A rejected caller can try another gateway, which is better than a late
/// answer.
const MAX_EXPECTED_WAIT: Duration = Duration::from_secs(1);

/// Inverse weight of the latest call in the moving average of durations: the average follows a change within about 20
/// calls.
const AVERAGE_WINDOW: u64 = 16;

/// Admission control of one server.
#[derive(Clone)]
pub(super) struct Admission {
    queue: Arc<Queue>,
    core: Arc<Core>,
}

struct Queue {
    n_concurrent: usize,
    permits: Semaphore,
    /// Number of queued calls.
    n_waiting: AtomicUsize,
    /// Moving average of call durations in microseconds; 0 before the first call.
    mean_micros: AtomicU64,
}

impl Admission {
    pub(super) fn new(n_concurrent: usize, core: Arc<Core>) -> Admission {
        Admission { queue: Arc::new(Queue::new(n_concurrent)), core }
    }
}

/// Middleware that runs a call when a permit is free, or rejects it.
pub(super) async fn admit(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    let queue = &admission.queue;
    let Some(queued) = queue.join() else {
        admission.core.metrics.record_shed("wait");
        return super::overloaded();
    };
    let permit = queue.permits.acquire().await;
    drop(queued);
    let began = Instant::now();
    let response = next.run(request).await;
    queue.record_duration(began.elapsed());
    drop(permit);
    response
}

impl Queue {
    fn new(n_concurrent: usize) -> Queue {
        let permits = Semaphore::new(n_concurrent);
        Queue { n_concurrent, permits, n_waiting: AtomicUsize::new(0), mean_micros: AtomicU64::new(0) }
    }

    /// Joins the queue, unless the expected wait is too long.
    fn join(&self) -> Option<QueuedCall<'_>> {
        let queued = QueuedCall(self);
        let n_before = self.n_waiting.fetch_add(1, Ordering::Relaxed);
        let mean = Duration::from_micros(self.mean_micros.load(Ordering::Relaxed));
        (mean.mul_f64(n_before as f64 / self.n_concurrent as f64) <= MAX_EXPECTED_WAIT).then_some(queued)
    }

    /// Updates the moving average with the duration of a call.
    fn record_duration(&self, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let updated =
            |mean: u64| Some(if mean == 0 { took } else { mean - mean / AVERAGE_WINDOW + took / AVERAGE_WINDOW });
        _ = self.mean_micros.fetch_update(Ordering::Relaxed, Ordering::Relaxed, updated);
    }
}

/// A queued call; leaves the queue on drop.
struct QueuedCall<'a>(&'a Queue);

impl Drop for QueuedCall<'_> {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_a_long_expected_wait_are_rejected() {
        // Durations of finished calls, and the number of calls that may queue at a concurrency of 2.
        for (took, expected) in [(&[][..], 50), (&[1][..], 50), (&[100][..], 21), (&[1_000][..], 3), (&[5_000][..], 1)]
        {
            let queue = Queue::new(2);
            took.iter().for_each(|ms| queue.record_duration(Duration::from_millis(*ms)));
            let queued: Vec<QueuedCall<'_>> = (0..50).map_while(|_| queue.join()).collect();
            assert_eq!(queued.len(), expected, "{took:?}");
            drop(queued);
            assert!(queue.join().is_some(), "leaving the queue frees its place");
        }
    }

    #[test]
    fn average_duration_follows_a_change() {
        let queue = Queue::new(1);
        (0..100).for_each(|_| queue.record_duration(Duration::from_millis(100)));
        (0..100).for_each(|_| queue.record_duration(Duration::from_millis(10)));
        let mean = queue.mean_micros.load(Ordering::Relaxed);
        assert!((9_900..12_000).contains(&mean), "{mean}");
    }
}
