//! The commits of a repository, oldest first, each with the files that it changed.
//!
//! The order is that in which changes arrived: what a merge brought comes right before it, after all that its first
//! parent already had. So a walk to a commit begins with the walk to any commit on its line of first parents, and what was
//! made of the one can be continued with the rest of the other.

mod changes;
mod plan;
mod read;
mod renames;

use std::{collections::VecDeque, sync::Arc};

use gix::ObjectId;
use model::{Commit, Extent, WalkedTo};
use rayon::prelude::*;

use crate::{Checkout, CheckoutKind, Head, SourceError, git};
use plan::Step;
use read::{Lane, Limits};

/// Commits of one walk, which take some 15 seconds of one core: all of most large projects, and of the others more years
/// than weigh anything.
pub const MAX_COMMITS: usize = 100_000;

/// How much older than the newest commit a walk begins, in seconds: 25 years, older than almost all that git holds.
/// What lies before weighs nothing by then.
pub const MAX_COMMIT_AGE_SECONDS: i64 = 25 * 365 * 86_400;

/// Changes that one walk reads, ten times what repositories of 50,000 commits have; a bound on what commits made to
/// exhaust memory can take. Once it is spent, a commit shows only as many as still tell which files belong together.
const MAX_CHANGES: usize = 4_000_000;

/// Bytes of files that one walk compares to find renames: a hundred times what large projects have, and a minute of one core.
/// Once they are spent, only files that moved unchanged are followed.
const MAX_COMPARED: u64 = 4 * 1024 * 1024 * 1024;

/// Commits that are read before any of them is handed out: enough for all cores, and few enough to hold.
const BATCH: usize = 256;

/// Bounds of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkBounds {
    /// Commits, the newest of which are taken.
    pub max_commits: usize,
    /// Seconds between the newest commit and the first one that is taken.
    pub max_age: i64,
}

impl Default for WalkBounds {
    fn default() -> WalkBounds {
        WalkBounds { max_commits: MAX_COMMITS, max_age: MAX_COMMIT_AGE_SECONDS }
    }
}

/// The commits of a walk, read while they are asked for.
pub struct CommitWalk {
    /// It goes on where the one before ended. Otherwise it begins anew, and what was made of that one is void.
    pub is_continued: bool,
    /// How much of the past it covers. That of a walk that is continued stays what it was.
    pub extent: Extent,
    /// Where it ends; none where there are no commits.
    pub to: Option<WalkedTo>,
    steps: std::vec::IntoIter<Step>,
    ready: VecDeque<Commit>,
    lanes: Vec<Lane>,
    n_changes: usize,
}

/// Walks from `since`, where an earlier walk ended, to `head`. Without one, or where that commit is not on the line of
/// first parents of `head` (a rewritten history, another branch), from the beginning.
///
/// A folder has no commits. Lines are not counted: it would mean to read every version of every file.
pub fn commits(
    checkout: &Checkout,
    head: &Head,
    since: Option<&WalkedTo>,
    bounds: WalkBounds,
) -> Result<CommitWalk, SourceError> {
    if checkout.kind == CheckoutKind::Folder {
        return Ok(CommitWalk::nothing());
    }
    let repository = git::open_checkout(checkout)?;
    let lane = || {
        let mut repository = repository.to_thread_local();
        repository.object_cache_size(read::OBJECT_CACHE_BYTES);
        repository
    };
    let tip = ObjectId::from_bytes_or_panic(&head.commit.0);
    let first = lane();
    let ground = plan::Ground::of(&first, tip, bounds);
    let since = since.filter(|since| since.basis == ground.basis).map(|since| since.tip);
    let plan = plan::plan(&first, &ground, tip, since.map(|tip| ObjectId::from_bytes_or_panic(&tip.0)), bounds);
    let mailmap = Arc::new(ground.mailmap);
    let n_lanes = if plan.steps.len() < BATCH { 1 } else { rayon::current_num_threads() };
    let repositories = std::iter::once(first).chain(std::iter::repeat_with(lane)).take(n_lanes);
    Ok(CommitWalk {
        is_continued: plan.is_continued,
        extent: plan.extent,
        to: Some(WalkedTo { tip: head.commit, basis: ground.basis }),
        lanes: repositories.map(|repository| Lane::new(repository, Arc::clone(&mailmap))).collect(),
        steps: plan.steps.into_iter(),
        ready: VecDeque::new(),
        n_changes: 0,
    })
}

impl CommitWalk {
    fn nothing() -> CommitWalk {
        CommitWalk {
            is_continued: false,
            extent: Extent::Nothing,
            to: None,
            steps: Vec::new().into_iter(),
            ready: VecDeque::new(),
            lanes: Vec::new(),
            n_changes: 0,
        }
    }

    /// Returns how many commits are still to come, at most: what cannot be read is left out.
    pub fn n_left(&self) -> usize {
        self.steps.len() + self.ready.len()
    }

    /// Reads the next commits. Each lane takes neighbours, which share most of their trees.
    fn read_batch(&mut self) {
        let batch: Vec<Step> = self.steps.by_ref().take(BATCH).collect();
        let n_compared: u64 = self.lanes.iter().map(|lane| lane.n_compared).sum();
        let limits = Limits {
            n_changes: if self.n_changes < MAX_CHANGES { changes::MAX_OF_COMMIT } else { changes::MAX_WHEN_SPENT },
            n_compared: if n_compared < MAX_COMPARED { renames::MAX_COMPARED_OF_COMMIT } else { 0 },
        };
        let per_lane = batch.len().div_ceil(self.lanes.len().max(1)).max(1);
        let parts = self.lanes.par_iter_mut().zip(batch.par_chunks(per_lane));
        let read: Vec<Vec<Commit>> =
            parts.map(|(lane, steps)| steps.iter().filter_map(|step| lane.read(step, limits)).collect()).collect();
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
