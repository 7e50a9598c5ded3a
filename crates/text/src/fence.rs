//! Renders Markdown code fences that the fenced text cannot close.

use model::Language;

/// Minimum length of a Markdown fence.
const MIN_FENCE: usize = 3;

/// Returns `text` in a Markdown code fence that is longer than any run of backticks in it.
pub fn fence(language: Language, text: &str) -> String {
    let marks = "`".repeat(MIN_FENCE.max(longest_backtick_run(text) + 1));
    let end_of_text = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{marks}{tag}\n{text}{end_of_text}{marks}", tag = info_string(language))
}

fn info_string(language: Language) -> &'static str {
    match language {
        Language::Text => "",
        other => other.name(),
    }
}

fn longest_backtick_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_fences_in_its_text() {
        for (language, text, expected) in [
            (Language::Rust, "fn a() {}\n", "```rust\nfn a() {}\n```"),
            (Language::Rust, "fn a() {}", "```rust\nfn a() {}\n```"),
            (Language::Text, "", "```\n```"),
            (Language::Markdown, "```sh\nls\n```\n", "````markdown\n```sh\nls\n```\n````"),
            (Language::Go, "`raw`", "```go\n`raw`\n```"),
            (Language::Text, "a `````b", "``````\na `````b\n``````"),
        ] {
            assert_eq!(fence(language, text), expected);
        }
    }
}
