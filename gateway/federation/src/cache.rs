//! A bounded cache that approximates least-recently-used eviction with two generations.

use std::{collections::HashMap, hash::Hash, sync::Mutex};

/// A thread-safe cache. An entry that is not used during a whole generation is evicted.
pub struct RecentCache<K, V> {
    /// Maximum number of entries of each generation.
    capacity: usize,
    generations: Mutex<CacheGenerations<K, V>>,
}

/// Entries used in the current generation, and those last used in the previous one.
struct CacheGenerations<K, V> {
    current: HashMap<K, V>,
    previous: HashMap<K, V>,
}

impl<K: Copy + Eq + Hash, V: Clone> RecentCache<K, V> {
    /// Creates a cache that holds at most `2 * capacity` entries. The `capacity` most recently used ones are never evicted.
    pub fn new(capacity: usize) -> RecentCache<K, V> {
        RecentCache {
            capacity,
            generations: Mutex::new(CacheGenerations { current: HashMap::new(), previous: HashMap::new() }),
        }
    }

    /// Returns the value of `key` and marks it as used.
    pub fn get(&self, key: K) -> Option<V> {
        let mut generations = self.generations.lock().expect("no holder of this lock panics");
        if let Some(value) = generations.current.get(&key) {
            return Some(value.clone());
        }
        let value = generations.previous.remove(&key)?;
        generations.insert(key, value.clone(), self.capacity);
        Some(value)
    }

    /// Inserts a value; may evict the entries of the previous generation.
    pub fn insert(&self, key: K, value: V) {
        self.generations.lock().expect("no holder of this lock panics").insert(key, value, self.capacity);
    }
}

impl<K: Eq + Hash, V> CacheGenerations<K, V> {
    fn insert(&mut self, key: K, value: V, capacity: usize) {
        if self.current.len() >= capacity {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_entries_survive_eviction() {
        const CAPACITY: usize = 100;
        let recent = RecentCache::new(CAPACITY);
        recent.insert(0, "kept");
        for n in 1..5 * CAPACITY {
            recent.insert(n, "other");
            assert_eq!(recent.get(0), Some("kept"));
        }
        let generations = recent.generations.lock().unwrap();
        assert!(generations.current.len() <= CAPACITY && generations.previous.len() <= CAPACITY);
        drop(generations);
        assert_eq!(recent.get(1), None);
    }
}
