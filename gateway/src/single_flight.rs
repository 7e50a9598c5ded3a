//! Single flight: of those who ask for the same at the same time one does the work, and tells the others what came of it.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex},
};

use tokio::sync::watch;

/// A hash over what is asked for.
type Key = [u8; 32];

/// What those who wait are told, once that is known: nothing where each has to see for themselves.
type Told<T> = Option<Option<Arc<T>>>;

/// What is being worked on.
pub(crate) struct SingleFlight<T>(Mutex<HashMap<Key, watch::Receiver<Told<T>>>>);

/// The work of who asked first. Dropped without a word, it leaves it to the next.
pub(crate) struct Flight<'a, T> {
    flying: &'a SingleFlight<T>,
    key: Key,
    told: watch::Sender<Told<T>>,
}

/// Whose turn it is to work.
pub(crate) enum Turn<'a, T> {
    Mine(Flight<'a, T>),
    /// Somebody else's, who told this.
    Another(Option<Arc<T>>),
}

impl<T> Default for SingleFlight<T> {
    fn default() -> SingleFlight<T> {
        SingleFlight(Mutex::default())
    }
}

impl<T> SingleFlight<T> {
    /// Returns at once for who is the first to ask for it, and for the others when they are told.
    pub(crate) async fn turn(&self, key: Key) -> Turn<'_, T> {
        loop {
            let mut told = match self.0.lock().expect("no holder of this lock panics").entry(key) {
                Entry::Vacant(vacant) => {
                    let (sender, receiver) = watch::channel(None);
                    vacant.insert(receiver);
                    return Turn::Mine(Flight { flying: self, key, told: sender });
                }
                Entry::Occupied(occupied) => occupied.get().clone(),
            };
            if let Ok(told) = told.wait_for(Option::is_some).await {
                return Turn::Another(told.clone().flatten());
            }
        }
    }
}

impl<T> Flight<'_, T> {
    /// Tells those who wait what came of it; nothing, if that is for nobody else.
    pub(crate) fn tell(self, outcome: Option<T>) {
        self.told.send_replace(Some(outcome.map(Arc::new)));
    }
}

impl<T> Drop for Flight<'_, T> {
    fn drop(&mut self) {
        // Before the sender goes, so that who sees it gone finds no trace of it.
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
    async fn one_works_and_the_others_are_told() {
        let flying = SingleFlight::<u32>::default();
        for (outcome, expected) in [(Some(7), Some(7)), (None, None)] {
            let flight = mine(flying.turn([1; 32]).await);
            let mut second = std::pin::pin!(flying.turn([1; 32]));
            assert!(second.as_mut().now_or_never().is_none());
            drop(mine(flying.turn([2; 32]).await));
            flight.tell(outcome);
            let Turn::Another(told) = second.await else { panic!("it was done") };
            assert_eq!(told.as_deref().copied(), expected);
            assert!(flying.0.lock().unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn who_goes_away_leaves_it_to_the_next() {
        let flying = SingleFlight::<u32>::default();
        let flight = mine(flying.turn([1; 32]).await);
        let mut second = std::pin::pin!(flying.turn([1; 32]));
        assert!(second.as_mut().now_or_never().is_none());
        drop(flight);
        mine(second.await).tell(None);
    }
}
