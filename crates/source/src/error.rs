//! What can go wrong with a whole repository, and with one file of it.

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a repository cannot be resolved, listed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("`{alias}` has no commits yet; it can be read after the first one")]
    NoCommits { alias: String },
    #[error("`{alias}` is gone from the disk; restore it or take it out of the configured roots")]
    Gone { alias: String },
    #[error("`{alias}` uses {feature}, which cannot be read; {remedy}")]
    Unsupported { alias: String, feature: &'static str, remedy: &'static str },
    #[error("`{alias}` cannot be read; `git fsck` and the permissions of its files tell more")]
    Unreadable { alias: String, source: Cause },
}

/// Why one file cannot be read. The other files of its repository are not affected.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("`{path}` is not in this clone; `git fetch --refetch` completes a partial clone")]
    Missing { path: String },
    #[error("`{path}` has {size} bytes, more than are read of one file")]
    TooLarge { path: String, size: u64 },
    #[error("`{path}` is no longer the file that was listed; list the folder again")]
    Changed { path: String },
    #[error("`{path}` cannot be read; `git fsck` and the permissions of the file tell more")]
    Unreadable { path: String, source: Cause },
}
