//! Recent latencies of a worker, by reply type.

use std::{
    any::type_name,
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Number of samples per reply type: enough for a 95th percentile, few enough to follow a change within seconds.
const N_REMEMBERED: usize = 128;

/// Minimum number of samples for a 95th percentile.
const MIN_REMEMBERED: usize = 20;

/// Hedge delay without enough samples.
const DEFAULT_DELAY: Duration = Duration::from_millis(200);

/// Minimum hedge delay: below it, a hedged request costs more than waiting.
const MIN_DELAY: Duration = Duration::from_millis(10);

/// The latest latencies of one worker.
#[derive(Default)]
pub struct Latencies(Mutex<HashMap<&'static str, Ring>>);

#[derive(Default)]
struct Ring {
    latest: Vec<Duration>,
    next: usize,
}

impl Latencies {
    /// Records the latency of a reply of type `A`.
    pub fn observe<A>(&self, took: Duration) {
        let mut rings = self.rings();
        let ring = rings.entry(type_name::<A>()).or_default();
        if ring.latest.len() < N_REMEMBERED {
            ring.latest.push(took);
        } else {
            ring.latest[ring.next] = took;
        }
        ring.next = (ring.next + 1) % N_REMEMBERED;
    }

    /// Returns the delay before a hedged request: the 95th percentile of the latencies of replies of type `A`.
    pub fn hedge_delay<A>(&self) -> Duration {
        let rings = self.rings();
        let Some(ring) = rings.get(type_name::<A>()).filter(|ring| ring.latest.len() >= MIN_REMEMBERED) else {
            return DEFAULT_DELAY;
        };
        let mut latest = ring.latest.clone();
        let at = latest.len() * 95 / 100;
        let (_, late, _) = latest.select_nth_unstable(at);
        (*late).max(MIN_DELAY)
    }

    fn rings(&self) -> MutexGuard<'_, HashMap<&'static str, Ring>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hedge_delay_is_the_95th_percentile() {
        let latencies = Latencies::default();
        assert_eq!(latencies.hedge_delay::<u8>(), DEFAULT_DELAY);
        (0..100).for_each(|ms| latencies.observe::<u8>(Duration::from_millis(ms)));
        assert_eq!(latencies.hedge_delay::<u8>(), Duration::from_millis(95));
        assert_eq!(latencies.hedge_delay::<u16>(), DEFAULT_DELAY, "another kind of question");
        (0..N_REMEMBERED).for_each(|_| latencies.observe::<u8>(Duration::from_millis(1)));
        assert_eq!(latencies.hedge_delay::<u8>(), MIN_DELAY, "what was long ago is forgotten");
    }
}
