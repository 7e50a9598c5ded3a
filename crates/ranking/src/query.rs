//! What a query asks for: the terms of its text, the names of symbols and the paths in it.

use model::Language;

use crate::analyser;

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

/// More terms than this are left out, the rarest-looking kept by their place: a query of this length is a document.
pub const MAX_TERMS: usize = 64;

/// More names or paths than this are left out.
const MAX_NAMES: usize = 8;

/// A query, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryParts {
    /// Analysed terms, each once, stop words left out.
    pub terms: Vec<String>,
    /// Looked up as the names of symbols.
    pub identifiers: Vec<String>,
    /// Looked up as paths, or the ends of paths.
    pub paths: Vec<String>,
    /// The query asks for tests, examples or docs, so that they are not demoted.
    pub keeps_demoted: bool,
    /// Terms, names or paths were left out because there were too many.
    pub cut: bool,
}

impl QueryParts {
    /// Says whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.identifiers.is_empty() && self.paths.is_empty()
    }
}

/// Reads a query.
pub fn read(query: &str, mode: Mode) -> QueryParts {
    let mut words: Vec<&str> = query.split_whitespace().map(trim_word).filter(|word| !word.is_empty()).collect();
    let cut = words.len() > MAX_TERMS * 4;
    words.truncate(MAX_TERMS * 4);
    let mut parts = QueryParts { cut, ..QueryParts::default() };
    if mode != Mode::Concept {
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
        if mode == Mode::Symbol && words.len() > 1 {
            parts.identifiers.insert(0, words.join("_"));
        }
    }
    parts.cut |= parts.identifiers.len() > MAX_NAMES || parts.paths.len() > MAX_NAMES;
    parts.identifiers.truncate(MAX_NAMES);
    parts.paths.truncate(MAX_NAMES);
    parts.keeps_demoted = words.iter().any(|word| DEMOTED_SUBJECTS.contains(&word.to_lowercase().as_str()));
    parts.terms = text_terms(&words);
    parts.cut |= parts.terms.len() > MAX_TERMS;
    parts.terms.truncate(MAX_TERMS);
    parts
}

/// Words that say that the asker wants tests, examples or prose.
const DEMOTED_SUBJECTS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "unittest",
    "unittests",
    "example",
    "examples",
    "benchmark",
    "benchmarks",
    "bench",
    "fixture",
    "fixtures",
    "docs",
    "documentation",
    "readme",
    "changelog",
    "tutorial",
];

fn text_terms(words: &[&str]) -> Vec<String> {
    let content: Vec<&str> = words.iter().copied().filter(|word| !is_stop_word(word)).collect();
    let terms = analyser::terms(&content.join(" "));
    if terms.is_empty() { analyser::terms(&words.join(" ")) } else { terms }
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
fn is_identifier(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined = word.contains("::") || word.contains("->") || (word.contains('.') && !word.starts_with('.'));
    let has_letter = chars.iter().any(|c| c.is_alphabetic());
    has_letter && (camel || joined || word.trim_matches('_').contains('_') || word.starts_with("__"))
}

fn is_stop_word(word: &str) -> bool {
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
        assert_eq!(parts.terms, ["session", "cooki", "get", "sign"]);
        assert!(parts.identifiers.is_empty() && parts.paths.is_empty() && !parts.keeps_demoted);
    }

    #[test]
    fn names_and_paths_are_told_from_prose() {
        for (query, mode, identifiers, paths) in [
            ("deprecate got_first_request property", Mode::Auto, vec!["got_first_request"], vec![]),
            ("Flask", Mode::Auto, vec!["Flask"], vec![]),
            ("where is HttpClient.send used", Mode::Auto, vec!["HttpClient.send"], vec![]),
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
        assert_eq!(read("how is it", Mode::Auto).terms, ["how", "is", "it"]);
    }
}
