//! Rate limiter of an embedding service.

use std::{
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Spaces requests of all threads evenly. An own implementation, since callers block with a deadline and reserve their
/// turn.
pub(super) struct RateLimiter {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

impl RateLimiter {
    pub(super) fn new(requests_per_second: f64) -> RateLimiter {
        RateLimiter { interval: Duration::from_secs_f64(1.0 / requests_per_second), next: Mutex::new(None) }
    }

    /// Waits for the next turn. Returns false immediately if that is after the deadline.
    pub(super) fn wait(&self, deadline: Instant) -> bool {
        let now = Instant::now();
        let turn = self.reserve_turn(now, deadline);
        if let Some(turn) = turn {
            thread::sleep(turn.saturating_duration_since(now));
        }
        turn.is_some()
    }

    /// Reserves the next turn; `None`, without a reservation, if it is after the deadline.
    fn reserve_turn(&self, now: Instant, deadline: Instant) -> Option<Instant> {
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
    fn turns_are_evenly_spaced() {
        let limiter = RateLimiter::new(2.0);
        let start = Instant::now();
        let at = |milliseconds: u64| start + Duration::from_millis(milliseconds);
        assert_eq!(limiter.reserve_turn(at(0), at(10_000)), Some(at(0)));
        assert_eq!(limiter.reserve_turn(at(0), at(10_000)), Some(at(500)));
        assert_eq!(limiter.reserve_turn(at(100), at(900)), None, "the next turn comes too late");
        assert_eq!(limiter.reserve_turn(at(100), at(1_000)), Some(at(1_000)), "a refused caller reserves nothing");
        assert_eq!(limiter.reserve_turn(at(5_000), at(10_000)), Some(at(5_000)), "unused turns do not accumulate");
    }
}
