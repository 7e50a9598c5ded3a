//! Walks the commits of a repository, oldest first, each with the files that it changed.
//!
//! The order is the order in which changes arrived: the commits of a merged branch come right before the merge, after all
//! commits of its first parent. So a walk starts with the walk to any commit on its first-parent line, and a result of the
//! shorter walk can be extended by the remaining commits.

mod commit_reader;
mod plan;
pub(crate) mod renames;
mod tree_changes;

use std::{collections::VecDeque, sync::Arc};

use gix::ObjectId;
use model::{Commit, Extent, WalkedTo};
use rayon::prelude::*;

use crate::{Checkout, CheckoutKind, Head, SourceError, git};
use commit_reader::{CommitReadLimits, CommitReader};
use plan::CommitStep;

/// Maximum number of commits of one walk; about 15 seconds of one core. It covers all commits of most large projects, and
/// more years of the others than have any weight.
pub const MAX_COMMITS: usize = 100_000;

/// Maximum age in seconds, before the newest commit, of the commits of a walk: 25 years, longer than most histories. Older
/// commits have no weight.
pub const MAX_COMMIT_AGE_SECONDS: i64 = 25 * 365 * 86_400;

/// Maximum number of changes that one walk reads: ten times those of repositories of 50,000 commits. It bounds the memory
/// that a hostile history can take. Over this budget, a commit returns only as many changes as co-change analysis uses.
const MAX_CHANGES_OF_WALK: usize = 4_000_000;

/// Maximum bytes of files that one walk compares to find renames: a hundred times those of large projects, and a minute of
/// one core. Over this budget, only renames without edits are found.
const MAX_COMPARED_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Number of commits that are read in parallel ahead of the consumer. It occupies all cores and limits memory.
const BATCH_SIZE: usize = 256;

/// The bounds of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkBounds {
    /// Maximum number of commits; the newest are taken.
    pub max_commits: usize,
    /// Maximum age in seconds, before the newest commit.
    pub max_age: i64,
}

impl Default for WalkBounds {
    fn default() -> WalkBounds {
        WalkBounds { max_commits: MAX_COMMITS, max_age: MAX_COMMIT_AGE_SECONDS }
    }
}

/// An iterator over the commits of a walk. It reads them in batches, on demand.
pub struct CommitWalk {
    /// True if the walk continues the previous one. Otherwise it starts over, and all results of the previous walk are void.
    pub is_continued: bool,
    /// The part of the history that the walk covers. A continued walk keeps the extent of the previous one.
    pub extent: Extent,
    /// The end of the walk; `None` if there are no commits.
    pub to: Option<WalkedTo>,
    steps: std::vec::IntoIter<CommitStep>,
    ready: VecDeque<Commit>,
    readers: Vec<CommitReader>,
    n_changes: usize,
}

/// Walks from `since`, the end of an earlier walk, to `head`. The walk starts over if `since` is none or not on the
/// first-parent line of `head`, as after a rewritten history or on another branch.
///
/// A plain folder has no commits. Lines are not counted, since that would read every version of every file.
pub fn commits(
    checkout: &Checkout,
    head: &Head,
    since: Option<&WalkedTo>,
    bounds: WalkBounds,
) -> Result<CommitWalk, SourceError> {
    if checkout.kind == CheckoutKind::Folder {
        return Ok(CommitWalk::empty());
    }
    let repository = git::open_checkout(checkout)?;
    let reader = || {
        let mut repository = repository.to_thread_local();
        repository.object_cache_size(commit_reader::OBJECT_CACHE_BYTES);
        repository
    };
    let tip = ObjectId::from_bytes_or_panic(&head.commit.0);
    let first = reader();
    let basis = plan::WalkBasis::new(&first, tip, bounds);
    let since = since.filter(|since| since.basis == basis.hash).map(|since| since.tip);
    let plan = plan::plan_walk(&first, &basis, tip, since.map(|tip| ObjectId::from_bytes_or_panic(&tip.0)), bounds);
    let mailmap = Arc::new(basis.mailmap);
    let n_readers = if plan.steps.len() < BATCH_SIZE { 1 } else { rayon::current_num_threads() };
    let repositories = std::iter::once(first).chain(std::iter::repeat_with(reader)).take(n_readers);
    Ok(CommitWalk {
        is_continued: plan.is_continued,
        extent: plan.extent,
        to: Some(WalkedTo { tip: head.commit, basis: basis.hash }),
        readers: repositories.map(|repository| CommitReader::new(repository, Arc::clone(&mailmap))).collect(),
        steps: plan.steps.into_iter(),
        ready: VecDeque::new(),
        n_changes: 0,
    })
}

impl CommitWalk {
    fn empty() -> CommitWalk {
        CommitWalk {
            is_continued: false,
            extent: Extent::Nothing,
            to: None,
            steps: Vec::new().into_iter(),
            ready: VecDeque::new(),
            readers: Vec::new(),
            n_changes: 0,
        }
    }

    /// Returns the maximum number of remaining commits. Unreadable commits are skipped.
    pub fn n_left(&self) -> usize {
        self.steps.len() + self.ready.len()
    }

    /// Reads the next batch. Each reader takes adjacent commits, which share most of their trees.
    fn read_batch(&mut self) {
        let batch: Vec<CommitStep> = self.steps.by_ref().take(BATCH_SIZE).collect();
        let n_compared: u64 = self.readers.iter().map(|reader| reader.n_compared).sum();
        let limits = CommitReadLimits {
            n_changes: if self.n_changes < MAX_CHANGES_OF_WALK {
                tree_changes::MAX_CHANGES_OF_COMMIT
            } else {
                tree_changes::MAX_CHANGES_OVER_BUDGET
            },
            n_compared: if n_compared < MAX_COMPARED_BYTES { renames::MAX_COMPARED_BYTES_OF_COMMIT } else { 0 },
        };
        let per_reader = batch.len().div_ceil(self.readers.len().max(1)).max(1);
        let parts = self.readers.par_iter_mut().zip(batch.par_chunks(per_reader));
        let read: Vec<Vec<Commit>> =
            parts.map(|(reader, steps)| steps.iter().filter_map(|step| reader.read(step, limits)).collect()).collect();
        self.ready.extend(read.into_iter().flatten());
        self.n_changes += self.ready.iter().map(|commit| commit.changes.len()).sum::<usize>();
    }
}

impl Iterator for CommitWalk {
    type Item = Commit;

    fn next(&mut self) -> Option<Commit> {
        while self.ready.is_empty() && self.steps.len() > 0 {
            self.read_batch();
        }
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests;
