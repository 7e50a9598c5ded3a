//! What may be spent on asking twice, so that helping the slow never makes everything slow.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Hundredths of a call that each call earns: asking twice adds five in a hundred, as "The Tail at Scale" (Dean and Barroso,
/// 2013) found to be enough.
const EARNED: i64 = 5;

/// Hundredths of a call that are kept at most: ten calls, so that a worker that stalls is answered for at once.
const MOST: i64 = 1_000;

const CALL: i64 = 100;

/// The calls that may be made a second time, shared by all requests; and how many were.
pub(crate) struct Spare {
    hundredths: AtomicI64,
    n_hedges: AtomicU64,
    n_retries: AtomicU64,
}

impl Default for Spare {
    fn default() -> Self {
        Spare { hundredths: AtomicI64::new(MOST), n_hedges: AtomicU64::new(0), n_retries: AtomicU64::new(0) }
    }
}

impl Spare {
    /// Earns its part of one call.
    pub(crate) fn earn(&self) {
        let earned = |had: i64| Some((had + EARNED).min(MOST));
        _ = self.hundredths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, earned);
    }

    /// Spends `n_calls` on asking others before the first has answered; says whether there was enough for it.
    pub(crate) fn hedge(&self, n_calls: usize) -> bool {
        let cost = CALL * i64::try_from(n_calls).unwrap_or(MOST);
        let left = |had: i64| (had >= cost).then(|| had - cost);
        let is_spent = self.hundredths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok();
        if is_spent {
            self.n_hedges.fetch_add(n_calls as u64, Ordering::Relaxed);
        }
        is_spent
    }

    /// Takes note of calls that were made since others had failed: those are free, for the failed ones cost nothing any more.
    pub(crate) fn retry(&self, n_calls: usize) {
        self.n_retries.fetch_add(n_calls as u64, Ordering::Relaxed);
    }

    pub(crate) fn n_hedges(&self) -> u64 {
        self.n_hedges.load(Ordering::Relaxed)
    }

    pub(crate) fn n_retries(&self) -> u64 {
        self.n_retries.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_twenty_is_made_twice() {
        let spare = Spare::default();
        while spare.hedge(1) {}
        assert_eq!(spare.n_hedges(), 10);
        let mut n_hedges = 0;
        for _ in 0..1_000 {
            spare.earn();
            n_hedges += u32::from(spare.hedge(1));
        }
        assert_eq!(n_hedges, 50);
        assert!(!spare.hedge(usize::MAX));
    }
}
