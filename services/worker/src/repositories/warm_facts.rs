//! The facts of a work tree that is being edited, in memory: decoding those of all files from the cache takes longer than the rest of
//! a run after one edit. So does the search for the version tags that its commit contains.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use model::{BlobId, CommitId, FileFacts, Language};
use source::VersionTags;

/// Maximum number of bytes of the files whose facts are kept. Facts take about as much memory as their files.
const MAX_SOURCE_BYTES: u64 = 96 << 20;

/// Time after the last run for which facts are kept.
const KEEP: Duration = Duration::from_secs(600);

/// The facts of the files of one work tree, as linking needs them: without texts; and the version tags that its commit contains.
#[derive(Debug, Default)]
pub struct WarmFacts {
    facts: Mutex<KeptFacts>,
    version_tags: Mutex<Option<ContainedTags>>,
}

#[derive(Debug, Default)]
struct KeptFacts {
    by_blob: HashMap<(BlobId, Language), Arc<FileFacts>>,
    used_at: Option<Instant>,
}

/// The version tags that a commit contains, of all tags that its repository had.
#[derive(Debug)]
struct ContainedTags {
    commit: CommitId,
    all: VersionTags,
    contained: Vec<String>,
}

impl WarmFacts {
    /// Returns the version tags that a commit contains, if they were noted and the repository has the same tags.
    pub(crate) fn version_tags(&self, commit: CommitId, all: &VersionTags) -> Option<Vec<String>> {
        let noted = self.version_tags.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = noted.as_ref().filter(|noted| noted.commit == commit && noted.all == *all);
        noted.map(|noted| noted.contained.clone())
    }

    /// Notes the version tags that a commit contains.
    pub(crate) fn note_version_tags(&self, commit: CommitId, all: VersionTags, contained: Vec<String>) {
        *self.version_tags.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(ContainedTags { commit, all, contained });
    }

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
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
