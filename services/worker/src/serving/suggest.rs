//! Spelling suggestions for unknown words, over all targets.

use proto::v1;
use ranking::typo::{Suspect, TermCandidate, TermCandidates};
use tonic::Status;

use super::{
    query_pool::QueryContext,
    targets::{self, QueryTarget},
};

/// Maximum number of words of a request.
const MAX_WORDS: usize = 16;

/// Checks the words of a request.
pub(super) fn suspects(words: &[String]) -> Result<Vec<Suspect>, Status> {
    if words.len() > MAX_WORDS {
        return Err(Status::invalid_argument(format!("a request may have at most {MAX_WORDS} words")));
    }
    let suspect = |word: &String| {
        Suspect::new(word).ok_or_else(|| Status::invalid_argument("a word is 4 to 32 letters that are one term"))
    };
    words.iter().map(suspect).collect()
}

/// Returns the merged suggestions of all targets.
pub(super) fn suggest(suspects: &[Suspect], targets: &[QueryTarget], context: &QueryContext) -> v1::SuggestResponse {
    let (replies, outcomes) = targets::query_all(targets, context, |shard| {
        Ok(suspects.iter().map(|suspect| shard.snapshot.suggest_terms(suspect)).collect::<Vec<TermCandidates>>())
    });
    let mut sums = vec![TermCandidates::default(); suspects.len()];
    for (_, of_target) in replies {
        for ((sum, suspect), candidates) in sums.iter_mut().zip(suspects).zip(of_target) {
            candidates.0.into_iter().for_each(|(term, candidate)| sum.add(suspect, term, candidate));
        }
    }
    let suggestion = |word_idx: usize, (term, candidate): (String, TermCandidate)| v1::Suggestion {
        word: word_idx as u32,
        term,
        distance: candidate.distance,
        rows: candidate.rows,
        spelling: candidate.spelling,
    };
    let of_word =
        |(word_idx, sum): (usize, TermCandidates)| sum.0.into_iter().map(move |one| suggestion(word_idx, one));
    v1::SuggestResponse { suggestions: sums.into_iter().enumerate().flat_map(of_word).collect(), outcomes }
}
