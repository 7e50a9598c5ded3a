//! The state folder of the gateway: a checksummed store of bounded size. Without a folder nothing is stored.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use store::Store;

/// Maximum size; a week of feedback takes far less. The least recently used entries are evicted.
const CAP_BYTES: u64 = 32 * 1024 * 1024;

/// The store, if there is one.
pub(super) struct Disk {
    store: Option<Arc<Store>>,
    /// True while a flush is scheduled and has not begun.
    is_flushing: Arc<AtomicBool>,
}

impl Disk {
    /// Opens the folder. If that fails, it logs a warning and stores nothing.
    pub(super) fn open(folder: Option<&Path>) -> Disk {
        let open = |folder: &Path| match Store::open(folder, CAP_BYTES) {
            Ok((store, _)) => Some(Arc::new(store)),
            Err(error) => {
                let path = folder.display();
                tracing::warn!(folder = %path, %error, "cannot open the state folder: tasks and feedback are only in memory");
                None
            }
        };
        Disk { store: folder.and_then(open), is_flushing: Arc::default() }
    }

    pub(super) fn is_open(&self) -> bool {
        self.store.is_some()
    }

    pub(super) fn get(&self, space: &str, key: &[u8]) -> Option<Vec<u8>> {
        self.store.as_ref()?.get(space, key)
    }

    /// Puts an entry, and schedules a flush unless one is pending.
    pub(super) fn put(&self, space: &str, key: &[u8], value: &[u8]) {
        let Some(store) = &self.store else { return };
        if let Err(error) = store.put_batch(space, [(key, value)]) {
            tracing::warn!(%error, "cannot store an entry: it is only in memory");
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.is_flushing.swap(true, Ordering::AcqRel) {
            let (store, is_flushing) = (Arc::clone(store), Arc::clone(&self.is_flushing));
            runtime.spawn_blocking(move || {
                // A later put schedules its own flush.
                is_flushing.store(false, Ordering::Release);
                flush(&store);
            });
        }
    }

    pub(super) fn flush(&self) {
        self.store.as_deref().into_iter().for_each(flush);
    }
}

fn flush(store: &Store) {
    if let Err(error) = store.flush() {
        tracing::warn!(%error, "cannot flush the state folder: recent tasks and feedback may be lost");
    }
}
