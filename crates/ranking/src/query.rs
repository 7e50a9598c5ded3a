//! Query parsing: the terms of the text, and the symbol names and paths in it.

mod report;
mod vocabulary;

use std::ops::RangeInclusive;

use model::Language;

pub use self::vocabulary::is_stop_word;
use self::{
    report::{MAX_SHORT_QUERY_WORDS, Report},
    vocabulary::{CONFIG_WORDS, DOCS_WORDS, TEST_WORDS},
};
use crate::{Statistics, aggregate::RequestedClasses, analyser, query_term::QueryTerm};

/// Interpretation of a query. `Auto` decides by its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum QueryMode {
    /// Decided by the shape of the query.
    #[default]
    Auto,
    /// Text alone.
    Concept,
    /// Symbol names first.
    Symbol,
    /// Paths first.
    Path,
    /// All rankers.
    Hybrid,
}

impl QueryMode {
    /// All modes, in the order of the user documentation.
    pub const ALL: &'static [QueryMode] =
        &[QueryMode::Auto, QueryMode::Concept, QueryMode::Symbol, QueryMode::Path, QueryMode::Hybrid];

    /// Returns the name that users type and read.
    pub fn name(self) -> &'static str {
        match self {
            QueryMode::Auto => "auto",
            QueryMode::Concept => "concept",
            QueryMode::Symbol => "symbol",
            QueryMode::Path => "path",
            QueryMode::Hybrid => "hybrid",
        }
    }

    /// Returns the mode of this name.
    pub fn parse(name: &str) -> Option<QueryMode> {
        QueryMode::ALL.iter().copied().find(|mode| mode.name() == name)
    }
}

/// Maximum number of distinct terms of a query; statistics then select the scored ones.
pub const MAX_TERMS: usize = 256;

/// Maximum number of words of a query: a long issue.
const MAX_WORDS: usize = 1_000;

/// Number of leading words that have full weight. The words after them explain. Measured on commit messages.
const N_TITLE_WORDS: usize = 12;

/// Weight of a term that first occurs after the title.
const AFTER_TITLE_WEIGHT: f32 = 0.6;

const REPORT_WEIGHT: f32 = 0.1;
const REPORT_IDENTIFIER_WEIGHT: f32 = 0.3;

/// Number of words of a report for its query vector. With more words, the vector approaches that of an average report.
/// If an empty line follows the title, the title alone is used, padded to the lower bound. Measured MRR@10: issue texts
/// .761 (.753 with always 40), real messages .826 (.816).
const VECTOR_WORDS: RangeInclusive<usize> = 20..=40;

/// Maximum number of words that are also looked up joined, as one identifier.
const MAX_JOINED_WORDS: usize = 5;

/// Maximum number of words of a query that may consist of names only.
const MAX_NAMING_WORDS: usize = 3;

/// Maximum number of words of a query that can request tests or documentation by naming them; a longer one merely
/// mentions them.
const MAX_REQUEST_WORDS: usize = 8;

/// Maximum number of identifiers and of paths.
const MAX_NAMES: usize = 8;

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryParts {
    /// Analysed terms, distinct, without stop words.
    pub terms: Vec<QueryTerm>,
    /// Names to look up as symbols.
    pub identifiers: Vec<String>,
    /// Paths, or path suffixes, to look up.
    pub paths: Vec<String>,
    /// File classes that the query asks for.
    pub requested: RequestedClasses,
    /// True if terms, names or paths were dropped because of a limit.
    pub is_truncated: bool,
    /// True if all words are stop words.
    pub has_only_stop_words: bool,
    /// True if all words look like identifiers.
    pub has_only_identifiers: bool,
}

/// Weight of stop words in a query of stop words only: a row with all of them is no answer.
const STOP_WORD_WEIGHT: f32 = 0.05;

/// Factor on the total weight of a query that only has names that occur nowhere: a place with half of such a name then has a relevance
/// below 1.
const ABSENT_NAMES_FACTOR: f32 = 3.0;

impl QueryParts {
    /// Returns the total weight of the query for relevance, given the total weight of its terms and the statistics of the query.
    pub fn total_weight(&self, terms_weight: f32, statistics: &Statistics) -> f32 {
        if self.has_only_stop_words {
            terms_weight / STOP_WORD_WEIGHT
        } else if self.has_only_absent_names(statistics) {
            terms_weight * ABSENT_NAMES_FACTOR
        } else {
            terms_weight
        }
    }

    /// Returns true if the query only has names, and none is defined or occurs as one word.
    fn has_only_absent_names(&self, statistics: &Statistics) -> bool {
        let joined = self.terms.iter().zip(&statistics.document_frequencies).filter(|(term, _)| term.is_joined);
        self.has_only_identifiers
            && !self.identifiers.is_empty()
            && statistics.name_counts.iter().all(|count| *count == 0)
            && joined.map(|(_, n_rows)| n_rows).all(|n_rows| *n_rows == 0)
    }

    /// Replaces an unknown stem by its unstemmed word if that is known: `iroutes` may be the name of a type.
    pub fn replace_absent_stems(&mut self, statistics: &mut Statistics) {
        let occurs = |statistics: &Statistics, term_idx: usize| statistics.document_frequencies[term_idx] > 0;
        for whole_idx in (0..self.terms.len()).rev() {
            let whole = &self.terms[whole_idx];
            if !whole.is_joined || !occurs(statistics, whole_idx) {
                continue;
            }
            let stems = analyser::terms(&whole.text);
            let is_stem = |term: &QueryTerm| !term.is_joined && stems.contains(&term.text);
            let stem_idx = self.terms.iter().position(is_stem).filter(|stem_idx| !occurs(statistics, *stem_idx));
            if let Some(stem_idx) = stem_idx {
                let text = self.terms.remove(whole_idx).text;
                self.terms[stem_idx].text = text;
                let frequency = statistics.document_frequencies.remove(whole_idx);
                statistics.document_frequencies[stem_idx] = frequency;
            }
        }
    }

    /// Returns true if there are no words to search for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.identifiers.is_empty() && self.paths.is_empty()
    }
}

/// Parses a query.
pub fn parse(query: &str, mode: QueryMode) -> QueryParts {
    let mut words: Vec<&str> = query.split_whitespace().map(trim_word).filter(|word| !word.is_empty()).collect();
    let is_truncated = words.len() > MAX_WORDS;
    words.truncate(MAX_WORDS);
    let mut parts = QueryParts { is_truncated, ..QueryParts::default() };
    // In a longer sentence, names and paths are terms like others; measured, those suffice.
    let is_sentence = mode == QueryMode::Auto && words.len() > MAX_NAMING_WORDS;
    if mode != QueryMode::Concept && !is_sentence {
        let is_one_word = words.len() == 1;
        for word in &words {
            let looks_like_path = is_path(word);
            if looks_like_path || mode == QueryMode::Path {
                push_distinct(&mut parts.paths, word);
            }
            if !looks_like_path && (is_one_word || is_identifier(word) || mode == QueryMode::Symbol) {
                push_distinct(&mut parts.identifiers, word);
            }
        }
        let is_name_in_words = mode == QueryMode::Auto && parts.identifiers.is_empty() && parts.paths.is_empty();
        if (mode == QueryMode::Symbol || is_name_in_words) && words.len() > 1 {
            parts.identifiers.insert(0, words.join("_"));
        }
    }
    parts.is_truncated |= parts.identifiers.len() > MAX_NAMES || parts.paths.len() > MAX_NAMES;
    parts.identifiers.truncate(MAX_NAMES);
    parts.paths.truncate(MAX_NAMES);
    parts.requested = requested(&words);
    parts.has_only_stop_words = words.iter().all(|word| is_stop_word(word));
    parts.has_only_identifiers = !words.is_empty() && words.iter().all(|word| is_identifier(word));
    parts.terms = text_terms(query, &words);
    parts.is_truncated |= parts.terms.len() > MAX_TERMS;
    parts.terms.truncate(MAX_TERMS);
    parts
}

/// Returns the words of a query that are no stop words; all words if there are no others.
pub fn content_words(query: &str) -> Vec<&str> {
    let words: Vec<&str> = query.split_whitespace().map(trim_word).filter(|word| !word.is_empty()).collect();
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_stop_word(word)).take(MAX_WORDS).collect();
    if content.is_empty() { words } else { content }
}

/// Returns the words of a query for its query vector.
pub fn vector_words(query: &str) -> Vec<&str> {
    let mut words = content_words(query);
    if let Some(report) = Report::of(query, words.len()) {
        let (min, max) = VECTOR_WORDS.into_inner();
        words.truncate(if report.is_separate_title { report.n_first_line.clamp(min, max) } else { max });
    }
    words
}

/// Returns true if a query is a report, whose first line states the topic.
pub fn is_report(query: &str) -> bool {
    Report::of(query, content_words(query).len()).is_some()
}

fn requested(words: &[&str]) -> RequestedClasses {
    if words.len() > MAX_REQUEST_WORDS {
        return RequestedClasses::default();
    }
    let names_any = |subjects: &[&str]| words.iter().any(|word| subjects.contains(&word.to_lowercase().as_str()));
    RequestedClasses { tests: names_any(TEST_WORDS), docs: names_any(DOCS_WORDS), config: names_any(CONFIG_WORDS) }
}

fn text_terms(query: &str, words: &[&str]) -> Vec<QueryTerm> {
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_stop_word(word)).collect();
    let content = if content.iter().any(|word| !analyser::terms(word).is_empty()) { &content } else { words };
    let report = Report::of(query, content.len());
    let title_end = report.as_ref().and_then(Report::n_title_words).unwrap_or(content.len().min(N_TITLE_WORDS));
    let subject_end = report.map_or(content.len(), |report| report.n_first_line.min(MAX_SHORT_QUERY_WORDS));
    let weight_of = |position: usize, word: &str| {
        if position < title_end {
            1.0
        } else if position < subject_end {
            AFTER_TITLE_WEIGHT
        } else if is_identifier(word) {
            REPORT_IDENTIFIER_WEIGHT
        } else {
            REPORT_WEIGHT
        }
    };
    let mut terms: Vec<QueryTerm> = Vec::new();
    for (position, word) in content.iter().enumerate() {
        let weight = weight_of(position, word);
        for text in analyser::terms(word) {
            match terms.iter_mut().find(|term| term.text == text) {
                Some(known) => known.weight = known.weight.max(weight),
                None => terms.push(QueryTerm { text, weight, is_joined: false }),
            }
        }
    }
    for text in joined_words(words) {
        if !terms.iter().any(|term| term.text == text) {
            terms.push(QueryTerm { text, weight: 1.0, is_joined: true });
        }
    }
    terms
}

/// Returns neighbouring words of a short query joined to identifiers: `http client` may mean `HTTPClient`. Single words
/// are included unstemmed: `iroutes` may mean `IRoutes`.
fn joined_words(words: &[&str]) -> Vec<String> {
    let parts: Vec<String> = words.iter().flat_map(|word| analyser::words(word)).collect();
    if parts.len() > MAX_JOINED_WORDS {
        return Vec::new();
    }
    let runs = (1..=parts.len()).flat_map(|n_parts| parts.windows(n_parts));
    let has_only_stop_words = |run: &&[String]| matches!(run, [word] if is_stop_word(word));
    runs.filter(|run| !has_only_stop_words(run)).map(|run| run.concat()).collect()
}

fn push_distinct(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|other| other == word) {
        list.push(word.to_owned());
    }
}

fn trim_word(word: &str) -> &str {
    word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '.'))).trim_end_matches('.')
}

fn is_path(word: &str) -> bool {
    let has_extension = word.rsplit_once('.').is_some_and(|(stem, _)| !stem.is_empty() && !stem.ends_with('/'));
    (word.contains('/') && word.len() > 2 && !word.contains("//"))
        || (has_extension && Language::of_path(word) != Language::Text)
}

/// Returns true if a word looks like an identifier rather than prose.
pub fn is_identifier(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined_words = word.contains("::") || word.contains("->") || (word.contains('.') && !word.starts_with('.'));
    let has_letter = chars.iter().any(|c| c.is_alphabetic());
    has_letter && (camel || joined_words || word.trim_matches('_').contains('_') || word.starts_with("__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_has_terms_only() {
        let parts = parse("How does the session cookie get signed?", QueryMode::Auto);
        assert_eq!(texts(&parts), ["session", "cooki", "get", "sign"]);
        assert!(
            parts.identifiers.is_empty() && parts.paths.is_empty() && parts.requested == RequestedClasses::default()
        );
    }

    #[test]
    fn identifiers_and_paths_are_detected() {
        for (query, mode, identifiers, paths) in [
            ("deprecate got_first_request property", QueryMode::Auto, vec!["got_first_request"], vec![]),
            ("deprecate the got_first_request property", QueryMode::Auto, vec![], vec![]),
            ("deprecate the got_first_request property", QueryMode::Hybrid, vec!["got_first_request"], vec![]),
            ("Flask", QueryMode::Auto, vec!["Flask"], vec![]),
            ("where is HttpClient.send used", QueryMode::Hybrid, vec!["HttpClient.send"], vec![]),
            ("src/flask/app.py", QueryMode::Auto, vec![], vec!["src/flask/app.py"]),
            ("bug in app.py", QueryMode::Auto, vec![], vec!["app.py"]),
            ("`serde_json::from_str`", QueryMode::Auto, vec!["serde_json::from_str"], vec![]),
            ("http client", QueryMode::Symbol, vec!["http_client", "http", "client"], vec![]),
            ("HttpClient", QueryMode::Concept, vec![], vec![]),
        ] {
            let parts = parse(query, mode);
            assert_eq!(parts.identifiers, identifiers, "{query}");
            assert_eq!(parts.paths, paths, "{query}");
        }
    }

    #[test]
    fn degenerate_queries_have_no_terms() {
        for query in ["", "   ", "?!…", "🙂", "....", "///"] {
            let parts = parse(query, QueryMode::Hybrid);
            assert!(parts.terms.is_empty(), "{query} {parts:?}");
        }
        let long = parse(&"word_number_x ".repeat(10_000), QueryMode::Auto);
        assert!(long.terms.len() <= MAX_TERMS && long.identifiers.len() <= MAX_NAMES && long.is_truncated);
        assert_eq!(texts(&parse("how is it", QueryMode::Concept))[..3], ["how", "is", "it"]);
    }

    #[test]
    fn absent_stems_are_replaced_by_unstemmed_words() {
        for (query, known, expected) in [
            ("where is iroutes implemented", &["iroutes", "implement"][..], &["iroutes", "implement"][..]),
            ("where is iroutes implemented", &["irout", "iroutes", "implement"], &["irout", "implement", "iroutes"]),
            ("http clients", &["httpclients", "http"], &["http", "client", "httpclients"]),
        ] {
            let mut parts = parse(query, QueryMode::Auto);
            let count = |term: &QueryTerm| u64::from(known.contains(&term.text.as_str()));
            let document_frequencies = parts.terms.iter().map(count).collect();
            let mut statistics = Statistics { rows: 9, document_frequencies, name_counts: Vec::new() };
            parts.replace_absent_stems(&mut statistics);
            let occurs = |term: &&QueryTerm| count(term) > 0 || !term.is_joined;
            let texts: Vec<&str> = parts.terms.iter().filter(occurs).map(|term| term.text.as_str()).collect();
            assert_eq!(texts, expected, "{query}");
            let counts: Vec<u64> = parts.terms.iter().map(count).collect();
            assert_eq!(statistics.document_frequencies, counts);
        }
    }

    #[test]
    fn neighbouring_words_are_joined() {
        let parts = parse("http client pool", QueryMode::Auto);
        assert_eq!(texts(&parts), ["http", "client", "pool", "httpclient", "clientpool", "httpclientpool"]);
        assert!(parts.terms.iter().all(|term| term.is_joined == (term.text.len() > 6)));
        assert_eq!(texts(&parse("http_client", QueryMode::Auto)), ["http", "client", "httpclient"]);
        assert_eq!(texts(&parse("where is iroutes", QueryMode::Auto))[..2], ["irout", "iroutes"]);
        assert!(!texts(&parse("retry in go", QueryMode::Auto)).contains(&"in"));
    }

    #[test]
    fn terms_after_the_title_have_less_weight() {
        let query = format!("alpha beta {}zulu alpha", "filler ".repeat(N_TITLE_WORDS));
        let parts = parse(&query, QueryMode::Auto);
        let weight = |text: &str| parts.terms.iter().find(|term| term.text == text).unwrap().weight;
        assert_eq!((weight("alpha"), weight("zulu")), (1.0, AFTER_TITLE_WEIGHT));
    }

    #[test]
    fn only_short_queries_request_classes() {
        assert!(parse("tests of the session cookie", QueryMode::Auto).requested.tests);
        assert!(parse("release workflow", QueryMode::Auto).requested.config);
        let commit = "reject an empty cookie name in the session interface and add tests for it";
        assert_eq!(parse(commit, QueryMode::Auto).requested, RequestedClasses::default());
    }

    fn texts(parts: &QueryParts) -> Vec<&str> {
        parts.terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn report_is_weighted_by_its_title() {
        let body =
            "1. Open the settings and wait until it has settled, as in parse_row. Version 2.4, on a busy machine.\n";
        let report = format!("Wrong total after rounding\n\n{}", body.repeat(9));
        let weight = |query: &str, text: &str| {
            let parts = parse(query, QueryMode::Auto);
            parts.terms.iter().find(|term| term.text == text).map(|term| term.weight)
        };
        assert_eq!(weight(&report, "round"), Some(1.0));
        assert_eq!(weight(&report, "busi"), Some(REPORT_WEIGHT));
        assert_eq!(weight(&report, "parserow"), Some(REPORT_IDENTIFIER_WEIGHT));
        assert_eq!(weight(&report[..150], "busi"), Some(AFTER_TITLE_WEIGHT));
        assert_eq!(vector_words(&report).len(), *VECTOR_WORDS.start());
        assert_eq!(vector_words(&report.replace("\n\n", "\n")).len(), *VECTOR_WORDS.end());
        let subject = "Totals of orders are wrong after rounding where lines carry rates, since coupons, refunds, gifts, parcels, \
                       duties, tips, vouchers, deposits, fees, credits, penalties, bonuses and shares come in any sequence";
        let report = format!("{subject}\n\n{}", body.repeat(9));
        assert_eq!((weight(&report, "order"), weight(&report, "penalti")), (Some(1.0), Some(AFTER_TITLE_WEIGHT)));
        assert_eq!(weight(&report, "busi"), Some(REPORT_WEIGHT));
        assert_eq!(vector_words(&report), content_words(subject));
        let on_one_line = report.replace('\n', " ");
        assert_eq!(weight(&on_one_line, "busi"), Some(AFTER_TITLE_WEIGHT));
        assert!(is_report(&report) && !is_report(&report[..150]));
        assert_eq!(vector_words("wrong total after rounding"), ["wrong", "total", "rounding"]);
    }

    #[test]
    fn absent_names_weigh_more() {
        for (query, name_count, n_rows_of_whole, factor) in [
            ("frobnicateWidget", 0, 0, ABSENT_NAMES_FACTOR),
            ("frobnicateWidget", 1, 0, 1.0),
            ("frobnicateWidget", 0, 2, 1.0),
            ("where is frobnicateWidget closed", 0, 0, 1.0),
            ("frobnicate the widget", 0, 0, 1.0),
        ] {
            let parts = parse(query, QueryMode::Auto);
            let mut statistics = Statistics::zero(parts.terms.len(), parts.identifiers.len());
            statistics.name_counts.fill(name_count);
            for (term, n_rows) in parts.terms.iter().zip(&mut statistics.document_frequencies) {
                *n_rows = if term.is_joined { n_rows_of_whole } else { 5 };
            }
            assert_eq!(parts.total_weight(2.0, &statistics), 2.0 * factor, "{query} {parts:?}");
        }
    }
}
