//! The life cycle of a worker: it starts, serves, drains, and stops.

use tokio_util::sync::CancellationToken;

/// The stages of a worker, as tokens that are cancelled when a stage begins.
#[derive(Clone)]
pub(crate) struct WorkerStages {
    /// Cancelled when the repositories were discovered, and their generations opened or loaded.
    pub(crate) started: CancellationToken,
    /// Cancelled when the worker starts no further run, but still answers.
    pub(crate) draining: CancellationToken,
    /// Cancelled when every task has to end.
    pub(crate) stop: CancellationToken,
}

impl WorkerStages {
    pub(crate) fn new() -> WorkerStages {
        let stop = CancellationToken::new();
        // A worker that stops is also draining.
        WorkerStages { started: CancellationToken::new(), draining: stop.child_token(), stop }
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
        let stages = WorkerStages::new();
        assert!(!stages.is_serving());
        stages.started.cancel();
        assert!(stages.is_serving());
        stages.draining.cancel();
        assert!(stages.is_draining() && !stages.is_serving() && !stages.stop.is_cancelled());
        let stages = WorkerStages::new();
        stages.stop.cancel();
        assert!(stages.is_draining());
    }
}
