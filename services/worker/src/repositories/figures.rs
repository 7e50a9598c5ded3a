//! The figures of a catalog that its operators see.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proto::v1;

use super::{catalog::Catalog, catalog_entry::CatalogEntry};
use crate::operators::RepositoryFigures;

impl Catalog {
    /// Counts the repositories.
    pub(crate) fn figures(&self, now: SystemTime) -> RepositoryFigures {
        let entries = self.entries();
        let in_state = |state: v1::RepositoryState| {
            let state_of = |entry: &CatalogEntry| entry.lifecycle.wire_state(entry.served.is_some());
            entries.values().filter(|entry| state_of(entry) == state).count()
        };
        let count = |is_counted: fn(&CatalogEntry) -> bool| entries.values().filter(|entry| is_counted(entry)).count();
        let manifests = || entries.values().filter_map(|entry| Some(entry.served.as_ref()?.manifest()));
        let checksums = manifests().flat_map(|manifest| manifest.checksums.values());
        let age = |indexed_at: i64| {
            let indexed_at = UNIX_EPOCH + Duration::from_secs(indexed_at.max(0).unsigned_abs());
            now.duration_since(indexed_at).unwrap_or_default()
        };
        RepositoryFigures {
            pending: in_state(v1::RepositoryState::Pending),
            ready: in_state(v1::RepositoryState::Ready),
            indexing: in_state(v1::RepositoryState::Indexing),
            failed: in_state(v1::RepositoryState::Failed),
            queued: count(|entry| entry.lifecycle.queued_in().is_some()),
            running: count(|entry| entry.lifecycle.is_indexing()),
            without_vectors: manifests().filter(|manifest| manifest.model.is_none()).count(),
            index_bytes: checksums.map(|file| file.bytes).sum(),
            ages: sorted(manifests().map(|manifest| age(manifest.indexed_at))),
            lags: sorted(entries.values().map(|entry| entry.lifecycle.lag(now))),
        }
    }
}

fn sorted(durations: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut sorted: Vec<Duration> = durations.collect();
    sorted.sort_unstable();
    sorted
}
