//! Admission control: a bounded number of calls run concurrently and the others queue in order of arrival. A call is rejected
//! immediately if the queue is full or its expected queueing time is too long, and before its body is read.

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
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::body;
use crate::Core;

/// Maximum number of queued calls, per concurrent call.
const QUEUED_PER_CONCURRENT: usize = 3;

/// Maximum expected queueing time of a call. A rejected caller can try another gateway, which is better than a late
/// answer.
const MAX_EXPECTED_WAIT: Duration = Duration::from_secs(1);

/// Inverse weight of the latest call in the moving average of durations: the average follows a change within about 20
/// calls.
const AVERAGE_WINDOW: u64 = 16;

/// Admission control of one server.
#[derive(Clone)]
pub(crate) struct Admission {
    queue: Arc<AdmissionQueue>,
    core: Arc<Core>,
}

struct AdmissionQueue {
    n_concurrent: usize,
    permits: Arc<Semaphore>,
    /// Number of queued calls.
    n_waiting: AtomicUsize,
    /// Moving average of call durations in microseconds; 0 before the first call.
    mean_micros: AtomicU64,
}

/// Reason for the rejection of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExceededLimit {
    /// The queue is full.
    Calls,
    /// The expected queueing time is too long.
    Wait,
}

impl ExceededLimit {
    /// Returns the reason as a label of metrics.
    fn name(self) -> &'static str {
        match self {
            ExceededLimit::Calls => "calls",
            ExceededLimit::Wait => "wait",
        }
    }
}

impl Admission {
    pub(crate) fn new(n_concurrent: usize, core: Arc<Core>) -> Admission {
        Admission { queue: Arc::new(AdmissionQueue::new(n_concurrent)), core }
    }

    fn reject(&self, overload: ExceededLimit) -> Response {
        self.core.metrics.record_shed(overload.name());
        super::overloaded()
    }
}

/// Middleware that rejects a call which would not be queued now, before its body is read. A slow or long body delays no
/// rejection and takes no memory. [`admit`] decides again, since other calls arrive while a body is read.
pub(crate) async fn reject_excess(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    match admission.queue.overload(admission.queue.n_waiting.load(Ordering::Relaxed)) {
        Some(overload) => body::respond_unread(request, admission.reject(overload)).await,
        None => next.run(request).await,
    }
}

/// Middleware that runs a call when a permit is free, or rejects it.
pub(crate) async fn admit(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    match AdmittedCall::of(&admission.queue).await {
        Ok(_running) => next.run(request).await,
        Err(overload) => admission.reject(overload),
    }
}

/// Middleware like [`admit`] for pages, which get their permit as an extension: a page whose head is sent before its content is known
/// keeps the permit until then.
pub(crate) async fn admit_page(State(admission): State<Admission>, mut request: Request, next: Next) -> Response {
    match AdmittedCall::of(&admission.queue).await {
        Ok(running) => {
            let running = AdmittedPage { _running: Arc::new(running) };
            request.extensions_mut().insert(running.clone());
            let response = next.run(request).await;
            drop(running);
            response
        }
        Err(overload) => admission.reject(overload),
    }
}

/// The permit of a page, which its last copy returns.
#[derive(Clone)]
pub(crate) struct AdmittedPage {
    _running: Arc<AdmittedCall>,
}

#[cfg(test)]
impl AdmittedPage {
    /// Returns the permit of the only page of a server.
    pub(crate) async fn for_tests() -> AdmittedPage {
        let running = AdmittedCall::of(&Arc::new(AdmissionQueue::new(1))).await;
        AdmittedPage { _running: Arc::new(running.unwrap_or_else(|_| unreachable!("an empty queue admits"))) }
    }
}

/// A running call. Its duration is recorded and its permit returned on drop.
struct AdmittedCall {
    queue: Arc<AdmissionQueue>,
    began: Instant,
    _permit: OwnedSemaphorePermit,
}

impl AdmittedCall {
    /// Waits for a permit, unless the queue is overloaded.
    async fn of(queue: &Arc<AdmissionQueue>) -> Result<AdmittedCall, ExceededLimit> {
        let queued = queue.join()?;
        let permit = Arc::clone(&queue.permits).acquire_owned().await.expect("nothing closes the semaphore");
        drop(queued);
        Ok(AdmittedCall { queue: Arc::clone(queue), began: Instant::now(), _permit: permit })
    }
}

impl Drop for AdmittedCall {
    fn drop(&mut self) {
        self.queue.record_duration(self.began.elapsed());
    }
}

impl AdmissionQueue {
    fn new(n_concurrent: usize) -> AdmissionQueue {
        let permits = Arc::new(Semaphore::new(n_concurrent));
        AdmissionQueue { n_concurrent, permits, n_waiting: AtomicUsize::new(0), mean_micros: AtomicU64::new(0) }
    }

    /// Joins the queue, unless it is overloaded.
    fn join(&self) -> Result<QueuedCall<'_>, ExceededLimit> {
        let queued = QueuedCall(self);
        let n_before = self.n_waiting.fetch_add(1, Ordering::Relaxed);
        self.overload(n_before).map_or(Ok(queued), Err)
    }

    /// Returns the reason to reject a call behind `n_before` queued ones; `None` if it may queue.
    fn overload(&self, n_before: usize) -> Option<ExceededLimit> {
        let mean = Duration::from_micros(self.mean_micros.load(Ordering::Relaxed));
        if n_before >= QUEUED_PER_CONCURRENT * self.n_concurrent {
            Some(ExceededLimit::Calls)
        } else if mean.mul_f64(n_before as f64 / self.n_concurrent as f64) > MAX_EXPECTED_WAIT {
            Some(ExceededLimit::Wait)
        } else {
            None
        }
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
struct QueuedCall<'a>(&'a AdmissionQueue);

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
        use ExceededLimit::{Calls, Wait};
        // Durations of finished calls, the number of calls that may queue at a concurrency of 2, and why no more may.
        for (took, expected, reason) in [
            (&[][..], 6, Calls),
            (&[1][..], 6, Calls),
            (&[400][..], 6, Calls),
            (&[500][..], 5, Wait),
            (&[1_000][..], 3, Wait),
            (&[5_000][..], 1, Wait),
        ] {
            let queue = AdmissionQueue::new(2);
            took.iter().for_each(|ms| queue.record_duration(Duration::from_millis(*ms)));
            let queued: Vec<QueuedCall<'_>> = (0..50).map_while(|_| queue.join().ok()).collect();
            assert_eq!((queued.len(), queue.join().err()), (expected, Some(reason)), "{took:?}");
            drop(queued);
            assert!(queue.join().is_ok(), "leaving the queue frees its place");
        }
    }

    #[tokio::test]
    async fn a_page_keeps_its_permit_until_its_last_copy_is_dropped() {
        let queue = Arc::new(AdmissionQueue::new(1));
        let call = AdmittedCall::of(&queue).await.unwrap_or_else(|_| unreachable!("an empty queue admits"));
        let page = AdmittedPage { _running: Arc::new(call) };
        let content = page.clone();
        drop(page);
        assert_eq!(queue.permits.available_permits(), 0, "the content is being computed");
        drop(content);
        assert_eq!(queue.permits.available_permits(), 1);
        assert_eq!(queue.n_waiting.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn average_duration_follows_a_change() {
        let queue = AdmissionQueue::new(1);
        (0..100).for_each(|_| queue.record_duration(Duration::from_millis(100)));
        (0..100).for_each(|_| queue.record_duration(Duration::from_millis(10)));
        let mean = queue.mean_micros.load(Ordering::Relaxed);
        assert!((9_900..12_000).contains(&mean), "{mean}");
    }
}
