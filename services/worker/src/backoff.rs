//! The back-off of all retries: a pause that grows with the consecutive failures.

use std::time::Duration;

/// A linear back-off with an upper bound. It reads no clock and has no jitter, so that a test can state every pause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearBackoff {
    /// The pause after the first failure, and the increment of each further failure.
    pub(crate) step: Duration,
    /// The longest pause.
    pub(crate) max: Duration,
}

impl LinearBackoff {
    /// Returns the pause after `n_failures` consecutive failures.
    pub(crate) fn pause(self, n_failures: u32) -> Duration {
        self.step.saturating_mul(n_failures).min(self.max)
    }
}

/// An exponential back-off with an upper bound, for failures that are likely to repeat.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExponentialBackoff {
    /// The pause after the first failure. Each further failure doubles it.
    pub(crate) first: Duration,
    /// The longest pause.
    pub(crate) max: Duration,
}

impl ExponentialBackoff {
    /// Returns the pause after `n_failures` consecutive failures.
    pub(crate) fn pause(self, n_failures: u32) -> Duration {
        let Some(n_doublings) = n_failures.checked_sub(1) else { return Duration::ZERO };
        self.first.saturating_mul(2_u32.saturating_pow(n_doublings)).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_the_bound() {
        let backoff = ExponentialBackoff { first: Duration::from_secs(10), max: Duration::from_secs(75) };
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(|n| backoff.pause(n).as_secs()), [0, 10, 20, 40, 75, 75]);
    }

    #[test]
    fn a_pause_grows_by_one_step_up_to_the_bound() {
        let backoff = LinearBackoff { step: Duration::from_secs(10), max: Duration::from_secs(25) };
        assert_eq!([0, 1, 2, 3, u32::MAX].map(|n| backoff.pause(n).as_secs()), [0, 10, 20, 25, 25]);
    }
}
