//! Whose turn it is: so many calls are answered at the same time, the next wait in the order in which they came, and those that
//! would wait for too long are turned away at once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use tokio::{sync::Semaphore, time::Instant};

use crate::Core;

/// How long a call may be expected to wait for its turn. Whoever is turned away may ask another gateway, which is better than an
/// answer that took much longer than people wait for.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// How much the latest call counts for how long calls take: the mean follows a change within some twenty of them.
const LATEST: u64 = 16;

/// The turns of one server.
#[derive(Clone)]
pub(super) struct Turns {
    queue: Arc<Queue>,
    core: Arc<Core>,
}

struct Queue {
    at_once: usize,
    turns: Semaphore,
    /// How many wait.
    n_waiting: AtomicUsize,
    /// How long calls take lately, in microseconds; nothing is known of it in the beginning.
    mean_micros: AtomicU64,
}

impl Turns {
    pub(super) fn new(at_once: usize, core: Arc<Core>) -> Turns {
        Turns { queue: Arc::new(Queue::new(at_once)), core }
    }
}

/// Answers a call once it is its turn; turns it away if that would take too long.
pub(super) async fn take_turn(State(turns): State<Turns>, request: Request, next: Next) -> Response {
    let queue = &turns.queue;
    let Some(place) = queue.join() else {
        turns.core.metrics.record_shed("wait");
        return super::turned_away();
    };
    let turn = queue.turns.acquire().await;
    drop(place);
    let began = Instant::now();
    let response = next.run(request).await;
    queue.note(began.elapsed());
    drop(turn);
    response
}

impl Queue {
    fn new(at_once: usize) -> Queue {
        let turns = Semaphore::new(at_once);
        Queue { at_once, turns, n_waiting: AtomicUsize::new(0), mean_micros: AtomicU64::new(0) }
    }

    /// Takes a place in the queue, if those before it leave one that is worth it.
    fn join(&self) -> Option<Place<'_>> {
        let place = Place(self);
        let n_before = self.n_waiting.fetch_add(1, Ordering::Relaxed);
        let mean = Duration::from_micros(self.mean_micros.load(Ordering::Relaxed));
        (mean.mul_f64(n_before as f64 / self.at_once as f64) <= LONGEST_WAIT).then_some(place)
    }

    /// Takes note of how long a call took.
    fn note(&self, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let updated = |mean: u64| Some(if mean == 0 { took } else { mean - mean / LATEST + took / LATEST });
        _ = self.mean_micros.fetch_update(Ordering::Relaxed, Ordering::Relaxed, updated);
    }
}

/// A place in the queue, given back when it is dropped.
struct Place<'a>(&'a Queue);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_would_wait_too_long_do_not_queue() {
        // Two at a time, and how long calls took; so many may wait.
        for (took, expected) in [(&[][..], 50), (&[1][..], 50), (&[100][..], 21), (&[1_000][..], 3), (&[5_000][..], 1)]
        {
            let queue = Queue::new(2);
            took.iter().for_each(|ms| queue.note(Duration::from_millis(*ms)));
            let places: Vec<Place<'_>> = (0..50).map_while(|_| queue.join()).collect();
            assert_eq!(places.len(), expected, "{took:?}");
            drop(places);
            assert!(queue.join().is_some(), "whoever leaves makes room");
        }
    }

    #[test]
    fn the_mean_follows() {
        let queue = Queue::new(1);
        (0..100).for_each(|_| queue.note(Duration::from_millis(100)));
        (0..100).for_each(|_| queue.note(Duration::from_millis(10)));
        let mean = queue.mean_micros.load(Ordering::Relaxed);
        assert!((9_900..12_000).contains(&mean), "{mean}");
    }
}
