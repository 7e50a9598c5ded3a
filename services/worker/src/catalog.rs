//! What a worker holds: its repositories, the snapshot of each, and how each stands.
//!
//! Queries take snapshots out of it, indexing runs put them in, and both hold its lock for no longer than that. Whoever
//! needs to know of changes watches a counter.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use index::Snapshot;
use model::{CommitId, GenerationId, RepoId};
use proto::v1;
use source::{Checkout, HeadSignature};
use tokio::sync::watch;

use crate::indexing::{Awaits, Lack, RunFigures, Step};

/// What has left goes on being answered for so long: as long as a gateway waits for any answer, so that no call that was
/// planned before it heard of that fails.
const ANSWERED_AFTER: Duration = Duration::from_secs(10);

/// The repositories of a worker.
pub(crate) struct Catalog {
    entries: Mutex<BTreeMap<RepoId, Entry>>,
    /// Those that have left the inventory a moment ago, and since when.
    left: Mutex<BTreeMap<RepoId, (Entry, Instant)>>,
    cluster: Mutex<Cluster>,
    /// Counts changes of the inventory.
    inventory: watch::Sender<u64>,
    /// Counts changes of the progress.
    progress: watch::Sender<u64>,
}

/// What is known of the repositories of all workers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cluster {
    /// Aliases of all that there should be.
    expected: Vec<String>,
    /// Those held here that are another worker's to hold.
    leaving: BTreeSet<RepoId>,
}

/// One repository.
pub(crate) struct Entry {
    pub(crate) checkout: Checkout,
    pub(crate) served: Option<Arc<Snapshot>>,
    /// The generation that was served before: those who searched it may still fetch from it.
    pub(crate) before: Option<Arc<Snapshot>>,
    pub(crate) activity: Activity,
    pub(crate) step: Step,
    pub(crate) files_done: u64,
    pub(crate) files_total: u64,
    /// Whether there is something to read: a repository by URL is cloned first.
    pub(crate) is_there: bool,
    /// Why the last run failed.
    pub(crate) error: Option<String>,
    /// What is wrong with the last fetches, if they failed.
    pub(crate) fetch_failure: Option<FetchFailure>,
    /// Why what is served has no vectors.
    pub(crate) lack: Option<Lack>,
    /// Its text is up to date, so that the next run is about vectors alone, and is likely to wait.
    pub(crate) awaits_vectors: bool,
    /// What another worker is to store first, and how often that was asked for.
    pub(crate) awaits: Option<(Awaits, u32)>,
    pub(crate) n_failures: u32,
    pub(crate) retry_at: Option<Instant>,
    pub(crate) last_run: Option<RunFigures>,
    pub(crate) signature: Option<HeadSignature>,
    /// The commit that `HEAD` was on when it was resolved last.
    pub(crate) head: Option<Seen>,
    /// When the commit that is served was first seen as `HEAD`, as [`Seen::at`] tells it.
    pub(crate) served_since: i64,
    /// Since when what is served, if anything, is not of the commit that is there.
    pub(crate) behind_since: Option<Instant>,
}

/// Fetches that fail one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchFailure {
    /// Why the last one did.
    pub(crate) error: String,
    /// When the first one did.
    since: SystemTime,
    pub(crate) n_in_a_row: u32,
}

/// After so many fetches in vain, which is half a minute at least, nobody knows where the remote is.
const N_IN_VAIN: u32 = 3;

impl FetchFailure {
    pub(crate) fn first() -> FetchFailure {
        FetchFailure { error: String::new(), since: SystemTime::now(), n_in_a_row: 0 }
    }

    /// Returns since when the remote is not followed, if that is worth telling.
    fn unfollowed_since(&self) -> Option<SystemTime> {
        (self.n_in_a_row >= N_IN_VAIN).then_some(self.since)
    }
}

/// A commit that `HEAD` was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) commit: CommitId,
    /// Milliseconds since the epoch at which it was first seen there; 0 if that is not known.
    pub(crate) at: i64,
}

/// What is being done with a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Idle,
    Queued { force: bool },
    Running { again: bool },
}

/// What a target turned out to be.
pub(crate) enum Held {
    Snapshot {
        alias: String,
        snapshot: Arc<Snapshot>,
    },
    NotReady {
        reason: String,
    },
    /// The generation asked for is neither served nor the one before.
    Stale,
    Unknown,
}

impl Catalog {
    pub(crate) fn new() -> Catalog {
        Catalog {
            entries: Mutex::new(BTreeMap::new()),
            left: Mutex::default(),
            cluster: Mutex::default(),
            inventory: watch::Sender::new(1),
            progress: watch::Sender::new(1),
        }
    }

    /// Locks the entries. A holder that panicked left them as they were between two changes of single fields.
    pub(crate) fn entries(&self) -> MutexGuard<'_, BTreeMap<RepoId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on answering for repositories that have just left the inventory.
    pub(crate) fn leave(&self, leaving: Vec<Entry>) {
        let now = Instant::now();
        self.left().extend(leaving.into_iter().map(|entry| (entry.checkout.repo, (entry, now))));
    }

    /// Forgets the repositories that left some time ago.
    pub(crate) fn forget_left(&self) {
        self.left().retain(|_, (_, since)| since.elapsed() < ANSWERED_AFTER);
    }

    fn left(&self) -> MutexGuard<'_, BTreeMap<RepoId, (Entry, Instant)>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes which repositories there should be, here or elsewhere, and which are to be held elsewhere.
    pub(crate) fn expect(&self, expected: Vec<String>, leaving: BTreeSet<RepoId>) {
        let cluster = Cluster { expected, leaving };
        let has_changed = {
            let mut known = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
            let has_changed = *known != cluster;
            *known = cluster;
            has_changed
        };
        if has_changed {
            self.inventory_changed();
        }
    }

    /// Tells those who watch that the inventory has changed, and so the progress.
    pub(crate) fn inventory_changed(&self) {
        self.inventory.send_modify(|epoch| *epoch += 1);
        self.progress_changed();
    }

    /// Tells those who watch that the progress has changed.
    pub(crate) fn progress_changed(&self) {
        self.progress.send_modify(|epoch| *epoch += 1);
    }

    pub(crate) fn watch_inventory(&self) -> watch::Receiver<u64> {
        self.inventory.subscribe()
    }

    pub(crate) fn watch_progress(&self) -> watch::Receiver<u64> {
        self.progress.subscribe()
    }

    /// Returns what is held of a repository, at one generation or at the newest.
    pub(crate) fn held(&self, repo: RepoId, generation: Option<GenerationId>) -> Held {
        let (entries, left);
        entries = self.entries();
        let entry = match entries.get(&repo) {
            Some(entry) => entry,
            None => {
                left = self.left();
                match left.get(&repo).filter(|(_, since)| since.elapsed() < ANSWERED_AFTER) {
                    Some((entry, _)) => entry,
                    None => return Held::Unknown,
                }
            }
        };
        let Some(served) = &entry.served else {
            let reason = entry.reason().unwrap_or_else(|| "its first generation is being made".to_owned());
            return Held::NotReady { reason };
        };
        let wanted = [Some(served), entry.before.as_ref()]
            .into_iter()
            .flatten()
            .find(|snapshot| generation.is_none_or(|id| snapshot.manifest().generation == id));
        match wanted {
            Some(snapshot) => Held::Snapshot { alias: entry.checkout.alias.clone(), snapshot: snapshot.clone() },
            None => Held::Stale,
        }
    }

    /// Returns the inventory as it stands.
    pub(crate) fn inventory(&self, worker: &str) -> v1::InventoryResponse {
        let epoch = *self.inventory.borrow();
        let entries = self.entries();
        let cluster = self.cluster.lock().unwrap_or_else(PoisonError::into_inner);
        let repository = |(repo, entry): (&RepoId, &Entry)| v1::Repository {
            leaving: cluster.leaving.contains(repo),
            ..entry.repository(*repo)
        };
        v1::InventoryResponse {
            worker: worker.to_owned(),
            epoch,
            analyser_version: ranking::ANALYSER_VERSION,
            repositories: entries.iter().map(repository).collect(),
            expected: cluster.expected.clone(),
            ..Default::default()
        }
    }

    /// Says whether every repository is served, or it is known why not.
    pub(crate) fn is_settled(&self) -> bool {
        self.entries().values().all(|entry| entry.served.is_some() || entry.reason().is_some())
    }

    /// Returns what is counted of the repositories.
    pub(crate) fn figures(&self, now: SystemTime) -> Figures {
        let entries = self.entries();
        let mut figures = Figures::default();
        for entry in entries.values() {
            figures.add(entry, now);
        }
        drop(entries);
        figures.ages.sort_unstable();
        figures.lags.sort_unstable();
        figures
    }

    /// Returns how every repository stands, and whether nothing is left to do.
    pub(crate) fn progress(&self) -> v1::StatusResponse {
        let entries = self.entries();
        let mut repositories: Vec<v1::RepositoryStatus> = entries.values().map(Entry::status).collect();
        repositories.sort_by(|a, b| a.alias.cmp(&b.alias));
        let idle = entries.values().all(|entry| entry.activity == Activity::Idle && !entry.awaits_clone());
        v1::StatusResponse { repositories, idle }
    }
}

/// What is counted of the repositories.
#[derive(Debug)]
pub(crate) struct Figures {
    /// By the name of the state.
    pub(crate) by_state: [(&'static str, usize); 4],
    pub(crate) queued: usize,
    pub(crate) running: usize,
    /// Of those that are served.
    pub(crate) without_vectors: usize,
    /// Of the generations that are served.
    pub(crate) index_bytes: u64,
    /// How long ago each that is served was indexed, ascending.
    pub(crate) ages: Vec<Duration>,
    /// For how long each has been out of date, ascending.
    pub(crate) lags: Vec<Duration>,
}

impl Default for Figures {
    fn default() -> Self {
        Figures {
            by_state: ["pending", "ready", "indexing", "failed"].map(|state| (state, 0)),
            queued: 0,
            running: 0,
            without_vectors: 0,
            index_bytes: 0,
            ages: Vec::new(),
            lags: Vec::new(),
        }
    }
}

impl Figures {
    pub(crate) fn failed(&self) -> usize {
        self.by_state[3].1
    }

    fn add(&mut self, entry: &Entry, now: SystemTime) {
        let state_idx = match entry.state() {
            v1::RepositoryState::Unspecified | v1::RepositoryState::Pending => 0,
            v1::RepositoryState::Ready => 1,
            v1::RepositoryState::Indexing => 2,
            v1::RepositoryState::Failed => 3,
        };
        self.by_state[state_idx].1 += 1;
        self.queued += usize::from(matches!(entry.activity, Activity::Queued { .. }));
        self.running += usize::from(matches!(entry.activity, Activity::Running { .. }));
        let behind = entry.behind_since.map_or(Duration::ZERO, |since| since.elapsed());
        let unfollowed = entry.unfollowed_since().and_then(|since| now.duration_since(since).ok());
        self.lags.push(behind.max(unfollowed.unwrap_or_default()));
        let Some(manifest) = entry.served.as_ref().map(|snapshot| snapshot.manifest()) else { return };
        self.without_vectors += usize::from(manifest.model.is_none());
        self.index_bytes += manifest.checksums.values().map(|file| file.bytes).sum::<u64>();
        let indexed_at = UNIX_EPOCH + Duration::from_secs(manifest.indexed_at.max(0).unsigned_abs());
        self.ages.push(now.duration_since(indexed_at).unwrap_or_default());
    }
}

impl Entry {
    pub(crate) fn new(checkout: Checkout) -> Entry {
        Entry {
            checkout,
            served: None,
            before: None,
            activity: Activity::Idle,
            step: Step::Idle,
            files_done: 0,
            files_total: 0,
            is_there: true,
            error: None,
            fetch_failure: None,
            lack: None,
            awaits_vectors: false,
            awaits: None,
            n_failures: 0,
            retry_at: None,
            last_run: None,
            signature: None,
            head: None,
            served_since: 0,
            behind_since: Some(Instant::now()),
        }
    }

    /// Returns why it is not as it should be, if it is not.
    fn reason(&self) -> Option<String> {
        let failure = self.failure().map(str::to_owned);
        failure.or_else(|| self.awaits.as_ref().map(|(awaits, _)| awaits.why.clone()))
    }

    /// Returns what failed, be it the last run or the last fetch.
    fn failure(&self) -> Option<&str> {
        self.error.as_deref().or(self.fetch_failure.as_ref().map(|failure| failure.error.as_str()))
    }

    fn unfollowed_since(&self) -> Option<SystemTime> {
        self.fetch_failure.as_ref().and_then(FetchFailure::unfollowed_since)
    }

    /// Says whether the first clone goes on, or is about to begin.
    fn awaits_clone(&self) -> bool {
        !self.is_there && self.fetch_failure.is_none()
    }

    fn state(&self) -> v1::RepositoryState {
        match (self.activity, self.failure(), &self.served) {
            (Activity::Running { .. }, ..) => v1::RepositoryState::Indexing,
            (Activity::Queued { .. }, _, None) => v1::RepositoryState::Pending,
            (_, Some(_), _) => v1::RepositoryState::Failed,
            (_, None, Some(_)) => v1::RepositoryState::Ready,
            (_, None, None) => v1::RepositoryState::Pending,
        }
    }

    /// Takes in which commit `HEAD` is on; says whether that changes what is told of it. What is not followed from
    /// elsewhere was first seen when it was first read: at the latest when it was indexed.
    pub(crate) fn see_head(&mut self, commit: CommitId, remote_seen_at: Option<i64>) -> bool {
        let known = self.head.filter(|head| head.commit == commit).map(|head| head.at);
        let indexed = || self.head.is_none().then(|| self.indexed_at(commit)).flatten();
        let at = remote_seen_at.or(known).or_else(indexed).unwrap_or_else(now_millis);
        let seen = Seen { commit, at };
        let is_new = self.head.replace(seen) != Some(seen);
        if self.served.as_ref().is_some_and(|served| served.manifest().commit == commit) {
            self.served_since = at;
        }
        is_new
    }

    /// Returns when the commit was indexed, if it is the one that is served.
    pub(crate) fn indexed_at(&self, commit: CommitId) -> Option<i64> {
        let manifest = self.served.as_ref()?.manifest();
        (manifest.commit == commit).then_some(manifest.indexed_at.saturating_mul(1_000))
    }

    pub(crate) fn repository(&self, repo: RepoId) -> v1::Repository {
        let repository = v1::Repository {
            id: repo.to_string(),
            alias: self.checkout.alias.clone(),
            state: self.state().into(),
            reason: self.reason().unwrap_or_default(),
            ..Default::default()
        };
        let Some(manifest) = self.served.as_ref().map(|snapshot| snapshot.manifest()) else { return repository };
        let language = |count: &index::LanguageCount| v1::LanguageCount {
            language: count.language.clone(),
            files: count.files,
            symbols: count.symbols,
        };
        v1::Repository {
            generation: manifest.generation.to_string(),
            commit: manifest.commit.to_string(),
            branch: manifest.branch.clone().unwrap_or_default(),
            committed_at: manifest.committed_at,
            indexed_at: manifest.indexed_at,
            files: manifest.files,
            symbols: manifest.symbols,
            source_bytes: manifest.source_bytes,
            rows: manifest.rows,
            languages: manifest.languages.iter().map(language).collect(),
            live_head: self
                .head
                .filter(|head| head.commit != manifest.commit)
                .map(|head| head.commit.to_string())
                .unwrap_or_default(),
            head_since: self.served_since,
            unfollowed_since: self.unfollowed_since().map(seconds).unwrap_or_default(),
            diagnostics: self.lack.iter().map(Lack::to_string).chain(manifest.diagnostics.iter().cloned()).collect(),
            model: manifest.model.clone().unwrap_or_default(),
            ..repository
        }
    }

    fn status(&self) -> v1::RepositoryStatus {
        let step = match self.activity {
            Activity::Idle if self.awaits_clone() => v1::IndexingStep::Queued,
            Activity::Idle => v1::IndexingStep::Idle,
            Activity::Queued { .. } => v1::IndexingStep::Queued,
            Activity::Running { .. } => self.step.into(),
        };
        v1::RepositoryStatus {
            alias: self.checkout.alias.clone(),
            step: step.into(),
            files_done: self.files_done,
            files_total: self.files_total,
            error: self.failure().unwrap_or_default().to_owned(),
            last_run: self.last_run.as_ref().map(v1::RunFigures::from),
            without_vectors: match &self.lack {
                Some(Lack::Failed(error)) => error.to_string(),
                Some(Lack::Pending) | None => String::new(),
            },
            awaits: self.awaits.as_ref().map(|(awaits, _)| awaits.why.clone()).unwrap_or_default(),
        }
    }
}

fn seconds(at: SystemTime) -> i64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn now_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use source::mirror::{Mirror, RemoteUrl};

    use super::*;

    fn entry() -> Entry {
        let url = RemoteUrl::parse("https://git.example.com/acme/api").unwrap();
        let mirror = Mirror { alias: "api".to_owned(), url, branch: None, depth: None };
        Entry::new(mirror.checkout(Path::new("mirrors")))
    }

    #[test]
    fn a_remote_is_not_followed_after_some_fetches_in_vain() {
        let mut entry = entry();
        for n_in_a_row in 0..=N_IN_VAIN {
            let since = UNIX_EPOCH + Duration::from_secs(7);
            entry.fetch_failure = Some(FetchFailure { error: "it is gone".to_owned(), since, n_in_a_row });
            assert_eq!(entry.unfollowed_since().map(seconds), (n_in_a_row == N_IN_VAIN).then_some(7));
        }
    }

    #[test]
    fn what_has_left_is_answered_for_a_while() {
        let catalog = Catalog::new();
        let repo = entry().checkout.repo;
        let is_known = || !matches!(catalog.held(repo, None), Held::Unknown);
        assert!(!is_known());
        catalog.leave(vec![entry()]);
        assert!(is_known() && catalog.inventory("w").repositories.is_empty());
        catalog.left().values_mut().for_each(|(_, since)| *since = since.checked_sub(ANSWERED_AFTER).unwrap());
        assert!(!is_known());
        catalog.forget_left();
        assert!(catalog.left().is_empty());
    }

    #[test]
    fn the_first_loads_are_done_when_nothing_is_waited_for() {
        let catalog = Catalog::new();
        assert!(catalog.is_settled());
        catalog.entries().insert(entry().checkout.repo, entry());
        assert!(!catalog.is_settled());
        let awaits = Awaits { commit: CommitId([1; 20]), why: "it is not stored yet".to_owned() };
        catalog.entries().values_mut().for_each(|entry| entry.awaits = Some((awaits.clone(), 1)));
        assert!(catalog.is_settled());
    }

    #[test]
    fn a_head_counts_from_when_it_was_first_seen() {
        let [first, second] = [1, 2].map(|byte| CommitId([byte; 20]));
        let mut entry = entry();
        for (commit, remote_seen_at, is_new, at) in [
            (first, Some(10), true, 10),
            (first, Some(10), false, 10),
            (second, Some(20), true, 20),
            // It went away and came back between two looks at it.
            (second, Some(40), true, 40),
            (second, None, false, 40),
        ] {
            assert_eq!((entry.see_head(commit, remote_seen_at), entry.head), (is_new, Some(Seen { commit, at })));
        }
        let before = now_millis();
        assert!(entry.see_head(first, None) && entry.head.is_some_and(|head| head.at >= before));
    }
}
