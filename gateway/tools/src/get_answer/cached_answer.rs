//! An answer as the cache and the calls in flight hold it.

use super::body::Body;

/// A cached answer.
pub(crate) struct CachedAnswer {
    pub(super) body: Body,
    /// The notes of its retrieval.
    pub(super) notes: Vec<String>,
}
