//! The words of a subject: names, words about its kind, and words that together may be a name.

use model::Language;
use ranking::query::is_identifier;

/// Words about the kind of a thing.
#[rustfmt::skip]
pub(super) const KINDS: &[&str] = &[
    "function", "functions", "method", "class", "type", "struct", "enum", "trait", "interface", "module", "file", "repo",
    "repository", "project", "package", "component", "service", "variable", "constant", "code", "library", "endpoint", "route",
    "rpc", "symbol", "definition", "exception", "field", "macro", "folder", "directory", "crate", "logic", "signature", "value",
    "environment", "env", "setting", "settings", "option", "called", "named", "property", "hook", "helper", "error", "part", "parts",
    "database", "table", "topic", "queue", "behaviour", "behavior", "whole", "thing", "stuff", "everything",
];

/// Further words about the kind of a repository, if one is named.
pub(super) const REPOSITORY_KINDS: [&str; 6] = ["client", "sdk", "framework", "tool", "plugin", "app"];

/// Minimum share of the words of a description that a name of several words must have.
const MIN_NAMED_SHARE: f32 = 0.6;

/// Maximum number of words in such a name.
const MAX_JOINED: usize = 4;

/// Returns the names that adjacent words of a description may stand for, the longest first. `prose` are its words in order, and
/// `words` those that are neither of the grammar nor about kinds or repositories. Names are compared without case and separators.
pub(super) fn joined_names(prose: &[&str], words: &[String]) -> Vec<String> {
    let is_content = |word: &&str| words.iter().any(|known| known == word);
    let is_part = |word: &&str| is_content(word) || KINDS.contains(&word.to_lowercase().as_str());
    let mut found: Vec<String> = Vec::new();
    for length in (2..=MAX_JOINED.min(prose.len())).rev() {
        for window in prose.windows(length).filter(|window| window.iter().all(is_part)) {
            let n_content = window.iter().filter(|word| is_content(word)).count();
            let is_plain = window.iter().all(|word| word.chars().all(char::is_alphanumeric));
            if is_plain && n_content > 0 && n_content as f32 >= MIN_NAMED_SHARE * words.len() as f32 {
                found.push(window.join("_"));
            }
        }
    }
    found
}

/// Returns true if a word is an alias with further words behind it, such as `shop-api` of `shop`.
pub(super) fn has_prefix_of_words(word: &str, alias: &str) -> bool {
    word.strip_prefix(alias).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns true for a word that is a name of code or a path, whatever repositories it contains.
pub(super) fn is_name(word: &str) -> bool {
    is_identifier(word) || word.contains('/') || is_path(word) || is_upper(word)
}

pub(super) fn is_path(word: &str) -> bool {
    word.contains('.') && Language::of_path(word) != Language::Text
}

fn is_upper(word: &str) -> bool {
    word.contains('_') && !word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_a_part_of_a_word_only_at_its_edges() {
        for (word, expected) in [("shop", true), ("shop-api", true), ("shopd", false), ("workshop", false)] {
            assert_eq!(has_prefix_of_words(word, "shop"), expected, "{word}");
        }
    }

    #[test]
    fn adjacent_words_may_be_the_name_of_a_definition() {
        for (prose, words, expected) in [
            ("the zone tracker", vec!["zone", "tracker"], vec!["zone_tracker"]),
            (
                "the main lease manager",
                vec!["main", "lease", "manager"],
                vec!["main_lease_manager", "main_lease", "lease_manager"],
            ),
            ("lease service", vec!["lease"], vec!["lease_service"]),
            ("retries of a request", vec!["retries", "request"], vec![]),
            ("old a of long words here and b", vec!["old", "long", "words", "here", "b"], vec!["long_words_here"]),
        ] {
            let prose: Vec<&str> = prose.split(' ').collect();
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(joined_names(&prose, &words), expected, "{prose:?}");
        }
    }
}
