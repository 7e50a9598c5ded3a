//! Errors of following a remote.

use std::io;

/// The reason why a sync failed. Its text is one line, without credentials and without local paths.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// `git` is not installed, or cannot be started.
    #[error("the `git` program cannot be run ({0}); install git and make sure that it is in the PATH")]
    NoGit(io::Error),
    /// `git` failed.
    #[error("git refused to {action}: {reason}")]
    Refused {
        /// The attempted action as a verb phrase.
        action: &'static str,
        /// The reason that git printed, sanitised.
        reason: String,
    },
    /// A `git` command exceeded its deadline.
    #[error("git did not {action} within {seconds} seconds")]
    DeadlineExceeded {
        /// The attempted action as a verb phrase.
        action: &'static str,
        /// The deadline.
        seconds: u64,
    },
    /// The configured branch does not exist on the remote.
    #[error("the remote has no branch `{branch}`; name another one in the listing")]
    NoBranch {
        /// The configured branch.
        branch: String,
    },
    /// The `HEAD` of the remote is invalid.
    #[error(
        "the HEAD of the remote names no existing branch; set its default branch, or configure a `branch` in the listing"
    )]
    NoHead,
    /// A repository on this disk has files that are not read.
    #[error("the repository is not read: {reason}")]
    Unchecked {
        /// The file and what is odd about it, or why the check did not end.
        reason: String,
    },
    /// The token file of a credential is missing or empty.
    #[error("the token file for `{host}` cannot be read: {reason}")]
    Token {
        /// The host that requires the token.
        host: String,
        /// The reason, without the token.
        reason: String,
    },
    /// A file of the mirror could not be written.
    #[error("the mirror cannot be written: {0}")]
    Io(#[from] io::Error),
    /// The sync panicked: the mirror is damaged in a way that no check knows.
    #[error("fetching panicked; see the log")]
    Panicked,
    /// The caller stopped the sync.
    #[error("fetching was stopped")]
    Stopped,
}
