//! Spelling correction: the known terms that are most similar to an unknown query word.

use std::collections::BTreeMap;

use crate::{
    analyser,
    edit_distance::{allowed_distance, edit_distance},
};

/// Weight of a correction relative to the written term.
pub const CORRECTED_WEIGHT: f32 = 0.8;

/// Minimum length of a word. Shorter ones are close to too many others and mostly come from another language.
const MIN_LETTERS: usize = 5;

/// Maximum length of a word. Longer ones are hashes or tokens.
const MAX_LETTERS: usize = 32;

/// Additional edits for spellings of a term: an ending of the same stem. With more, `desert` would match `deserialize`,
/// whose stem is close.
const ENDING_DISTANCE: u32 = 1;

/// A word that may have a typo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// In lower case, unstemmed.
    pub word: String,
    /// Its analysed term.
    pub term: String,
}

impl Suspect {
    /// Returns the word as a suspect; `None` if its length is out of bounds or it has other characters than letters.
    pub fn new(word: &str) -> Option<Suspect> {
        let n_letters = word.chars().count();
        let is_word = (MIN_LETTERS..=MAX_LETTERS).contains(&n_letters) && word.chars().all(char::is_alphabetic);
        let term = is_word.then(|| sole_term(word)).flatten()?;
        Some(Suspect { word: word.to_owned(), term })
    }

    /// Returns the number of edits to another term, if within the limit. The first letter must be equal.
    pub fn distance_of_term(&self, other: &str) -> Option<u32> {
        distance(&self.term, other)
    }

    /// Returns the number of edits to another word, if within the limit. The first letter must be equal.
    pub fn distance_of_word(&self, other: &str) -> Option<u32> {
        distance(&self.word, other)
    }

    fn has_ending(&self) -> bool {
        self.word != self.term
    }

    /// Returns the number of edits to a spelling of a close term, if within the limit.
    fn distance_of_spelling(&self, spelling: &str) -> Option<u32> {
        edit_distance(&self.word, spelling, allowed_distance(self.word.chars().count()) + ENDING_DISTANCE)
    }

    /// Returns parts of the word such that every word within the edit limit contains one of them, except for
    /// transpositions across the boundary of two parts.
    pub fn parts(&self) -> Vec<String> {
        /// One more than the maximum number of edits.
        const N_PARTS: usize = 3;
        let letters: Vec<char> = self.word.chars().collect();
        let size = letters.len().div_ceil(N_PARTS);
        letters.chunks(size).map(|part| part.iter().collect()).collect()
    }
}

/// Returns the term of a word if it is exactly one.
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
pub struct TermCandidate {
    /// Number of edits from the written word.
    pub distance: u32,
    /// Number of rows with this term.
    pub rows: u64,
    /// A word with this term as names spell it; empty if there is none.
    pub spelling: String,
}

/// Corrections for one word, by term. Those of several repositories can be merged in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermCandidates(pub BTreeMap<String, TermCandidate>);

impl TermCandidates {
    /// Merges the knowledge of one or several repositories about a term.
    pub fn add(&mut self, suspect: &Suspect, term: String, candidate: TermCandidate) {
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

    /// Returns the most likely correction: the fewest edits, then the closest spelling, then the most rows, then the
    /// first term in alphabetical order. A term is excluded if all its spellings are too far from the word, unless it
    /// is one edit from the word's own term and the word has an ending.
    pub fn best(&self, suspect: &Suspect) -> Option<(&String, &TermCandidate)> {
        let is_close = |candidate: &TermCandidate| {
            candidate.spelling.is_empty()
                || (suspect.has_ending() && candidate.distance == 1)
                || suspect.distance_of_spelling(&candidate.spelling).is_some()
        };
        let close = self.0.iter().filter(|(_, candidate)| is_close(candidate));
        let spelling_distance = |candidate: &TermCandidate| {
            let known = Some(&candidate.spelling).filter(|spelling| !spelling.is_empty());
            known.and_then(|spelling| suspect.distance_of_spelling(spelling)).unwrap_or(u32::MAX)
        };
        close.min_by_key(|(term, candidate)| {
            (candidate.distance, spelling_distance(candidate), std::cmp::Reverse(candidate.rows), *term)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(distance: u32, rows: u64, spelling: &str) -> TermCandidate {
        TermCandidate { distance, rows, spelling: spelling.to_owned() }
    }

    #[test]
    fn suspects_are_words_of_bounded_length() {
        for word in ["abc", "wird", "deadbeef01", "日本", "x_y_z_w", ""] {
            assert_eq!(Suspect::new(word), None, "{word}");
        }
        assert_eq!(Suspect::new("santize").map(|suspect| suspect.term).as_deref(), Some("santiz"));
    }

    #[test]
    fn distance_is_bounded_and_keeps_the_first_letter() {
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
    fn close_words_share_a_part() {
        for (word, other) in [("santize", "sanitize"), ("authentcaton", "authentication"), ("recieve", "receive")] {
            let parts = Suspect::new(word).unwrap().parts();
            assert!(parts.iter().any(|part| other.contains(part.as_str())), "{parts:?} {other}");
        }
    }

    #[test]
    fn corrections_merge_in_any_order() {
        let suspect = Suspect::new("santize").unwrap();
        let parts = [
            ("sanit", candidate(2, 3, "sanitizer")),
            ("sanit", candidate(1, 4, "sanitize")),
            ("sanit", candidate(2, 1, "")),
            ("sant", candidate(2, 90, "")),
        ];
        let merged = |order: &[usize]| {
            let mut merged = TermCandidates::default();
            order.iter().for_each(|idx| merged.add(&suspect, parts[*idx].0.to_owned(), parts[*idx].1.clone()));
            merged
        };
        assert_eq!(merged(&[0, 1, 2, 3]), merged(&[3, 2, 1, 0]));
        let found = merged(&[2, 0, 3, 1]);
        assert_eq!(found.best(&suspect), Some((&"sanit".to_owned(), &candidate(1, 8, "sanitize"))));
    }

    #[test]
    fn close_stem_with_a_distant_spelling_is_excluded() {
        for (word, term, spelling, is_meant) in [
            ("desert", "deseri", "deserialize", false),
            ("submarine", "summari", "summary", false),
            ("recipent", "recipi", "recipients", true),
            ("recipent", "recipi", "", true),
            ("conection", "connect", "reconnect", true),
        ] {
            let distance = if word == "submarine" { 2 } else { 1 };
            let candidates = TermCandidates(BTreeMap::from([(term.to_owned(), candidate(distance, 5, spelling))]));
            let found = candidates.best(&Suspect::new(word).unwrap());
            assert_eq!(found.is_some(), is_meant, "{word} {spelling}");
        }
    }
}
