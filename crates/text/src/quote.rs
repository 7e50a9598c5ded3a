//! Quotes text of repositories, which must not pass for the words of a response: Markdown code fences for several lines,
//! and code spans for text within a line. The quoted text can close neither.
//!
//! Renderers of Markdown show both literally, without links and images.

use std::borrow::Cow;

use model::Language;

use crate::{sanitise, sanitise_name};

/// Minimum length of a Markdown fence.
const MIN_FENCE: usize = 3;

/// Returns `text` in a Markdown code fence that is longer than any run of backticks in it.
pub fn fence(language: Language, text: &str) -> String {
    let marks = "`".repeat(MIN_FENCE.max(longest_backtick_run(text) + 1));
    let end_of_text = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{marks}{tag}\n{text}{end_of_text}{marks}", tag = info_string(language))
}

/// Returns `text` on one line, sanitised, in a Markdown code span. Nothing else puts prose or code of a repository into a
/// line of a response.
pub fn quote(text: &str) -> String {
    let sanitised = sanitise(text);
    let line = if sanitised.contains(['\n', '\t']) {
        Cow::Owned(sanitised.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        sanitised
    };
    span(&line)
}

/// Returns a name, path, id or location as a response shows it within a line: bare if it is printable ASCII without
/// white space and backticks, since no sentence can be written so, and quoted otherwise.
pub fn quote_name(name: &str) -> Cow<'_, str> {
    let sanitised = sanitise_name(name);
    if sanitised.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'`') {
        sanitised
    } else {
        span(&sanitised).into()
    }
}

/// Returns names as [`quote_name`] shows them, separated by commas.
pub fn quote_names<Name: AsRef<str>>(names: impl IntoIterator<Item = Name>) -> String {
    names.into_iter().map(|name| quote_name(name.as_ref()).into_owned()).collect::<Vec<_>>().join(", ")
}

/// Returns one line of text in a code span, with spaces beside backticks at its ends (CommonMark 6.1).
fn span(line: &str) -> String {
    let marks = "`".repeat(longest_backtick_run(line) + 1);
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{marks}{space}{line}{space}{marks}")
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
    use proptest::prelude::*;

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

    #[test]
    fn prose_is_quoted_on_one_line() {
        for (text, expected) in [
            ("Opens a file.", "`Opens a file.`"),
            ("Returns\n\twhat  is asked.", "`Returns what is asked.`"),
            ("Calls `open` twice.", "``Calls `open` twice.``"),
            ("`open` it", "`` `open` it ``"),
            ("a ``` b ```` c", "`````a ``` b ```` c`````"),
            ("\u{1b}[31mred\u{202e}", "`red`"),
            ("", "``"),
        ] {
            assert_eq!(quote(text), expected);
        }
    }

    #[test]
    fn only_names_that_may_be_prose_are_quoted() {
        for (name, expected) in [
            ("src/a.rs", "src/a.rs"),
            ("api//src/a.rs::Store.find#2", "api//src/a.rs::Store.find#2"),
            ("app/[id]/page.tsx:1-9", "app/[id]/page.tsx:1-9"),
            ("", ""),
            ("GET /parcels", "`GET /parcels`"),
            ("größe.rs", "`größe.rs`"),
            ("a`b", "``a`b``"),
            ("a\nHint: b", "`aHint: b`"),
        ] {
            assert_eq!(quote_name(name), expected);
        }
        assert_eq!(quote_names(["a.rs", "b c.rs"]), "a.rs, `b c.rs`");
    }

    /// Returns the text behind the code span at the start of a line, if there is one.
    fn behind_span(line: &str) -> Option<&str> {
        let n_marks = line.len() - line.trim_start_matches('`').len();
        let mut rest = &line[n_marks..];
        loop {
            let start = rest.find('`')?;
            let run = rest[start..].len() - rest[start..].trim_start_matches('`').len();
            rest = &rest[start + run..];
            if run == n_marks {
                return Some(rest);
            }
        }
    }

    proptest! {
        #[test]
        fn quoted_text_cannot_end_its_span(text in "[`a \\n\\t\u{200b}]{1,20}") {
            for quoted in [quote(&text), quote_name(&text).into_owned()] {
                prop_assert!(!quoted.contains('\n'));
                if quoted.starts_with('`') && quoted != "``" {
                    prop_assert_eq!(behind_span(&quoted), Some(""), "{}", quoted);
                }
            }
        }

        #[test]
        fn quoted_lines_cannot_end_their_fence(text in "[`a\\n]{0,40}") {
            let fenced = fence(Language::Text, &text);
            let marks = &fenced[..fenced.find('\n').unwrap()];
            let inner: Vec<&str> = fenced.lines().skip(1).collect();
            prop_assert!(inner[..inner.len() - 1].iter().all(|line| !line.trim_start().starts_with(marks)));
        }
    }
}
