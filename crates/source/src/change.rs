//! Changes of a repository: the files in which two contents of it differ, each with both texts.
//!
//! The sides of a change are commits, the index (staged), the work tree, or a commit with a patch applied by the caller. Renames are found
//! by content.

mod pairs;
mod revisions;

use std::collections::BTreeMap;

use model::{CommitId, FileClass};

use crate::{
    BlobSource, Checkout, CheckoutKind, CheckoutView, Head, SourceError, StatCache, Tree, TreeFile, git,
    tree_diff::diff, work_tree,
};
use pairs::pair_renames;
use revisions::Revisions;

/// Maximum number of files of a change.
pub const MAX_CHANGED_FILES: usize = 1_000;

/// Maximum number of bytes of both sides of a change.
const MAX_CHANGED_BYTES: usize = 64 << 20;

/// Maximum length of the name of a revision.
const MAX_REVISION_BYTES: usize = 256;

/// The two sides of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeSides {
    /// The work tree, with untracked files, against `HEAD`.
    WorkTree,
    /// The index against `HEAD`.
    Staged,
    /// `BASE..HEAD`; with `BASE...HEAD` against the last common commit of both.
    Commits {
        /// The name of the base.
        base: String,
        /// The name of the head.
        head: String,
        /// True for three dots.
        is_from_merge_base: bool,
    },
}

/// Why a change cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The repository cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The change is not written as one.
    #[error("{0}")]
    Invalid(String),
}

/// A change of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceChange {
    /// The commit of the old side.
    pub base: CommitId,
    /// The changed files, in the order of their paths.
    pub files: Vec<ChangedSource>,
    /// Number of changed files beyond the limits.
    pub n_omitted: usize,
}

/// A changed file. A side that does not exist, or is no text of moderate size, is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSource {
    /// The old path; `None` for a new file.
    pub old_path: Option<String>,
    /// The new path; `None` for a deleted file.
    pub new_path: Option<String>,
    /// The old content.
    pub old: Option<Vec<u8>>,
    /// The new content.
    pub new: Option<Vec<u8>>,
    /// The reason why a content is missing; empty if none is.
    pub unread: String,
}

impl ChangeSides {
    /// Reads `working_tree`, `staged`, `BASE..HEAD` or `BASE...HEAD`; `None` for anything else.
    pub fn parse(text: &str) -> Option<ChangeSides> {
        match text {
            "working_tree" => return Some(ChangeSides::WorkTree),
            "staged" => return Some(ChangeSides::Staged),
            _ => {}
        }
        if text.contains(char::is_whitespace) || text.len() > 2 * MAX_REVISION_BYTES {
            return None;
        }
        let (base, head) = text.split_once("..")?;
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let is_from_merge_base = head.starts_with('.');
        let head = head.strip_prefix('.').unwrap_or(head);
        Some(ChangeSides::Commits { base: or_head(base), head: or_head(head), is_from_merge_base })
    }
}

/// Reads a change of a repository, with both contents of each file.
pub fn read_change(checkout: &Checkout, sides: &ChangeSides) -> Result<SourceChange, ChangeError> {
    let folder_error = "it is a folder without git: give the change as a unified diff";
    if checkout.kind == CheckoutKind::Folder {
        return Err(ChangeError::Invalid(folder_error.to_owned()));
    }
    let head = crate::resolve(checkout)?;
    let (base, old, new) = match sides {
        ChangeSides::Commits { base, head: name, is_from_merge_base } => {
            let revisions = Revisions::open(checkout, head.commit)?;
            let (base, head) = (revisions.resolve(base)?, revisions.resolve(name)?);
            let base = if *is_from_merge_base { revisions.merge_base(base, head)? } else { base };
            (base, committed(checkout, base)?, committed(checkout, head)?)
        }
        ChangeSides::Staged | ChangeSides::WorkTree => {
            if checkout.kind == CheckoutKind::Bare {
                let reason = "the repository has no work tree: give two commits as BASE..HEAD, or a unified diff";
                return Err(ChangeError::Invalid(reason.to_owned()));
            }
            let new = match sides {
                ChangeSides::Staged => work_tree::list_staged(checkout, &head)?,
                _ => work_tree::list(checkout, Some(&head), &StatCache::default(), &|_, _| None)?.tree,
            };
            (head.commit, committed(checkout, head.commit)?, new)
        }
    };
    read_files(checkout, base, old, new)
}

/// Returns the contents of some files of a commit. A file that is missing there, or is no text of moderate size, is left out.
pub fn read_base(
    checkout: &Checkout,
    commit: CommitId,
    paths: &[&str],
) -> Result<BTreeMap<String, Vec<u8>>, SourceError> {
    let tree = crate::list(checkout, &Head { commit, branch: None, committed_at: 0 })?;
    let reader = BlobSource::open(checkout)?.reader();
    let mut contents = BTreeMap::new();
    for path in paths {
        let content = tree.file(path).filter(|file| file.is_readable()).and_then(|file| reader.read(file).ok());
        contents.extend(content.map(|content| ((*path).to_owned(), content)));
    }
    Ok(contents)
}

fn committed(checkout: &Checkout, commit: CommitId) -> Result<Tree, SourceError> {
    git::list(checkout, commit, &|_, _| None)
}

/// Compares both sides, and reads the files that differ.
fn read_files(checkout: &Checkout, base: CommitId, old: Tree, new: Tree) -> Result<SourceChange, ChangeError> {
    let differences = diff(old.blobs(), new.blobs());
    let blobs = BlobSource::open(&Checkout { view: CheckoutView::WorkTree, ..checkout.clone() })?;
    let reader = blobs.with_contents_of(&new).reader();
    let (mut files, mut n_bytes, mut n_omitted) = (Vec::new(), 0_usize, 0_usize);
    let paths = differences.removed.iter().chain(&differences.changed).chain(&differences.added);
    for path in paths {
        let (before, after) = (old.file(path), new.file(path));
        if files.len() >= MAX_CHANGED_FILES || n_bytes >= MAX_CHANGED_BYTES {
            n_omitted += 1;
            continue;
        }
        let mut unread = String::new();
        let mut keep = |file: &TreeFile, content: Result<Vec<u8>, crate::ReadError>| match content {
            Ok(content) if crate::is_text(&content) => Some(content),
            Ok(_) => None,
            Err(error) => {
                let is_binary = file.class == FileClass::Binary;
                unread = if is_binary { String::new() } else { error.to_string() };
                None
            }
        };
        let old_content = before.and_then(|file| keep(file, reader.read(file)));
        let new_content = after.and_then(|file| keep(file, reader.read(file)));
        n_bytes += old_content.as_ref().map_or(0, Vec::len) + new_content.as_ref().map_or(0, Vec::len);
        files.push(ChangedSource {
            old_path: before.map(|file| file.path.clone()),
            new_path: after.map(|file| file.path.clone()),
            old: old_content,
            new: new_content,
            unread,
        });
    }
    Ok(SourceChange { base, files: pair_renames(files), n_omitted })
}

#[cfg(test)]
mod tests;
