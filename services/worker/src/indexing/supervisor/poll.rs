//! The poll of the heads of all repositories, with the periodic tasks: discovery, retries and sweeps.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use index::{RepositoryDir, Snapshot};
use source::{CheckoutKind, CheckoutView, HeadSignature, drop_unused_listings};

use super::Supervisor;
use crate::repositories::{CatalogEntry, PolledCheckout, PolledState, PushedIndex, WarmFacts, drop_unused_facts};

/// Interval of polls. A poll reads a few small files of each repository.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Number of polls between two walks over the files of a plain folder.
const POLLS_PER_FOLDER_WALK: u32 = 5;

/// Number of polls between two trials whether the disk has room, after a failed run.
const POLLS_PER_PROBE: u32 = 5;

/// Number of polls between two discoveries.
const POLLS_PER_DISCOVERY: u32 = 15;

/// Number of generations whose files are checked per poll, in turn: some thousand lengths of files.
const CHECKED_PER_POLL: usize = 100;

/// Number of polls between two sweeps of unused data: some hours.
const POLLS_PER_SWEEP: u32 = 10_000;

impl Supervisor {
    /// Polls until the worker drains.
    pub(super) async fn watch(self: Arc<Self>) {
        let mut n_polls: u32 = 0;
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        ticks.tick().await;
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = self.draining.cancelled() => return,
            }
            n_polls = n_polls.wrapping_add(1);
            let supervisor = self.clone();
            let polled = tokio::task::spawn_blocking(move || supervisor.poll(n_polls)).await;
            if let Err(error) = polled {
                tracing::error!(%error, "a poll of the repositories panicked");
                self.repositories
                    .catalog
                    .set_problem("poll", "a poll of the repositories panicked; see the log".to_owned());
            }
        }
    }

    /// Polls every repository once: queues those whose head has moved or whose retry is due. Discovers and sweeps
    /// periodically. Blocking.
    fn poll(&self, n_polls: u32) {
        let repositories = &self.repositories;
        let is_restored = repositories.data.restore();
        let is_usable_again = repositories.catalog.set_write_refusal(repositories.data.write_refusal());
        if is_usable_again || (n_polls.is_multiple_of(POLLS_PER_PROBE) && self.has_room_again()) {
            self.retry_all();
        }
        repositories.restore_names();
        self.restore_caches();
        self.check_files(n_polls);
        self.work_trees.retain(|repo| repositories.catalog.entries().contains_key(repo));
        let is_gone = self.queue_moved(n_polls.is_multiple_of(POLLS_PER_FOLDER_WALK));
        repositories.catalog.drop_retired();
        repositories.evict_views();
        let (max_kept_bytes, now) = (self.memory.max_kept_bytes(), Instant::now());
        drop_unused_facts(repositories.catalog.entries().values().map(|entry| &*entry.warm_facts), max_kept_bytes, now);
        let since = now.checked_sub(WarmFacts::KEEP);
        drop_unused_listings(repositories.catalog.entries().values().map(|entry| &*entry.stat_cache), since);
        self.offer_served();
        self.poll_failed();
        self.queue_due_retries();
        let is_relisted = repositories.mirrors.reload();
        repositories.catalog.set_listing_state(repositories.mirrors.listing_state());
        if is_restored
            || is_relisted
            || is_gone
            || repositories.is_reading()
            || n_polls.is_multiple_of(POLLS_PER_DISCOVERY)
        {
            repositories.discover();
        }
        if n_polls.is_multiple_of(POLLS_PER_SWEEP) {
            repositories.sweep();
        }
    }

    /// Makes the caches again whose files were removed.
    fn restore_caches(&self) {
        if self.repositories.data.write_refusal().is_some() {
            return;
        }
        for (cache, restored) in [("facts", self.facts.restore()), ("vectors", self.model.restore_cache())] {
            match restored {
                Ok(true) => tracing::warn!(cache, "the files of a cache were removed, and are created again"),
                Ok(false) => {}
                Err(error) => tracing::warn!(cache, %error, "the removed files of a cache cannot be created again"),
            }
        }
    }

    /// Compares served generations with their files on disk, and queues the repositories that must be indexed from nothing.
    fn check_files(&self, n_polls: u32) {
        let catalog = &self.repositories.catalog;
        let served: Vec<Arc<Snapshot>> = catalog.entries().values().filter_map(|entry| entry.served.clone()).collect();
        let n_parts = served.len().div_ceil(CHECKED_PER_POLL).max(1);
        for snapshot in served.chunks(CHECKED_PER_POLL).skip(n_polls as usize % n_parts).take(1).flatten() {
            let directory = self.repositories.directory(snapshot.manifest().repo);
            catalog.note_files(snapshot, directory.find_loss(snapshot).as_ref());
            self.queue_if_pushed(snapshot, &directory);
        }
    }

    /// Queues a repository whose pushed SCIP index is another one than that of its generation.
    fn queue_if_pushed(&self, snapshot: &Snapshot, directory: &RepositoryDir) {
        let manifest = snapshot.manifest();
        let pushed = PushedIndex::find(directory).map(|pushed| pushed.id);
        if self.sharing.is_some() || pushed == manifest.pushed_index {
            return;
        }
        let catalog = &self.repositories.catalog;
        if let Some(entry) = catalog.entries().get_mut(&manifest.repo) {
            entry.note_pushed_index(pushed);
        }
        catalog.queue_changed();
    }

    /// Queues the repositories whose heads have moved. Returns true if a repository is gone.
    fn queue_moved(&self, with_folders: bool) -> bool {
        let catalog = &self.repositories.catalog;
        let is_unwatched = |entry: &CatalogEntry| {
            entry.checkout.view == CheckoutView::WorkTree && !self.work_trees.is_watched(entry.checkout.repo)
        };
        let polled: Vec<(PolledCheckout, Option<HeadSignature>)> = {
            let is_walked = |entry: &CatalogEntry| entry.checkout.kind == CheckoutKind::Folder || is_unwatched(entry);
            let is_polled = |entry: &&CatalogEntry| entry.lifecycle.is_cloned() && (with_folders || !is_walked(entry));
            let polled = |entry: &CatalogEntry| {
                let state = match is_unwatched(entry) {
                    true => PolledState::WorkTree(entry.stat_cache.clone()),
                    false => PolledState::Head,
                };
                (PolledCheckout { checkout: entry.checkout.clone(), state }, entry.signature)
            };
            catalog.entries().values().filter(is_polled).map(polled).collect()
        };
        let mut is_gone = false;
        let (checkouts, before): (Vec<PolledCheckout>, Vec<Option<HeadSignature>>) = polled.into_iter().unzip();
        let signatures = self.repositories.head_signatures(&checkouts);
        for ((polled, before), signature) in checkouts.into_iter().zip(before).zip(signatures) {
            let checkout = polled.checkout;
            let Some(signature) = signature else { continue };
            // The discovery finds out whether the repository is gone, or something else is in its place.
            is_gone |= signature == HeadSignature::Gone;
            if before == Some(signature) || signature == HeadSignature::Gone {
                continue;
            }
            if let Some(entry) = catalog.entries().get_mut(&checkout.repo) {
                entry.signature = Some(signature);
                entry.lifecycle.fall_behind(Instant::now());
                entry.lifecycle.head_moved();
            }
            catalog.queue_changed();
        }
        is_gone
    }

    /// Polls the files of git of the repositories whose runs have failed: once they are changed, the retry is due sooner.
    fn poll_failed(&self) {
        let catalog = &self.repositories.catalog;
        let failed: Vec<PolledCheckout> = {
            let entries = catalog.entries();
            let failed = entries.values().filter(|entry| entry.lifecycle.awaits_repair());
            let state = PolledState::GitFiles;
            failed.map(|entry| PolledCheckout { checkout: entry.checkout.clone(), state: state.clone() }).collect()
        };
        let signatures = self.repositories.head_signatures(&failed);
        for (failed, signature) in failed.into_iter().zip(signatures) {
            let Some(signature) = signature else { continue };
            if let Some(entry) = catalog.entries().get_mut(&failed.checkout.repo) {
                entry.note_git_files(signature);
            }
        }
    }

    /// Returns true if a run has failed, and the disk had no room and has some again.
    fn has_room_again(&self) -> bool {
        let has_failed = self.repositories.catalog.entries().values().any(|entry| entry.lifecycle.awaits_repair());
        has_failed && self.repositories.data.has_room_again()
    }

    /// Queues all repositories whose runs have failed, since the data folder can be written again.
    fn retry_all(&self) {
        let catalog = &self.repositories.catalog;
        for entry in catalog.entries().values_mut() {
            entry.lifecycle.cause_changed();
        }
        catalog.queue_changed();
    }

    /// Queues the repositories whose retry is due.
    fn queue_due_retries(&self) {
        let (catalog, now) = (&self.repositories.catalog, Instant::now());
        let n_due =
            catalog.entries().values_mut().filter_map(|entry| entry.lifecycle.retry_if_due(now).then_some(())).count();
        if n_due > 0 {
            catalog.queue_changed();
        }
    }

    /// Queues the served generations for the object store, which may have lost some of them.
    fn offer_served(&self) {
        let Some(sharing) = self.exporting_store() else { return };
        sharing.recheck_next();
        let entries = self.repositories.catalog.entries();
        let is_settled =
            |entry: &&CatalogEntry| !entry.lifecycle.has_planned_run() && entry.lifecycle.pending_load().is_none();
        for entry in entries.values().filter(is_settled) {
            if let Some(served) = &entry.served {
                sharing.offer(&entry.checkout.alias, served, false);
            }
        }
    }
}
