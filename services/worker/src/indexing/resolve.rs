//! The first step of a run: the commit of `HEAD`, and the served generation that the run may build on.

use std::sync::Arc;

use index::{ChangedFiles, Snapshot};
use model::BlobId;
use source::{CheckoutView, Head, ListingTurn, SourceError, Tree, WorkTree, WorkTreeChanges};

use super::{EXTRACTOR_VERSION, IndexingRun, RunError, RunStep};
use crate::{
    repositories::{NO_COMMIT, PushedIndex},
    truncation::TruncationGuard,
};

/// The head of a repository without any commit.
pub(super) const NO_COMMITS: Head = Head { commit: NO_COMMIT, branch: None, committed_at: 0 };

/// Maximum number of changed paths that a generation names.
const MAX_CHANGED_PATHS: usize = 20;

/// The commit or the work tree to index, and the served generations that the run may build on.
pub(super) struct RunTarget {
    pub(super) head: Head,
    /// The tree of the work tree, if that is read instead of the commit.
    pub(super) work_tree: Option<Tree>,
    /// The differences of the work tree to the commit.
    pub(super) changes: Option<ChangedFiles>,
    /// The served generation, if this version of the program made it; none in a forced run.
    pub(super) served: Option<Arc<Snapshot>>,
    /// The same, if it has vectors of the configured model.
    pub(super) with_vectors: Option<Arc<Snapshot>>,
    /// The SCIP index that was pushed to the worker.
    pub(super) pushed_index: Option<PushedIndex>,
    /// The tags of released versions that the commit contains.
    pub(super) version_tags: Vec<String>,
}

/// Resolves `HEAD`, reports its commit, and lists the work tree if that is read.
pub(super) fn resolve(run: &IndexingRun<'_>) -> Result<RunTarget, RunError> {
    run.enter(RunStep::Resolve);
    let head = resolve_head(run)?;
    (run.on_head)(head.commit);
    if run.checkout.view == CheckoutView::WorkTree {
        run.enter(RunStep::Diff);
    }
    let work_tree = list_work_tree(run, &head, run.stat_cache.take_turn())?;
    let is_reusable = |snapshot: &Arc<Snapshot>| snapshot.manifest().extractor == EXTRACTOR_VERSION && !run.is_forced;
    let has_vectors = |snapshot: &Arc<Snapshot>| snapshot.manifest().model.as_deref() == Some(run.model.id().as_str());
    let served = run.served.clone().filter(is_reusable);
    let with_vectors = served.clone().filter(has_vectors);
    let (work_tree, changes) =
        work_tree.map(|WorkTree { tree, changes, .. }| (tree, changes.map(changed_files))).unzip();
    let changes = changes.flatten();
    let (pushed_index, version_tags) = (pushed_index(run), version_tags(run, &head)?);
    Ok(RunTarget { head, work_tree, changes, served, with_vectors, pushed_index, version_tags })
}

/// Returns the commit of `HEAD`.
pub(super) fn resolve_head(run: &IndexingRun<'_>) -> Result<Head, RunError> {
    match source::resolve(run.checkout) {
        Err(SourceError::NoCommits { .. }) => Ok(NO_COMMITS),
        resolved => Ok(resolved?),
    }
}

/// Lists the work tree, and reports it; `None` if the commit is read instead. One listing of a work tree is made at a time: each is made
/// from the last one.
pub(super) fn list_work_tree(
    run: &IndexingRun<'_>,
    head: &Head,
    turn: ListingTurn<'_>,
) -> Result<Option<WorkTree>, RunError> {
    let size_of = |path: &str, blob: BlobId| run.served.as_ref()?.file_size(path, blob).filter(|size| *size > 0);
    let committed = (*head != NO_COMMITS).then_some(head);
    let work_tree = source::list_work_tree(run.checkout, committed, run.stat_cache, &size_of)?;
    if let Some(work_tree) = &work_tree {
        (run.on_work_tree)(work_tree);
    }
    drop(turn);
    Ok(work_tree)
}

impl RunTarget {
    /// Returns true if the commit is served with vectors, so that nothing is left to do.
    pub(super) fn is_served_with_vectors(&self) -> bool {
        self.is_of_head(self.with_vectors.as_ref())
    }

    /// Returns true if the text of the commit is served, so that only vectors may be missing.
    pub(super) fn is_text_served(&self) -> bool {
        self.is_of_head(self.served.as_ref())
    }

    fn is_of_head(&self, snapshot: Option<&Arc<Snapshot>>) -> bool {
        let contents = self.changes.as_ref().map(|changes| changes.contents);
        let pushed_index = self.pushed_index.as_ref().map(|pushed| pushed.id.as_str());
        snapshot.is_some_and(|snapshot| {
            let manifest = snapshot.manifest();
            (manifest.commit, manifest.contents()) == (self.head.commit, contents)
                && manifest.pushed_index.as_deref() == pushed_index
                && manifest.version_tags == self.version_tags
        })
    }
}

pub(super) fn changed_files(changes: WorkTreeChanges) -> ChangedFiles {
    let WorkTreeChanges { contents, mut paths } = changes;
    let n_files = paths.len() as u64;
    paths.truncate(MAX_CHANGED_PATHS);
    ChangedFiles { contents, n_files, paths }
}

/// Returns the tags of released versions that a commit contains. Generations in an object store have none: another worker may have
/// fetched the commit before its tags, and would look for another generation. Tags of a truncated file are not noted.
fn version_tags(run: &IndexingRun<'_>, head: &Head) -> Result<Vec<String>, RunError> {
    if *head == NO_COMMITS || run.sharing.is_some() {
        return Ok(Vec::new());
    }
    let alias = &run.checkout.alias;
    let guard = TruncationGuard::begin(run.checkout);
    let all = source::version_tags(run.checkout);
    if let Some(known) = run.warm_facts.version_tags(head.commit, &all) {
        return Ok(known);
    }
    let tags = all.contained_in(run.checkout, head);
    let tags = tags.inspect_err(|error| tracing::warn!(%alias, %error, "the tags of its versions are unknown"));
    guard.check()?;
    let Ok(mut tags) = tags else { return Ok(Vec::new()) };
    tags.retain(|tag| text::without_secrets(tag) == tag.as_str());
    run.warm_facts.note_version_tags(head.commit, all, tags.clone());
    Ok(tags)
}

/// Returns the index that was pushed to this worker. Generations in an object store have none: other workers could not make the same.
fn pushed_index(run: &IndexingRun<'_>) -> Option<PushedIndex> {
    let pushed = PushedIndex::find(run.directory)?;
    if run.sharing.is_some() {
        let alias = &run.checkout.alias;
        tracing::warn!(%alias, "a pushed SCIP index is not used, since generations are shared: add `index.scip` to the repository");
        return None;
    }
    Some(pushed)
}
