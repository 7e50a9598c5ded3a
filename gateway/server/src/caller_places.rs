//! Places for what callers hold for a while, such as a body that is being read. One caller cannot take the places of all.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The taken places, by the name of their caller.
#[derive(Clone)]
pub(crate) struct CallerPlaces {
    n_places: usize,
    n_of_caller: usize,
    taken: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl CallerPlaces {
    /// Returns this number of free places, of which one caller may take `n_of_caller`.
    pub(crate) fn new(n_places: usize, n_of_caller: usize) -> CallerPlaces {
        CallerPlaces { n_places, n_of_caller, taken: Arc::default() }
    }

    /// Takes a place; `None` if all are taken, or all that one caller may have.
    pub(crate) fn take(&self, caller: &str) -> Option<CallerPlace> {
        let mut taken = self.taken();
        let n_taken: usize = taken.values().sum();
        let n_of_caller = taken.get(caller).copied().unwrap_or_default();
        if n_taken >= self.n_places || n_of_caller >= self.n_of_caller {
            return None;
        }
        taken.insert(caller.to_owned(), n_of_caller + 1);
        drop(taken);
        Some(CallerPlace { places: self.clone(), caller: caller.to_owned() })
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a caller; freed on drop.
pub(crate) struct CallerPlace {
    places: CallerPlaces,
    caller: String,
}

impl Drop for CallerPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if let Some(n_taken) = taken.get_mut(&self.caller) {
            *n_taken -= 1;
            if *n_taken == 0 {
                taken.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_cannot_take_all_places() {
        for (n_places, n_of_caller) in [(1_024, 341), (256, 64)] {
            let places = CallerPlaces::new(n_places, n_of_caller);
            let take_all = |caller: &str| -> Vec<CallerPlace> { std::iter::from_fn(|| places.take(caller)).collect() };
            let slow = take_all("slow");
            assert_eq!(slow.len(), n_of_caller);
            let other = places.take("other").expect("others still have places");
            drop(slow);
            assert_eq!(take_all("slow").len(), n_of_caller, "places are freed");
            drop(other);
            assert!(places.taken().is_empty());
            let all: Vec<Vec<CallerPlace>> = ["a", "b", "c", "d", "e"].map(take_all).into();
            assert_eq!(all.iter().map(Vec::len).sum::<usize>(), n_places);
        }
    }
}
