//! Tokenisation: text to terms, identically in every index and for every query.
//!
//! An identifier yields its parts (split at underscores, hyphens, case and digits, lower-cased, stemmed). An identifier
//! of several parts also yields itself without separators. So `parseHTTPRequest2`, `parse_http_request_2` and
//! `parse-http-request-2` all yield `pars http request 2 parsehttprequest2`.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Version of this tokenisation. Terms of different versions are not comparable.
pub const ANALYSER_VERSION: u32 = 1;

/// Maximum length of a term. Longer parts are hashes, keys and encoded data, which are not searched for.
const MAX_TERM_BYTES: usize = 48;

/// Maximum number of parts of an identifier. More parts are data without spaces.
const MAX_PARTS: usize = 16;

/// Turns text into terms and numbers them in order of first occurrence.
///
/// Identifiers repeat, so each one is split once and cached.
pub struct Analyser {
    stemmer: Stemmer,
    terms: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, u32>,
    /// Cached words, with the range of their terms in `word_terms`.
    words: FxHashMap<Box<str>, (u32, u32)>,
    word_terms: Vec<u32>,
}

impl Default for Analyser {
    fn default() -> Self {
        Analyser {
            stemmer: Stemmer::create(Algorithm::English),
            terms: Vec::new(),
            ids: FxHashMap::with_hasher(FxBuildHasher),
            words: FxHashMap::with_hasher(FxBuildHasher),
            word_terms: Vec::new(),
        }
    }
}

impl Analyser {
    /// Appends the ids of the terms of `text` to `out`, in text order.
    pub fn analyse(&mut self, text: &str, out: &mut Vec<u32>) {
        for_each_word(text, |word| {
            let (start, end) = match self.words.get(word) {
                Some(range) => *range,
                None => self.analyse_word(word),
            };
            out.extend_from_slice(&self.word_terms[start as usize..end as usize]);
        });
    }

    /// Returns the term with this id.
    pub fn term(&self, id: u32) -> &str {
        &self.terms[id as usize]
    }

    /// Returns the number of distinct terms. Ids are `0..n_terms`.
    pub fn n_terms(&self) -> usize {
        self.terms.len()
    }

    fn analyse_word(&mut self, word: &str) -> (u32, u32) {
        let start = self.word_terms.len() as u32;
        let mut parts = Vec::new();
        split_identifier(word, &mut parts);
        if parts.len() <= MAX_PARTS {
            let mut n_used = 0;
            for part in &parts {
                let lower = part.to_lowercase();
                if lower.len() > MAX_TERM_BYTES || is_lone_letter(&lower) {
                    continue;
                }
                n_used += 1;
                let stem = self.stemmer.stem(&lower).into_owned();
                let id = self.intern(&stem);
                self.word_terms.push(id);
            }
            let whole = fold(word);
            if parts.len() > 1 && n_used > 0 && whole.len() <= MAX_TERM_BYTES {
                let id = self.intern(&whole);
                self.word_terms.push(id);
            }
        }
        let range = (start, self.word_terms.len() as u32);
        self.words.insert(word.into(), range);
        range
    }

    fn intern(&mut self, term: &str) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = self.terms.len() as u32;
        self.terms.push(term.into());
        self.ids.insert(term.into(), id);
        id
    }
}

/// Returns the distinct terms of a text, in order of first occurrence.
pub fn terms(text: &str) -> Vec<String> {
    let mut analyser = Analyser::default();
    let mut ids = Vec::new();
    analyser.analyse(text, &mut ids);
    (0..analyser.n_terms() as u32).map(|id| analyser.term(id).to_owned()).collect()
}

/// Returns an identifier in the form that all its notations share: lower case, without separators.
pub fn fold(identifier: &str) -> String {
    identifier.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the parts of one or several identifiers in lower case, not stemmed.
pub fn words(identifier: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for_each_word(identifier, |word| split_identifier(word, &mut parts));
    parts.iter().map(|part| part.to_lowercase()).collect()
}

fn is_lone_letter(part: &str) -> bool {
    part.len() == 1 && part.as_bytes()[0].is_ascii_alphabetic()
}

/// Calls `visit` with each maximal run of letters, digits and underscores. A hyphen between letters joins two runs
/// (kebab-case).
pub fn for_each_word<'a>(text: &'a str, mut visit: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let n_word = word_len(text, at);
        if n_word == 0 {
            at += char_len(bytes[at]);
            continue;
        }
        let start = at;
        at += n_word;
        while at + 1 < bytes.len() && bytes[at] == b'-' && bytes[at - 1].is_ascii_alphabetic() {
            let n_more = word_len(text, at + 1);
            if n_more < 2 || !bytes[at + 1].is_ascii_alphabetic() {
                break;
            }
            at += 1 + n_more;
        }
        visit(&text[start..at]);
    }
}

/// Returns the length in bytes of the run of word characters that starts at `start`.
fn word_len(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii() {
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                break;
            }
            at += 1;
        } else {
            match text[at..].chars().next() {
                Some(c) if c.is_alphanumeric() => at += c.len_utf8(),
                _ => break,
            }
        }
    }
    at - start
}

fn char_len(first_byte: u8) -> usize {
    match first_byte {
        0x00..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

/// Appends the parts of one identifier. It is split at separators, between letters and digits, before an upper-case
/// letter that follows a lower-case one, and before the last of several upper-case letters if a lower-case one follows.
fn split_identifier<'a>(word: &'a str, parts: &mut Vec<&'a str>) {
    #[derive(PartialEq, Clone, Copy)]
    enum CharClass {
        Separator,
        Digit,
        Upper,
        Lower,
    }
    let class = |c: char| match c {
        '_' | '-' => CharClass::Separator,
        c if c.is_numeric() => CharClass::Digit,
        c if c.is_uppercase() => CharClass::Upper,
        _ => CharClass::Lower,
    };
    let mut start = 0;
    let mut previous = CharClass::Separator;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let current = class(c);
        let next = chars.peek().map(|(_, next)| class(*next));
        let cuts = match (previous, current) {
            (_, CharClass::Separator) => true,
            (CharClass::Separator, _) => true,
            (CharClass::Digit, CharClass::Digit) => false,
            (CharClass::Digit, _) | (_, CharClass::Digit) => true,
            (CharClass::Lower, CharClass::Upper) => true,
            (CharClass::Upper, CharClass::Upper) => next == Some(CharClass::Lower),
            _ => false,
        };
        if cuts {
            if start < at {
                parts.push(&word[start..at]);
            }
            start = if current == CharClass::Separator { at + c.len_utf8() } else { at };
        }
        previous = current;
    }
    if start < word.len() {
        parts.push(&word[start..]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all_terms(text: &str) -> Vec<String> {
        let mut analyser = Analyser::default();
        let mut ids = Vec::new();
        analyser.analyse(text, &mut ids);
        ids.iter().map(|id| analyser.term(*id).to_owned()).collect()
    }

    #[test]
    fn identifiers_yield_parts_and_joined_form() {
        for (text, expected) in [
            ("parseHTTPRequest2", "pars http request 2 parsehttprequest2"),
            ("parse_http_request", "pars http request parsehttprequest"),
            ("parse-http-request", "pars http request parsehttprequest"),
            ("__init__", "init"),
            ("sha256", "sha 256 sha256"),
            ("HTTPServer", "http server httpserver"),
            ("a - b", ""),
            ("x-y", ""),
            ("running tests", "run test"),
            ("Größe prüfen", "größe prüfen"),
            ("", ""),
            ("!?…", ""),
        ] {
            assert_eq!(all_terms(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn notations_of_one_name_share_a_folded_form() {
        for name in ["HTTPClient", "http_client", "http-client", "httpClient"] {
            assert_eq!(fold(name), "httpclient");
            assert_eq!(words(name), ["http", "client"]);
        }
    }

    proptest! {
        #[test]
        fn any_text_has_terms_of_bounded_length(text in ".{0,200}") {
            for term in all_terms(&text) {
                prop_assert!(!term.is_empty() && term.len() <= MAX_TERM_BYTES * 2);
            }
        }

        #[test]
        fn terms_do_not_depend_on_earlier_text(first in "[a-zA-Z_ -]{0,40}", second in "[a-zA-Z0-9_ -]{0,40}") {
            let mut analyser = Analyser::default();
            let mut ids = Vec::new();
            analyser.analyse(&first, &mut ids);
            ids.clear();
            analyser.analyse(&second, &mut ids);
            let after: Vec<String> = ids.iter().map(|id| analyser.term(*id).to_owned()).collect();
            prop_assert_eq!(after, all_terms(&second));
        }
    }
}
