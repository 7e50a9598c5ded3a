//! Sweeping: the newest generations of each repository stay, the others are removed.
//!
//! The seal of a generation is removed first, so that no reader begins to load it. A reader that is loading it finds a file
//! and the seal missing, and treats the generation as not stored.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use futures::{StreamExt, TryStreamExt, stream};
use index::GenerationKey;
use object_store::{ObjectMeta, ObjectStore, path::Path};

use crate::{error::ShareError, generation_store::GenerationStore, keys, limits::within};

/// Minimum age of an incomplete upload that is removed. An upload is far shorter, even with clock skew.
const UNSEALED_AGE: Duration = Duration::from_secs(24 * 3600);

/// Maximum number of objects of one repository that a sweep lists. The next sweep continues.
const MAX_OBJECTS: usize = 20_000;

/// The result of a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Number of removed generations.
    pub generations: u64,
    /// Number of removed bytes.
    pub bytes: u64,
}

impl GenerationStore {
    /// Removes the generations of the repository of `newest` but the last `keep`, and old incomplete uploads. `newest` stays in
    /// any case.
    pub async fn sweep(&self, newest: &GenerationKey, keep: usize) -> Result<SweepReport, ShareError> {
        let folder = keys::repository(&self.root, newest.repo);
        let listing = self.store.list(Some(&folder)).take(MAX_OBJECTS).try_collect::<Vec<ObjectMeta>>();
        let listed = within(self.limits.whole, "listing generations", listing).await?;
        let stored = group_by_generation(&folder, listed.map_err(|error| ShareError::unavailable(&error))?);
        let mut report = SweepReport::default();
        let newest_seal = keys::seal(&self.root, newest);
        for generation in select_obsolete(stored, keep, SystemTime::now()) {
            // Timestamps of stores have a resolution of seconds or worse, so `newest` may sort behind others.
            if generation.seal.as_ref().is_some_and(|(_, path)| *path == newest_seal) {
                continue;
            }
            let seal = generation.seal.map(|(_, path)| path);
            for step in [seal.into_iter().collect(), generation.files] {
                within(self.limits.whole, "removing a generation", self.remove(step)).await??;
            }
            report.generations += 1;
            report.bytes += generation.bytes;
        }
        Ok(report)
    }

    /// Removes the seal of a damaged generation. It counts as not stored then, and the next worker that indexes it stores it
    /// again.
    pub async fn discard(&self, key: &GenerationKey) -> Result<(), ShareError> {
        within(self.limits.request, "removing a seal", self.remove(vec![keys::seal(&self.root, key)])).await?
    }

    async fn remove(&self, objects: Vec<Path>) -> Result<(), ShareError> {
        let mut removed = self.store.delete_stream(stream::iter(objects.into_iter().map(Ok)).boxed());
        while let Some(removed) = removed.next().await {
            match removed {
                // Another worker may sweep at the same time.
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(ShareError::unavailable(&error)),
            }
        }
        Ok(())
    }
}

/// The objects of one stored generation.
#[derive(Debug, Clone, Default)]
struct StoredGeneration {
    /// The seal, and the time when it was written.
    seal: Option<(SystemTime, Path)>,
    files: Vec<Path>,
    /// Time of the last write.
    written_at: Option<SystemTime>,
    bytes: u64,
}

/// Groups the objects of a repository by generation.
fn group_by_generation(repository: &Path, objects: Vec<ObjectMeta>) -> Vec<StoredGeneration> {
    let mut found: BTreeMap<String, StoredGeneration> = BTreeMap::new();
    for object in objects {
        let Some((folder, is_seal)) = keys::split(repository, &object.location) else { continue };
        let at = SystemTime::from(object.last_modified);
        let stored = found.entry(folder.to_string()).or_default();
        stored.bytes += object.size;
        stored.written_at = stored.written_at.max(Some(at));
        if is_seal {
            stored.seal = Some((at, object.location));
        } else {
            stored.files.push(object.location);
        }
    }
    found.into_values().collect()
}

/// Returns the generations to remove: sealed ones but the `keep` newest, and unsealed ones without a recent write.
///
/// The newest write is the current time: this worker has just stored a generation. Its own clock, `now`, may be fast, and an object may
/// have a time in the future; either would remove what another worker writes now, so the earlier one counts.
fn select_obsolete(stored: Vec<StoredGeneration>, keep: usize, now: SystemTime) -> Vec<StoredGeneration> {
    let newest = stored.iter().filter_map(|one| one.written_at).max().map(|newest| newest.min(now));
    let (mut sealed, unsealed): (Vec<StoredGeneration>, Vec<StoredGeneration>) =
        stored.into_iter().partition(|one| one.seal.is_some());
    sealed.sort_by(|a, b| b.seal.cmp(&a.seal));
    let is_old = |one: &StoredGeneration| {
        let age = newest.zip(one.written_at).and_then(|(newest, at)| newest.duration_since(at).ok());
        age.is_some_and(|age| age > UNSEALED_AGE)
    };
    sealed.into_iter().skip(keep).chain(unsealed.into_iter().filter(is_old)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_generations_stay_and_old_incomplete_uploads_are_removed() {
        const NOW: u64 = 1_000_000;
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let stored = |name: &str, sealed: bool, seconds: u64| StoredGeneration {
            seal: sealed.then(|| (at(seconds), Path::from(name))),
            files: vec![Path::from(name)],
            written_at: Some(at(seconds)),
            bytes: 1,
        };
        let found = vec![
            stored("old", true, 10),
            stored("newest", true, NOW),
            stored("newer", true, 20),
            stored("half, under way", false, NOW - 60),
            stored("half, in the future", false, NOW + 60),
            stored("half, old", false, 10),
        ];
        let names = |found: Vec<StoredGeneration>, now: u64| -> Vec<String> {
            select_obsolete(found, 2, at(now)).iter().map(|one| one.files[0].to_string()).collect()
        };
        assert_eq!(names(found, NOW), ["old", "half, old"]);
        // By a clock that is fast, everything was written long ago.
        let recent = || vec![stored("newest", true, 20), stored("half, under way", false, 10)];
        assert_eq!(names(recent(), NOW), Vec::<String>::new());
        // By an object of the far future, too.
        let ahead = [stored("ahead", true, 100 * NOW), stored("half, ahead", false, 100 * NOW)];
        let with_ahead = |old: Option<StoredGeneration>| -> Vec<StoredGeneration> {
            recent().into_iter().chain(ahead.clone()).chain(old).collect()
        };
        assert_eq!(names(with_ahead(None), 30), Vec::<String>::new());
        let old = stored("half, old", false, 10);
        assert_eq!(names(with_ahead(Some(old)), NOW), ["half, under way", "half, old"]);
    }
}
