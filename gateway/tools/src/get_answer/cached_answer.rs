//! An answer as the cache and the calls in flight hold it.

use super::body::AnswerBody;
use crate::may_miss::MayMiss;

/// A cached answer.
pub(crate) struct CachedAnswer {
    pub(super) body: AnswerBody,
    /// The notes of its retrieval.
    pub(super) notes: Vec<String>,
    /// The users or links that it may miss. Such an answer is shared by concurrent calls only.
    pub(super) may_miss: Option<MayMiss>,
}
