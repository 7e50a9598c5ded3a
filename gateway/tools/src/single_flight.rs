//! Single flight: of equal concurrent requests the first one does the work, and the others share its outcome.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex},
};

use tokio::sync::watch;

/// A hash of the request.
type FlightKey = [u8; 32];

/// The outcome for waiting requests: `None` while pending, `Some(None)` if each must do its own work.
type SharedOutcome<T> = Option<Option<Arc<T>>>;

/// The requests in progress.
pub(crate) struct SingleFlight<T>(Mutex<HashMap<FlightKey, watch::Receiver<SharedOutcome<T>>>>);

/// The flight of the first request. Dropped without an outcome, it hands the work to the next request.
pub(crate) struct Flight<'a, T> {
    flying: &'a SingleFlight<T>,
    key: FlightKey,
    outcome: watch::Sender<SharedOutcome<T>>,
}

/// The role of a request.
pub(crate) enum Turn<'a, T> {
    Mine(Flight<'a, T>),
    /// Another request did the work, and this is its outcome.
    Another(Option<Arc<T>>),
}

impl<T> Default for SingleFlight<T> {
    fn default() -> SingleFlight<T> {
        SingleFlight(Mutex::default())
    }
}

impl<T> SingleFlight<T> {
    /// Returns at once for the first request with this key; for the others it waits for the outcome.
    pub(crate) async fn turn(&self, key: FlightKey) -> Turn<'_, T> {
        loop {
            let mut outcome = match self.0.lock().expect("no holder of this lock panics").entry(key) {
                Entry::Vacant(vacant) => {
                    let (sender, receiver) = watch::channel(None);
                    vacant.insert(receiver);
                    return Turn::Mine(Flight { flying: self, key, outcome: sender });
                }
                Entry::Occupied(occupied) => occupied.get().clone(),
            };
            if let Ok(shared) = outcome.wait_for(Option::is_some).await {
                return Turn::Another(shared.clone().flatten());
            }
        }
    }
}

impl<T> Flight<'_, T> {
    /// Publishes the outcome to the waiting requests; `None` if it may not be shared.
    pub(crate) fn publish(self, outcome: Option<T>) {
        self.outcome.send_replace(Some(outcome.map(Arc::new)));
    }
}

impl<T> Drop for Flight<'_, T> {
    fn drop(&mut self) {
        // This runs before the sender is dropped, so a waiter that sees it closed finds no entry.
        self.flying.0.lock().expect("no holder of this lock panics").remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn mine<'a, T>(turn: Turn<'a, T>) -> Flight<'a, T> {
        let Turn::Mine(flight) = turn else { panic!("somebody else is at work") };
        flight
    }

    #[tokio::test]
    async fn waiting_requests_share_the_outcome_of_the_first() {
        let flying = SingleFlight::<u32>::default();
        for (outcome, expected) in [(Some(7), Some(7)), (None, None)] {
            let flight = mine(flying.turn([1; 32]).await);
            let mut second = std::pin::pin!(flying.turn([1; 32]));
            assert!(second.as_mut().now_or_never().is_none());
            drop(mine(flying.turn([2; 32]).await));
            flight.publish(outcome);
            let Turn::Another(shared) = second.await else { panic!("it was done") };
            assert_eq!(shared.as_deref().copied(), expected);
            assert!(flying.0.lock().unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn a_dropped_flight_hands_over_to_the_next_request() {
        let flying = SingleFlight::<u32>::default();
        let flight = mine(flying.turn([1; 32]).await);
        let mut second = std::pin::pin!(flying.turn([1; 32]));
        assert!(second.as_mut().now_or_never().is_none());
        drop(flight);
        mine(second.await).publish(None);
    }
}
