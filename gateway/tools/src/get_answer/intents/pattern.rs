//! Patterns of phrasings: words, with a capture for each thing that a question names.

use super::phrasings::CLASSES;

/// Maximum number of words of a clause; a longer one is a report, and no question about one thing.
pub(super) const MAX_WORDS: usize = 40;

/// The words of a clause, as written and in lower case.
#[derive(Debug, Clone)]
pub(super) struct ClauseWords {
    written: Vec<String>,
    lower: Vec<String>,
    /// True for the words within quotation marks.
    is_quoted: Vec<bool>,
}

impl ClauseWords {
    /// Splits a clause into words without the punctuation around them.
    pub(super) fn of(clause: &str) -> ClauseWords {
        let (mut written, mut is_quoted, mut is_open) = (Vec::new(), Vec::new(), false);
        for word in clause.split_whitespace() {
            let n_marks = word.matches(['"', '`']).count() + n_single_marks(word, is_open);
            let bare = bare(word);
            if !bare.is_empty() {
                written.push(bare.to_owned());
                is_quoted.push(is_open || n_marks > 0);
            }
            if is_contraction(word) {
                written.push("is".to_owned());
                is_quoted.push(false);
            }
            is_open ^= n_marks % 2 == 1;
        }
        let lower = written.iter().map(|word| word.to_lowercase()).collect();
        ClauseWords { written, lower, is_quoted }
    }

    pub(super) fn len(&self) -> usize {
        self.lower.len()
    }

    /// Returns the words in lower case.
    pub(super) fn lower(&self) -> &[String] {
        &self.lower
    }

    /// Returns the words of a range, as written.
    pub(super) fn text(&self, words: std::ops::Range<usize>) -> String {
        self.written[words].join(" ")
    }

    /// Returns the words of a range.
    pub(super) fn range(&self, words: std::ops::Range<usize>) -> ClauseWords {
        let (written, lower) = (self.written[words.clone()].to_vec(), self.lower[words.clone()].to_vec());
        ClauseWords { written, lower, is_quoted: self.is_quoted[words].to_vec() }
    }

    /// Returns true for a word within quotation marks.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.is_quoted[at]
    }

    /// Returns true if a word is of the grammar of the question.
    fn is_grammar(&self, at: usize) -> bool {
        !self.is_quoted[at] && GRAMMAR.contains(&self.lower[at].as_str())
    }
}

/// Returns true for a question word that is contracted with `is`, such as `what's`.
fn is_contraction(word: &str) -> bool {
    let lower = word.to_lowercase().replace('’', "'");
    ["what's", "where's", "when's", "how's", "who's"].iter().any(|known| lower.trim_end_matches([',', '?']) == *known)
}

/// Returns the number of single quotation marks at the edges of a word. One within a word is an apostrophe, and one at its end closes
/// a quotation only if one is open.
fn n_single_marks(word: &str, is_open: bool) -> usize {
    let opens = word.trim_start_matches(['(', '[']).starts_with('\'');
    let closes =
        (opens || is_open) && word.len() > 1 && word.trim_end_matches(['.', ',', '?', '!', ';', ')']).ends_with('\'');
    usize::from(opens) + usize::from(closes)
}

/// Returns a word without punctuation around it, without call parentheses, and without the ending of a possessive.
fn bare(word: &str) -> &str {
    let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '{' | '}' | '<' | '>' | '*' | '@'));
    let start = word.trim_start_matches(|c: char| is_edge(c) && c != '.');
    let trimmed = start.trim_end_matches(is_edge);
    trimmed.strip_suffix("'s").or(trimmed.strip_suffix("’s")).unwrap_or(trimmed)
}

/// Returns the captured words if a pattern matches all words of a clause.
///
/// A part of a pattern is `a|b` for one of some words, `[a|b]` for a word that may be absent, or `{}` for a capture of one or more
/// words. A word that begins with `@` stands for a class of words. `~` at the end stands for one or more words of any kind.
pub(super) fn captures(pattern: &str, words: &ClauseWords) -> Option<Vec<String>> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    let ranges = match_parts(&parts, words, 0)?;
    Some(ranges.into_iter().map(|range| words.text(range)).collect())
}

/// Returns true if a word is one of the alternatives, or of a class among them.
fn is_one_of(word: &str, alternatives: &str) -> bool {
    alternatives.split('|').any(|one| match one.starts_with('@') {
        true => CLASSES.iter().any(|(name, members)| *name == one && members.split('|').any(|member| member == word)),
        false => one == word,
    })
}

/// Words of the grammar of a question, which are in no name of a thing.
const GRAMMAR: &[&str] = &[
    "when", "if", "does", "do", "did", "is", "are", "was", "were", "we", "i", "you", "me", "us", "who", "what",
    "which", "that", "can", "could", "would", "will", "should", "must", "been", "be", "please",
];

fn match_parts(parts: &[&str], words: &ClauseWords, at: usize) -> Option<Vec<std::ops::Range<usize>>> {
    let Some((part, rest)) = parts.split_first() else { return (at == words.len()).then(Vec::new) };
    let is_word = |alternatives: &str| words.lower.get(at).is_some_and(|word| is_one_of(word, alternatives));
    if *part == "~" {
        return (at < words.len()).then(Vec::new);
    }
    if *part == "{}" {
        let ends = at + 1..=words.len();
        return ends.into_iter().find_map(|end| {
            if (at..end).any(|at| words.is_grammar(at)) {
                return None;
            }
            let mut ranges = match_parts(rest, words, end)?;
            ranges.insert(0, at..end);
            Some(ranges)
        });
    }
    if let Some(optional) = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')) {
        let with = is_word(optional).then(|| match_parts(rest, words, at + 1)).flatten();
        return with.or_else(|| match_parts(rest, words, at));
    }
    if is_word(part) { match_parts(rest, words, at + 1) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_clauses() {
        for (pattern, clause, expected) in [
            ("who owns {}", "Who owns `src/app.py`?", Some(vec!["src/app.py"])),
            ("who owns {}", "who owns", None),
            ("who owns {}", "so who owns it", None),
            ("who is|are [the] owner of {}", "who is owner of Store.find()", Some(vec!["Store.find"])),
            ("{} owner", "the parcel store owner", Some(vec!["the parcel store"])),
            ("how does {} reach {}", "how does a reach b c", Some(vec!["a", "b c"])),
            ("what breaks", "what breaks?", Some(vec![])),
            ("who owns {}", "who owns flask's cli module", Some(vec!["flask cli module"])),
            ("who owns {}", "who owns GET /a/{id}", Some(vec!["GET /a/{id}"])),
            ("what is the default of {}", "what's the default of a?", Some(vec!["a"])),
            ("what breaks if {} starts ~", "what breaks if a starts to do what it must", Some(vec!["a"])),
            ("what breaks if {} starts ~", "what breaks if a starts", None),
            ("who throws {}", "who throws 'PORT is not defined.'?", Some(vec!["PORT is not defined"])),
            ("who throws {}", "who throws the users' PORT is error", None),
        ] {
            let expected: Option<Vec<String>> = expected.map(|all| all.into_iter().map(str::to_owned).collect());
            assert_eq!(captures(pattern, &ClauseWords::of(clause)), expected, "{clause}");
        }
    }
}
