//! The tree of `HEAD`, compared with the served generation.

use std::collections::HashSet;

use index::Snapshot;
use model::BlobId;
use source::{PathDiagnostic, Tree};

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

/// Lists the tree of `HEAD`.
pub(super) fn list(run: &IndexingRun<'_>, target: &RunTarget) -> Result<Tree, RunError> {
    run.enter(RunStep::Diff);
    if target.head == NO_COMMITS { Ok(empty_tree()) } else { Ok(source::list(run.checkout, &target.head)?) }
}

/// Compares a tree with a generation; without one, every file is new.
pub(super) fn diff(served: Option<&Snapshot>, tree: &Tree) -> GenerationDiff {
    let old: Vec<(&str, BlobId)> = served.map(|snapshot| snapshot.files().collect()).unwrap_or_default();
    let changed = source::diff(old, tree.blobs());
    let new: HashSet<&str> = changed.added.iter().chain(&changed.changed).copied().collect();
    let is_unchanged = tree.files.iter().map(|file| served.is_some() && !new.contains(file.path.as_str())).collect();
    GenerationDiff { is_unchanged, n_changed: (new.len() + changed.removed.len()) as u64 }
}

fn empty_tree() -> Tree {
    let message = "there are no commits yet; nothing to index".to_owned();
    let diagnostics = vec![PathDiagnostic { path: String::new(), message }];
    Tree { commit: NO_COMMITS.commit, files: Vec::new(), diagnostics }
}
