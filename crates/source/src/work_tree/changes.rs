//! The differences between a work tree and the commit of its `HEAD`. Folders with equal ids are not entered.

use std::collections::BTreeMap;

use gix::{ObjectId, objs::tree::EntryKind};
use model::ContentsId;

use super::{
    WorkTreeChanges,
    folder_tree::{FolderChild, FolderTree},
    unreadable,
};
use crate::{Checkout, Head, MAX_PATH_BYTES, SourceError, path_text};

/// Maximum number of files and folders that are compared. A sparse checkout leaves out whole folders, which are compared to their last file.
/// Trees of a hostile commit may contain each other, so that their number grows without limit.
const MAX_COMPARED: usize = 1_000_000;

/// A committed entry of a folder.
type CommittedChild = (EntryKind, ObjectId);

/// A folder to compare: in the work tree, in the commit, or in both.
struct FolderPair<'a> {
    path: Vec<u8>,
    in_work_tree: Option<&'a FolderTree<'a>>,
    committed: Option<ObjectId>,
}

/// Compares a work tree with the commit of `HEAD`; `None` before the first commit.
pub(super) fn find(
    checkout: &Checkout,
    repository: &gix::Repository,
    head: Option<&Head>,
    root: &FolderTree<'_>,
) -> Result<Option<WorkTreeChanges>, SourceError> {
    let committed = match head {
        None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        Some(head) => {
            let id = ObjectId::from_bytes_or_panic(&head.commit.0);
            let commit = repository.find_commit(id).map_err(|error| unreadable(checkout, Box::new(error)))?;
            commit.tree_id().map_err(|error| unreadable(checkout, Box::new(error)))?.detach()
        }
    };
    if root.id == committed {
        return Ok(None);
    }
    let mut paths = Vec::new();
    let mut pairs = vec![FolderPair { path: Vec::new(), in_work_tree: Some(root), committed: Some(committed) }];
    let mut n_compared = 0;
    while let Some(pair) = pairs.pop() {
        n_compared += pair.compare(repository, &mut pairs, &mut paths);
        if n_compared > MAX_COMPARED {
            let reason =
                format!("more than {MAX_COMPARED} files and folders differ between its work tree and its commit");
            return Err(SourceError::Refused { alias: checkout.alias.clone(), reason });
        }
    }
    // Sparse checkout leaves out whole folders, and old commits have other modes of files.
    if paths.is_empty() {
        return Ok(None);
    }
    paths.sort_unstable();
    let contents = ContentsId(root.id.as_bytes().try_into().unwrap_or_default());
    Ok(Some(WorkTreeChanges { contents, paths }))
}

impl<'a> FolderPair<'a> {
    /// Compares the entries of both folders, and returns their number.
    fn compare(self, repository: &gix::Repository, pairs: &mut Vec<FolderPair<'a>>, paths: &mut Vec<String>) -> usize {
        let mut names: BTreeMap<Vec<u8>, (Option<&'a FolderChild<'a>>, Option<CommittedChild>)> = BTreeMap::new();
        for (name, child) in self.committed.map(|id| committed_children(repository, id)).unwrap_or_default() {
            names.entry(name).or_default().1 = Some(child);
        }
        for child in self.in_work_tree.iter().flat_map(|folder| &folder.children) {
            names.entry(child.name.to_vec()).or_default().0 = Some(child);
        }
        let n_names = names.len();
        for (name, (child, committed)) in names {
            if child.map(|child| (child.kind, child.id)) == committed {
                continue;
            }
            let path = if self.path.is_empty() { name } else { [&self.path[..], b"/", &name].concat() };
            if path.len() > MAX_PATH_BYTES {
                continue;
            }
            let is_file = |kind: EntryKind| kind != EntryKind::Tree;
            if child.is_some_and(|child| is_file(child.kind)) || committed.is_some_and(|(kind, _)| is_file(kind)) {
                paths.push(path_text::to_text(&path));
            }
            let in_work_tree = child.and_then(|child| child.folder.as_ref());
            let committed = committed.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id);
            if in_work_tree.is_some() || committed.is_some() {
                pairs.push(FolderPair { path, in_work_tree, committed });
            }
        }
        n_names
    }
}

/// Returns the entries of a committed folder. One that cannot be read counts as empty.
fn committed_children(repository: &gix::Repository, id: ObjectId) -> Vec<(Vec<u8>, CommittedChild)> {
    let Ok(tree) = repository.find_tree(id) else { return Vec::new() };
    let entries = tree.iter().filter_map(Result::ok);
    entries.map(|entry| (entry.filename().to_vec(), (entry.kind(), entry.object_id()))).collect()
}
