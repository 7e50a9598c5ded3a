//! The notice of an incomplete answer: unknown is not none.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    answer::{list, number, text, texts},
    error_page::readable_message,
    symbol_page::plain,
};

/// Maximum number of listed repositories.
const MAX_LISTED: usize = 20;

/// Returns the notice with the repositories that did not answer, and the remarks of an answer.
pub(crate) fn coverage_notice(answer: &Value) -> Markup {
    let meta = &answer["_meta"];
    let coverage = &meta["coverage"];
    let is_incomplete = coverage["complete"].as_bool() == Some(false);
    let missing = list(coverage, "shortfalls");
    // A filter that was not applied makes an answer wider than it looks.
    let ignored = texts(meta, "ignored_arguments").map(|note| format!("{}.", plain(note).trim_end_matches('.')));
    let notes: Vec<String> = ignored.chain(texts(meta, "notes").map(readable_message)).collect();
    html! {
        @if is_incomplete {
            div.notice.warn role="status" {
                p { strong { "This answer may be incomplete." } " "
                    (number(coverage, "answered")) " of " (number(coverage, "asked")) " repositories answered in full. What is missing here is unknown, not absent." }
                @if !missing.is_empty() {
                    details {
                        summary { "Missing: " (missing.len() as u64 + number(coverage, "more_shortfalls")) }
                        ul {
                            @for shard in missing.iter().take(MAX_LISTED) {
                                li { strong { (text(shard, "repo")) } " " (text(shard, "state").replace('_', " ")) @if !text(shard, "reason").is_empty() { ": " (text(shard, "reason")) } }
                            }
                        }
                    }
                }
                p { a href="/health" { "See the state of all repositories" } }
            }
        }
        @if !notes.is_empty() {
            div.notice { @for note in notes { p { (note) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notes_are_sentences() {
        let answer =
            json!({"_meta": {"notes": ["all direct users are counted; the walk beyond them reached its limit"]}});
        let shown = coverage_notice(&answer).into_string();
        assert!(
            shown.contains("<p>All direct users are counted; the walk beyond them reached its limit.</p>"),
            "{shown}"
        );
        let ignored =
            json!({"_meta": {"ignored_arguments": ["`language`: `x` is none of rust, go, and was not applied"]}});
        let shown = coverage_notice(&ignored).into_string();
        assert!(shown.contains("<p>language: x is none of rust, go, and was not applied.</p>"), "{shown}");
        assert_eq!(coverage_notice(&json!({})).into_string(), "");
    }
}
