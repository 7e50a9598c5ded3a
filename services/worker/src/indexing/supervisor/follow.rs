//! Follows the changes of work trees: a repository is queued a moment after its last change.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use model::RepoId;
use source::{StatCache, WorkTree};

use super::{Supervisor, work_tree_watch::TakenChanges};

/// Pause after a change before the work tree is listed: an editor writes a file in several steps, which take a few milliseconds.
const MIN_PAUSE: Duration = Duration::from_millis(10);

/// Maximum pause, while changes do not end.
const MAX_PAUSE: Duration = Duration::from_millis(800);

/// Number of pauses for which changes that go on delay a listing.
const MAX_PAUSES: u32 = 4;

/// Time for which changes are collected before they are noted.
const COLLECTION: Duration = Duration::from_millis(3);

/// Maximum time to wait for git to release its lock. A lock may have been left behind.
const MAX_LOCKED: Duration = Duration::from_secs(2);

/// The changes of one work tree that was not queued since.
#[derive(Debug, Clone, Copy)]
struct Debounce {
    pause: Duration,
    /// The first and the last change.
    changed: Option<(Instant, Instant)>,
    queued_at: Option<Instant>,
}

impl Default for Debounce {
    fn default() -> Self {
        Debounce { pause: MIN_PAUSE, changed: None, queued_at: None }
    }
}

impl Debounce {
    fn note(&mut self, now: Instant) {
        let first = self.changed.map_or(now, |(first, _)| first);
        self.changed = Some((first, now));
    }

    /// Returns when the work tree is to be listed.
    fn due(&self) -> Option<Instant> {
        self.changed.map(|(first, last)| (last + self.pause).min(first + self.pause * MAX_PAUSES))
    }

    /// Notes that the work tree is queued. The pause grows while changes follow each other without a rest.
    fn queue(&mut self, now: Instant) {
        let is_restless = self.queued_at.is_some_and(|at| now.duration_since(at) < self.pause * (2 * MAX_PAUSES));
        self.pause = if is_restless { (self.pause * 2).min(MAX_PAUSE) } else { MIN_PAUSE };
        (self.changed, self.queued_at) = (None, Some(now));
    }
}

impl Supervisor {
    /// Queues repositories whose work trees change, until the worker drains.
    pub(super) async fn follow_work_trees(self: Arc<Self>) {
        let mut debounces: BTreeMap<RepoId, Debounce> = BTreeMap::new();
        loop {
            let due = debounces.values().filter_map(Debounce::due).min();
            tokio::select! {
                () = self.work_trees.changed() => tokio::time::sleep(COLLECTION).await,
                () = until(due) => {}
                () = self.draining.cancelled() => return,
            }
            let now = Instant::now();
            for changes in self.work_trees.take_changes() {
                debounces.entry(changes.repo).or_default().note(now);
                self.note_changes(changes);
            }
            for (repo, debounce) in &mut debounces {
                let Some((first, _)) = debounce.changed.filter(|_| debounce.due().is_some_and(|due| due <= now)) else {
                    continue;
                };
                if now.duration_since(first) < MAX_LOCKED && self.work_trees.is_locked(*repo) {
                    debounce.changed = Some((first, now));
                    continue;
                }
                debounce.queue(now);
                self.queue_changed_work_tree(*repo);
            }
        }
    }

    /// Watches a work tree that a run has listed. Files of folders that are watched from now on may have changed since. If there are none,
    /// all changes since the listing began are events.
    pub(super) fn watch_work_tree(&self, repo: RepoId, work_tree: &WorkTree, stat_cache: &StatCache) {
        if self.work_trees.watch(repo, work_tree) {
            self.repositories.catalog.enqueue(repo, false);
        } else if self.work_trees.is_watched(repo) {
            stat_cache.follow_changes();
        }
        self.report_polling();
    }

    /// Tells operators and clients that work trees are polled. A warning of the log alone would not be seen: commands of users
    /// log errors.
    fn report_polling(&self) {
        if let Some(notice) = self.work_trees.take_polling_notice() {
            runtime::telemetry::tell(&format!("note: {notice}"));
            self.repositories.catalog.set_problem("work trees", notice);
        }
    }

    /// Notes that a work tree is newer than its generation.
    fn note_changes(&self, changes: TakenChanges) {
        let TakenChanges { repo, named, paths, has_unnamed } = changes;
        let catalog = &self.repositories.catalog;
        let is_first = catalog.entries().get_mut(&repo).is_some_and(|entry| {
            paths.iter().for_each(|path| entry.stat_cache.note_changed(path));
            if has_unnamed {
                entry.stat_cache.note_unnamed_changes();
            }
            entry.note_changed_paths(named)
        });
        if is_first {
            catalog.inventory_changed();
        }
    }

    fn queue_changed_work_tree(&self, repo: RepoId) {
        self.drafts.request(repo);
        let catalog = &self.repositories.catalog;
        if let Some(entry) = catalog.entries().get_mut(&repo) {
            entry.lifecycle.fall_behind(Instant::now());
            entry.lifecycle.head_moved();
        }
        catalog.queue_changed();
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_without_an_end_are_listed_now_and_then() {
        let start = Instant::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut debounce = Debounce::default();
        debounce.note(at(0));
        assert_eq!(debounce.due(), Some(at(0) + MIN_PAUSE));
        // A change each millisecond for ten seconds.
        let mut n_queued = 0;
        for millis in 0..10_000 {
            debounce.note(at(millis));
            if debounce.due().is_some_and(|due| due <= at(millis)) {
                debounce.queue(at(millis));
                n_queued += 1;
            }
        }
        assert!((4..=12).contains(&n_queued), "{n_queued}");
        // After a rest, a single change is noted soon.
        debounce.changed = None;
        debounce.note(at(60_000));
        debounce.queue(at(60_100));
        debounce.note(at(70_000));
        assert_eq!(debounce.due(), Some(at(70_000) + MIN_PAUSE));
    }
}
