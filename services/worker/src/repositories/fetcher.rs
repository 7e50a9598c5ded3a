//! The task that fetches mirrors by their schedule, a few at a time.
//!
//! A fetch that moves a head queues an indexing run. A fetch that fails becomes the error of its repository, changes nothing
//! that is served, and is retried with a back-off.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use model::RepoId;
use source::mirror::{MirrorError, SyncOutcome};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Repositories, mirrors::MAX_FETCHES};

/// Maximum interval between two checks of the schedule.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Fetches mirrors until `stop` is cancelled, and then waits for the fetches in progress.
pub(crate) async fn fetch_mirrors(repositories: Arc<Repositories>, stop: CancellationToken) {
    let mut fetches = JoinSet::new();
    while !stop.is_cancelled() {
        while let Some((repo, mirror)) = repositories.mirrors.take_due() {
            let (repositories, stop) = (repositories.clone(), stop.clone());
            fetches.spawn_blocking(move || {
                let refusal = repositories.data.write_refusal();
                let synced = repositories.mirrors.fetch(repo, &mirror, refusal, &|| stop.is_cancelled());
                repositories.record_fetch(repo, synced);
            });
        }
        let is_full = fetches.len() == MAX_FETCHES;
        tokio::select! {
            ended = fetches.join_next(), if !fetches.is_empty() => {
                if let Some(Err(error)) = ended {
                    tracing::error!(%error, "a fetch panicked");
                }
            }
            () = repositories.mirrors.schedule_change(), if !is_full => {}
            () = tokio::time::sleep(MAX_WAIT), if !is_full => {}
            () = stop.cancelled() => {}
        }
    }
    while fetches.join_next().await.is_some() {}
}

impl Repositories {
    /// Notes the result of a fetch, and queues a run if the head has moved.
    fn record_fetch(&self, repo: RepoId, synced: Result<SyncOutcome, MirrorError>) {
        let is_cloned = self.mirrors.is_cloned(repo);
        let mut has_moved = false;
        {
            let mut entries = self.catalog.entries();
            let Some(entry) = entries.get_mut(&repo) else { return };
            let was_cloned = entry.lifecycle.is_cloned();
            match synced {
                // A poll without news changes no state that watchers can see.
                Ok(SyncOutcome::Unchanged) if was_cloned && is_cloned && !entry.lifecycle.has_fetch_error() => return,
                Ok(synced) => {
                    has_moved = synced == SyncOutcome::Moved || !was_cloned;
                    entry.lifecycle.fetch_succeeded();
                    entry.lifecycle.set_cloned(is_cloned);
                    if has_moved && is_cloned {
                        entry.signature = Some(source::head_signature(&entry.checkout));
                        entry.lifecycle.head_moved();
                    }
                }
                Err(MirrorError::Stopped) => return,
                Err(error) => {
                    let error = text::mask_secrets(&error.to_string()).into_owned();
                    if entry.lifecycle.fetch_failed(error.clone(), SystemTime::now()) {
                        let alias = &entry.checkout.alias;
                        tracing::warn!(%alias, error, "fetching failed, and is retried later");
                    }
                }
            }
        }
        self.catalog.inventory_changed();
        if has_moved {
            self.catalog.queue_changed();
        }
    }
}
