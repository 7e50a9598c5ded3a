//! A bounded map with expiring entries, read from disk on a miss and written through.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Owner, disk::Disk};

/// Maximum number of entries in memory. The least recently used one is evicted, and is read from disk again.
pub(super) const MAX_REMEMBERED: usize = 2_000;

/// Lifetime of an entry after its last use: longer than people work on one task.
pub(super) const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Entries of one kind by owner, with least-recently-used eviction.
pub(super) struct ExpiringMap<V> {
    space: &'static str,
    /// Each with the sequence number of its last use.
    entries: HashMap<Owner, (u64, ExpiringEntry<V>)>,
    /// The owners by the sequence number of the last use; seconds would not be unique.
    by_use: BTreeMap<u64, Owner>,
    n_uses: u64,
    disk: Arc<Disk>,
}

/// A value and the time of its last use, in seconds since the epoch.
#[derive(Clone, Default, Serialize, Deserialize)]
struct ExpiringEntry<V> {
    used: u64,
    value: V,
}

impl<V: Clone + Default + Serialize + DeserializeOwned> ExpiringMap<V> {
    pub(super) fn new(space: &'static str, disk: &Arc<Disk>) -> ExpiringMap<V> {
        ExpiringMap { space, entries: HashMap::new(), by_use: BTreeMap::new(), n_uses: 0, disk: Arc::clone(disk) }
    }

    /// Returns the value at `now`, or the default if there is none or it has expired.
    pub(super) fn get(&self, key: &Owner, now: u64) -> V {
        let in_memory = self.entries.get(key).map(|(_, entry)| entry.clone());
        let entry = in_memory.or_else(|| self.read(key));
        entry.filter(|entry| is_fresh(entry.used, now)).map(|entry| entry.value).unwrap_or_default()
    }

    /// Changes an entry, which counts as a use.
    pub(super) fn change<T>(&mut self, key: Owner, now: u64, change: impl FnOnce(&mut V) -> T) -> T {
        let mut entry = ExpiringEntry { used: now, value: self.get(&key, now) };
        let outcome = change(&mut entry.value);
        if let Ok(bytes) = serde_json::to_vec(&entry) {
            self.disk.put(self.space, &disk_key(&key), &bytes);
        }
        self.n_uses += 1;
        if let Some((previous_use, _)) = self.entries.insert(key.clone(), (self.n_uses, entry)) {
            self.by_use.remove(&previous_use);
        }
        self.by_use.insert(self.n_uses, key);
        while self.entries.len() > MAX_REMEMBERED
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.entries.remove(&oldest);
        }
        outcome
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn read(&self, key: &Owner) -> Option<ExpiringEntry<V>> {
        serde_json::from_slice(&self.disk.get(self.space, &disk_key(key))?).ok()
    }
}

fn is_fresh(used: u64, now: u64) -> bool {
    now.saturating_sub(used) < LIFETIME.as_secs()
}

/// Returns a key of fixed length. Callers may write long names, and the two parts must not run into each other.
fn disk_key((principal, name): &Owner) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(principal.len() as u64).to_le_bytes());
    hasher.update(principal.as_bytes());
    hasher.update(name.as_bytes());
    hasher.finalize().into()
}
