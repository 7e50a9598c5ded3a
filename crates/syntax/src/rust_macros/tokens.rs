//! Tokens of Rust, as declarative macros match and write them.

use std::ops::Range;

/// Operators of several characters that count as one token. Shifts are left out, since `>>` also ends two lists of type arguments.
const OPERATORS: [&[u8]; 21] = [
    b"..=", b"...", b"::", b"=>", b"->", b"..", b"==", b"!=", b"<=", b">=", b"&&", b"||", b"+=", b"-=", b"*=", b"/=",
    b"%=", b"^=", b"&=", b"|=", b"$",
];

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RustTokenKind {
    Identifier,
    Lifetime,
    Literal,
    Operator,
    Open,
    Close,
}

/// A token, with its byte range in the source that it was read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct MacroToken {
    pub(super) kind: RustTokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Index of the matching bracket; that of the token itself for other kinds.
    pub(super) partner: usize,
}

impl MacroToken {
    pub(super) fn text<'s>(&self, source: &'s [u8]) -> &'s [u8] {
        &source[self.start..self.end]
    }
}

/// Reads the tokens of a part of a source. Comments are left out, and with them the attributes that they stand for. Returns none if
/// brackets do not match.
pub(super) fn read(source: &[u8], part: Range<usize>) -> Option<Vec<MacroToken>> {
    let mut tokens: Vec<MacroToken> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = part.start;
    while at < part.end {
        let rest = &source[at..part.end];
        let n_ignored = ignored_length(rest);
        if n_ignored > 0 {
            at += n_ignored;
            continue;
        }
        let (kind, length) = token_at(rest)?;
        let index = tokens.len();
        let mut partner = index;
        match kind {
            RustTokenKind::Open => open.push(index),
            RustTokenKind::Close => {
                partner = open.pop()?;
                let opening = tokens.get_mut(partner)?;
                if closing(source[opening.start]) != rest[0] {
                    return None;
                }
                opening.partner = index;
            }
            _ => {}
        }
        tokens.push(MacroToken { kind, start: at, end: at + length, partner });
        at += length;
    }
    open.is_empty().then_some(tokens)
}

/// Returns the closing bracket of an opening one.
fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// Returns the length of the white space or comment at the start of a text; 0 if there is none.
fn ignored_length(text: &[u8]) -> usize {
    let n_blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if n_blank > 0 {
        return n_blank;
    }
    if text.starts_with(b"//") {
        return text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    }
    if !text.starts_with(b"/*") {
        return 0;
    }
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        match &text[at..text.len().min(at + 2)] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the kind and the length of the token at the start of a text that is not empty.
fn token_at(text: &[u8]) -> Option<(RustTokenKind, usize)> {
    let first = *text.first()?;
    if let Some(length) = text_literal_length(text) {
        return Some((RustTokenKind::Literal, length));
    }
    if first == b'\'' {
        return Some((RustTokenKind::Lifetime, 1 + word_length(&text[1..])));
    }
    if text.starts_with(b"r#") {
        return Some((RustTokenKind::Identifier, 2 + word_length(&text[2..])));
    }
    if first.is_ascii_digit() {
        return Some((RustTokenKind::Literal, number_length(text)));
    }
    if is_word(first) {
        return Some((RustTokenKind::Identifier, word_length(text)));
    }
    Some(match first {
        b'(' | b'[' | b'{' => (RustTokenKind::Open, 1),
        b')' | b']' | b'}' => (RustTokenKind::Close, 1),
        _ => {
            let operator = OPERATORS.iter().find(|operator| text.starts_with(operator));
            (RustTokenKind::Operator, operator.map_or(1, |operator| operator.len()))
        }
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn word_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_word(**byte)).count()
}

/// Returns the length of a number: `1`, `0x1f`, `1_000u32`, `1.5e-3`.
fn number_length(text: &[u8]) -> usize {
    let whole = word_length(text);
    let has_fraction = text.get(whole) == Some(&b'.') && text.get(whole + 1).is_some_and(u8::is_ascii_digit);
    let length = if has_fraction { whole + 1 + word_length(&text[whole + 1..]) } else { whole };
    let is_exponent = !text.starts_with(b"0x") && matches!(text.get(length - 1), Some(b'e' | b'E'));
    let has_sign = is_exponent && matches!(text.get(length), Some(b'-' | b'+'));
    if has_sign { length + 1 + word_length(&text[length + 1..]) } else { length }
}

/// Returns the length of a string or character literal at the start of a text; none if there is no literal.
fn text_literal_length(text: &[u8]) -> Option<usize> {
    let n_prefix = match text {
        [b'b', b'r', b'"' | b'#', ..] | [b'c', b'r', b'"' | b'#', ..] => 2,
        [b'b' | b'c' | b'r', b'"', ..] | [b'r', b'#', b'#' | b'"', ..] | [b'b', b'\'', ..] => 1,
        _ => 0,
    };
    let body = &text[n_prefix..];
    if text[..n_prefix].ends_with(b"r") {
        let n_hashes = body.iter().take_while(|byte| **byte == b'#').count();
        let end: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', n_hashes)).collect();
        let inside = body.get(n_hashes + 1..).filter(|_| body.get(n_hashes) == Some(&b'"'))?;
        let length = inside.windows(end.len()).position(|window| window == end)?;
        return Some(n_prefix + n_hashes + 1 + length + end.len());
    }
    match body {
        [b'"', inside @ ..] => Some(n_prefix + 1 + quoted_length(inside, b'"')?),
        [b'\'', b'\\', ..] => Some(n_prefix + 1 + quoted_length(&body[1..], b'\'')?),
        [b'\'', inside @ ..] => {
            // A quote after one character ends a literal; otherwise it begins a lifetime.
            let n_bytes = std::str::from_utf8(&inside[..inside.len().min(4)])
                .map_or_else(|error| std::str::from_utf8(&inside[..error.valid_up_to()]).ok(), Some)
                .and_then(|text| text.chars().next())
                .map(char::len_utf8)?;
            (inside.get(n_bytes) == Some(&b'\'')).then_some(n_prefix + n_bytes + 2)
        }
        _ => None,
    }
}

/// Returns the length of a quoted text up to and with its closing quote.
fn quoted_length(inside: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = inside.get(at) {
        match *byte {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let tokens = read(source.as_bytes(), 0..source.len());
        let texts = tokens.map(|tokens| {
            tokens.iter().map(|token| String::from_utf8_lossy(token.text(source.as_bytes())).into_owned()).collect()
        });
        assert_eq!(texts.unwrap_or_else(|| vec!["unbalanced".to_owned()]), expected, "{source}");
    }

    #[test]
    fn tokens_are_read() {
        check("a::b(1.5e-3, 0..=n)", &["a", "::", "b", "(", "1.5e-3", ",", "0", "..=", "n", ")"]);
        check("&'a str 'x' '\\'' 'é' b'y'", &["&", "'a", "str", "'x'", "'\\''", "'é'", "b'y'"]);
        check("r#\"a\"b\"# br\"c\" \"d\\\"e\" r#fn", &["r#\"a\"b\"#", "br\"c\"", "\"d\\\"e\"", "r#fn"]);
        check("a // b\n/* c /* d */ */ e", &["a", "e"]);
        check("Vec<Vec<u8>> $x:ty", &["Vec", "<", "Vec", "<", "u8", ">", ">", "$", "x", ":", "ty"]);
    }

    #[test]
    fn unbalanced_brackets_are_no_tokens() {
        for source in ["(", "(]", ")", "{ ( }"] {
            check(source, &["unbalanced"]);
        }
    }
}
