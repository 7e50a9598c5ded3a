//! Errors of a whole repository, and errors of one of its files.

/// The error of a library or of the file system.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a repository cannot be resolved, listed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// `HEAD` names a branch without commits.
    #[error("`{alias}` has no commits yet; it can be read after the first one")]
    NoCommits {
        /// The alias of the checkout.
        alias: String,
    },
    /// The checkout, or the repository that it belongs to, does not exist any more.
    #[error("`{alias}` is gone from the disk; restore it or take it out of the configured roots")]
    Gone {
        /// The alias of the checkout.
        alias: String,
    },
    /// The repository uses a feature of git that this crate does not read.
    #[error("`{alias}` uses {feature}, which cannot be read; {remedy}")]
    Unsupported {
        /// The alias of the checkout.
        alias: String,
        /// The name of the feature.
        feature: &'static str,
        /// The steps that the user can take.
        remedy: &'static str,
    },
    /// A file of the repository is not read, since it could block, has no end, or leads out of the configured folders.
    #[error("`{alias}` is not read: {reason}")]
    Refused {
        /// The alias of the checkout.
        alias: String,
        /// The file and what is wrong with it.
        reason: String,
    },
    /// The repository is damaged, or its files cannot be read.
    #[error("`{alias}` cannot be read; run `git fsck` and check the permissions of its files")]
    Unreadable {
        /// The alias of the checkout.
        alias: String,
        /// The error of git or of the file system.
        source: Cause,
    },
}

/// The reason why one file cannot be read. Other files of the repository are not affected.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A partial clone lacks the blob.
    #[error("`{path}` is not in this clone; `git fetch --refetch` completes a partial clone")]
    Missing {
        /// Relative to the repository.
        path: String,
    },
    /// The file exceeds [`crate::MAX_FILE_BYTES`].
    #[error("`{path}` has {size} bytes, more than the limit of one file")]
    TooLarge {
        /// Relative to the repository.
        path: String,
        /// In bytes.
        size: u64,
    },
    /// The file of a plain folder changed after it was listed.
    #[error("`{path}` is no longer the file that was listed; list the folder again")]
    Changed {
        /// Relative to the folder.
        path: String,
    },
    /// The file is damaged, or its permissions forbid reading.
    #[error("`{path}` cannot be read; run `git fsck` and check the permissions of the file")]
    Unreadable {
        /// Relative to the repository.
        path: String,
        /// The error of git or of the file system.
        source: Cause,
    },
}
