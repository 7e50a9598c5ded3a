//! Questions whether something exists. A word of the thing that no file has answers them before anything that only looks alike.

use federation::{coverage::Coverage, plan::Plan};
use ranking::query::is_stop_word;

use super::{evidence_retrieval::AnswerEvidence, question::is_function_word};

/// Verbs of such questions: `does dock support tides`.
const VERBS: [&str; 18] = [
    "support",
    "supports",
    "have",
    "has",
    "provide",
    "offer",
    "include",
    "implement",
    "handle",
    "contain",
    "allow",
    "come",
    "ship",
    "understand",
    "speak",
    "integrate",
    "got",
    "exist",
];

/// Returns true if a question asks whether something exists: `is there a crane`, `does dock support tides`.
pub(super) fn asks_whether(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '/' | '_' | '.')))
        .filter(|word| !matches!(*word, "" | "and" | "so" | "also" | "."))
        .collect();
    match words.as_slice() {
        ["is" | "are", "there", ..] => true,
        ["does" | "do" | "can" | "has" | "have", rest @ ..] => rest.iter().take(5).any(|word| VERBS.contains(word)),
        _ => false,
    }
}

/// Returns the sentence that words of the asked thing are in no file; `None` if the question is another one or all its words are known.
pub(super) fn absence(plan: &Plan, evidence: &AnswerEvidence, question: &str) -> Option<String> {
    // A repository that did not answer may have the word.
    if !asks_whether(question) || !Coverage::of(plan).is_complete() {
        return None;
    }
    let absent: Vec<&String> = evidence.unknown_words.iter().filter(|word| is_of_thing(word)).collect();
    let aliases: Vec<String> = plan.asked.iter().map(|one| text::quote(plan.alias(*one))).collect();
    let place = match aliases.as_slice() {
        [one] => format!("of {one}"),
        all => format!("of the {} searched repositories", all.len()),
    };
    (!absent.is_empty()).then(|| format!("No file {place} mentions {}.", text::quote_names(absent)))
}

/// Minimum share of a question in the best definition, above which the thing may well exist.
const MIN_SHARE: f32 = 0.5;

/// Returns the sentence that no definition clearly is what a question asks for, if the best one has little of it. That is no statement that it
/// does not exist.
pub(super) fn doubt(plan: &Plan, question: &str, best_share: Option<f32>) -> Option<String> {
    let is_doubtful = asks_whether(question) && is_little(best_share);
    let aliases: Vec<String> = plan.asked.iter().map(|one| text::quote(plan.alias(*one))).collect();
    let place = match aliases.as_slice() {
        [one] => one.clone(),
        all => format!("the {} searched repositories", all.len()),
    };
    is_doubtful.then(|| {
        format!(
            "The best matches in {place} have only some of the words of this, so it may not exist; the nearest follows."
        )
    })
}

fn is_little(best_share: Option<f32>) -> bool {
    best_share.is_none_or(|share| share < MIN_SHARE)
}

/// Returns true for a word that may be of the name of a thing. Adverbs and forms of verbs are often in no file.
fn is_of_thing(word: &str) -> bool {
    let lower = word.to_lowercase();
    let is_of_manner = ["ly", "ing", "ed"].iter().any(|ending| lower.ends_with(ending));
    !is_of_manner && !is_stop_word(&lower) && !is_function_word(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_existence_are_known_by_their_verbs() {
        for (question, expected) in [
            ("Is there a tide service?", true),
            ("does dock support HTTP/9?", true),
            ("and does it have a Zebra backend?", true),
            ("can dock handle floods", true),
            ("does opening a dock renew its lease?", false),
            ("is the lease renewed?", false),
            ("what does dock support?", false),
            ("how does dock support tides?", false),
            ("where is there a crane?", false),
        ] {
            assert_eq!(asks_whether(question), expected, "{question}");
        }
    }

    #[test]
    fn doubt_is_for_questions_whether_a_thing_exists() {
        for (question, share, expected) in [
            ("is there a tide service", Some(0.3), true),
            ("is there a tide service", None, true),
            ("is there a tide service", Some(0.6), false),
            ("where is the tide service", Some(0.3), false),
        ] {
            let is_doubtful = asks_whether(question) && is_little(share);
            assert_eq!(is_doubtful, expected, "{question} {share:?}");
        }
    }

    #[test]
    fn words_of_manner_are_no_things() {
        for (word, expected) in
            [("binlog", true), ("Zebra", true), ("idiomatically", false), ("hibernating", false), ("the", false)]
        {
            assert_eq!(is_of_thing(word), expected, "{word}");
        }
    }
}
