//! How often somebody may do something: a bucket each, which fills at a steady rate and is emptied by what is done.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use serde::Deserialize;
use tokio::time::Instant;

/// Buckets that are kept at most. One that is full again is as good as none, so that only those count that were used
/// within the time it takes to fill one.
const MAX_BUCKETS: usize = 10_000;

/// The table `[access.limits]`: of each caller, whoever they are.
///
/// Nothing is limited unless it is configured: what is much for one organisation is little for another, all calls together
/// are bounded anyway (`http.rs`), and a caller that is turned away without a word from anybody would be a riddle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Calls that a caller may go on making for ever; 0 for any number.
    pub calls_per_minute: u32,
    /// Calls that may come at once, after a pause. Left out: as many as in a minute.
    pub burst: Option<u32>,
}

/// Buckets by whose they are.
pub(super) struct Limiter<K> {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<K, Bucket>>,
}

struct Bucket {
    level: f64,
    at: Instant,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// Returns what lets through so many per minute, and so many at once.
    pub(super) fn new(per_minute: u32, burst: u32) -> Limiter<K> {
        let (per_second, burst) = (f64::from(per_minute.max(1)) / 60.0, f64::from(burst.max(1)));
        Limiter { per_second, burst, buckets: Mutex::default() }
    }

    /// Takes one out of a bucket, or says how long it takes until there is one.
    pub(super) fn take(&self, whose: &K, now: Instant) -> Result<(), Duration> {
        self.draw(whose, now, 1.0)
    }

    /// Says whether there is one in a bucket, and otherwise how long that takes.
    pub(super) fn check(&self, whose: &K, now: Instant) -> Result<(), Duration> {
        self.draw(whose, now, 0.0)
    }

    fn draw(&self, whose: &K, now: Instant, n_drawn: f64) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let level = buckets.get(whose).map_or(self.burst, |bucket| self.level(bucket, now));
        if level < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - level) / self.per_second));
        }
        if n_drawn > 0.0 {
            self.make_room(&mut buckets, whose, now);
            buckets.insert(whose.clone(), Bucket { level: level - n_drawn, at: now });
        }
        Ok(())
    }

    fn level(&self, bucket: &Bucket, now: Instant) -> f64 {
        let filled = now.saturating_duration_since(bucket.at).as_secs_f64() * self.per_second;
        self.burst.min(bucket.level + filled)
    }

    fn make_room(&self, buckets: &mut HashMap<K, Bucket>, whose: &K, now: Instant) {
        if buckets.len() < MAX_BUCKETS || buckets.contains_key(whose) {
            return;
        }
        buckets.retain(|_, bucket| self.level(bucket, now) < self.burst);
        if buckets.len() >= MAX_BUCKETS {
            // So many at once are nobody's daily work. To forget them all costs less than to look through them again and again.
            buckets.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_fills_again() {
        let (limiter, start) = (Limiter::new(60, 2), Instant::now());
        let at = |millis: u64| start + Duration::from_millis(millis);
        for (whose, millis, expected) in [
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
            let taken = limiter.take(&whose, at(millis)).map_err(|wait| wait.as_millis());
            assert_eq!(taken, expected, "{whose} at {millis} ms");
        }
        assert!(limiter.check(&"b", at(0)).is_ok() && limiter.check(&"a", at(60_000)).is_err());
    }

    #[test]
    fn the_table_is_bounded() {
        let (limiter, now) = (Limiter::new(60, 2), Instant::now());
        for whose in 0..2 * MAX_BUCKETS {
            limiter.take(&whose, now).unwrap();
        }
        assert!(limiter.buckets.lock().unwrap().len() <= MAX_BUCKETS);
        // Those that are full again make room for one who is new.
        let later = now + Duration::from_secs(60);
        limiter.take(&usize::MAX, later).unwrap();
        limiter.take(&usize::MAX, later).unwrap();
        assert!(limiter.take(&usize::MAX, later).is_err());
    }
}
