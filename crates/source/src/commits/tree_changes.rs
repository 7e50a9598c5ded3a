//! Compares two git trees.

use std::ops::ControlFlow;

use gix::{
    ObjectId,
    bstr::BStr,
    diff::tree::{Recorder, State, Visit, recorder, visit},
    objs::{TreeRefIter, tree::EntryMode},
};
use model::{Change, ChangeKind};

use crate::{MAX_PATH_BYTES, path_text};

/// Maximum number of files and folders compared for one commit. Moves of whole trees stay below it. Of a larger import only
/// a part is visible; its other files appear when they first change.
pub(super) const MAX_CHANGES_OF_COMMIT: usize = 20_000;

/// The same limit once a walk is over its budget. It is just over the number of files that a commit may touch and still
/// count as evidence of co-change.
pub(super) const MAX_CHANGES_OVER_BUDGET: usize = 128;

/// The files that differ; each list is sorted by path. Links and submodules are not files.
#[derive(Debug, Default)]
pub(super) struct CommitDiff {
    pub(super) added: Vec<OneSidedFile>,
    pub(super) deleted: Vec<OneSidedFile>,
    pub(super) modified: Vec<String>,
}

/// A file that exists in only one of the two trees.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OneSidedFile {
    pub(super) path: String,
    pub(super) blob: ObjectId,
}

impl CommitDiff {
    /// Returns the changes without rename detection.
    pub(super) fn into_unpaired(self) -> Vec<Change> {
        let of_kind = |kind: ChangeKind| move |path: String| Change { path, kind: kind.clone() };
        let added = self.added.into_iter().map(|side| side.path).map(of_kind(ChangeKind::Added));
        let deleted = self.deleted.into_iter().map(|side| side.path).map(of_kind(ChangeKind::Deleted));
        let modified = self.modified.into_iter().map(of_kind(ChangeKind::Modified));
        let mut changes: Vec<Change> = added.chain(deleted).chain(modified).collect();
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes.dedup_by(|a, b| a.path == b.path);
        changes
    }
}

/// Compares two trees; the old one may be empty. Returns none if either cannot be read. If there are more than `max_changes`,
/// the first ones are returned.
pub(super) fn compare_trees(
    repository: &gix::Repository,
    state: &mut State,
    old: Option<ObjectId>,
    new: ObjectId,
    max_changes: usize,
) -> Option<CommitDiff> {
    if old == Some(new) {
        return Some(CommitDiff::default());
    }
    let old = old.map(|old| repository.find_tree(old)).transpose().ok()?;
    let new = repository.find_tree(new).ok()?;
    let entries = |data| TreeRefIter::from_bytes(data, repository.object_hash());
    let old_entries = entries(old.as_ref().map_or(&[][..], |tree| &tree.data));
    let mut files = FileChangeRecorder { recorder: Recorder::default(), n_left: max_changes };
    match gix::diff::tree(old_entries, entries(&new.data), state, &repository.objects, &mut files) {
        Ok(()) | Err(gix::diff::tree::Error::Cancelled) => Some(tree_changes(files.recorder.records)),
        Err(gix::diff::tree::Error::Failure(_)) => None,
    }
}

fn tree_changes(records: Vec<recorder::Change>) -> CommitDiff {
    let mut changes = CommitDiff::default();
    for record in records {
        match record {
            recorder::Change::Addition { path, oid, .. } => {
                changes.added.extend(one_sided_file(&path, oid));
            }
            recorder::Change::Deletion { path, oid, .. } => {
                changes.deleted.extend(one_sided_file(&path, oid));
            }
            recorder::Change::Modification { path, previous_oid, previous_entry_mode, oid, entry_mode } => {
                match (previous_entry_mode.is_blob(), entry_mode.is_blob()) {
                    (true, true) if previous_oid == oid => {}
                    (true, true) => changes.modified.extend(one_sided_file(&path, oid).map(|side| side.path)),
                    (true, false) => changes.deleted.extend(one_sided_file(&path, previous_oid)),
                    (false, true) => changes.added.extend(one_sided_file(&path, oid)),
                    (false, false) => {}
                }
            }
        }
    }
    changes.added.sort();
    changes.deleted.sort();
    changes
}

fn one_sided_file(path: &[u8], blob: ObjectId) -> Option<OneSidedFile> {
    (path.len() <= MAX_PATH_BYTES).then(|| OneSidedFile { path: path_text::to_text(path), blob })
}

/// Records the changes of files, up to a maximum number of visited entries.
struct FileChangeRecorder {
    recorder: Recorder,
    n_left: usize,
}

impl Visit for FileChangeRecorder {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.recorder.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.recorder.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.recorder.pop_path_component();
    }

    fn visit(&mut self, change: visit::Change) -> visit::Action {
        let Some(n_left) = self.n_left.checked_sub(1) else { return ControlFlow::Break(()) };
        self.n_left = n_left;
        if concerns_file(&change) { self.recorder.visit(change) } else { ControlFlow::Continue(()) }
    }
}

fn concerns_file(change: &visit::Change) -> bool {
    let is_file = |mode: &EntryMode| mode.is_blob();
    match change {
        visit::Change::Addition { entry_mode, .. } | visit::Change::Deletion { entry_mode, .. } => is_file(entry_mode),
        visit::Change::Modification { previous_entry_mode, entry_mode, .. } => {
            is_file(previous_entry_mode) || is_file(entry_mode)
        }
    }
}
