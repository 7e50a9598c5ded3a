//! Which commit a checkout is at.

use model::CommitId;

use crate::{Checkout, CheckoutKind, SourceError, folder, git};

/// The commit that a checkout is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// For a plain folder, a hash of its paths and their contents.
    pub commit: CommitId,
    /// The branch that is checked out, without `refs/heads/`; none when `HEAD` is detached, and in a folder.
    pub branch: Option<String>,
    /// When the commit was made, in seconds since 1970; for a plain folder, when its newest file was written.
    pub committed_at: i64,
}

/// Resolves `HEAD`. For a plain folder this reads every file of it.
pub fn resolve(checkout: &Checkout) -> Result<Head, SourceError> {
    if !checkout.path.is_dir() {
        return Err(SourceError::Gone { alias: checkout.alias.clone() });
    }
    match checkout.kind {
        CheckoutKind::Folder => folder::resolve(checkout),
        _ => git::resolve(checkout),
    }
}
