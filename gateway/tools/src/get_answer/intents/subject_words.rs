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

/// Returns the name that all words of a subject may stand for together, although one of them is written like a name: the RabbitMQ broker is
/// `RabbitmqBroker`. `None` if they are too many, or one of them is no plain word.
pub(super) fn whole_name(written: &str) -> Option<String> {
    const ARTICLES: [&str; 3] = ["the", "a", "an"];
    let words: Vec<&str> = written.split(' ').filter(|word| !word.is_empty()).collect();
    let words = match words.split_first() {
        Some((first, rest)) if ARTICLES.contains(&first.to_lowercase().as_str()) => rest,
        _ => &words[..],
    };
    let is_plain = |word: &&str| word.chars().all(char::is_alphanumeric) && !ranking::query::is_stop_word(word);
    ((2..=MAX_JOINED).contains(&words.len()) && words.iter().all(is_plain)).then(|| words.join("_"))
}

/// Minimum number of letters of a word by whose stem names are found.
const MIN_STEM_CHARS: usize = 3;

/// Returns the pattern of the names that may have the words of a description in their order; `None` for a single word, for too many, and for
/// words that are no plain ones.
pub(super) fn pattern_of_forms(words: &[String]) -> Option<String> {
    let is_plain = |word: &String| word.len() >= MIN_STEM_CHARS && word.chars().all(|c| c.is_ascii_alphanumeric());
    if !(2..=MAX_JOINED).contains(&words.len()) || !words.iter().all(is_plain) {
        return None;
    }
    let stems: Vec<String> = words.iter().map(|word| stem_of_form(&word.to_lowercase()).to_owned()).collect();
    Some(format!("(?i)^[_#$]*{}", stems.join("[a-z]*_?")))
}

/// Returns true if a name has the words of a description in their order, each in any form, and no other words: a shutdown notification is
/// `ShutdownNotifications`.
pub(super) fn has_words_in_forms(name: &str, words: &[String]) -> bool {
    let parts: Vec<String> = ranking::analyser::words(name).into_iter().filter(|part| part != "_").collect();
    let is_same =
        |(part, word): (&String, &String)| stem_of_form(&part.to_lowercase()) == stem_of_form(&word.to_lowercase());
    parts.len() == words.len() && parts.iter().zip(words).all(is_same)
}

/// Returns a word without the endings of its form: that of a plural, and then that of a verb.
fn stem_of_form(word: &str) -> &str {
    let without = |word: &'_ str, endings: &[&str]| {
        let bare = endings.iter().find_map(|ending| word.strip_suffix(ending));
        bare.map(str::len).filter(|length| *length >= MIN_STEM_CHARS).unwrap_or(word.len())
    };
    let single = if word.ends_with("ss") { word } else { &word[..without(word, &["ies", "es", "s"])] };
    let bare = &single[..without(single, &["ing", "ed"])];
    &bare[..without(bare, &["e", "y"])]
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
    fn all_words_of_a_subject_may_be_one_name() {
        for (written, expected) in [
            ("RabbitMQ broker", Some("RabbitMQ_broker")),
            ("the Berth pool", Some("Berth_pool")),
            ("Dock.open of the pier", None),
            ("broker of RabbitMQ", None),
            ("broker", None),
            ("one two three four five", None),
        ] {
            assert_eq!(whole_name(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn names_have_the_words_of_a_description_in_any_form() {
        for (words, name, expected) in [
            (&["shutdown", "notification"][..], "ShutdownNotifications", true),
            (&["berth", "retries"], "_berth_retry", true),
            (&["duplicate", "moorings"], "#duplicateMooring", true),
            (&["berth", "pool"], "BerthSpool", false),
            (&["berth", "pool"], "OldBerthPool", false),
            (&["berth", "pool"], "BerthPoolSize", false),
            (&["pool", "berth"], "BerthPool", false),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(has_words_in_forms(name, &words), expected, "{name}");
        }
        let words = ["berth", "retries"].map(str::to_owned);
        assert_eq!(pattern_of_forms(&words).as_deref(), Some("(?i)^[_#$]*berth[a-z]*_?retr"));
        for words in [&["berth"][..], &["berth", "a.b"], &["a", "berth"]] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(pattern_of_forms(&words), None, "{words:?}");
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
