//! What was used lately, in bounded room.

use std::{collections::HashMap, hash::Hash, sync::Mutex};

/// Values by key. What was not used for long is forgotten.
pub(crate) struct Recent<K, V> {
    /// How many are kept in each half.
    capacity: usize,
    halves: Mutex<Halves<K, V>>,
}

/// What was used since the younger half began, and what was used in the half before it.
struct Halves<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Copy + Eq + Hash, V: Clone> Recent<K, V> {
    /// Makes room for at most twice `capacity`, of which half is sure to be kept.
    pub(crate) fn new(capacity: usize) -> Recent<K, V> {
        Recent { capacity, halves: Mutex::new(Halves { young: HashMap::new(), old: HashMap::new() }) }
    }

    pub(crate) fn get(&self, key: K) -> Option<V> {
        let mut halves = self.halves.lock().expect("no holder of this lock panics");
        if let Some(value) = halves.young.get(&key) {
            return Some(value.clone());
        }
        let value = halves.old.remove(&key)?;
        halves.insert(key, value.clone(), self.capacity);
        Some(value)
    }

    pub(crate) fn insert(&self, key: K, value: V) {
        self.halves.lock().expect("no holder of this lock panics").insert(key, value, self.capacity);
    }
}

impl<K: Eq + Hash, V> Halves<K, V> {
    fn insert(&mut self, key: K, value: V, capacity: usize) {
        if self.young.len() >= capacity {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_and_keeps_what_is_used() {
        const CAPACITY: usize = 100;
        let recent = Recent::new(CAPACITY);
        recent.insert(0, "kept");
        for n in 1..5 * CAPACITY {
            recent.insert(n, "other");
            assert_eq!(recent.get(0), Some("kept"));
        }
        let halves = recent.halves.lock().unwrap();
        assert!(halves.young.len() <= CAPACITY && halves.old.len() <= CAPACITY);
        drop(halves);
        assert_eq!(recent.get(1), None);
    }
}
