//! The life cycle of a worker: it starts, serves, drains, and stops.

use tokio_util::sync::CancellationToken;

/// The stages of a worker, as tokens that are cancelled when a stage begins.
#[derive(Clone)]
pub(crate) struct WorkerLifecycle {
    /// Cancelled when the repositories were discovered, and their generations opened or loaded.
    pub(crate) started: CancellationToken,
    /// Cancelled when the worker starts no further run, but still answers.
    pub(crate) draining: CancellationToken,
    /// Cancelled when every task has to end.
    pub(crate) stop: CancellationToken,
}

impl WorkerLifecycle {
    pub(crate) fn new() -> WorkerLifecycle {
        let stop = CancellationToken::new();
        // A worker that stops is also draining.
        WorkerLifecycle { started: CancellationToken::new(), draining: stop.child_token(), stop }
    }

    /// Returns true if the stage allows gateways to send requests.
    pub(crate) fn is_serving(&self) -> bool {
        self.started.is_cancelled() && !self.is_draining()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draining_worker_has_not_stopped() {
        let lifecycle = WorkerLifecycle::new();
        assert!(!lifecycle.is_serving());
        lifecycle.started.cancel();
        assert!(lifecycle.is_serving());
        lifecycle.draining.cancel();
        assert!(lifecycle.is_draining() && !lifecycle.is_serving() && !lifecycle.stop.is_cancelled());
        let lifecycle = WorkerLifecycle::new();
        lifecycle.stop.cancel();
        assert!(lifecycle.is_draining());
    }
}
