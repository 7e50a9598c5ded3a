//! Rate limiting with one token bucket per key.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde::Deserialize;
use tokio::time::Instant;

/// Maximum number of stored buckets. A full bucket equals an absent one, so that only recently used keys need one.
const MAX_BUCKETS: usize = 10_000;

/// The table `[access.limits]`: rate limits that apply to each caller.
///
/// There is no default limit: reasonable rates differ between organisations, admission control bounds all calls
/// together (`http.rs`), and an unannounced rejection would confuse callers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Sustained rate of calls; 0 means unlimited.
    pub calls_per_minute: u32,
    /// Maximum burst of calls after a pause. Default: `calls_per_minute`.
    pub burst: Option<u32>,
}

/// A keyed rate limiter.
pub(super) struct KeyedRateLimiter<K> {
    tokens_per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<K, TokenBucket>>,
}

struct TokenBucket {
    /// Tokens at the time of the last update.
    level: f64,
    updated_at: Instant,
}

impl<K: Hash + Eq + Clone> KeyedRateLimiter<K> {
    /// Creates a limiter of this sustained rate and burst; values below 1 count as 1.
    pub(super) fn new(per_minute: u32, burst: u32) -> KeyedRateLimiter<K> {
        let (tokens_per_second, burst) = (f64::from(per_minute.max(1)) / 60.0, f64::from(burst.max(1)));
        KeyedRateLimiter { tokens_per_second, burst, buckets: Mutex::default() }
    }

    /// Takes a token of the key. Returns the waiting time as an error if there is none.
    pub(super) fn take(&self, key: &K, now: Instant) -> Result<(), Duration> {
        self.take_n(key, now, 1.0)
    }

    /// Checks for a token of the key without taking it. Returns the waiting time as an error if there is none.
    pub(super) fn check(&self, key: &K, now: Instant) -> Result<(), Duration> {
        self.take_n(key, now, 0.0)
    }

    fn take_n(&self, key: &K, now: Instant, n_taken: f64) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let level = buckets.get(key).map_or(self.burst, |bucket| self.level(bucket, now));
        if level < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - level) / self.tokens_per_second));
        }
        if n_taken > 0.0 {
            self.evict(&mut buckets, key, now);
            buckets.insert(key.clone(), TokenBucket { level: level - n_taken, updated_at: now });
        }
        Ok(())
    }

    fn level(&self, bucket: &TokenBucket, now: Instant) -> f64 {
        let filled = now.saturating_duration_since(bucket.updated_at).as_secs_f64() * self.tokens_per_second;
        self.burst.min(bucket.level + filled)
    }

    fn evict(&self, buckets: &mut HashMap<K, TokenBucket>, key: &K, now: Instant) {
        if buckets.len() < MAX_BUCKETS || buckets.contains_key(key) {
            return;
        }
        buckets.retain(|_, bucket| self.level(bucket, now) < self.burst);
        if buckets.len() >= MAX_BUCKETS {
            // So many active keys are not normal load. Clearing the map is cheaper than a scan for every new key.
            buckets.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_refills_at_the_configured_rate() {
        let (limiter, start) = (KeyedRateLimiter::new(60, 2), Instant::now());
        let at = |millis: u64| start + Duration::from_millis(millis);
        for (key, millis, expected) in [
            ("a", 0, Ok(())),
            ("a", 0, Ok(())),
            ("a", 0, Err(1_000)),
            ("b", 0, Ok(())),
            ("a", 400, Err(600)),
            ("a", 1_000, Ok(())),
            ("a", 1_000, Err(1_000)),
            ("a", 60_000, Ok(())),
            ("a", 60_000, Ok(())),
            ("a", 60_000, Err(1_000)),
        ] {
            let taken = limiter.take(&key, at(millis)).map_err(|wait| wait.as_millis());
            assert_eq!(taken, expected, "{key} at {millis} ms");
        }
        assert!(limiter.check(&"b", at(0)).is_ok() && limiter.check(&"a", at(60_000)).is_err());
    }

    #[test]
    fn number_of_buckets_is_bounded() {
        let (limiter, now) = (KeyedRateLimiter::new(60, 2), Instant::now());
        for key in 0..2 * MAX_BUCKETS {
            limiter.take(&key, now).unwrap();
        }
        assert!(limiter.buckets.lock().unwrap().len() <= MAX_BUCKETS);
        // Full buckets are evicted for a new key.
        let later = now + Duration::from_secs(60);
        limiter.take(&usize::MAX, later).unwrap();
        limiter.take(&usize::MAX, later).unwrap();
        assert!(limiter.take(&usize::MAX, later).is_err());
    }
}
