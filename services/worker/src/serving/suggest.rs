//! What may have been meant by words that stand nowhere, over all targets.

use proto::v1;
use ranking::typo::{Candidate, Candidates, Suspect};
use tonic::Status;

use super::{
    pool::Wanted,
    targets::{self, Target},
};

/// Words that one request may ask about.
const MAX_WORDS: usize = 16;

/// Reads the words of a request.
pub(super) fn suspects(words: &[String]) -> Result<Vec<Suspect>, Status> {
    if words.len() > MAX_WORDS {
        return Err(Status::invalid_argument(format!("at most {MAX_WORDS} words can be asked about at once")));
    }
    let suspect = |word: &String| {
        Suspect::new(word).ok_or_else(|| Status::invalid_argument("a word is 4 to 32 letters that are one term"))
    };
    words.iter().map(suspect).collect()
}

/// Answers for all targets together.
pub(super) fn suggest(suspects: &[Suspect], targets: &[Target], wanted: &Wanted) -> v1::SuggestResponse {
    let (replies, outcomes) = targets::ask(targets, wanted, |asked| {
        Ok(suspects.iter().map(|suspect| asked.snapshot.suggest(suspect)).collect::<Vec<Candidates>>())
    });
    let mut sums = vec![Candidates::default(); suspects.len()];
    for (_, of_target) in replies {
        for ((sum, suspect), candidates) in sums.iter_mut().zip(suspects).zip(of_target) {
            candidates.0.into_iter().for_each(|(term, candidate)| sum.add(suspect, term, candidate));
        }
    }
    let suggestion = |word_idx: usize, (term, candidate): (String, Candidate)| v1::Suggestion {
        word: word_idx as u32,
        term,
        distance: candidate.distance,
        rows: candidate.rows,
        spelling: candidate.spelling,
    };
    let of_word = |(word_idx, sum): (usize, Candidates)| sum.0.into_iter().map(move |one| suggestion(word_idx, one));
    v1::SuggestResponse { suggestions: sums.into_iter().enumerate().flat_map(of_word).collect(), outcomes }
}
