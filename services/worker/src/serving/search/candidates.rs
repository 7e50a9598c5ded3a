//! The candidates of one shard: its best files by each ranker, before the cut over all shards.

use index::{MessageHit, NameMatches, PageHit, QueryVector, SearchQuery};
use ranking::votes::N_VOTING;

use crate::serving::targets::TargetSnapshot;

/// The candidates of one shard.
pub(super) struct ShardCandidates<'a> {
    pub(super) target: TargetSnapshot<'a>,
    pub(super) query: SearchQuery<'a>,
    pub(super) named: NameMatches,
    /// Scores and indices of files, as in `by_text`.
    pub(super) by_vector: Vec<(f32, u32)>,
    pub(super) pages: Vec<PageHit>,
    pub(super) messages: Vec<MessageHit>,
    /// The upper bound of the text scores of its files.
    pub(super) bound: f32,
    pub(super) by_text: Vec<(f32, u32)>,
    pub(super) is_scored: bool,
    pub(super) has_vectors: bool,
}

impl<'a> ShardCandidates<'a> {
    /// Ranks the files of a shard by everything but text.
    pub(super) fn rank(
        target: &TargetSnapshot<'a>,
        query: SearchQuery<'a>,
        message_vector: Option<&QueryVector<'_>>,
    ) -> ShardCandidates<'a> {
        let snapshot = target.snapshot;
        let messages = |vector| snapshot.rank_messages(vector, query.filter, N_VOTING);
        ShardCandidates {
            target: target.clone(),
            named: snapshot.match_names_and_paths(&query),
            by_vector: snapshot.rank_by_vector(&query),
            pages: snapshot.rank_pages(&query),
            messages: message_vector.map_or_else(Vec::new, messages),
            bound: snapshot.text_score_bound(&query),
            by_text: Vec::new(),
            is_scored: false,
            has_vectors: snapshot.manifest().rows == 0
                || query.vector.as_ref().is_some_and(|vector| snapshot.has_vectors_of(vector)),
            query,
        }
    }
}
