//! Single flight: of those who ask for the same at the same time one does the work, and the others wait until it is done.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Mutex,
};

use tokio::sync::watch;

/// A hash over what is asked for.
type Key = [u8; 32];

/// What is being worked on.
#[derive(Default)]
pub(crate) struct SingleFlight(Mutex<HashMap<Key, watch::Receiver<()>>>);

/// The work of the first who asked. Dropped, done or not, it lets the others go on.
pub(crate) struct Flight<'a> {
    flying: &'a SingleFlight,
    key: Key,
    _done: watch::Sender<()>,
}

impl SingleFlight {
    /// Returns at once who is the first to ask for it; the others once that one is done, with nothing. What came of it they
    /// find where it was put, and do it themselves where nothing did.
    pub(crate) async fn first(&self, key: Key) -> Option<Flight<'_>> {
        let mut done = match self.0.lock().expect("no holder of this lock panics").entry(key) {
            Entry::Vacant(vacant) => {
                let (sender, receiver) = watch::channel(());
                vacant.insert(receiver);
                return Some(Flight { flying: self, key, _done: sender });
            }
            Entry::Occupied(occupied) => occupied.get().clone(),
        };
        // Nothing is ever sent: it ends when the sender is gone.
        while done.changed().await.is_ok() {}
        None
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.flying.0.lock().expect("no holder of this lock panics").remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn one_works_and_the_others_wait() {
        let flying = SingleFlight::default();
        let first = flying.first([1; 32]).await.expect("nobody is at work");
        let mut second = std::pin::pin!(flying.first([1; 32]));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(flying.first([2; 32]).await.is_some(), "another key waits for nobody");
        drop(first);
        assert!(second.await.is_none());
        assert!(flying.first([1; 32]).await.is_some(), "nobody is at work any more");
        assert!(flying.0.lock().unwrap().is_empty());
    }
}
