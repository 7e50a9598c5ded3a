//! Reads one commit: who, when, what it says, and what it changed.

use std::sync::Arc;

use gix::{ObjectId, bstr::ByteSlice};
use model::{Change, Commit, Person};

use crate::git;

use super::{
    changes,
    plan::{Against, Step},
    renames,
};

/// Bytes of trees and commits that one thread keeps decoded: neighbours in a walk share most of theirs.
pub(super) const OBJECT_CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of a subject that are kept; one that is longer has lost its line end.
const MAX_SUBJECT_BYTES: usize = 256;

/// Bytes of a body that are kept: two screens.
const MAX_BODY_BYTES: usize = 4_096;

/// Bytes of a name or an address that are kept.
const MAX_PERSON_BYTES: usize = 128;

/// What one thread reads commits with.
pub(super) struct Lane {
    repository: gix::Repository,
    mailmap: Arc<gix::mailmap::Snapshot>,
    state: gix::diff::tree::State,
    /// Bytes of files that it compared to find what was renamed.
    pub(super) n_compared: u64,
}

/// What may be read of one commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) n_changes: usize,
    pub(super) n_compared: u64,
}

impl Lane {
    pub(super) fn new(repository: gix::Repository, mailmap: Arc<gix::mailmap::Snapshot>) -> Lane {
        Lane { repository, mailmap, state: gix::diff::tree::State::default(), n_compared: 0 }
    }

    /// Reads one commit; none if it is damaged. A tree that is missing or damaged costs the commit its changes.
    pub(super) fn read(&mut self, step: &Step, limits: Limits) -> Option<Commit> {
        let commit = self.repository.find_commit(step.id).ok()?;
        let (subject, body) = message(commit.message_raw_sloppy());
        let (author, authored_at) = self.author(&commit);
        let committed_at = commit.time().map_or(authored_at, |time| time.seconds);
        let tree = commit.tree_id().ok()?.detach();
        drop(commit);
        let difference = self.difference(step.against, tree, limits.n_changes).unwrap_or_default();
        let changes = if step.is_merge { difference.unpaired() } else { self.pair(difference, limits.n_compared) };
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

    fn difference(&mut self, against: Against, tree: ObjectId, max_changes: usize) -> Option<changes::Difference> {
        let old = match against {
            Against::Unknown => return None,
            Against::Nothing => None,
            Against::Parent(parent) => Some(self.repository.find_commit(parent).ok()?.tree_id().ok()?.detach()),
        };
        changes::between(&self.repository, &mut self.state, old, tree, max_changes)
    }

    fn pair(&mut self, difference: changes::Difference, max_compared: u64) -> Vec<Change> {
        let mut files = renames::Files { repository: &self.repository, n_bytes_left: max_compared };
        let changes = renames::pair(&mut files, difference);
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

/// Cuts a message into its first line, and what follows.
fn message(raw: &[u8]) -> (String, String) {
    let raw = raw.trim_start();
    let (subject, body) = raw.split_once_str(b"\n").unwrap_or((raw, b""));
    (bounded(subject.trim(), MAX_SUBJECT_BYTES), bounded(body.trim(), MAX_BODY_BYTES))
}

/// Returns the text of no more than so many bytes. What is no UTF-8 is replaced.
fn bounded(bytes: &[u8], max_bytes: usize) -> String {
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(max_bytes)]).into_owned();
    // A replacement character is longer than what it replaces.
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    // Half a character at the end of the cut is no replacement character.
    if bytes.len() > max_bytes && text.ends_with(char::REPLACEMENT_CHARACTER) {
        text.pop();
    }
    text
}
