//! The commit that a checkout is at.

use model::CommitId;

/// The commit that a checkout is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// For a plain folder, a hash of its paths and their contents.
    pub commit: CommitId,
    /// The checked-out branch without `refs/heads/`; `None` for a detached `HEAD` and for a plain folder.
    pub branch: Option<String>,
    /// Commit time in seconds since 1970; for a plain folder, the modification time of its newest file.
    pub committed_at: i64,
}
