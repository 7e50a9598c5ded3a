//! One repository of the catalog: its checkout, the snapshots that are served, its life cycle, and its `HEAD`.

use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use index::{GenerationDraft, GenerationLoss, Snapshot};
use model::{CommitId, GenerationId};
use source::{Checkout, HeadSignature, StatCache};

use super::{
    changed_paths::ChangedPaths,
    draft_state::{DraftState, DraftTask, WorkTreeDraft},
    lifecycle::RepositoryLifecycle,
    run_outcome::{PublishedRun, RunFigures},
    warm_facts::WarmFacts,
};

/// Maximum time that the sighting of a head may be ahead of the clock to count for the next one, in milliseconds.
const MAX_AHEAD_MILLIS: i64 = 10 * 60 * 1_000;

/// One repository.
pub(crate) struct CatalogEntry {
    pub(crate) checkout: Checkout,
    pub(crate) lifecycle: RepositoryLifecycle,
    /// The ids of the files of its work tree that were hashed.
    pub(crate) stat_cache: Arc<StatCache>,
    /// The facts of its files while its work tree is being edited.
    pub(crate) warm_facts: Arc<WarmFacts>,
    /// Paths of its work tree that changed since the last run began to list it.
    unlisted: ChangedPaths,
    /// Paths that changed before the current run, or the failed one, listed the work tree.
    listed_by_run: ChangedPaths,
    drafts: DraftState,
    pub(crate) served: Option<Arc<Snapshot>>,
    /// The generation that was served before: a caller that searched it may still fetch from it.
    previous: Option<Arc<Snapshot>>,
    /// Time at which the served commit was first seen as `HEAD`, as in [`HeadSighting::at`].
    pub(crate) served_since: i64,
    /// The commit of `HEAD` when it was resolved last.
    pub(crate) head: Option<HeadSighting>,
    /// The signature of `HEAD` when it was polled last.
    pub(crate) signature: Option<HeadSignature>,
    /// The signature of its files of git, when they were polled last after a failed run.
    git_files: Option<HeadSignature>,
    /// The SCIP index that was pushed, when it was polled last.
    pushed_index: Option<String>,
    /// The figures of the last run that published a generation.
    pub(crate) last_run: Option<RunFigures>,
}

/// A commit that was seen as `HEAD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeadSighting {
    pub(crate) commit: CommitId,
    /// Milliseconds since the epoch at which it was first seen there; 0 if that is unknown.
    pub(crate) at: i64,
}

impl CatalogEntry {
    /// Returns the entry of a repository without a served generation.
    pub(crate) fn new(checkout: Checkout, signature: Option<HeadSignature>, is_cloned: bool) -> CatalogEntry {
        let mut lifecycle = RepositoryLifecycle::new(is_cloned, Instant::now());
        lifecycle.note_unread(checkout.unread.clone());
        CatalogEntry {
            lifecycle,
            signature,
            checkout,
            stat_cache: Arc::default(),
            warm_facts: Arc::default(),
            unlisted: ChangedPaths::default(),
            listed_by_run: ChangedPaths::default(),
            drafts: DraftState::default(),
            served: None,
            previous: None,
            served_since: 0,
            head: None,
            last_run: None,
            pushed_index: None,
            git_files: None,
        }
    }

    /// Notes the SCIP index that was pushed, and queues a run if it is another one than before.
    pub(crate) fn note_pushed_index(&mut self, id: Option<String>) {
        if self.pushed_index != id {
            self.pushed_index = id;
            self.lifecycle.head_moved();
        }
    }

    /// Notes the signature of its files of git after a failed run. The retry comes sooner if it is another one than before.
    pub(crate) fn note_git_files(&mut self, signature: HeadSignature) {
        let before = self.git_files.replace(signature);
        if before.is_some_and(|before| before != signature) {
            self.lifecycle.files_changed();
        }
    }

    /// Notes paths of the work tree that changed. Returns true if none was known before, to be newer than the generation or than the draft.
    pub(crate) fn note_changed_paths(&mut self, paths: ChangedPaths) -> bool {
        let is_first =
            (self.unlisted.is_empty() && self.listed_by_run.is_empty()) || self.drafts.newer_paths().is_empty();
        self.drafts.note_changed_paths(paths.clone());
        self.unlisted.extend(paths);
        is_first && !self.unlisted.is_empty()
    }

    /// Notes that nobody has watched the work tree until now: any file may be newer than the generation, until a run has listed them.
    pub(crate) fn note_unwatched(&mut self) {
        let mut unnamed = ChangedPaths::default();
        unnamed.add_unnamed();
        self.note_changed_paths(unnamed);
    }

    /// Notes that a run begins, which will list the work tree.
    pub(crate) fn begin_listing(&mut self) {
        self.listed_by_run.extend(std::mem::take(&mut self.unlisted));
        self.drafts.begin_run();
    }

    /// Notes that a run has ended well: the served generation has what the run listed.
    pub(crate) fn end_run(&mut self) {
        self.listed_by_run = ChangedPaths::default();
        self.drafts.end_run(self.served.as_ref().map(|served| served.manifest()));
    }

    /// Begins a draft of the work tree.
    pub(crate) fn begin_draft(&mut self) -> DraftTask {
        let listing = self.drafts.begin();
        let (stat_cache, warm_facts) = (self.stat_cache.clone(), self.warm_facts.clone());
        DraftTask { checkout: self.checkout.clone(), served: self.served.clone(), stat_cache, warm_facts, listing }
    }

    /// Serves a draft, or none if the edits have none.
    pub(crate) fn end_draft(&mut self, listing: u64, draft: Option<WorkTreeDraft>) {
        self.drafts.end(listing, draft, self.served.as_ref().map(|served| served.manifest()));
    }

    /// Ends the current draft without a result, which may still come.
    pub(crate) fn abandon_draft(&mut self) {
        self.drafts.abandon();
    }

    /// Returns true if the draft is of the generation before, so that another one should take its place.
    pub(crate) fn has_outdated_draft(&self) -> bool {
        let generation = self.served.as_ref().map(|served| served.manifest().generation);
        self.drafts.served().is_some_and(|served| Some(served.index.base_generation()) != generation)
    }

    /// Returns the served draft, and the paths that may be newer.
    pub(crate) fn draft(&self) -> Option<(&WorkTreeDraft, Vec<String>)> {
        self.drafts.served().map(|draft| (draft, self.drafts.newer_paths()))
    }

    /// Returns the draft of an id, if it is served or was served before.
    pub(crate) fn find_draft(&self, generation: GenerationId) -> Option<&GenerationDraft> {
        self.drafts.find(generation)
    }

    /// Returns the paths that may be newer than the served generation.
    pub(crate) fn newer_paths(&self) -> Vec<String> {
        let mut paths = self.listed_by_run.clone();
        paths.extend(self.unlisted.clone());
        paths.to_list()
    }

    /// Serves a published generation. The previous one stays for calls that have seen it.
    pub(crate) fn publish(&mut self, published: PublishedRun) {
        let PublishedRun { snapshot, figures } = published;
        let commit = snapshot.manifest().commit;
        self.previous = self.served.replace(snapshot);
        // A folder may have changed while it was read. The commit differs from the resolved one then.
        let seen_at = self.head.filter(|head| head.commit == commit).map(|head| head.at);
        self.note_head(commit, seen_at);
        self.git_files = None;
        self.last_run = Some(figures);
    }

    /// Notes whether the served generation differs from its files on disk. A generation that is not readable any more is not served any
    /// more. Returns true if that is new.
    pub(crate) fn note_files(&mut self, loss: Option<&GenerationLoss>) -> bool {
        if loss.is_some_and(|loss| !loss.is_readable) {
            (self.served, self.previous) = (None, None);
            self.drafts.clear();
        }
        let message = loss.map(|loss| format!("its index is built again from nothing, since {}", loss.reason));
        let is_new = self.lifecycle.note_loss(message);
        if let Some(loss) = loss.filter(|_| is_new) {
            tracing::warn!(alias = %self.checkout.alias, reason = loss.reason, "files of the index were removed or changed");
        }
        is_new
    }

    /// Returns the snapshot of a generation, or the newest one; `None` if it is neither served nor the one before.
    pub(crate) fn snapshot(&self, generation: Option<GenerationId>) -> Option<&Arc<Snapshot>> {
        let mut held = self.served.iter().chain(&self.previous);
        held.find(|snapshot| generation.is_none_or(|id| snapshot.manifest().generation == id))
    }

    /// Notes the commit of `HEAD`; returns true if that changes the inventory.
    ///
    /// `remote_seen_at` is the time at which the mirror has seen the commit at its remote. Without a remote, a commit was
    /// first seen when it was first resolved, which is no later than when it was indexed.
    pub(crate) fn note_head(&mut self, commit: CommitId, remote_seen_at: Option<i64>) -> bool {
        let known = self.head.filter(|head| head.commit == commit).map(|head| head.at);
        let indexed = || self.head.is_none().then(|| self.indexed_at(commit)).flatten();
        let after_the_last = || {
            let now = now_millis();
            // The clock may have been set back by some minutes since the commit before. If that is further ahead, the clock was wrong.
            let last = self.head.map(|head| head.at).filter(|last| *last <= now.saturating_add(MAX_AHEAD_MILLIS));
            last.map_or(now, |last| now.max(last.saturating_add(1)))
        };
        let at = remote_seen_at.or(known).or_else(indexed).unwrap_or_else(after_the_last);
        let sighting = HeadSighting { commit, at };
        let is_new = self.head.replace(sighting) != Some(sighting);
        if self.served.as_ref().is_some_and(|served| served.manifest().commit == commit) {
            self.served_since = at;
        }
        is_new
    }

    /// Returns when a commit was indexed, in milliseconds since the epoch, if it is served.
    pub(crate) fn indexed_at(&self, commit: CommitId) -> Option<i64> {
        let manifest = self.served.as_ref()?.manifest();
        (manifest.commit == commit).then_some(manifest.indexed_at.saturating_mul(1_000))
    }
}

fn now_millis() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use source::mirror::{Mirror, RemoteUrl};

    use super::*;

    pub(crate) fn entry_of_mirror() -> CatalogEntry {
        let url = RemoteUrl::parse("https://git.example.com/acme/api").unwrap();
        let mirror = Mirror { alias: "api".to_owned(), url, branch: None, depth: None, within: None };
        CatalogEntry::new(mirror.checkout(Path::new("mirrors")), None, false)
    }

    #[test]
    fn a_work_tree_that_nobody_has_watched_may_be_newer() {
        let mut entry = entry_of_mirror();
        assert!(entry.newer_paths().is_empty());
        entry.note_unwatched();
        assert_eq!(entry.newer_paths(), ["..."]);
        entry.begin_listing();
        assert_eq!(entry.newer_paths(), ["..."], "the run has not ended");
        entry.end_run();
        assert!(entry.newer_paths().is_empty());
    }

    #[test]
    fn a_head_counts_from_when_it_was_first_seen() {
        let [first, second] = [1, 2].map(|byte| CommitId([byte; 20]));
        let mut entry = entry_of_mirror();
        for (commit, remote_seen_at, is_new, at) in [
            (first, Some(10), true, 10),
            (first, Some(10), false, 10),
            (second, Some(20), true, 20),
            // The remote moved away from the commit and back between two fetches.
            (second, Some(40), true, 40),
            (second, None, false, 40),
        ] {
            let is_noted = entry.note_head(commit, remote_seen_at);
            assert_eq!((is_noted, entry.head), (is_new, Some(HeadSighting { commit, at })));
        }
        let before = now_millis();
        assert!(entry.note_head(first, None) && entry.head.is_some_and(|head| head.at >= before));
        // The clock is set back by a minute.
        entry.head = Some(HeadSighting { commit: first, at: before + 60_000 });
        assert!(entry.note_head(second, None) && entry.head.is_some_and(|head| head.at > before + 60_000));
        // The clock was a year ahead.
        entry.head = Some(HeadSighting { commit: second, at: before + 31_536_000_000 });
        assert!(entry.note_head(first, None) && entry.head.is_some_and(|head| head.at < before + 60_000));
    }
}
