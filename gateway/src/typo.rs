//! Words of a query that stand nowhere, taken for those that were probably meant.

use std::cmp::Reverse;

use embed::{StaticModel, WordCache};
use proto::v1;
use ranking::{
    QueryParts, QueryTerm, Statistics, analyser,
    query::content_words,
    typo::{CORRECTED_WEIGHT, Candidate, Candidates, Suspect},
};

use crate::{addressed, call::Call, plan::Plan};

/// A query of more words than this says what it means by the others, and holds words that are new rather than wrong.
const MAX_QUERY_WORDS: usize = 12;

/// Words of one query that are corrected at most: one with more of them is no query with typos.
const MAX_CORRECTED: usize = 4;

/// A word that was taken for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Correction {
    /// As it was written, in lower case.
    pub(crate) from: String,
    /// As names spell it, or its stem.
    pub(crate) to: String,
}

impl Correction {
    /// Returns the line on it.
    pub(crate) fn note(&self) -> String {
        format!("searched for `{}` instead of `{}`, which stands in no file", self.to, self.from)
    }
}

/// Adds to a query what was probably meant by those of its words that no repository has.
pub(crate) async fn correct(
    call: &Call<'_>,
    plan: &mut Plan,
    text: &str,
    parts: &mut QueryParts,
    statistics: &mut Statistics,
) -> Vec<Correction> {
    let names = addressed::words_of_names(&call.visible, text);
    let mut suspects = suspects(text, parts, statistics);
    suspects.retain(|suspect| !names.contains(&suspect.word));
    if suspects.is_empty() {
        return Vec::new();
    }
    let words: Vec<String> = suspects.iter().map(|suspect| suspect.word.clone()).collect();
    let mut sums = vec![Candidates::default(); suspects.len()];
    for (_, reply) in call.suggest(plan, words).await {
        for suggestion in reply.suggestions {
            let word_idx = suggestion.word as usize;
            let v1::Suggestion { term, distance, rows, spelling, .. } = suggestion;
            sums[word_idx].add(&suspects[word_idx], term, Candidate { distance, rows, spelling });
        }
    }
    let meant = suspects.iter().zip(&sums).filter_map(|(suspect, sum)| Some((suspect, sum.best(suspect)?)));
    let mut corrections = Vec::new();
    for (suspect, (term, candidate)) in meant {
        let to = if candidate.spelling.is_empty() { term } else { &candidate.spelling };
        if is_another_word(&suspect.word, to) {
            continue;
        }
        add_term(parts, statistics, suspect, term, candidate.rows);
        corrections.push(Correction { from: suspect.word.clone(), to: text::sanitise_name(to).into_owned() });
    }
    corrections
}

/// Says whether a word is one of English that means something else than another: whoever writes `beach` means no `bench`, but
/// may mean `color` by `colour`.
fn is_another_word(word: &str, other: &str) -> bool {
    /// Of spellings of one word it is above .6, of words that only look alike below .3.
    const SAME_WORD: f32 = 0.45;
    let model = StaticModel::built_in();
    let mut cache = WordCache::new(model);
    model.knows(word) && model.embed(word, &mut cache).cosine(&model.embed(other, &mut cache)) < SAME_WORD
}

/// Returns the text with what was probably meant in the place of what was written.
pub(crate) fn corrected(text: &str, corrections: &[Correction]) -> String {
    let replaced = |word: &str| {
        let found = corrections.iter().find(|correction| word.to_lowercase().contains(&correction.from));
        found.map_or_else(|| word.to_owned(), |found| word.to_lowercase().replace(&found.from, &found.to))
    };
    if corrections.is_empty() {
        return text.to_owned();
    }
    text.split_whitespace().map(replaced).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a query whose terms stand nowhere.
fn suspects(text: &str, parts: &QueryParts, statistics: &Statistics) -> Vec<Suspect> {
    let words = content_words(text);
    if words.len() > MAX_QUERY_WORDS || statistics.rows == 0 {
        return Vec::new();
    }
    let mut found: Vec<Suspect> = Vec::new();
    for suspect in words.into_iter().flat_map(analyser::words).filter_map(|word| Suspect::new(&word)) {
        let place = parts.terms.iter().position(|term| term.text == suspect.term && !term.is_joined);
        let stands_nowhere = |place: usize| statistics.document_frequencies.get(place) == Some(&0);
        // A name that is one word is not stemmed.
        let whole = parts.terms.iter().position(|term| term.text == suspect.word);
        let is_unknown = place.is_some_and(stands_nowhere) && whole.is_none_or(stands_nowhere);
        if is_unknown && !found.iter().any(|known| known.term == suspect.term) {
            found.push(suspect);
        }
    }
    // The longest tell best what was meant; ties keep the order of the query.
    if found.len() > MAX_CORRECTED {
        found.sort_by_key(|suspect| Reverse(suspect.word.len()));
        found.truncate(MAX_CORRECTED);
    }
    found
}

fn add_term(parts: &mut QueryParts, statistics: &mut Statistics, suspect: &Suspect, term: &str, rows: u64) {
    if parts.terms.iter().any(|known| known.text == term) {
        return;
    }
    let written = parts.terms.iter().find(|known| known.text == suspect.term).map_or(1.0, |known| known.weight);
    // As one that is joined it adds nothing to the weight of the whole query, in which the word as written stands: what
    // is found by a guess is less relevant.
    parts.terms.push(QueryTerm { text: term.to_owned(), weight: written * CORRECTED_WEIGHT, is_joined: true });
    statistics.document_frequencies.push(rows);
}

#[cfg(test)]
mod tests {
    use ranking::query::{Mode, read};

    use super::*;

    fn suspects_of(query: &str, known: &[&str]) -> Vec<String> {
        let parts = read(query, Mode::Auto);
        let count = |term: &QueryTerm| u64::from(known.contains(&term.text.as_str()));
        let document_frequencies = parts.terms.iter().map(count).collect();
        let statistics = Statistics { rows: 9, document_frequencies, name_counts: Vec::new() };
        suspects(query, &parts, &statistics).into_iter().map(|suspect| suspect.word).collect()
    }

    #[test]
    fn only_words_that_stand_nowhere_are_suspects() {
        assert_eq!(suspects_of("how do we santize secrets", &["secret"]), ["santize"]);
        assert_eq!(suspects_of("SantizeSecrets the abc", &["secret"]), ["santize"]);
        assert_eq!(suspects_of("sanitize secrets", &["sanit", "secret"]), [""; 0]);
        let long = "alpha bravo charlie delta echoes foxtrot golfer hotels indian juliet kilos limas mikes";
        assert_eq!(suspects_of(long, &[]), [""; 0]);
    }

    #[test]
    fn words_of_english_are_no_typos_of_others() {
        for (word, other, is_another) in [
            ("beach", "bench", true),
            ("castle", "cast", true),
            ("backpack", "backtrack", true),
            ("colour", "color", false),
            ("santize", "sanitize", false),
            ("recieve", "receive", false),
        ] {
            assert_eq!(is_another_word(word, other), is_another, "{word} {other}");
        }
    }

    #[test]
    fn what_was_meant_counts_less_and_is_no_part_of_the_whole() {
        let mut parts = read("santize secrets", Mode::Auto);
        let n_terms = parts.terms.len();
        let mut statistics = Statistics { rows: 100, document_frequencies: vec![0; n_terms], name_counts: Vec::new() };
        let before = statistics.weigh(&parts.terms).total;
        let suspect = Suspect::new("santize").unwrap();
        add_term(&mut parts, &mut statistics, &suspect, "sanit", 7);
        add_term(&mut parts, &mut statistics, &suspect, "sanit", 7);
        assert_eq!(parts.terms.len(), n_terms + 1);
        let weighted = statistics.weigh(&parts.terms);
        assert_eq!(weighted.total, before);
        assert!(weighted.scored[0].weight < CORRECTED_WEIGHT * ranking::statistics::idf(100, 0));
    }

    #[test]
    fn the_text_is_read_as_it_was_meant() {
        let correction = Correction { from: "santize".to_owned(), to: "sanitize".to_owned() };
        assert_eq!(corrected("Santize  all", &[correction]), "sanitize all");
        assert_eq!(corrected("as  it was", &[]), "as  it was");
    }
}
