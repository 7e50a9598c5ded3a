//! The state of a repository that did not answer fully.

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
    /// It answered from another generation than the requested one.
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

    /// Returns true if the same request may succeed in a moment.
    pub fn is_retryable(self) -> bool {
        !matches!(self, ShardState::Failed | ShardState::Partial)
    }
}
