//! How much of what was asked stands behind an answer.

use crate::RepoId;

/// A value, and what it was made from. A missing shard shows here, never as an error or as an empty success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T> {
    pub value: T,
    pub coverage: Coverage,
}

/// Which of the repositories asked stand behind a value. `shortfalls` is in the order of repository ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Repositories that the caller asked for and may read.
    pub asked: usize,
    /// Those that answered fully.
    pub answered: usize,
    /// Those that were left out because they provably could not change the value; they count as answered.
    pub pruned: usize,
    pub shortfalls: Vec<Shortfall>,
}

impl Coverage {
    /// Says whether every repository that was asked stands behind the value.
    pub fn is_complete(&self) -> bool {
        self.shortfalls.is_empty()
    }
}

/// A repository that did not answer fully.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    pub repo: RepoId,
    pub alias: String,
    pub state: ShardState,
    /// One line for people: what happened.
    pub reason: String,
}

/// Why a repository did not answer fully.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShardState {
    /// It answered with a part of what it has.
    Partial,
    /// It did not answer before the deadline.
    TimedOut,
    /// It answered with an error.
    Failed,
    /// Its worker could not be reached.
    Unreachable,
    /// It has no sealed generation yet.
    NotReady,
    /// It answered from another generation than the one asked for.
    Stale,
}

impl ShardState {
    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            ShardState::Partial => "partial",
            ShardState::TimedOut => "timed_out",
            ShardState::Failed => "failed",
            ShardState::Unreachable => "unreachable",
            ShardState::NotReady => "not_ready",
            ShardState::Stale => "stale",
        }
    }

    /// Says whether the same request may succeed in a moment.
    pub fn is_retryable(self) -> bool {
        !matches!(self, ShardState::Failed | ShardState::Partial)
    }
}
