//! The files in which two trees differ.

use std::ops::ControlFlow;

use gix::{
    ObjectId,
    bstr::BStr,
    diff::tree::{Recorder, State, Visit, recorder, visit},
    objs::{TreeRefIter, tree::EntryMode},
};
use model::{Change, ChangeKind};

use crate::{MAX_PATH_BYTES, path_text};

/// Files and folders that are compared of one commit. Moves of whole trees stay below; an import that is larger shows
/// in part, and its other files when they first change.
pub(super) const MAX_OF_COMMIT: usize = 20_000;

/// The same once a walk has spent what it may read: just over the files that a commit may touch and still tell which belong
/// together.
pub(super) const MAX_WHEN_SPENT: usize = 128;

/// What differs, each list in the order of paths. Links and submodules are no files.
#[derive(Debug, Default)]
pub(super) struct Difference {
    pub(super) added: Vec<Side>,
    pub(super) deleted: Vec<Side>,
    pub(super) modified: Vec<String>,
}

/// A file that is in one of the two trees only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub(super) path: String,
    pub(super) blob: ObjectId,
}

impl Difference {
    /// Returns the changes without a look for what was renamed.
    pub(super) fn unpaired(self) -> Vec<Change> {
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

/// Compares two trees, the old one of which may be empty. None if either cannot be read; with more than so many changes,
/// the first of them.
pub(super) fn between(
    repository: &gix::Repository,
    state: &mut State,
    old: Option<ObjectId>,
    new: ObjectId,
    max_changes: usize,
) -> Option<Difference> {
    if old == Some(new) {
        return Some(Difference::default());
    }
    let old = old.map(|old| repository.find_tree(old)).transpose().ok()?;
    let new = repository.find_tree(new).ok()?;
    let entries = |data| TreeRefIter::from_bytes(data, repository.object_hash());
    let old_entries = entries(old.as_ref().map_or(&[][..], |tree| &tree.data));
    let mut files = Files { recorder: Recorder::default(), n_left: max_changes };
    match gix::diff::tree(old_entries, entries(&new.data), state, &repository.objects, &mut files) {
        Ok(()) | Err(gix::diff::tree::Error::Cancelled) => Some(difference(files.recorder.records)),
        Err(gix::diff::tree::Error::Failure(_)) => None,
    }
}

fn difference(records: Vec<recorder::Change>) -> Difference {
    let mut difference = Difference::default();
    for record in records {
        match record {
            recorder::Change::Addition { path, oid, .. } => {
                difference.added.extend(side(&path, oid));
            }
            recorder::Change::Deletion { path, oid, .. } => {
                difference.deleted.extend(side(&path, oid));
            }
            recorder::Change::Modification { path, previous_oid, previous_entry_mode, oid, entry_mode } => {
                match (previous_entry_mode.is_blob(), entry_mode.is_blob()) {
                    (true, true) if previous_oid == oid => {}
                    (true, true) => difference.modified.extend(side(&path, oid).map(|side| side.path)),
                    (true, false) => difference.deleted.extend(side(&path, previous_oid)),
                    (false, true) => difference.added.extend(side(&path, oid)),
                    (false, false) => {}
                }
            }
        }
    }
    difference.added.sort();
    difference.deleted.sort();
    difference
}

fn side(path: &[u8], blob: ObjectId) -> Option<Side> {
    (path.len() <= MAX_PATH_BYTES).then(|| Side { path: path_text::to_text(path), blob })
}

/// Records what differs of files, up to a bound on everything that is looked at.
struct Files {
    recorder: Recorder,
    n_left: usize,
}

impl Visit for Files {
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
