//! The budget of hedged requests: a token bucket that bounds the extra load of hedging.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Credit per call, in hundredths of a call: hedging adds at most 5% load, which "The Tail at Scale" (Dean and Barroso, 2013)
/// found to be enough.
const CREDIT_PER_CALL: i64 = 5;

/// Maximum credit, in hundredths of a call: ten calls, so that a stalled worker is hedged at once.
const MAX_CREDIT: i64 = 1_000;

/// Cost of a hedged request, in hundredths of a call.
const HEDGE_COST: i64 = 100;

/// The hedge budget, shared by all requests, with counters of hedges and retries.
pub struct HedgeBudget {
    hundredths: AtomicI64,
    n_hedges: AtomicU64,
    n_retries: AtomicU64,
}

impl Default for HedgeBudget {
    fn default() -> Self {
        HedgeBudget {
            hundredths: AtomicI64::new(MAX_CREDIT),
            n_hedges: AtomicU64::new(0),
            n_retries: AtomicU64::new(0),
        }
    }
}

impl HedgeBudget {
    /// Adds the credit of one call.
    pub fn add_credit(&self) {
        let earned = |had: i64| Some((had + CREDIT_PER_CALL).min(MAX_CREDIT));
        _ = self.hundredths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, earned);
    }

    /// Spends the credit of `n_calls` hedged requests. Returns false if the credit does not suffice.
    pub fn hedge(&self, n_calls: usize) -> bool {
        let cost = HEDGE_COST * i64::try_from(n_calls).unwrap_or(MAX_CREDIT);
        let left = |had: i64| (had >= cost).then(|| had - cost);
        let is_spent = self.hundredths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok();
        if is_spent {
            self.n_hedges.fetch_add(n_calls as u64, Ordering::Relaxed);
        }
        is_spent
    }

    /// Counts retries after failures. They are free: the failed calls cost no more time.
    pub fn retry(&self, n_calls: usize) {
        self.n_retries.fetch_add(n_calls as u64, Ordering::Relaxed);
    }

    /// Returns the number of hedged requests since the start.
    pub fn n_hedges(&self) -> u64 {
        self.n_hedges.load(Ordering::Relaxed)
    }

    /// Returns the number of retries since the start.
    pub fn n_retries(&self) -> u64 {
        self.n_retries.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_twenty_is_hedged() {
        let budget = HedgeBudget::default();
        while budget.hedge(1) {}
        assert_eq!(budget.n_hedges(), 10);
        let mut n_hedges = 0;
        for _ in 0..1_000 {
            budget.add_credit();
            n_hedges += u32::from(budget.hedge(1));
        }
        assert_eq!(n_hedges, 50);
        assert!(!budget.hedge(usize::MAX));
    }
}
