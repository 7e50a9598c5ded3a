//! Reads one commit: its author, dates, message and changes.

use std::sync::Arc;

use gix::{ObjectId, bstr::ByteSlice};
use model::{Change, Commit, Person};

use crate::git;

use super::{
    plan::{CommitStep, DiffBase},
    renames,
    tree_changes::{self, CommitDiff},
};

/// Size of the cache of decoded trees and commits of one thread. Adjacent commits of a walk share most of theirs.
pub(super) const OBJECT_CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Maximum length in bytes of a subject. A longer one lacks its line end.
const MAX_SUBJECT_BYTES: usize = 256;

/// Maximum length in bytes of a body: two screens.
const MAX_BODY_BYTES: usize = 4_096;

/// Maximum length in bytes of a name or an address.
const MAX_PERSON_BYTES: usize = 128;

/// Reads commits in one thread.
pub(super) struct CommitReader {
    repository: gix::Repository,
    mailmap: Arc<gix::mailmap::Snapshot>,
    state: gix::diff::tree::State,
    /// Bytes of files that it compared to find renames.
    pub(super) n_compared: u64,
}

/// The limits of reading one commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommitReadLimits {
    pub(super) n_changes: usize,
    pub(super) n_compared: u64,
}

impl CommitReader {
    pub(super) fn new(repository: gix::Repository, mailmap: Arc<gix::mailmap::Snapshot>) -> CommitReader {
        CommitReader { repository, mailmap, state: gix::diff::tree::State::default(), n_compared: 0 }
    }

    /// Reads one commit; `None` if it is damaged. If a tree is missing or damaged, the commit has no changes.
    pub(super) fn read(&mut self, step: &CommitStep, limits: CommitReadLimits) -> Option<Commit> {
        let commit = self.repository.find_commit(step.id).ok()?;
        let (subject, body) = message(commit.message_raw_sloppy());
        let (author, authored_at) = self.author(&commit);
        let committed_at = commit.time().map_or(authored_at, |time| time.seconds);
        let tree = commit.tree_id().ok()?.detach();
        drop(commit);
        let tree_changes = self.compare_with_base(step.diff_base, tree, limits.n_changes).unwrap_or_default();
        let changes = if step.is_merge {
            tree_changes.into_unpaired()
        } else {
            self.with_renames(tree_changes, limits.n_compared)
        };
        Some(Commit {
            id: git::commit_id(step.id)?,
            author,
            authored_at,
            committed_at,
            subject,
            body,
            is_merge: step.is_merge,
            changes,
        })
    }

    fn compare_with_base(&mut self, diff_base: DiffBase, tree: ObjectId, max_changes: usize) -> Option<CommitDiff> {
        let old = match diff_base {
            DiffBase::Unknown => return None,
            DiffBase::Empty => None,
            DiffBase::Parent(parent) => Some(self.repository.find_commit(parent).ok()?.tree_id().ok()?.detach()),
        };
        tree_changes::compare_trees(&self.repository, &mut self.state, old, tree, max_changes)
    }

    fn with_renames(&mut self, tree_changes: CommitDiff, max_compared: u64) -> Vec<Change> {
        let mut files = renames::FileContents { repository: &self.repository, n_bytes_left: max_compared };
        let changes = renames::pair_renames(&mut files, tree_changes);
        self.n_compared += max_compared - files.n_bytes_left;
        changes
    }

    fn author(&self, commit: &gix::Commit<'_>) -> (Person, i64) {
        let Ok(author) = commit.author() else { return (Person::default(), 0) };
        let seconds = author.time().map_or(0, |time| time.seconds);
        let (name, email) = match self.mailmap.try_resolve_ref(author) {
            Some(known) => (known.name.unwrap_or(author.name), known.email.unwrap_or(author.email)),
            None => (author.name, author.email),
        };
        let text = |bytes: &[u8]| bounded(bytes.trim(), MAX_PERSON_BYTES);
        (Person { name: text(name), email: text(email) }, seconds)
    }
}

/// Splits a message into its first line and the rest.
fn message(raw: &[u8]) -> (String, String) {
    let raw = raw.trim_start();
    let (subject, body) = raw.split_once_str(b"\n").unwrap_or((raw, b""));
    (bounded(subject.trim(), MAX_SUBJECT_BYTES), bounded(body.trim(), MAX_BODY_BYTES))
}

/// Returns at most `max_bytes` of text. Bytes that are not UTF-8 are replaced.
fn bounded(bytes: &[u8], max_bytes: usize) -> String {
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(max_bytes)]).into_owned();
    // A replacement character may be longer than the bytes that it replaces.
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    // A character that the cut split is dropped, not replaced.
    if bytes.len() > max_bytes && text.ends_with(char::REPLACEMENT_CHARACTER) {
        text.pop();
    }
    text
}
