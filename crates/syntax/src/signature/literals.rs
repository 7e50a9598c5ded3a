//! String literals in the text of a declaration, recognized by their shape: the same for all languages.

use std::borrow::Cow;
use std::ops::Range;

/// Maximum length in bytes of a literal that is shown: a default value, a tag, a path.
const MAX_LITERAL_BYTES: usize = 40;

/// Replaces the content of an omitted literal.
const ELLIPSIS: &str = "…";

/// A literal, or text that looks like one.
struct QuotedLiteral<'a> {
    /// Byte range between the quotes.
    content: Range<usize>,
    /// The closing quotes: the same number and kind as the opening ones.
    close: Cow<'a, str>,
    is_closed: bool,
}

/// Replaces the content of long literals by an ellipsis.
pub(super) fn elide_long(text: &str) -> Cow<'_, str> {
    let mut elided = String::new();
    let mut copied_to = 0;
    for literal in literals(text).filter(|literal| literal.content.len() > MAX_LITERAL_BYTES) {
        elided.push_str(&text[copied_to..literal.content.start]);
        elided.push_str(ELLIPSIS);
        if !literal.is_closed {
            elided.push_str(&literal.close);
        }
        copied_to = literal.content.end;
    }
    if copied_to == 0 {
        return Cow::Borrowed(text);
    }
    elided.push_str(&text[copied_to..]);
    Cow::Owned(elided)
}

/// Returns the text up to the opening quote of its last literal if that literal is not closed.
pub(super) fn without_unclosed(text: &str) -> &str {
    match literals(text).last() {
        Some(literal) if !literal.is_closed => &text[..literal.content.start],
        _ => text,
    }
}

fn literals(text: &str) -> impl Iterator<Item = QuotedLiteral<'_>> {
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let start = position + text[position..].find(['"', '\'', '`'])?;
            let quotes = opening_quotes(text, start);
            let content_start = start + quotes.len();
            let close = closing_delimiter(text, start, quotes);
            let end = find_close(text, content_start, &close);
            position = end.map_or(text.len(), |end| end + close.len());
            if end.is_some() || is_unclosed_literal(text, content_start, quotes) {
                let content = content_start..end.unwrap_or(text.len());
                return Some(QuotedLiteral { content, close, is_closed: end.is_some() });
            }
            position = content_start;
        }
    })
}

/// Returns the quotes at `start`: one or three.
fn opening_quotes(text: &str, start: usize) -> &str {
    let is_triple = ["\"\"\"", "'''"].iter().any(|triple| text[start..].starts_with(triple));
    &text[start..start + if is_triple { 3 } else { 1 }]
}

/// Returns the closing delimiter of the literal: its quotes, and after `r#"` the same number of hashes.
fn closing_delimiter<'a>(text: &str, start: usize, quotes: &'a str) -> Cow<'a, str> {
    let before = text[..start].trim_end_matches('#');
    let n_hashes = start - before.len();
    if n_hashes > 0 && before.ends_with('r') {
        Cow::Owned(format!("{quotes}{}", "#".repeat(n_hashes)))
    } else {
        Cow::Borrowed(quotes)
    }
}

/// Returns the end of the literal. An escaped quote does not end it, nor does a quote that starts a Rust lifetime.
fn find_close(text: &str, content_start: usize, close: &str) -> Option<usize> {
    let mut position = content_start;
    loop {
        let end = position + text[position..].find(close)?;
        let n_backslashes = text.as_bytes()[content_start..end].iter().rev().take_while(|byte| **byte == b'\\').count();
        let is_escaped = n_backslashes % 2 == 1 && close.len() == 1 && close != "`";
        let after = end + close.len();
        let opens_lifetime = close == "'" && text[after..].starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !is_escaped && !opens_lifetime {
            return Some(end);
        }
        position = after;
    }
}

/// Returns true if a quote without a counterpart opens a literal that was cut. A Rust lifetime does not: it has a name
/// after the quote, followed by a character that can follow a type parameter.
fn is_unclosed_literal(text: &str, content_start: usize, quotes: &str) -> bool {
    let content = &text[content_start..];
    let is_in_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = &content[..content.find(|c| !is_in_name(c)).unwrap_or(content.len())];
    let follows_lifetime = |c: char| c.is_whitespace() || ",>:)+;{(]=|".contains(c);
    let is_lifetime = !name.is_empty() && content[name.len()..].starts_with(follows_lifetime);
    quotes != "'" || !is_lifetime
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_literals_are_elided() {
        let long = "a line long enough, \\\" of no use to readers";
        for (text, expected) in [
            ("f(a = \"short\", b = 'c')", "f(a = \"short\", b = 'c')"),
            ("f(a = \"LONG\", b = 'LONG', c)", "f(a = \"…\", b = '…', c)"),
            ("x = '''LONG''', y = \"\"\"LONG\"\"\"", "x = '''…''', y = \"\"\"…\"\"\""),
            ("f(a = \"LONG", "f(a = \"…\""),
            ("f(`LONG`)", "f(`…`)"),
            ("f(r##\"LONG\"#\"##)", "f(r##\"…\"##)"),
            (
                "fn longest<'a, 'b>(first: &'a str, second: &'b str, third: &'a str) -> &'static str",
                "fn longest<'a, 'b>(first: &'a str, second: &'b str, third: &'a str) -> &'static str",
            ),
        ] {
            let [text, expected] = [text, expected].map(|text| text.replace("LONG", long));
            assert_eq!(elide_long(&text), expected);
        }
    }

    #[test]
    fn unclosed_literals_are_found() {
        for (text, expected) in [
            ("f(a = \"closed\", b", "f(a = \"closed\", b"),
            ("f(a = \"open, b", "f(a = \""),
            ("f(a = 'ghp_NdgWTv", "f(a = '"),
            ("f(a = '-----BEGIN", "f(a = '"),
            ("f(a = 'hunter2-xyz", "f(a = '"),
            ("fn f<'a>(a: &'a str", "fn f<'a>(a: &'a str"),
        ] {
            assert_eq!(without_unclosed(text), expected);
        }
    }
}
