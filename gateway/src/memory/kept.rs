//! Entries of one kind by who they belong to: bounded, expiring, read from disk once and written through.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Owner, disk::Disk};

/// Entries that are held in memory at most; the one not used for longest goes first, and comes back from disk.
pub(super) const MAX_REMEMBERED: usize = 2_000;

/// How long an entry is remembered after its last use: longer than people work on one thing.
pub(super) const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Entries of one kind.
pub(super) struct Kept<V> {
    space: &'static str,
    /// Each with the number of its last use.
    entries: HashMap<Owner, (u64, Entry<V>)>,
    /// Whose they are, by the number of their last use: seconds would not tell them apart.
    by_use: BTreeMap<u64, Owner>,
    n_uses: u64,
    disk: Arc<Disk>,
}

/// A value, and when it was used last, in seconds since the epoch.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Entry<V> {
    used: u64,
    value: V,
}

impl<V: Clone + Default + Serialize + DeserializeOwned> Kept<V> {
    pub(super) fn new(space: &'static str, disk: &Arc<Disk>) -> Kept<V> {
        Kept { space, entries: HashMap::new(), by_use: BTreeMap::new(), n_uses: 0, disk: Arc::clone(disk) }
    }

    /// Returns what is known at `now`; nothing of what has expired.
    pub(super) fn get(&self, key: &Owner, now: u64) -> V {
        let held = self.entries.get(key).map(|(_, entry)| entry.clone());
        let entry = held.or_else(|| self.read(key));
        entry.filter(|entry| is_fresh(entry.used, now)).map(|entry| entry.value).unwrap_or_default()
    }

    /// Changes an entry, which counts as a use of it.
    pub(super) fn change<T>(&mut self, key: Owner, now: u64, change: impl FnOnce(&mut V) -> T) -> T {
        let mut entry = Entry { used: now, value: self.get(&key, now) };
        let outcome = change(&mut entry.value);
        if let Ok(bytes) = serde_json::to_vec(&entry) {
            self.disk.put(self.space, &disk_key(&key), &bytes);
        }
        self.n_uses += 1;
        if let Some((before, _)) = self.entries.insert(key.clone(), (self.n_uses, entry)) {
            self.by_use.remove(&before);
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

    fn read(&self, key: &Owner) -> Option<Entry<V>> {
        serde_json::from_slice(&self.disk.get(self.space, &disk_key(key))?).ok()
    }
}

fn is_fresh(used: u64, now: u64) -> bool {
    now.saturating_sub(used) < LIFETIME.as_secs()
}

/// Returns a key of one length: what callers write may be long, and neither part may run into the other.
fn disk_key((principal, name): &Owner) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(principal.len() as u64).to_le_bytes());
    hasher.update(principal.as_bytes());
    hasher.update(name.as_bytes());
    hasher.finalize().into()
}
