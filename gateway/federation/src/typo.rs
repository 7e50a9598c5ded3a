//! Typo correction: adds likely corrections of query words that occur in no repository.

use std::cmp::Reverse;

use embed::{StaticModel, WordCache};
use proto::v1;
use ranking::{
    QueryParts, QueryTerm, Statistics, analyser,
    query::content_words,
    typo::{CORRECTED_WEIGHT, Suspect, TermCandidate, TermCandidates},
};

use crate::{answer::Answer, call::CallContext, plan::Plan, repo_mentions, statistics::CountedQuery};

/// Maximum number of query words for correction: in a longer query the other words suffice, and unknown ones are mostly new
/// terms.
const MAX_QUERY_WORDS: usize = 12;

/// Maximum number of corrected words per query.
const MAX_CORRECTED: usize = 4;

/// A corrected word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// As it was written, in lower case.
    pub from: String,
    /// As names spell it, or its stem.
    pub to: String,
}

impl Correction {
    /// Returns the note on it.
    pub fn note(&self) -> String {
        let [to, from] = [&self.to, &self.from].map(|word| text::quote(word));
        format!("searched for {to} instead of {from}, which occurs in no file")
    }
}

/// A query with its corrections.
pub struct CorrectedQuery {
    /// The query with the corrections as additional terms; the original terms remain.
    pub query: CountedQuery,
    /// Empty if no word was corrected.
    pub corrections: Vec<Correction>,
}

impl CorrectedQuery {
    /// Returns a query without corrections.
    pub fn unchanged(query: CountedQuery) -> CorrectedQuery {
        CorrectedQuery { query, corrections: Vec::new() }
    }
}

/// Adds the likely corrections of unknown words to a query.
pub async fn correct(call: &CallContext<'_>, plan: &Plan, text: &str, query: CountedQuery) -> Answer<CorrectedQuery> {
    let names = repo_mentions::words_of_names(&call.visible, text);
    let mut suspects = suspects(text, &query.parts, &query.statistics);
    suspects.retain(|suspect| !names.contains(&suspect.word));
    let mut corrected = CorrectedQuery::unchanged(query);
    if suspects.is_empty() {
        return Answer::complete(corrected);
    }
    let words: Vec<String> = suspects.iter().map(|suspect| suspect.word.clone()).collect();
    let mut sums = vec![TermCandidates::default(); suspects.len()];
    let Answer { value: replies, shortfalls } = call.suggest(plan, words).await;
    for (_, reply) in replies {
        for suggestion in reply.suggestions {
            let word_idx = suggestion.word as usize;
            let v1::Suggestion { term, distance, rows, spelling, .. } = suggestion;
            sums[word_idx].add(&suspects[word_idx], term, TermCandidate { distance, rows, spelling });
        }
    }
    let meant = suspects.iter().zip(&sums).filter_map(|(suspect, sum)| Some((suspect, sum.best(suspect)?)));
    for (suspect, (term, candidate)) in meant {
        let to = if candidate.spelling.is_empty() { term } else { &candidate.spelling };
        if is_another_word(&suspect.word, to) {
            continue;
        }
        add_term(&mut corrected.query, suspect, term, candidate.rows);
        corrected.corrections.push(Correction { from: suspect.word.clone(), to: text::sanitise_name(to).into_owned() });
    }
    Answer { value: corrected, shortfalls }
}

/// Returns true if `word` is an English word with another meaning than `other`: `beach` is no typo of `bench`, but `colour` is a
/// variant of `color`.
fn is_another_word(word: &str, other: &str) -> bool {
    /// Of spellings of one word it is above .6, of words that only look alike below .3.
    const SAME_WORD: f32 = 0.45;
    let model = StaticModel::built_in();
    let mut cache = WordCache::new(model);
    model.knows(word) && cache.embed(word).cosine(&cache.embed(other)) < SAME_WORD
}

/// Applies the corrections to a text.
pub fn corrected(text: &str, corrections: &[Correction]) -> String {
    let replaced = |word: &str| {
        let found = corrections.iter().find(|correction| word.to_lowercase().contains(&correction.from));
        found.map_or_else(|| word.to_owned(), |found| word.to_lowercase().replace(&found.from, &found.to))
    };
    if corrections.is_empty() {
        return text.to_owned();
    }
    text.split_whitespace().map(replaced).collect::<Vec<_>>().join(" ")
}

/// Returns the query words whose terms occur in no repository.
fn suspects(text: &str, parts: &QueryParts, statistics: &Statistics) -> Vec<Suspect> {
    let words = content_words(text);
    if words.len() > MAX_QUERY_WORDS || statistics.rows == 0 {
        return Vec::new();
    }
    let mut found: Vec<Suspect> = Vec::new();
    for suspect in words.into_iter().flat_map(analyser::words).filter_map(|word| Suspect::new(&word)) {
        let place = parts.terms.iter().position(|term| term.text == suspect.term && !term.is_joined);
        let is_absent = |place: usize| statistics.document_frequencies.get(place) == Some(&0);
        // A name of one word is not stemmed.
        let whole = parts.terms.iter().position(|term| term.text == suspect.word);
        let is_unknown = place.is_some_and(is_absent) && whole.is_none_or(is_absent);
        if is_unknown && !found.iter().any(|known| known.term == suspect.term) {
            found.push(suspect);
        }
    }
    // Longer words have less ambiguous corrections; ties keep the order of the query.
    if found.len() > MAX_CORRECTED {
        found.sort_by_key(|suspect| Reverse(suspect.word.len()));
        found.truncate(MAX_CORRECTED);
    }
    found
}

fn add_term(query: &mut CountedQuery, suspect: &Suspect, term: &str, rows: u64) {
    let CountedQuery { parts, statistics } = query;
    if parts.terms.iter().any(|known| known.text == term) {
        return;
    }
    let written = parts.terms.iter().find(|known| known.text == suspect.term).map_or(1.0, |known| known.weight);
    // `is_joined` keeps the correction out of the total weight, which counts the original word: hits of a guess are less
    // relevant.
    parts.terms.push(QueryTerm { text: term.to_owned(), weight: written * CORRECTED_WEIGHT, is_joined: true });
    statistics.document_frequencies.push(rows);
}

#[cfg(test)]
mod tests {
    use ranking::query::{QueryMode, parse};

    use super::*;

    fn suspects_of(query: &str, known: &[&str]) -> Vec<String> {
        let parts = parse(query, QueryMode::Auto);
        let count = |term: &QueryTerm| u64::from(known.contains(&term.text.as_str()));
        let document_frequencies = parts.terms.iter().map(count).collect();
        let statistics = Statistics { rows: 9, document_frequencies, name_counts: Vec::new() };
        suspects(query, &parts, &statistics).into_iter().map(|suspect| suspect.word).collect()
    }

    #[test]
    fn only_unknown_words_are_suspects() {
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
    fn corrections_weigh_less_and_leave_the_total_weight() {
        let parts = parse("santize secrets", QueryMode::Auto);
        let n_terms = parts.terms.len();
        let statistics = Statistics { rows: 100, document_frequencies: vec![0; n_terms], name_counts: Vec::new() };
        let before = statistics.weigh(&parts.terms).total;
        let suspect = Suspect::new("santize").unwrap();
        let mut query = CountedQuery { parts, statistics };
        add_term(&mut query, &suspect, "sanit", 7);
        add_term(&mut query, &suspect, "sanit", 7);
        assert_eq!(query.parts.terms.len(), n_terms + 1);
        let weighted = query.statistics.weigh(&query.parts.terms);
        assert_eq!(weighted.total, before);
        assert!(weighted.scored[0].weight < CORRECTED_WEIGHT * ranking::statistics::idf(100, 0));
    }

    #[test]
    fn corrections_are_applied_to_the_text() {
        let correction = Correction { from: "santize".to_owned(), to: "sanitize".to_owned() };
        assert_eq!(corrected("Santize  all", &[correction]), "sanitize all");
        assert_eq!(corrected("as  it was", &[]), "as  it was");
    }
}
