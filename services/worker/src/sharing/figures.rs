//! What was shared, counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What was shared since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharingFigures {
    pub loaded: u64,
    pub loaded_bytes: u64,
    pub exported: u64,
    pub exported_bytes: u64,
    pub swept: u64,
    /// Generations that were damaged in the store.
    pub damaged: u64,
    /// Loads and exports to which the store gave no answer.
    pub failed: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    loaded: AtomicU64,
    loaded_bytes: AtomicU64,
    exported: AtomicU64,
    exported_bytes: AtomicU64,
    swept: AtomicU64,
    damaged: AtomicU64,
    failed: AtomicU64,
}

impl Counters {
    pub(super) fn figures(&self) -> SharingFigures {
        SharingFigures {
            loaded: self.loaded.load(Relaxed),
            loaded_bytes: self.loaded_bytes.load(Relaxed),
            exported: self.exported.load(Relaxed),
            exported_bytes: self.exported_bytes.load(Relaxed),
            swept: self.swept.load(Relaxed),
            damaged: self.damaged.load(Relaxed),
            failed: self.failed.load(Relaxed),
        }
    }

    pub(super) fn loaded(&self, bytes: u64) {
        self.loaded.fetch_add(1, Relaxed);
        self.loaded_bytes.fetch_add(bytes, Relaxed);
    }

    pub(super) fn exported(&self, bytes: u64) {
        self.exported.fetch_add(1, Relaxed);
        self.exported_bytes.fetch_add(bytes, Relaxed);
    }

    pub(super) fn swept(&self, generations: u64) {
        self.swept.fetch_add(generations, Relaxed);
    }

    pub(super) fn damaged(&self) {
        self.damaged.fetch_add(1, Relaxed);
    }

    pub(super) fn failed(&self) {
        self.failed.fetch_add(1, Relaxed);
    }
}
