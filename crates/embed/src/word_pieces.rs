//! Word-piece tokenisation: repeatedly takes the longest matching token, over lower-cased text without accents. A word
//! that cannot be split completely has no tokens.

use rustc_hash::FxHashMap;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Prefix of tokens that continue a word.
const CONTINUATION_PREFIX: &str = "##";

/// Maximum length of a word. Longer ones are encoded data. The vocabulary's own tokenizer has the same limit.
const MAX_WORD_CHARS: usize = 100;

/// A vocabulary: token ids by text.
pub(crate) struct WordPieces {
    beginnings: FxHashMap<Box<str>, u32>,
    continuations: FxHashMap<Box<str>, u32>,
    longest_bytes: usize,
}

impl WordPieces {
    /// Returns the vocabulary of these tokens and their ids.
    pub(crate) fn new<'a>(tokens: impl IntoIterator<Item = (&'a str, u32)>) -> WordPieces {
        let (mut beginnings, mut continuations) = (FxHashMap::default(), FxHashMap::default());
        let mut longest_bytes = 0;
        for (token, token_id) in tokens {
            let (texts, text) = match token.strip_prefix(CONTINUATION_PREFIX) {
                Some(text) if !text.is_empty() => (&mut continuations, text),
                _ => (&mut beginnings, token),
            };
            longest_bytes = longest_bytes.max(text.len());
            texts.insert(text.into(), token_id);
        }
        WordPieces { beginnings, continuations, longest_bytes }
    }

    /// Appends the token ids of a word to `out`. A text of several words, such as with a hyphen, is split.
    pub(crate) fn tokenize(&self, word: &str, out: &mut Vec<u32>) {
        if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            return self.tokenize_plain(word, out);
        }
        let normalised = normalised(word);
        for run in normalised.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
            self.tokenize_plain(run, out);
        }
    }

    fn tokenize_plain(&self, word: &str, out: &mut Vec<u32>) {
        if word.len() > MAX_WORD_CHARS && word.chars().count() > MAX_WORD_CHARS {
            return;
        }
        let n_before = out.len();
        let (mut texts, mut rest) = (&self.beginnings, word);
        while !rest.is_empty() {
            let Some((n_bytes, token_id)) = self.longest_match(texts, rest) else {
                return out.truncate(n_before);
            };
            out.push(token_id);
            (texts, rest) = (&self.continuations, &rest[n_bytes..]);
        }
    }

    /// Returns length and id of the longest token at the start of `rest`.
    fn longest_match(&self, texts: &FxHashMap<Box<str>, u32>, rest: &str) -> Option<(usize, u32)> {
        let ends = (1..=rest.len().min(self.longest_bytes)).rev().filter(|end| rest.is_char_boundary(*end));
        ends.into_iter().find_map(|end| texts.get(&rest[..end]).map(|token_id| (end, *token_id)))
    }
}

/// Returns a word in lower case without accents, with spaces around ideographs, each of which is a word.
fn normalised(word: &str) -> String {
    let mut normalised = String::with_capacity(word.len());
    for c in word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        if is_ideograph(c) {
            normalised.extend([' ', c, ' ']);
        } else {
            normalised.push(c);
        }
    }
    normalised
}

/// Returns true for the blocks of unified and compatibility ideographs.
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

    fn tokenize(word: &str) -> Vec<&'static str> {
        let mut token_ids = Vec::new();
        WordPieces::new(TOKENS.iter().copied().zip(0..)).tokenize(word, &mut token_ids);
        token_ids.into_iter().map(|token_id| TOKENS[token_id as usize]).collect()
    }

    #[test]
    fn words_are_split_into_the_longest_tokens() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("parse", &["parse"]),
            ("PARSE", &["parse"]),
            ("parser", &["parse", "##r"]),
            ("parsers", &["parse", "##r", "##s"]),
            ("unable", &["un", "##able"]),
            // Greedy: `ab` leaves `c`, which no token continues; the split into `a` and `bc` is not found.
            ("abc", &[]),
            ("abbc", &["ab", "##bc"]),
            // A part without a token: no tokens for the whole word.
            ("parsed", &[]),
            ("x", &[]),
            // Accents are removed, composed or not; other letters stay.
            ("Café", &["cafe"]),
            ("cafe\u{301}", &["cafe"]),
            ("NAÏVE", &["naive"]),
            ("İ", &["i"]),
            ("straße", &[]),
            ("ΐ", &["ι"]),
            // Several words, and texts without words.
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
            assert_eq!(tokenize(word), *expected, "{word}");
        }
    }

    #[test]
    fn long_words_have_no_tokens() {
        assert_eq!(tokenize(&format!("a{}", "b".repeat(99))).len(), 99, "`ab`, then 98 times `##b`");
        assert_eq!(tokenize(&"a".repeat(100)).len(), 100);
        assert_eq!(tokenize(&"a".repeat(101)), [""; 0]);
        assert_eq!(tokenize(&format!("{} b", "a".repeat(101))), ["b"]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_tokenized(word in "\\PC{0,40}|[abc\u{301}中-]{0,200}") {
            tokenize(&word);
        }
    }
}
