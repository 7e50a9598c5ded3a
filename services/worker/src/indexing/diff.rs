//! The tree of `HEAD`, compared with the served generation.

use std::collections::HashSet;

use index::Snapshot;
use model::BlobId;
use source::Tree;

use super::{
    IndexingRun, RunError, RunStep,
    resolve::{NO_COMMITS, RunTarget},
};

/// The differences between a tree and the generation that it is compared with.
pub(super) struct GenerationDiff {
    /// For each file of the tree, in order: true if the generation has it unchanged.
    pub(super) is_unchanged: Vec<bool>,
    /// Number of added, changed and removed files.
    pub(super) n_changed: u64,
}

/// Returns the tree of the work tree, or lists that of `HEAD`.
pub(super) fn list(run: &IndexingRun<'_>, target: &mut RunTarget) -> Result<Tree, RunError> {
    run.enter(RunStep::Diff);
    if target.head == NO_COMMITS && target.changes.is_none() {
        return Ok(Tree::without_files(NO_COMMITS.commit, "there are no commits yet; nothing to index"));
    }
    match target.work_tree.take() {
        Some(tree) => Ok(tree),
        None => {
            let size_of =
                |path: &str, blob: BlobId| run.served.as_ref()?.file_size(path, blob).filter(|size| *size > 0);
            Ok(source::list_with_sizes(run.checkout, &target.head, &size_of)?)
        }
    }
}

/// Compares a tree with a generation; without one, every file is new.
pub(super) fn diff(served: Option<&Snapshot>, tree: &Tree) -> GenerationDiff {
    let old: Vec<(&str, BlobId)> = served.map(|snapshot| snapshot.files().collect()).unwrap_or_default();
    let changed = source::diff(old, tree.blobs());
    let new: HashSet<&str> = changed.added.iter().chain(&changed.changed).copied().collect();
    let is_unchanged = tree.files.iter().map(|file| served.is_some() && !new.contains(file.path.as_str())).collect();
    GenerationDiff { is_unchanged, n_changed: (new.len() + changed.removed.len()) as u64 }
}
