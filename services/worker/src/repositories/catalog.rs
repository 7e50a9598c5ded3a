//! The catalog of a worker: its repositories, their snapshots, and the queue of indexing runs.
//!
//! Queries take snapshots from it and runs put them in; both hold its lock for no longer than that. The queue is the catalog
//! itself: a repository is queued once, however many requests there are. Watchers of changes watch a counter.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use index::{GenerationLoss, Snapshot};
use model::{GenerationId, RepoId};
use source::{Checkout, StatCache};
use tokio::sync::{Notify, futures::Notified, watch};

use super::{
    catalog_entry::CatalogEntry, lifecycle::RunLane, listing::ListingState, run_outcome::RunProgress,
    warm_facts::WarmFacts,
};

/// The repositories of a worker.
pub(crate) struct Catalog {
    entries: Mutex<BTreeMap<RepoId, CatalogEntry>>,
    /// Repositories that have left the inventory a moment ago.
    retired: Mutex<BTreeMap<RepoId, CatalogEntry>>,
    /// Repositories that are being indexed, also those whose entries are gone.
    indexing: Mutex<BTreeSet<RepoId>>,
    cluster: Mutex<ClusterView>,
    /// Problems of the worker as a whole, for operators, by subject.
    problems: Mutex<BTreeMap<&'static str, String>>,
    /// Why nothing may be written into the data folder.
    write_refusal: Mutex<Option<String>>,
    /// Counts changes of the inventory.
    inventory: watch::Sender<u64>,
    /// Counts changes of the progress.
    progress: watch::Sender<u64>,
    /// Wakes the runners when the queue may have changed.
    queue: Notify,
}

/// The repositories of all workers, according to the listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClusterView {
    /// Aliases of all expected repositories.
    pub(crate) expected: Vec<String>,
    /// Repositories that are held here, and belong to other workers.
    pub(crate) leaving: BTreeSet<RepoId>,
    /// The state of the listing itself.
    pub(crate) listing: ListingState,
}

/// The result of looking up a snapshot.
pub(crate) enum SnapshotLookup {
    /// The snapshot, and the alias of its repository. A draft also has edited files; the snapshot then lacks these.
    Found { alias: String, snapshot: Arc<Snapshot>, edits: Option<Arc<Snapshot>> },
    /// No generation is served yet.
    NotReady { reason: String },
    /// The requested generation is neither served nor the one before.
    Stale,
    /// The repository is not held here.
    Unknown,
}

/// A repository that was taken from the queue.
pub(crate) struct QueuedRun {
    pub(crate) checkout: Checkout,
    pub(crate) served: Option<Arc<Snapshot>>,
    pub(crate) stat_cache: Arc<StatCache>,
    pub(crate) warm_facts: Arc<WarmFacts>,
    pub(crate) is_forced: bool,
}

impl Catalog {
    pub(crate) fn new() -> Catalog {
        Catalog {
            entries: Mutex::default(),
            retired: Mutex::default(),
            indexing: Mutex::default(),
            cluster: Mutex::default(),
            problems: Mutex::default(),
            write_refusal: Mutex::default(),
            inventory: watch::Sender::new(1),
            progress: watch::Sender::new(1),
            queue: Notify::new(),
        }
    }

    /// Locks the entries. A holder that panicked left each entry as it was between two changes of single fields.
    pub(crate) fn entries(&self) -> MutexGuard<'_, BTreeMap<RepoId, CatalogEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks up a snapshot, of one generation or draft, or of the newest generation.
    pub(crate) fn lookup_with_drafts(&self, repo: RepoId, generation: Option<GenerationId>) -> SnapshotLookup {
        let entries = self.entries();
        let entry = entries.get(&repo);
        let draft = entry.zip(generation).and_then(|(entry, generation)| entry.find_draft(generation));
        if let Some((entry, draft)) = entry.zip(draft) {
            let [snapshot, edits] = draft.parts().map(Arc::clone);
            return SnapshotLookup::Found { alias: entry.checkout.alias.clone(), snapshot, edits: Some(edits) };
        }
        drop(entries);
        self.lookup(repo, generation)
    }

    /// Looks up a snapshot, of one generation or of the newest.
    pub(crate) fn lookup(&self, repo: RepoId, generation: Option<GenerationId>) -> SnapshotLookup {
        let (entries, retired);
        entries = self.entries();
        let entry = match entries.get(&repo) {
            Some(entry) => entry,
            None => {
                retired = self.retired();
                match retired.get(&repo).filter(|entry| entry.lifecycle.is_answered(Instant::now())) {
                    Some(entry) => entry,
                    None => return SnapshotLookup::Unknown,
                }
            }
        };
        if entry.served.is_none() {
            let reason = entry.lifecycle.reason().unwrap_or("its first generation is being made").to_owned();
            return SnapshotLookup::NotReady { reason };
        }
        match entry.snapshot(generation) {
            Some(snapshot) => {
                let alias = entry.checkout.alias.clone();
                SnapshotLookup::Found { alias, snapshot: snapshot.clone(), edits: None }
            }
            None => SnapshotLookup::Stale,
        }
    }

    /// Returns the checkout of a repository.
    pub(crate) fn checkout(&self, repo: RepoId) -> Option<Checkout> {
        self.entries().get(&repo).map(|entry| entry.checkout.clone())
    }

    /// Notes whether a generation differs from its files on disk, and queues its repository if that has changed. A generation that is
    /// not served any more, or that a run is replacing, is left out.
    pub(crate) fn note_files(&self, snapshot: &Arc<Snapshot>, loss: Option<&GenerationLoss>) {
        let repo = snapshot.manifest().repo;
        {
            let mut entries = self.entries();
            let Some(entry) = entries.get_mut(&repo) else { return };
            let is_indexing = self.is_indexing(repo) || entry.lifecycle.is_indexing();
            let is_served = entry.served.as_ref().is_some_and(|served| Arc::ptr_eq(served, snapshot));
            if is_indexing || !is_served || !entry.note_files(loss) {
                return;
            }
            // The run has to write text, as after a move of `HEAD`.
            entry.lifecycle.head_moved();
        }
        self.inventory_changed();
        self.queue_changed();
    }

    /// Returns true if a generation of any repository is served.
    pub(crate) fn serves_any(&self) -> bool {
        self.entries().values().any(|entry| entry.served.is_some())
    }

    /// Returns true if every repository is served, or has a reason why not.
    pub(crate) fn is_settled(&self) -> bool {
        self.entries().values().all(|entry| entry.served.is_some() || entry.lifecycle.reason().is_some())
    }
}

/// The queue of runs.
impl Catalog {
    /// Queues a repository, if it is held and cloned.
    pub(crate) fn enqueue(&self, repo: RepoId, is_forced: bool) {
        if let Some(entry) = self.entries().get_mut(&repo) {
            entry.lifecycle.enqueue(is_forced);
        }
        self.queue_changed();
    }

    /// Wakes the runners, and notifies the watchers of the progress.
    pub(crate) fn queue_changed(&self) {
        self.progress_changed();
        self.queue.notify_waiters();
    }

    /// Waits for the next change of the queue.
    pub(crate) fn queue_change(&self) -> Notified<'_> {
        self.queue.notified()
    }

    /// Takes the next repository of a lane: those without any generation first, then by alias.
    pub(crate) fn start_next_run(&self, lane: RunLane) -> Option<QueuedRun> {
        let mut entries = self.entries();
        let mut indexing = self.indexing();
        let entry = entries
            .values_mut()
            .filter(|entry| entry.lifecycle.queued_in() == Some(lane) && !indexing.contains(&entry.checkout.repo))
            .min_by(|a, b| (a.served.is_some(), &a.checkout.alias).cmp(&(b.served.is_some(), &b.checkout.alias)))?;
        let is_forced = entry.lifecycle.start_run();
        entry.begin_listing();
        indexing.insert(entry.checkout.repo);
        let (checkout, served) = (entry.checkout.clone(), entry.served.clone());
        let (stat_cache, warm_facts) = (entry.stat_cache.clone(), entry.warm_facts.clone());
        let run = QueuedRun { checkout, served, stat_cache, warm_facts, is_forced };
        drop(indexing);
        drop(entries);
        self.progress_changed();
        Some(run)
    }

    /// Notes that a repository is not being indexed any more, even if its entry is gone.
    pub(crate) fn run_ended(&self, repo: RepoId) {
        self.indexing().remove(&repo);
    }

    /// Returns true while a repository is being indexed, even if its entry is gone.
    pub(crate) fn is_indexing(&self, repo: RepoId) -> bool {
        self.indexing().contains(&repo)
    }

    /// Notes the progress of a run.
    pub(crate) fn note_progress(&self, repo: RepoId, progress: RunProgress) {
        if let Some(entry) = self.entries().get_mut(&repo) {
            entry.lifecycle.note_progress(progress);
        }
        self.progress_changed();
    }

    fn indexing(&self) -> MutexGuard<'_, BTreeSet<RepoId>> {
        self.indexing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Added and removed repositories.
impl Catalog {
    /// Removes repositories from the inventory. Requests for them are still answered for a while.
    pub(crate) fn retire(&self, gone: Vec<CatalogEntry>) {
        let now = Instant::now();
        let retire = |mut entry: CatalogEntry| {
            entry.lifecycle.retire(now);
            (entry.checkout.repo, entry)
        };
        self.retired().extend(gone.into_iter().map(retire));
    }

    /// Drops the retired repositories whose grace period is over.
    pub(crate) fn drop_retired(&self) {
        let now = Instant::now();
        self.retired().retain(|_, entry| entry.lifecycle.is_answered(now));
    }

    fn retired(&self) -> MutexGuard<'_, BTreeMap<RepoId, CatalogEntry>> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the expected repositories of all workers.
    pub(crate) fn set_cluster(&self, cluster: ClusterView) {
        let before = std::mem::replace(&mut *self.locked_cluster(), cluster.clone());
        if (before.expected, before.leaving) != (cluster.expected, cluster.leaving) {
            self.inventory_changed();
        }
    }

    /// Notes the state of the listing.
    pub(crate) fn set_listing_state(&self, listing: ListingState) {
        self.locked_cluster().listing = listing;
    }

    pub(crate) fn listing_state(&self) -> ListingState {
        self.locked_cluster().listing
    }

    /// Reports a problem of the worker as a whole until the process ends. A later one with the same subject replaces it.
    pub(crate) fn set_problem(&self, subject: &'static str, problem: String) {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(subject, problem);
        self.inventory_changed();
    }

    /// Returns the problems of the worker as a whole, each in one line.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Notes why nothing may be written into the data folder. Returns true if it can be written again.
    pub(crate) fn set_write_refusal(&self, refusal: Option<String>) -> bool {
        let before = std::mem::replace(&mut *self.locked_refusal(), refusal.clone());
        if before != refusal {
            self.inventory_changed();
        }
        before.is_some() && refusal.is_none()
    }

    pub(super) fn write_refusal(&self) -> Option<String> {
        self.locked_refusal().clone()
    }

    fn locked_refusal(&self) -> MutexGuard<'_, Option<String>> {
        self.write_refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn cluster(&self) -> ClusterView {
        self.locked_cluster().clone()
    }

    fn locked_cluster(&self) -> MutexGuard<'_, ClusterView> {
        self.cluster.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Watchers of changes.
impl Catalog {
    /// Notifies the watchers that the inventory has changed, and therefore the progress.
    pub(crate) fn inventory_changed(&self) {
        self.inventory.send_modify(|epoch| *epoch += 1);
        self.progress_changed();
    }

    /// Notifies the watchers that the progress has changed.
    pub(crate) fn progress_changed(&self) {
        self.progress.send_modify(|epoch| *epoch += 1);
    }

    pub(crate) fn watch_inventory(&self) -> watch::Receiver<u64> {
        self.inventory.subscribe()
    }

    pub(crate) fn watch_progress(&self) -> watch::Receiver<u64> {
        self.progress.subscribe()
    }

    /// Returns the number of changes of the inventory since the start.
    pub(super) fn inventory_epoch(&self) -> u64 {
        *self.inventory.borrow()
    }
}

#[cfg(test)]
mod tests {
    use model::CommitId;

    use super::{
        super::{
            catalog_entry::tests::entry_of_mirror,
            run_outcome::{PendingLoad, RunShortfall},
        },
        *,
    };

    #[test]
    fn a_retired_repository_is_answered_until_it_is_dropped() {
        let catalog = Catalog::new();
        let repo = entry_of_mirror().checkout.repo;
        let is_known = || !matches!(catalog.lookup(repo, None), SnapshotLookup::Unknown);
        assert!(!is_known());
        catalog.retire(vec![entry_of_mirror()]);
        assert!(is_known() && catalog.inventory("w").repositories.is_empty());
        let long_ago = Instant::now().checked_sub(std::time::Duration::from_secs(11)).unwrap();
        catalog.retired().values_mut().for_each(|entry| entry.lifecycle.retire(long_ago));
        assert!(!is_known());
        catalog.drop_retired();
        assert!(catalog.retired().is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_a_reason_of_every_repository() {
        let catalog = Catalog::new();
        catalog.entries().insert(entry_of_mirror().checkout.repo, entry_of_mirror());
        let reason = || catalog.inventory("w").repositories[0].reason.clone();
        assert_eq!(reason(), "");
        let epoch = catalog.inventory_epoch();
        for _ in 0..2 {
            assert!(!catalog.set_write_refusal(Some("the disk is full".to_owned())));
        }
        assert_eq!(
            (reason().as_str(), catalog.inventory_epoch()),
            ("no new commit can be indexed: the disk is full", epoch + 1)
        );
        assert!(catalog.set_write_refusal(None) && !catalog.set_write_refusal(None));
        assert_eq!(reason(), "");
    }

    #[test]
    fn a_catalog_is_settled_when_every_reason_is_known() {
        let catalog = Catalog::new();
        assert!(catalog.is_settled());
        catalog.entries().insert(entry_of_mirror().checkout.repo, entry_of_mirror());
        assert!(!catalog.is_settled());
        let pending =
            PendingLoad { commit: CommitId([1; 20]), has_text: false, reason: "it is not stored yet".to_owned() };
        for entry in catalog.entries().values_mut() {
            entry.lifecycle.complete_run(Some(RunShortfall::Load(pending.clone())), Instant::now());
        }
        assert!(catalog.is_settled());
    }
}
