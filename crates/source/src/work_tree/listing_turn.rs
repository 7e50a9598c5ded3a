//! The right to list a work tree: one listing is made at a time.

use std::{
    fmt,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// The turns of the threads that list one work tree.
#[derive(Debug, Default)]
pub(super) struct ListingTurns {
    state: Mutex<TurnState>,
    released: Condvar,
}

#[derive(Default)]
struct TurnState {
    is_taken: bool,
    on_release: Option<Box<dyn FnOnce() + Send>>,
}

/// The right to list a work tree, until it is dropped.
#[derive(Debug)]
pub struct ListingTurn<'c> {
    turns: &'c ListingTurns,
}

impl ListingTurns {
    /// Waits until no other thread lists the work tree.
    pub(super) fn take(&self) -> ListingTurn<'_> {
        let state = self.released.wait_while(self.state(), |state| state.is_taken);
        state.unwrap_or_else(PoisonError::into_inner).is_taken = true;
        ListingTurn { turns: self }
    }

    /// Takes the turn if no thread lists the work tree. Otherwise `on_release` is called when that thread has ended: on that thread, and in the
    /// place of an earlier function that still waits.
    pub(super) fn try_take(&self, on_release: impl FnOnce() + Send + 'static) -> Option<ListingTurn<'_>> {
        let mut state = self.state();
        if state.is_taken {
            state.on_release = Some(Box::new(on_release));
            return None;
        }
        state.is_taken = true;
        Some(ListingTurn { turns: self })
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ListingTurn<'_> {
    fn drop(&mut self) {
        let on_release = {
            let mut state = self.turns.state();
            state.is_taken = false;
            state.on_release.take()
        };
        self.turns.released.notify_one();
        if let Some(on_release) = on_release {
            on_release();
        }
    }
}

impl fmt::Debug for TurnState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TurnState").field("is_taken", &self.is_taken).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    #[test]
    fn a_turn_that_is_taken_is_announced_once_when_it_is_released() {
        let turns = ListingTurns::default();
        let n_calls = Arc::new(AtomicUsize::new(0));
        let count = |step: usize| {
            let n_calls = n_calls.clone();
            move || _ = n_calls.fetch_add(step, Ordering::SeqCst)
        };
        let held = turns.take();
        assert!(turns.try_take(count(100)).is_none());
        assert!(turns.try_take(count(1)).is_none(), "the later function takes the place of the first one");
        assert_eq!(n_calls.load(Ordering::SeqCst), 0);
        drop(held);
        assert_eq!(n_calls.load(Ordering::SeqCst), 1);
        // A turn that is free is taken, and nothing is called for it.
        drop(turns.try_take(count(10)).expect("it is free"));
        drop(turns.take());
        assert_eq!(n_calls.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn threads_list_one_after_the_other_and_a_panic_releases_the_turn() {
        let turns = ListingTurns::default();
        let n_at_work = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _turn = turns.take();
                        assert_eq!(n_at_work.fetch_add(1, Ordering::SeqCst), 0);
                        n_at_work.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = turns.take();
            panic!("the listing fails");
        }));
        assert!(panicked.is_err());
        assert!(turns.try_take(|| {}).is_some());
    }
}
