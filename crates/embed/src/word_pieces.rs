//! Words to the tokens of a vocabulary: the longest token that a word begins with, then the longest that goes on, and so
//! forth, over lower case without accents. A word that cannot be cut so has no tokens.

use rustc_hash::FxHashMap;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Marks a token that goes on within a word.
const GOES_ON: &str = "##";

/// Longer words are encoded data. The tokenizer that the vocabulary was made for has the same limit.
const MAX_WORD_CHARS: usize = 100;

/// A vocabulary: the number of each token, by its text.
pub(crate) struct WordPieces {
    beginnings: FxHashMap<Box<str>, u32>,
    continuations: FxHashMap<Box<str>, u32>,
    longest_bytes: usize,
}

impl WordPieces {
    /// Returns the vocabulary of these tokens and their numbers.
    pub(crate) fn new<'a>(tokens: impl IntoIterator<Item = (&'a str, u32)>) -> WordPieces {
        let (mut beginnings, mut continuations) = (FxHashMap::default(), FxHashMap::default());
        let mut longest_bytes = 0;
        for (token, token_id) in tokens {
            let (texts, text) = match token.strip_prefix(GOES_ON) {
                Some(text) if !text.is_empty() => (&mut continuations, text),
                _ => (&mut beginnings, token),
            };
            longest_bytes = longest_bytes.max(text.len());
            texts.insert(text.into(), token_id);
        }
        WordPieces { beginnings, continuations, longest_bytes }
    }

    /// Appends the numbers of the tokens of a word to `out`. Where it is several words, as at a hyphen, each counts.
    pub(crate) fn cut(&self, word: &str, out: &mut Vec<u32>) {
        if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            return self.cut_plain(word, out);
        }
        let plain = plain(word);
        for run in plain.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
            self.cut_plain(run, out);
        }
    }

    fn cut_plain(&self, word: &str, out: &mut Vec<u32>) {
        if word.len() > MAX_WORD_CHARS && word.chars().count() > MAX_WORD_CHARS {
            return;
        }
        let n_before = out.len();
        let (mut texts, mut rest) = (&self.beginnings, word);
        while !rest.is_empty() {
            let Some((n_bytes, token_id)) = self.longest(texts, rest) else {
                return out.truncate(n_before);
            };
            out.push(token_id);
            (texts, rest) = (&self.continuations, &rest[n_bytes..]);
        }
    }

    /// Returns the length and the number of the longest token that `rest` begins with.
    fn longest(&self, texts: &FxHashMap<Box<str>, u32>, rest: &str) -> Option<(usize, u32)> {
        let ends = (1..=rest.len().min(self.longest_bytes)).rev().filter(|end| rest.is_char_boundary(*end));
        ends.into_iter().find_map(|end| texts.get(&rest[..end]).map(|token_id| (end, *token_id)))
    }
}

/// Returns a word in lower case, without accents, and with signs that are words of their own (as Chinese is written)
/// apart from each other.
fn plain(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for c in word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        if is_ideograph(c) {
            plain.extend([' ', c, ' ']);
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Says whether a sign is a word: the blocks of unified and of compatibility ideographs.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOKENS: &[&str] = &[
        "un", "##able", "##a", "##b", "a", "b", "cafe", "strasse", "parse", "##r", "##s", "中", "国", "##", "i", "ab",
        "##bc", "naive", "ι",
    ];

    fn cut(word: &str) -> Vec<&'static str> {
        let mut token_ids = Vec::new();
        WordPieces::new(TOKENS.iter().copied().zip(0..)).cut(word, &mut token_ids);
        token_ids.into_iter().map(|token_id| TOKENS[token_id as usize]).collect()
    }

    #[test]
    fn words_are_cut_into_the_longest_tokens() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("parse", &["parse"]),
            ("PARSE", &["parse"]),
            ("parser", &["parse", "##r"]),
            ("parsers", &["parse", "##r", "##s"]),
            ("unable", &["un", "##able"]),
            // Greedy: `ab` leaves `c`, which nothing goes on with; that `a` and `bc` would do is not found.
            ("abc", &[]),
            ("abbc", &["ab", "##bc"]),
            // No token for a part of it: none for the whole.
            ("parsed", &[]),
            ("x", &[]),
            // Accents go, composed or not; what is not an accent stays.
            ("Café", &["cafe"]),
            ("cafe\u{301}", &["cafe"]),
            ("NAÏVE", &["naive"]),
            ("İ", &["i"]),
            ("straße", &[]),
            ("ΐ", &["ι"]),
            // Several words at once, and what is none.
            ("parse-parse_r", &["parse", "parse"]),
            ("parse.a", &["parse", "a"]),
            ("--", &[]),
            ("##", &[]),
            ("##able", &[]),
            ("中国", &["中", "国"]),
            ("a中b", &["a", "中", "b"]),
            ("🦀", &[]),
            ("a\u{200d}b", &["a", "b"]),
        ];
        for (word, expected) in cases {
            assert_eq!(cut(word), *expected, "{word}");
        }
    }

    #[test]
    fn long_words_have_no_tokens() {
        assert_eq!(cut(&format!("a{}", "b".repeat(99))).len(), 99, "`ab`, then 98 times `##b`");
        assert_eq!(cut(&"a".repeat(100)).len(), 100);
        assert_eq!(cut(&"a".repeat(101)), [""; 0]);
        assert_eq!(cut(&format!("{} b", "a".repeat(101))), ["b"]);
    }

    proptest! {
        #[test]
        fn any_text_is_cut(word in "\\PC{0,40}|[abc\u{301}中-]{0,200}") {
            cut(&word);
        }
    }
}
