//! Commit votes: the commits whose messages are most similar to the query vote for the files that they touched.
//!
//! Message terms of a file describe its overall topic (`blend`). Votes find the single change that resembles the wanted
//! one, in other words. Measured on messages of later commits: MRR@10 .761 to .770; without identifiers .627 to .638,
//! recall@5 .764 to .777; no effect on comments and questions.

/// Number of most similar messages, over all repositories, that vote. 10 and 30 perform equally.
pub const N_VOTING: usize = 20;

/// Ratios of the best message cosine to the best row cosine at which trust in votes starts and becomes full. If code
/// matches a question better than any message, the question is not about a change.
const MIN_COSINE_RATIO: f32 = 0.8;
const FULL_COSINE_RATIO: f32 = 1.2;

/// Trust in votes where rows have no vectors to compare messages with.
pub const UNMEASURED_TRUST: f32 = 0.5;

/// Returns the vote of a message for each file of its commit. `cosine` is the message's cosine, `best` the maximum over
/// all messages, `n_files` the number of files of the commit. The cube lets the most similar messages decide; powers 2
/// and 5 perform equally.
pub fn vote(cosine: f32, best: f32, n_files: u32) -> f32 {
    if best <= 0.0 {
        return 0.0;
    }
    let similarity = cosine.max(0.0) / best;
    similarity * similarity * similarity / (n_files.max(1) as f32).sqrt()
}

/// Returns the trust in votes, from 0 to 1, by the largest cosine of a message and of a row.
pub fn trust(message_cosine: f32, row_cosine: f32) -> f32 {
    if message_cosine <= 0.0 {
        return 0.0;
    }
    let range = (FULL_COSINE_RATIO - MIN_COSINE_RATIO) * row_cosine.max(f32::MIN_POSITIVE);
    ((message_cosine - MIN_COSINE_RATIO * row_cosine) / range).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_message_of_few_files_has_the_largest_vote() {
        assert_eq!(vote(0.8, 0.8, 1), 1.0);
        assert_eq!(vote(0.8, 0.8, 4), 0.5);
        assert_eq!(vote(0.4, 0.8, 1), 0.125);
        assert_eq!((vote(-0.1, 0.8, 1), vote(0.0, 0.0, 1)), (0.0, 0.0));
    }

    #[test]
    fn trust_grows_with_the_cosine_ratio() {
        assert_eq!((trust(0.4, 0.6), trust(0.0, 0.0), trust(0.75, 0.6)), (0.0, 0.0, 1.0));
        assert!((trust(0.6, 0.6) - 0.5).abs() < 1e-5);
        assert_eq!(trust(0.5, 0.0), 1.0, "no row has a positive cosine");
    }
}
