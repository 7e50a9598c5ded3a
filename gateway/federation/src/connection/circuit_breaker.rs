//! The circuit breaker of one worker. Calls open it after a failure or a missed deadline; a successful health check closes it.
//! While it is open, calls prefer other replicas.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// The state of a breaker, and the request for a health check.
#[derive(Debug, Default)]
pub(super) struct WorkerCircuitBreaker {
    is_open: AtomicBool,
    health_check: Notify,
}

impl WorkerCircuitBreaker {
    /// Opens the breaker, and requests a health check.
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
        self.request_health_check();
    }

    /// Closes the breaker.
    pub(super) fn close(&self) {
        self.is_open.store(false, Ordering::Relaxed);
    }

    /// Returns true if calls should prefer other replicas.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Requests a health check, without a change of the state.
    pub(super) fn request_health_check(&self) {
        self.health_check.notify_one();
    }

    /// Waits for the next request for a health check.
    pub(super) async fn health_check_requested(&self) {
        self.health_check.notified().await;
    }
}
