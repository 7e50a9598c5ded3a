//! Single flight: of equal concurrent requests the first one, the leader, does the work; the others share its outcome.

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
    flights: &'a SingleFlight<T>,
    key: FlightKey,
    outcome: watch::Sender<SharedOutcome<T>>,
}

/// The role of a request in a flight.
pub(crate) enum FlightRole<'a, T> {
    Leader(Flight<'a, T>),
    /// The outcome of the leader; `None` if it may not be shared.
    Follower(Option<Arc<T>>),
}

impl<T> Default for SingleFlight<T> {
    fn default() -> SingleFlight<T> {
        SingleFlight(Mutex::default())
    }
}

impl<T> SingleFlight<T> {
    /// Joins the flight of a key. The first request leads it at once; the others wait for its outcome.
    pub(crate) async fn join(&self, key: FlightKey) -> FlightRole<'_, T> {
        loop {
            let mut outcome = match self.0.lock().expect("no holder of this lock panics").entry(key) {
                Entry::Vacant(vacant) => {
                    let (sender, receiver) = watch::channel(None);
                    vacant.insert(receiver);
                    return FlightRole::Leader(Flight { flights: self, key, outcome: sender });
                }
                Entry::Occupied(occupied) => occupied.get().clone(),
            };
            if let Ok(shared) = outcome.wait_for(Option::is_some).await {
                return FlightRole::Follower(shared.clone().flatten());
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
        self.flights.0.lock().expect("no holder of this lock panics").remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn leader<'a, T>(join: FlightRole<'a, T>) -> Flight<'a, T> {
        let FlightRole::Leader(flight) = join else { panic!("another request leads the flight") };
        flight
    }

    #[tokio::test]
    async fn waiting_requests_share_the_outcome_of_the_first() {
        let flights = SingleFlight::<u32>::default();
        for (outcome, expected) in [(Some(7), Some(7)), (None, None)] {
            let flight = leader(flights.join([1; 32]).await);
            let mut second = std::pin::pin!(flights.join([1; 32]));
            assert!(second.as_mut().now_or_never().is_none());
            drop(leader(flights.join([2; 32]).await));
            flight.publish(outcome);
            let FlightRole::Follower(shared) = second.await else { panic!("the outcome is shared") };
            assert_eq!(shared.as_deref().copied(), expected);
            assert!(flights.0.lock().unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn a_dropped_flight_hands_over_to_the_next_request() {
        let flights = SingleFlight::<u32>::default();
        let flight = leader(flights.join([1; 32]).await);
        let mut second = std::pin::pin!(flights.join([1; 32]));
        assert!(second.as_mut().now_or_never().is_none());
        drop(flight);
        leader(second.await).publish(None);
    }
}
