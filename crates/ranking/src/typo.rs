//! What was meant by a word that stands nowhere: the nearest words that do.

use std::collections::BTreeMap;

use crate::{
    analyser,
    name::{allowed_distance, edit_distance},
};

/// What the term that was probably meant counts beside the one that was written.
pub const CORRECTED_WEIGHT: f32 = 0.8;

/// Shorter words are near to too many others: mostly they are of another language, or of none.
const MIN_LETTERS: usize = 5;

/// A longer word is a hash or a token, and no typo of anything.
const MAX_LETTERS: usize = 32;

/// Edits by which a spelling may differ from the word that was written, beyond those of a typo: an ending of the same stem.
/// With more, `desert` would be taken for `deserialize`, whose stem is near.
const ENDING_DISTANCE: u32 = 1;

/// A word that may hold a typo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// In lower case, not stemmed.
    pub word: String,
    /// Its term.
    pub term: String,
}

impl Suspect {
    /// Reads a word; nothing if it is too short or too long to tell, or not made of letters alone.
    pub fn new(word: &str) -> Option<Suspect> {
        let n_letters = word.chars().count();
        let is_word = (MIN_LETTERS..=MAX_LETTERS).contains(&n_letters) && word.chars().all(char::is_alphabetic);
        let term = is_word.then(|| sole_term(word)).flatten()?;
        Some(Suspect { word: word.to_owned(), term })
    }

    /// Returns by how few edits another term differs, if they are few enough. The first letter must be right.
    pub fn distance_of_term(&self, other: &str) -> Option<u32> {
        distance(&self.term, other)
    }

    /// Returns by how few edits another word differs, if they are few enough. The first letter must be right.
    pub fn distance_of_word(&self, other: &str) -> Option<u32> {
        distance(&self.word, other)
    }

    fn has_ending(&self) -> bool {
        self.word != self.term
    }

    /// Returns by how few edits a spelling of a near term differs, if they are few enough.
    fn distance_of_spelling(&self, spelling: &str) -> Option<u32> {
        edit_distance(&self.word, spelling, allowed_distance(self.word.chars().count()) + ENDING_DISTANCE)
    }

    /// Returns parts of the word, one of which is in every word that is near enough, but for letters that changed
    /// places just where two of them meet.
    pub fn parts(&self) -> Vec<String> {
        /// One more than the edits that a word may have.
        const N_PARTS: usize = 3;
        let letters: Vec<char> = self.word.chars().collect();
        let size = letters.len().div_ceil(N_PARTS);
        letters.chunks(size).map(|part| part.iter().collect()).collect()
    }
}

/// Returns the term of a word that is one term.
pub fn sole_term(word: &str) -> Option<String> {
    let mut terms = analyser::terms(word).into_iter();
    terms.next().filter(|_| terms.next().is_none())
}

fn distance(left: &str, right: &str) -> Option<u32> {
    if left.chars().next() != right.chars().next() {
        return None;
    }
    edit_distance(left, right, allowed_distance(left.chars().count()))
}

/// A term that may have been meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Edits between it and what was written.
    pub distance: u32,
    /// Rows that hold it.
    pub rows: u64,
    /// A word whose term it is, as names spell it; empty if no name does.
    pub spelling: String,
}

/// The terms that may have been meant by one word. Those of several repositories add up, in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates(pub BTreeMap<String, Candidate>);

impl Candidates {
    /// Adds what one repository, or several, know of a term.
    pub fn add(&mut self, suspect: &Suspect, term: String, candidate: Candidate) {
        match self.0.entry(term) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(candidate);
            }
            std::collections::btree_map::Entry::Occupied(entry) => {
                let known = entry.into_mut();
                known.distance = known.distance.min(candidate.distance);
                known.rows += candidate.rows;
                let rank = |spelling: &str| {
                    (spelling.is_empty(), suspect.distance_of_spelling(spelling).unwrap_or(u32::MAX), spelling.len())
                };
                let (old, new) = (&known.spelling, candidate.spelling);
                if (rank(&new), &new) < (rank(old), old) {
                    known.spelling = new;
                }
            }
        }
    }

    /// Returns what was meant most likely: the nearest term, of those the one with the nearest spelling, then the most
    /// frequent one, then the first by letters. A term whose every spelling is too far from the word is none, unless it is
    /// as good as the word's own, which then has an ending that no name has.
    pub fn best(&self, suspect: &Suspect) -> Option<(&String, &Candidate)> {
        let is_near = |candidate: &Candidate| {
            candidate.spelling.is_empty()
                || (suspect.has_ending() && candidate.distance == 1)
                || suspect.distance_of_spelling(&candidate.spelling).is_some()
        };
        let near = self.0.iter().filter(|(_, candidate)| is_near(candidate));
        let of_spelling = |candidate: &Candidate| {
            let known = Some(&candidate.spelling).filter(|spelling| !spelling.is_empty());
            known.and_then(|spelling| suspect.distance_of_spelling(spelling)).unwrap_or(u32::MAX)
        };
        near.min_by_key(|(term, candidate)| {
            (candidate.distance, of_spelling(candidate), std::cmp::Reverse(candidate.rows), *term)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(distance: u32, rows: u64, spelling: &str) -> Candidate {
        Candidate { distance, rows, spelling: spelling.to_owned() }
    }

    #[test]
    fn only_words_that_can_be_told_are_suspects() {
        for word in ["abc", "wird", "deadbeef01", "日本", "x_y_z_w", ""] {
            assert_eq!(Suspect::new(word), None, "{word}");
        }
        assert_eq!(Suspect::new("santize").map(|suspect| suspect.term).as_deref(), Some("santiz"));
    }

    #[test]
    fn near_words_start_alike_and_differ_by_few_edits() {
        for (word, other, expected) in [
            ("santize", "sanitize", Some(1)),
            ("recieve", "receive", Some(1)),
            ("conection", "connection", Some(1)),
            ("authentcaton", "authentication", Some(2)),
            ("purple", "purpose", None),
            ("bicycle", "recycle", None),
            ("cat", "bat", None),
        ] {
            let found = Suspect::new(word).and_then(|suspect| suspect.distance_of_word(other));
            assert_eq!(found, expected, "{word} {other}");
        }
    }

    #[test]
    fn a_part_of_the_word_is_in_what_is_near() {
        for (word, other) in [("santize", "sanitize"), ("authentcaton", "authentication"), ("recieve", "receive")] {
            let parts = Suspect::new(word).unwrap().parts();
            assert!(parts.iter().any(|part| other.contains(part.as_str())), "{parts:?} {other}");
        }
    }

    #[test]
    fn candidates_add_up_in_any_order() {
        let suspect = Suspect::new("santize").unwrap();
        let parts = [
            ("sanit", candidate(2, 3, "sanitizer")),
            ("sanit", candidate(1, 4, "sanitize")),
            ("sanit", candidate(2, 1, "")),
            ("sant", candidate(2, 90, "")),
        ];
        let sum = |order: &[usize]| {
            let mut sum = Candidates::default();
            order.iter().for_each(|idx| sum.add(&suspect, parts[*idx].0.to_owned(), parts[*idx].1.clone()));
            sum
        };
        assert_eq!(sum(&[0, 1, 2, 3]), sum(&[3, 2, 1, 0]));
        let found = sum(&[2, 0, 3, 1]);
        assert_eq!(found.best(&suspect), Some((&"sanit".to_owned(), &candidate(1, 8, "sanitize"))));
    }

    #[test]
    fn a_near_stem_of_a_word_that_is_far_was_not_meant() {
        for (word, term, spelling, is_meant) in [
            ("desert", "deseri", "deserialize", false),
            ("submarine", "summari", "summary", false),
            ("recipent", "recipi", "recipients", true),
            ("recipent", "recipi", "", true),
            ("conection", "connect", "reconnect", true),
        ] {
            let distance = if word == "submarine" { 2 } else { 1 };
            let candidates = Candidates(BTreeMap::from([(term.to_owned(), candidate(distance, 5, spelling))]));
            let found = candidates.best(&Suspect::new(word).unwrap());
            assert_eq!(found.is_some(), is_meant, "{word} {spelling}");
        }
    }
}
