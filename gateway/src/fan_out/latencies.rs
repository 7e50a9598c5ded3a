//! How long a worker has taken to answer lately, by the kind of question.

use std::{
    any::type_name,
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Answers that are remembered of each kind: enough for a 95th percentile, few enough to follow a change within seconds.
const N_REMEMBERED: usize = 128;

/// Fewer answers than this say nothing of the slowest of twenty.
const MIN_REMEMBERED: usize = 20;

/// How long somebody is waited for of whom nothing is known.
const UNKNOWN: Duration = Duration::from_millis(200);

/// Nobody is asked twice before this: below it, asking costs more than waiting.
const LEAST: Duration = Duration::from_millis(10);

/// The latest answers of one worker.
#[derive(Default)]
pub(crate) struct Latencies(Mutex<HashMap<&'static str, Ring>>);

#[derive(Default)]
struct Ring {
    latest: Vec<Duration>,
    next: usize,
}

impl Latencies {
    /// Takes note of how long an answer of type `A` took.
    pub(crate) fn observe<A>(&self, took: Duration) {
        let mut rings = self.rings();
        let ring = rings.entry(type_name::<A>()).or_default();
        if ring.latest.len() < N_REMEMBERED {
            ring.latest.push(took);
        } else {
            ring.latest[ring.next] = took;
        }
        ring.next = (ring.next + 1) % N_REMEMBERED;
    }

    /// Returns after how long an answer of type `A` is late: later than nineteen of twenty.
    pub(crate) fn late<A>(&self) -> Duration {
        let rings = self.rings();
        let Some(ring) = rings.get(type_name::<A>()).filter(|ring| ring.latest.len() >= MIN_REMEMBERED) else {
            return UNKNOWN;
        };
        let mut latest = ring.latest.clone();
        let at = latest.len() * 95 / 100;
        let (_, late, _) = latest.select_nth_unstable(at);
        (*late).max(LEAST)
    }

    fn rings(&self) -> MutexGuard<'_, HashMap<&'static str, Ring>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_is_later_than_most() {
        let latencies = Latencies::default();
        assert_eq!(latencies.late::<u8>(), UNKNOWN);
        (0..100).for_each(|ms| latencies.observe::<u8>(Duration::from_millis(ms)));
        assert_eq!(latencies.late::<u8>(), Duration::from_millis(95));
        assert_eq!(latencies.late::<u16>(), UNKNOWN, "another kind of question");
        (0..N_REMEMBERED).for_each(|_| latencies.observe::<u8>(Duration::from_millis(1)));
        assert_eq!(latencies.late::<u8>(), LEAST, "what was long ago is forgotten");
    }
}
