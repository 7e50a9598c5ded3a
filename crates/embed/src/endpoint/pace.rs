//! How often a service is asked.

use std::{
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Lets requests begin at most so often, whichever threads they come from.
pub(super) struct Pace {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(requests_per_second: f64) -> Pace {
        Pace { interval: Duration::from_secs_f64(1.0 / requests_per_second), next: Mutex::new(None) }
    }

    /// Waits until the next request may begin; says no at once if that is after the deadline.
    pub(super) fn wait(&self, deadline: Instant) -> bool {
        let now = Instant::now();
        let turn = self.turn(now, deadline);
        if let Some(turn) = turn {
            thread::sleep(turn.saturating_duration_since(now));
        }
        turn.is_some()
    }

    /// Returns when the request may begin, and takes that turn; none, and nothing taken, if it is after the deadline.
    fn turn(&self, now: Instant, deadline: Instant) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or(now, |next| next.max(now));
        if turn > deadline {
            return None;
        }
        *next = Some(turn + self.interval);
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_keep_their_distance() {
        let pace = Pace::new(2.0);
        let start = Instant::now();
        let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
        assert_eq!(pace.turn(at(0), at(10_000)), Some(at(0)));
        assert_eq!(pace.turn(at(0), at(10_000)), Some(at(500)));
        assert_eq!(pace.turn(at(100), at(900)), None, "the next turn comes too late");
        assert_eq!(pace.turn(at(100), at(1_000)), Some(at(1_000)), "which takes none");
        assert_eq!(pace.turn(at(5_000), at(10_000)), Some(at(5_000)), "turns are not saved up");
    }
}
