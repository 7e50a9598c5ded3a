//! What is like what was said before: the commits whose messages are nearest to a query in meaning vote for the files that
//! they touched.
//!
//! The terms of all messages of a file tell what it is mostly about (`blend`); this tells which single change was like the
//! one that is looked for, in whatever words. Measured on messages of later commits: MRR@10 .761 to .770, without the words
//! that name code .627 to .638, recall@5 .764 to .777; on comments and questions nothing.

/// The nearest messages, over all repositories, that vote. 10 and 30 do as well.
pub const N_VOTING: usize = 20;

/// How near the nearest message must be beside the nearest row for votes to count at all, and to count fully: a question
/// that code answers better than any message is not about a change.
const DOUBTED: f32 = 0.8;
const TRUSTED: f32 = 1.2;

/// How far votes are trusted where rows have no vectors that messages could be measured by.
pub const UNMEASURED_TRUST: f32 = 0.5;

/// Returns what a message counts for each file that it is about: `cosine` is that of the message, `best` that of the nearest
/// one, and `n_files` is how many files there are. The third power of likeness lets the nearest decide, and those that
/// are as near; the second and the fifth do as well.
pub fn vote(cosine: f32, best: f32, n_files: u32) -> f32 {
    if best <= 0.0 {
        return 0.0;
    }
    let likeness = cosine.max(0.0) / best;
    likeness * likeness * likeness / (n_files.max(1) as f32).sqrt()
}

/// Returns how far votes are to be trusted, from 0 to 1, by the cosines of the nearest message and of the nearest row.
pub fn trust(of_message: f32, of_row: f32) -> f32 {
    match of_message <= 0.0 {
        true => 0.0,
        false => {
            ((of_message - DOUBTED * of_row) / ((TRUSTED - DOUBTED) * of_row.max(f32::MIN_POSITIVE))).clamp(0.0, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_few_files_counts_most() {
        assert_eq!(vote(0.8, 0.8, 1), 1.0);
        assert_eq!(vote(0.8, 0.8, 4), 0.5);
        assert_eq!(vote(0.4, 0.8, 1), 0.125);
        assert_eq!((vote(-0.1, 0.8, 1), vote(0.0, 0.0, 1)), (0.0, 0.0));
    }

    #[test]
    fn messages_that_are_further_than_code_are_not_trusted() {
        assert_eq!((trust(0.4, 0.6), trust(0.0, 0.0), trust(0.75, 0.6)), (0.0, 0.0, 1.0));
        assert!((trust(0.6, 0.6) - 0.5).abs() < 1e-5);
        assert_eq!(trust(0.5, 0.0), 1.0, "no row means anything");
    }
}
