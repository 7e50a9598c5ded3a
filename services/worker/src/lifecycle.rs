//! Where a worker is between its start and its end: it finds its repositories, serves, drains, and stops.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// What everything in a worker looks at to know how far it is.
#[derive(Clone)]
pub(crate) struct Lifecycle {
    has_found: std::sync::Arc<AtomicBool>,
    /// Cancelled when it takes nothing new on, but still answers.
    pub(crate) draining: CancellationToken,
    /// Cancelled when everything is to end.
    pub(crate) stop: CancellationToken,
}

impl Lifecycle {
    pub(crate) fn new() -> Lifecycle {
        let stop = CancellationToken::new();
        // Who stops does not drain any more: the one implies the other.
        Lifecycle { has_found: Default::default(), draining: stop.child_token(), stop }
    }

    /// Notes that the repositories were looked for, and what there is of them is opened.
    pub(crate) fn found(&self) {
        self.has_found.store(true, Ordering::Release);
    }

    pub(crate) fn has_found(&self) -> bool {
        self.has_found.load(Ordering::Acquire)
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_drain_is_not_to_stop() {
        let lifecycle = Lifecycle::new();
        lifecycle.draining.cancel();
        assert!(lifecycle.is_draining() && !lifecycle.stop.is_cancelled());
        let lifecycle = Lifecycle::new();
        lifecycle.stop.cancel();
        assert!(lifecycle.is_draining());
    }
}
