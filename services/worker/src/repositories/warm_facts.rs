//! The facts of a work tree that is being edited, in memory: decoding those of all files from the cache takes longer than the rest of
//! a run after one edit.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use model::{BlobId, FileFacts, Language};

/// Maximum number of bytes of the files whose facts are kept. Facts take about as much memory as their files.
const MAX_SOURCE_BYTES: u64 = 96 << 20;

/// Time after the last run for which facts are kept.
const KEEP: Duration = Duration::from_secs(600);

/// The facts of the files of one work tree, as linking needs them: without texts.
#[derive(Debug, Default)]
pub struct WarmFacts(Mutex<KeptFacts>);

#[derive(Debug, Default)]
struct KeptFacts {
    by_blob: HashMap<(BlobId, Language), Arc<FileFacts>>,
    used_at: Option<Instant>,
}

impl WarmFacts {
    pub(crate) fn get(&self, blob: BlobId, language: Language) -> Option<Arc<FileFacts>> {
        self.kept().by_blob.get(&(blob, language)).cloned()
    }

    /// Replaces the facts by those of all files of a tree, which have `n_bytes` together. A large tree keeps none.
    pub(crate) fn replace(&self, n_bytes: u64, facts: impl Iterator<Item = (BlobId, Language, Arc<FileFacts>)>) {
        let kept = facts.filter(|_| n_bytes <= MAX_SOURCE_BYTES);
        let by_blob = kept.map(|(blob, language, facts)| ((blob, language), facts)).collect();
        *self.kept() = KeptFacts { by_blob, used_at: Some(Instant::now()) };
    }

    /// Drops the facts if no run has used them for a while.
    pub(crate) fn drop_unused(&self, now: Instant) {
        let mut kept = self.kept();
        if kept.used_at.is_some_and(|at| now.duration_since(at) > KEEP) {
            *kept = KeptFacts::default();
        }
    }

    fn kept(&self) -> MutexGuard<'_, KeptFacts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
