//! The tree objects that git would write for a work tree. They are hashed and not stored.

use gix::{ObjectId, objs::tree::EntryKind};

use super::WorkTreeEntry;

/// A folder with the id of its tree object.
#[derive(Debug)]
pub(super) struct FolderTree<'a> {
    pub(super) id: ObjectId,
    /// In the order of git.
    pub(super) children: Vec<FolderChild<'a>>,
}

/// A file or a folder in a folder.
#[derive(Debug)]
pub(super) struct FolderChild<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: EntryKind,
    pub(super) id: ObjectId,
    /// `None` for a file, and for a folder that sparse checkout leaves out.
    pub(super) folder: Option<FolderTree<'a>>,
}

/// A folder whose children are not all known.
struct OpenFolder<'a> {
    path: &'a [u8],
    children: Vec<FolderChild<'a>>,
}

impl<'a> FolderTree<'a> {
    /// Hashes the folders of entries, which are sorted by path. Deep paths cost no stack.
    pub(super) fn of(entries: &'a [WorkTreeEntry]) -> FolderTree<'a> {
        let mut open = vec![OpenFolder { path: &[], children: Vec::new() }];
        for entry in entries {
            let path = entry.path.as_slice();
            while open.len() > 1 && !is_below(path, open[open.len() - 1].path) {
                close_last(&mut open);
            }
            let start = open[open.len() - 1].path.len();
            let from = if start == 0 { 0 } else { start + 1 };
            for at in (from..path.len()).filter(|at| path[*at] == b'/') {
                open.push(OpenFolder { path: &path[..at], children: Vec::new() });
            }
            let (kind, id, last) = (entry.kind, entry.id, open.len() - 1);
            open[last].children.push(FolderChild { name: name_of(path), kind, id, folder: None });
        }
        while open.len() > 1 {
            close_last(&mut open);
        }
        let root = open.pop().map(|root| root.children).unwrap_or_default();
        FolderTree { id: hash(&root), children: root }
    }
}

/// Hashes the last open folder, and adds it to the one around it.
fn close_last(open: &mut Vec<OpenFolder<'_>>) {
    let Some(OpenFolder { path, children }) = open.pop() else { return };
    let Some(around) = open.last_mut() else { return };
    let id = hash(&children);
    let folder = Some(FolderTree { id, children });
    around.children.push(FolderChild { name: name_of(path), kind: EntryKind::Tree, id, folder });
}

fn hash(children: &[FolderChild<'_>]) -> ObjectId {
    let mut bytes = Vec::with_capacity(children.len() * 48);
    for FolderChild { name, kind, id, .. } in children {
        let mut mode = Default::default();
        bytes.extend_from_slice(gix::objs::tree::EntryMode::from(*kind).as_bytes(&mut mode));
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend_from_slice(id.as_bytes());
    }
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Tree, &bytes)
        .unwrap_or_else(|_| ObjectId::null(gix::hash::Kind::Sha1))
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.len() > folder.len() && path.starts_with(folder) && path[folder.len()] == b'/'
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
