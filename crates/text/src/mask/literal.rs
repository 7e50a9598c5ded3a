//! Reads string literals of any language.

use std::ops::Range;

use super::delimited::read_delimited;
use super::reader::Reader;

/// Maximum length in bytes of a literal that is examined.
const MAX_BYTES: usize = 8 << 10;

/// Reads a string literal with its prefix, such as `"x"`, `b'x'`, `r#"x"#`, `"""x"""` and, within another literal, `\"x\"`;
/// and literals with other delimiters, such as `%q(x)`.
/// Returns the range of its content, or `None` and leaves the reader where it was.
pub(super) fn read_literal(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    let mut ahead = *reader;
    skip_prefix(&mut ahead);
    let n_escapes = ahead.skip_while(3, |byte| byte == b'\\');
    let quote = ahead.peek();
    if !matches!(quote, b'"' | b'\'' | b'`') || ahead.rest().starts_with("''\n") {
        return read_delimited(reader);
    }
    let rest = ahead.rest();
    let n_quotes = match n_escapes {
        0 if rest.as_bytes()[1..].starts_with(&[quote; 2]) => 3,
        0 if is_doubled(rest, quote) => 2,
        _ => 1,
    };
    ahead.at += n_quotes;
    let start = ahead.at;
    let Some(n_bytes) = content_len(ahead.rest().as_bytes(), quote, n_quotes, n_escapes) else {
        return read_delimited(reader);
    };
    let end = start + n_bytes;
    reader.at = end + n_escapes + n_quotes;
    Some(start..end)
}

/// Returns true if a literal is next. One with a prefix of letters must end as an expression does, since an unquoted value may
/// begin with the same characters, as in `PASSWORD=b'x7Q'k2`.
pub(super) fn begins_literal(mut reader: Reader<'_>) -> bool {
    let has_prefix = reader.peek().is_ascii_alphanumeric();
    let is_end = |byte: u8| byte == 0 || byte.is_ascii_whitespace() || b",;)]}.+:?#\\".contains(&byte);
    read_literal(&mut reader).is_some() && (!has_prefix || is_end(reader.peek()))
}

/// Returns true if a literal is next that no letter and no digit follows.
pub(super) fn is_delimited_literal(mut reader: Reader<'_>) -> bool {
    read_literal(&mut reader).is_some() && !reader.peek().is_ascii_alphanumeric()
}

/// Moves over the prefix of a literal: letters such as `b`, `rb` and `s`, `@`, `$`, and the `#` of a raw string.
fn skip_prefix(reader: &mut Reader<'_>) {
    let mut ahead = *reader;
    ahead.skip_while(2, |byte| b"bBrRuUfFlLN@$8sS".contains(&byte));
    ahead.skip_while(3, |byte| byte == b'#');
    if matches!(ahead.peek(), b'"' | b'\'') {
        *reader = ahead;
    }
}

/// Returns true if a word stands between two quotes each, as in reStructuredText, in wikis, and in a string of SQL or Basic. Two
/// quotes before anything else are an empty string.
fn is_doubled(text: &str, quote: u8) -> bool {
    let Some(content) = text.as_bytes().get(2..) else { return false };
    let is_first = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'/' || (quote == b'`' && *byte != b'`');
    let n_bytes = content.iter().take(MAX_BYTES).take_while(|byte| byte.is_ascii_graphic() && **byte != quote).count();
    text.as_bytes()[1] == quote && content.first().is_some_and(is_first) && content[n_bytes..].starts_with(&[quote; 2])
}

/// Returns the number of bytes before the closing quotes; `None` if the literal does not end on its line.
fn content_len(bytes: &[u8], quote: u8, n_quotes: usize, n_escapes: usize) -> Option<usize> {
    let is_multiline = n_quotes == 3 || (n_quotes == 1 && quote == b'`');
    let mut at = 0;
    while at < bytes.len().min(MAX_BYTES) {
        let n_before = bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
        let next = bytes.get(at + n_before).copied()?;
        let is_end = next == quote && bytes[at + n_before..].starts_with(&[quote; 3][..n_quotes]);
        match n_escapes {
            0 if is_end && n_before % 2 == 0 => return Some(at + n_before),
            0 => {}
            _ if is_end && n_before == n_escapes => return Some(at),
            // The enclosing literal ends here.
            _ if next == quote && n_before < n_escapes => return None,
            _ => {}
        }
        if next == b'\n' && !is_multiline {
            return None;
        }
        at += n_before + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_all_languages_are_read() {
        for (text, content) in [
            (r#""abc" d"#, Some("abc")),
            (r#"'a"c' d"#, Some("a\"c")),
            (r#"b"a\"c\\" d"#, Some(r#"a\"c\\"#)),
            (r#"s" abc" d"#, Some(" abc")),
            (r##"r#"abc"# d"##, Some("abc")),
            (r#"@"abc" d"#, Some("abc")),
            (r#"\"a'c\" d"#, Some("a'c")),
            (r#"\"abc" d"#, None),
            ("\"\"\"abc\"\"\" d", Some("abc")),
            ("\"\" d", Some("")),
            ("``abc`` d", Some("abc")),
            ("''abc'' d", Some("abc")),
            ("\"\"abc\"\" d", Some("abc")),
            ("`a\nc` d", Some("a\nc")),
            ("\"a\nc\" d", None),
            ("\"abc", None),
            ("abc\"", None),
        ] {
            let mut reader = Reader::new(text, 0);
            let read = read_literal(&mut reader).map(|range| &text[range]);
            assert_eq!(read, content, "{text}");
            let rest = if content.is_some() { " d" } else { text };
            assert!(reader.rest().trim_start_matches('#') == rest, "{text}: {}", reader.rest());
        }
    }
}
