//! What a query asks for: the terms of its text, the names of symbols and the paths in it.

use std::ops::RangeInclusive;

use model::Language;

use crate::{Statistics, aggregate::Kept, analyser};

/// How a query is meant. `Auto` tells by its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    #[default]
    Auto,
    /// By text alone.
    Concept,
    /// By the names of symbols first.
    Symbol,
    /// By path first.
    Path,
    /// By everything that there is.
    Hybrid,
}

impl Mode {
    /// Every mode, in the order in which users read of them.
    pub const ALL: &'static [Mode] = &[Mode::Auto, Mode::Concept, Mode::Symbol, Mode::Path, Mode::Hybrid];

    /// Returns the name that users type and read.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Auto => "auto",
            Mode::Concept => "concept",
            Mode::Symbol => "symbol",
            Mode::Path => "path",
            Mode::Hybrid => "hybrid",
        }
    }

    /// Returns the mode with this name.
    pub fn parse(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.name() == name)
    }
}

/// Different terms that are read of a query at most; the statistics then tell which of them it is scored by.
pub const MAX_TERMS: usize = 256;

/// Words of a query that are read at most: a long issue.
const MAX_WORDS: usize = 1_000;

/// The first words say what is meant; those after them explain. Measured on messages of commits.
const N_TITLE_WORDS: usize = 12;

/// What a term counts that first stands after the title.
const AFTER_TITLE_WEIGHT: f32 = 0.6;

/// A query of more words than this, stop words aside, is a whole report: what stands on its first line says what it is about,
/// and much of the rest, steps and versions and logs, says nothing of the code. Measured on commits by 2,000 to 4,000 characters
/// of such text below their message, MRR@10 .761 where the messages alone have .771, and by real messages of over 120 words
/// .826 where their titles alone have .759: what tells nothing is not to drown the title, what does is to help it.
const MAX_WORDS_OF_A_SHORT_TEXT: usize = 80;
const REPORT_WEIGHT: f32 = 0.1;
const REPORT_IDENTIFIER_WEIGHT: f32 = 0.3;

/// Words of the first line of a report, stop words aside, if that is its title.
const TITLE_WORDS: RangeInclusive<usize> = 3..=20;

/// Words of a report that its meaning is taken from: the more there are, the more it is that of all reports. Where a title is
/// set off from the rest, it is the title's, with words of the rest only if it is short. Measured, MRR@10 of the issue texts .761
/// for .753 with 40 always, of the real messages .826 for .816.
const WORDS_OF_MEANING: RangeInclusive<usize> = 20..=40;

/// Queries of no more words than this may well be one identifier in words, and the joined words are looked for too.
const MAX_JOINED_WORDS: usize = 5;

/// A query of no more words than this may do no more than name what it looks for.
const MAX_NAMING_WORDS: usize = 3;

/// Only so short a query asks for tests or documentation by naming them; a longer one merely mentions them.
const MAX_WORDS_OF_A_WISH: usize = 8;

/// More names or paths than this are left out.
const MAX_NAMES: usize = 8;

/// A term of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    pub text: String,
    /// 1, or less where it is less likely to be what is meant.
    pub weight: f32,
    /// It is made of several words of the query, which stand for themselves too.
    pub is_joined: bool,
}

/// A query, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryParts {
    /// Analysed terms, each once, stop words left out.
    pub terms: Vec<QueryTerm>,
    /// Looked up as the names of symbols.
    pub identifiers: Vec<String>,
    /// Looked up as paths, or the ends of paths.
    pub paths: Vec<String>,
    /// What the query asks for, so that it is not demoted.
    pub kept: Kept,
    /// Terms, names or paths were left out because there were too many.
    pub cut: bool,
    /// All of its words are stop words.
    pub says_nothing: bool,
}

/// What stop words count in a query of nothing else: what holds them all is no answer.
const STOP_WORDS_SHARE: f32 = 0.05;

impl QueryParts {
    /// Returns the weight of all of the query, by which relevance is measured, where its terms weigh so much.
    pub fn total_weight(&self, of_terms: f32) -> f32 {
        if self.says_nothing { of_terms / STOP_WORDS_SHARE } else { of_terms }
    }

    /// Takes words as they are written for what is meant where only so they stand anywhere: `iroutes` is the name of a
    /// type, and its stem is nothing.
    pub fn take_whole_words(&mut self, statistics: &mut Statistics) {
        let stands = |statistics: &Statistics, term_idx: usize| statistics.document_frequencies[term_idx] > 0;
        for whole_idx in (0..self.terms.len()).rev() {
            let whole = &self.terms[whole_idx];
            if !whole.is_joined || !stands(statistics, whole_idx) {
                continue;
            }
            let stems = analyser::terms(&whole.text);
            let is_stem = |term: &QueryTerm| !term.is_joined && stems.contains(&term.text);
            let stem_idx = self.terms.iter().position(is_stem).filter(|stem_idx| !stands(statistics, *stem_idx));
            if let Some(stem_idx) = stem_idx {
                let text = self.terms.remove(whole_idx).text;
                self.terms[stem_idx].text = text;
                let frequency = statistics.document_frequencies.remove(whole_idx);
                statistics.document_frequencies[stem_idx] = frequency;
            }
        }
    }

    /// Says whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.identifiers.is_empty() && self.paths.is_empty()
    }
}

/// Reads a query.
pub fn read(query: &str, mode: Mode) -> QueryParts {
    let mut words: Vec<&str> = query.split_whitespace().map(trim_word).filter(|word| !word.is_empty()).collect();
    let cut = words.len() > MAX_WORDS;
    words.truncate(MAX_WORDS);
    let mut parts = QueryParts { cut, ..QueryParts::default() };
    // In a longer sentence names and paths are terms among others, and measured, those say enough.
    let is_sentence = mode == Mode::Auto && words.len() > MAX_NAMING_WORDS;
    if mode != Mode::Concept && !is_sentence {
        let is_one_word = words.len() == 1;
        for word in &words {
            let looks_like_path = is_path(word);
            if looks_like_path || mode == Mode::Path {
                push_distinct(&mut parts.paths, word);
            }
            if !looks_like_path && (is_one_word || is_identifier(word) || mode == Mode::Symbol) {
                push_distinct(&mut parts.identifiers, word);
            }
        }
        let is_name_in_words = mode == Mode::Auto && parts.identifiers.is_empty() && parts.paths.is_empty();
        if (mode == Mode::Symbol || is_name_in_words) && words.len() > 1 {
            parts.identifiers.insert(0, words.join("_"));
        }
    }
    parts.cut |= parts.identifiers.len() > MAX_NAMES || parts.paths.len() > MAX_NAMES;
    parts.identifiers.truncate(MAX_NAMES);
    parts.paths.truncate(MAX_NAMES);
    parts.kept = kept(&words);
    parts.says_nothing = words.iter().all(|word| is_stop_word(word));
    parts.terms = text_terms(query, &words);
    parts.cut |= parts.terms.len() > MAX_TERMS;
    parts.terms.truncate(MAX_TERMS);
    parts
}

/// Returns the words of a query that say something; all of them if none does.
pub fn content_words(query: &str) -> Vec<&str> {
    let words: Vec<&str> = query.split_whitespace().map(trim_word).filter(|word| !word.is_empty()).collect();
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_stop_word(word)).take(MAX_WORDS).collect();
    if content.is_empty() { words } else { content }
}

/// Returns the words of a query that its meaning is taken from.
pub fn words_of_meaning(query: &str) -> Vec<&str> {
    let mut words = content_words(query);
    if let Some(report) = Report::of(query, words.len()) {
        let (fewest, most) = WORDS_OF_MEANING.into_inner();
        words.truncate(if report.is_set_off { report.n_first_line.clamp(fewest, most) } else { most });
    }
    words
}

/// Says whether a query is a whole report, of which it matters what stands on the first line.
pub fn is_report(query: &str) -> bool {
    Report::of(query, content_words(query).len()).is_some()
}

/// The first line of a query that is a whole report, in words without stop words.
struct Report {
    n_first_line: usize,
    /// An empty line follows the first, and that says something.
    is_set_off: bool,
}

impl Report {
    /// Reads the first line of a query with so many words, stop words aside; `None` if those are too few for a report.
    fn of(query: &str, n_words: usize) -> Option<Report> {
        let mut lines = query.trim_start().lines();
        let first = lines.next().filter(|_| n_words > MAX_WORDS_OF_A_SHORT_TEXT)?;
        let words = first.split_whitespace().map(trim_word);
        let n_first_line = words.filter(|word| !word.is_empty() && !is_stop_word(word)).count();
        let is_empty_next = lines.next().is_some_and(|second| second.trim().is_empty());
        Some(Report { n_first_line, is_set_off: is_empty_next && n_first_line >= *TITLE_WORDS.start() })
    }

    /// Returns how many words the first line has, if that is a title by its length.
    fn n_title_words(&self) -> Option<usize> {
        Some(self.n_first_line).filter(|n_words| TITLE_WORDS.contains(n_words))
    }
}

/// Words that say that the asker wants tests, examples and the like.
const TEST_SUBJECTS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "tested",
    "unittest",
    "unittests",
    "spec",
    "specs",
    "example",
    "examples",
    "benchmark",
    "benchmarks",
    "bench",
    "fixture",
    "fixtures",
];

/// Words that say that the asker wants prose.
const DOCS_SUBJECTS: &[&str] =
    &["docs", "documentation", "documented", "readme", "changelog", "tutorial", "guide", "contributing"];

/// Words that say that the asker wants manifests, settings, or what builds and runs the code.
const CONFIG_SUBJECTS: &[&str] = &[
    "ci",
    "workflow",
    "workflows",
    "dockerfile",
    "docker",
    "makefile",
    "manifest",
    "yaml",
    "toml",
    "kubernetes",
    "helm",
    "terraform",
    "deployment",
    "dependencies",
    "pyproject",
    "package.json",
    "compose",
];

fn kept(words: &[&str]) -> Kept {
    if words.len() > MAX_WORDS_OF_A_WISH {
        return Kept::default();
    }
    let names_any = |subjects: &[&str]| words.iter().any(|word| subjects.contains(&word.to_lowercase().as_str()));
    Kept { tests: names_any(TEST_SUBJECTS), docs: names_any(DOCS_SUBJECTS), config: names_any(CONFIG_SUBJECTS) }
}

fn text_terms(query: &str, words: &[&str]) -> Vec<QueryTerm> {
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_stop_word(word)).collect();
    let content = if content.iter().any(|word| !analyser::terms(word).is_empty()) { &content } else { words };
    let report = Report::of(query, content.len());
    let title_end = report.as_ref().and_then(Report::n_title_words).unwrap_or(content.len().min(N_TITLE_WORDS));
    let subject_end = report.map_or(content.len(), |report| report.n_first_line.min(MAX_WORDS_OF_A_SHORT_TEXT));
    let weight_of = |place: usize, word: &str| {
        if place < title_end {
            1.0
        } else if place < subject_end {
            AFTER_TITLE_WEIGHT
        } else if is_identifier(word) {
            REPORT_IDENTIFIER_WEIGHT
        } else {
            REPORT_WEIGHT
        }
    };
    let mut terms: Vec<QueryTerm> = Vec::new();
    for (place, word) in content.iter().enumerate() {
        let weight = weight_of(place, word);
        for text in analyser::terms(word) {
            match terms.iter_mut().find(|term| term.text == text) {
                Some(known) => known.weight = known.weight.max(weight),
                None => terms.push(QueryTerm { text, weight, is_joined: false }),
            }
        }
    }
    for text in joined(words) {
        if !terms.iter().any(|term| term.text == text) {
            terms.push(QueryTerm { text, weight: 1.0, is_joined: true });
        }
    }
    terms
}

/// Returns what neighbouring words of a short query are together, as an identifier: `http client` may mean `HTTPClient`, and
/// `iroutes` may mean `IRoutes`, which is not stemmed.
fn joined(words: &[&str]) -> Vec<String> {
    let parts: Vec<String> = words.iter().flat_map(|word| analyser::words(word)).collect();
    if parts.len() > MAX_JOINED_WORDS {
        return Vec::new();
    }
    let runs = (1..=parts.len()).flat_map(|n_parts| parts.windows(n_parts));
    let says_nothing = |run: &&[String]| matches!(run, [word] if is_stop_word(word));
    runs.filter(|run| !says_nothing(run)).map(|run| run.concat()).collect()
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

/// Says whether a word looks like a name in code rather than one in prose.
pub fn is_identifier(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined = word.contains("::") || word.contains("->") || (word.contains('.') && !word.starts_with('.'));
    let has_letter = chars.iter().any(|c| c.is_alphabetic());
    has_letter && (camel || joined || word.trim_matches('_').contains('_') || word.starts_with("__"))
}

/// Says whether a word tells nothing of code.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// Words of English that tell nothing of code, in alphabetical order.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "aren't", "as", "at", "be", "been", "being",
    "but", "by", "can", "can't", "could", "did", "do", "does", "doesn't", "doing", "don't", "done", "each", "for",
    "from", "had", "has", "have", "he", "her", "here", "his", "how", "i", "if", "in", "into", "is", "isn't", "it",
    "it's", "its", "just", "may", "me", "might", "must", "my", "no", "of", "on", "only", "or", "our", "shall", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn prose_gives_terms_alone() {
        let parts = read("How does the session cookie get signed?", Mode::Auto);
        assert_eq!(texts(&parts), ["session", "cooki", "get", "sign"]);
        assert!(parts.identifiers.is_empty() && parts.paths.is_empty() && parts.kept == Kept::default());
    }

    #[test]
    fn names_and_paths_are_told_from_prose() {
        for (query, mode, identifiers, paths) in [
            ("deprecate got_first_request property", Mode::Auto, vec!["got_first_request"], vec![]),
            ("deprecate the got_first_request property", Mode::Auto, vec![], vec![]),
            ("deprecate the got_first_request property", Mode::Hybrid, vec!["got_first_request"], vec![]),
            ("Flask", Mode::Auto, vec!["Flask"], vec![]),
            ("where is HttpClient.send used", Mode::Hybrid, vec!["HttpClient.send"], vec![]),
            ("src/flask/app.py", Mode::Auto, vec![], vec!["src/flask/app.py"]),
            ("bug in app.py", Mode::Auto, vec![], vec!["app.py"]),
            ("`serde_json::from_str`", Mode::Auto, vec!["serde_json::from_str"], vec![]),
            ("http client", Mode::Symbol, vec!["http_client", "http", "client"], vec![]),
            ("HttpClient", Mode::Concept, vec![], vec![]),
        ] {
            let parts = read(query, mode);
            assert_eq!(parts.identifiers, identifiers, "{query}");
            assert_eq!(parts.paths, paths, "{query}");
        }
    }

    #[test]
    fn odd_queries_cost_nothing() {
        for query in ["", "   ", "?!…", "🙂", "....", "///"] {
            let parts = read(query, Mode::Hybrid);
            assert!(parts.terms.is_empty(), "{query} {parts:?}");
        }
        let long = read(&"word_number_x ".repeat(10_000), Mode::Auto);
        assert!(long.terms.len() <= MAX_TERMS && long.identifiers.len() <= MAX_NAMES && long.cut);
        assert_eq!(texts(&read("how is it", Mode::Concept))[..3], ["how", "is", "it"]);
    }

    #[test]
    fn what_stands_only_as_it_is_written_is_no_stem() {
        for (query, known, expected) in [
            ("where is iroutes implemented", &["iroutes", "implement"][..], &["iroutes", "implement"][..]),
            ("where is iroutes implemented", &["irout", "iroutes", "implement"], &["irout", "implement", "iroutes"]),
            ("http clients", &["httpclients", "http"], &["http", "client", "httpclients"]),
        ] {
            let mut parts = read(query, Mode::Auto);
            let count = |term: &QueryTerm| u64::from(known.contains(&term.text.as_str()));
            let document_frequencies = parts.terms.iter().map(count).collect();
            let mut statistics = Statistics { rows: 9, document_frequencies, name_counts: Vec::new() };
            parts.take_whole_words(&mut statistics);
            let stands = |term: &&QueryTerm| count(term) > 0 || !term.is_joined;
            let texts: Vec<&str> = parts.terms.iter().filter(stands).map(|term| term.text.as_str()).collect();
            assert_eq!(texts, expected, "{query}");
            let counts: Vec<u64> = parts.terms.iter().map(count).collect();
            assert_eq!(statistics.document_frequencies, counts);
        }
    }

    #[test]
    fn words_of_a_short_query_may_be_one_name() {
        let parts = read("http client pool", Mode::Auto);
        assert_eq!(texts(&parts), ["http", "client", "pool", "httpclient", "clientpool", "httpclientpool"]);
        assert!(parts.terms.iter().all(|term| term.is_joined == (term.text.len() > 6)));
        assert_eq!(texts(&read("http_client", Mode::Auto)), ["http", "client", "httpclient"]);
        assert_eq!(texts(&read("where is iroutes", Mode::Auto))[..2], ["irout", "iroutes"]);
        assert!(!texts(&read("retry in go", Mode::Auto)).contains(&"in"));
    }

    #[test]
    fn what_comes_after_the_title_counts_less() {
        let query = format!("alpha beta {}zulu alpha", "filler ".repeat(N_TITLE_WORDS));
        let parts = read(&query, Mode::Auto);
        let weight = |text: &str| parts.terms.iter().find(|term| term.text == text).unwrap().weight;
        assert_eq!((weight("alpha"), weight("zulu")), (1.0, AFTER_TITLE_WEIGHT));
    }

    #[test]
    fn a_wish_is_short() {
        assert!(read("tests of the session cookie", Mode::Auto).kept.tests);
        assert!(read("release workflow", Mode::Auto).kept.config);
        let commit = "reject an empty cookie name in the session interface and add tests for it";
        assert_eq!(read(commit, Mode::Auto).kept, Kept::default());
    }

    fn texts(parts: &QueryParts) -> Vec<&str> {
        parts.terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn the_title_of_a_report_says_what_it_is_about() {
        let body =
            "1. Open the settings and wait until it has settled, as in parse_row. Version 2.4, on a busy machine.\n";
        let report = format!("Wrong total after rounding\n\n{}", body.repeat(9));
        let weight = |query: &str, text: &str| {
            let parts = read(query, Mode::Auto);
            parts.terms.iter().find(|term| term.text == text).map(|term| term.weight)
        };
        assert_eq!(weight(&report, "round"), Some(1.0));
        assert_eq!(weight(&report, "busi"), Some(REPORT_WEIGHT));
        assert_eq!(weight(&report, "parserow"), Some(REPORT_IDENTIFIER_WEIGHT));
        assert_eq!(weight(&report[..150], "busi"), Some(AFTER_TITLE_WEIGHT));
        assert_eq!(words_of_meaning(&report).len(), *WORDS_OF_MEANING.start());
        assert_eq!(words_of_meaning(&report.replace("\n\n", "\n")).len(), *WORDS_OF_MEANING.end());
        let subject = "Totals of orders are wrong after rounding where lines carry rates, since coupons, refunds, gifts, parcels, \
                       duties, tips, vouchers, deposits, fees, credits, penalties, bonuses and shares come in any sequence";
        let report = format!("{subject}\n\n{}", body.repeat(9));
        assert_eq!((weight(&report, "order"), weight(&report, "penalti")), (Some(1.0), Some(AFTER_TITLE_WEIGHT)));
        assert_eq!(weight(&report, "busi"), Some(REPORT_WEIGHT));
        assert_eq!(words_of_meaning(&report), content_words(subject));
        let on_one_line = report.replace('\n', " ");
        assert_eq!(weight(&on_one_line, "busi"), Some(AFTER_TITLE_WEIGHT));
        assert!(is_report(&report) && !is_report(&report[..150]));
        assert_eq!(words_of_meaning("wrong total after rounding"), ["wrong", "total", "rounding"]);
    }
}
