//! Where a worker is between its start and its end: it finds its repositories, serves, drains, and stops.

use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::listing::Standing;

/// What everything in a worker looks at to know how far it is.
#[derive(Clone)]
pub(crate) struct Lifecycle {
    /// Cancelled, which is to say over, when the time before it is ready is.
    pub(crate) starting: CancellationToken,
    listing: Arc<Mutex<Standing>>,
    /// Cancelled when it takes nothing new on, but still answers.
    pub(crate) draining: CancellationToken,
    /// Cancelled when everything is to end.
    pub(crate) stop: CancellationToken,
}

impl Lifecycle {
    pub(crate) fn new() -> Lifecycle {
        let stop = CancellationToken::new();
        // Who stops does not drain any more: the one implies the other.
        let (starting, listing) = Default::default();
        Lifecycle { starting, listing, draining: stop.child_token(), stop }
    }

    /// Notes that the repositories were looked for, and what there is of them is opened or loaded.
    pub(crate) fn found(&self) {
        self.starting.cancel();
    }

    pub(crate) fn has_found(&self) -> bool {
        self.starting.is_cancelled()
    }

    /// Notes how the listing of repositories stands.
    pub(crate) fn note_listing(&self, standing: Standing) {
        *self.listing.lock().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// Returns how the listing of repositories stands.
    pub(crate) fn listing(&self) -> Standing {
        *self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether it wants to be asked. Who does not know what to hold does not.
    pub(crate) fn is_ready(&self) -> bool {
        self.has_found() && !self.is_draining() && self.listing() != Standing::Unknown
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_know_what_to_hold_is_not_ready() {
        let lifecycle = Lifecycle::new();
        assert!(!lifecycle.is_ready());
        lifecycle.found();
        for (standing, is_ready) in [(Standing::Good, true), (Standing::Wrong, true), (Standing::Unknown, false)] {
            lifecycle.note_listing(standing);
            assert_eq!(lifecycle.is_ready(), is_ready, "{standing:?}");
        }
    }

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
