//! What is no longer needed goes: of each repository, the newest generations stay.
//!
//! What seals a generation is removed first, so that nobody begins to read what is going. Whoever is in the middle of it
//! finds a file missing and the seal gone, and takes it as not stored.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use futures::{StreamExt, TryStreamExt, stream};
use index::GenerationKey;
use object_store::{ObjectMeta, ObjectStore, path::Path};

use crate::{Share, ShareError, keys, limits::within};

/// Half an upload is left alone for so long: far longer than one takes, whatever the clocks say.
const UNSEALED_AGE: Duration = Duration::from_secs(24 * 3600);

/// Objects of one repository that a sweep looks at; what is behind them waits for the next one.
const MAX_OBJECTS: usize = 20_000;

/// What a sweep removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub generations: u64,
    pub bytes: u64,
}

impl Share {
    /// Removes all but the `keep` newest generations of the repository of `newest`, which stays in any case, and what was
    /// never finished.
    pub async fn sweep(&self, newest: &GenerationKey, keep: usize) -> Result<Swept, ShareError> {
        let folder = keys::repository(&self.root, newest.repo);
        let listing = self.store.list(Some(&folder)).take(MAX_OBJECTS).try_collect::<Vec<ObjectMeta>>();
        let listed = within(self.limits.whole, "listing generations", listing).await?;
        let found = gather(&folder, listed.map_err(|error| ShareError::store(&error))?);
        let mut swept = Swept::default();
        let stays = keys::seal(&self.root, newest);
        for generation in doomed(found, keep, SystemTime::now()) {
            // Clocks of stores tell seconds, and some of them less.
            if generation.seal.as_ref().is_some_and(|(_, path)| *path == stays) {
                continue;
            }
            let seal = generation.seal.map(|(_, path)| path);
            for step in [seal.into_iter().collect(), generation.files] {
                within(self.limits.whole, "removing a generation", self.remove(step)).await??;
            }
            swept.generations += 1;
            swept.bytes += generation.bytes;
        }
        Ok(swept)
    }

    /// Takes away what seals a generation that turned out to be damaged: it counts as not stored then, and is stored again by
    /// whoever indexes it.
    pub async fn discard(&self, key: &GenerationKey) -> Result<(), ShareError> {
        within(self.limits.ask, "removing a seal", self.remove(vec![keys::seal(&self.root, key)])).await?
    }

    async fn remove(&self, objects: Vec<Path>) -> Result<(), ShareError> {
        let mut removed = self.store.delete_stream(stream::iter(objects.into_iter().map(Ok)).boxed());
        while let Some(removed) = removed.next().await {
            match removed {
                // Another worker sweeps, too.
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(ShareError::store(&error)),
            }
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Stored {
    /// What seals it, and since when.
    seal: Option<(SystemTime, Path)>,
    files: Vec<Path>,
    /// When anything of it was written last.
    touched: Option<SystemTime>,
    bytes: u64,
}

fn gather(repository: &Path, objects: Vec<ObjectMeta>) -> Vec<Stored> {
    let mut found: BTreeMap<String, Stored> = BTreeMap::new();
    for object in objects {
        let Some((folder, seals)) = keys::split(repository, &object.location) else { continue };
        let at = SystemTime::from(object.last_modified);
        let stored = found.entry(folder.to_string()).or_default();
        stored.bytes += object.size;
        stored.touched = stored.touched.max(Some(at));
        if seals {
            stored.seal = Some((at, object.location));
        } else {
            stored.files.push(object.location);
        }
    }
    found.into_values().collect()
}

/// Returns what goes: sealed ones behind the newest, and unsealed ones that nobody has touched for long.
fn doomed(found: Vec<Stored>, keep: usize, now: SystemTime) -> Vec<Stored> {
    let (mut sealed, unsealed): (Vec<Stored>, Vec<Stored>) = found.into_iter().partition(|one| one.seal.is_some());
    sealed.sort_by(|a, b| b.seal.cmp(&a.seal));
    let is_old =
        |one: &Stored| one.touched.is_some_and(|at| now.duration_since(at).is_ok_and(|age| age > UNSEALED_AGE));
    sealed.into_iter().skip(keep).chain(unsealed.into_iter().filter(is_old)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stay_and_half_uploads_go_when_they_are_old() {
        const NOW: u64 = 1_000_000;
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let stored = |name: &str, sealed: bool, seconds: u64| Stored {
            seal: sealed.then(|| (at(seconds), Path::from(name))),
            files: vec![Path::from(name)],
            touched: Some(at(seconds)),
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
        let names: Vec<String> = doomed(found, 2, at(NOW)).iter().map(|one| one.files[0].to_string()).collect();
        assert_eq!(names, ["old", "half, old"]);
    }
}
