//! Reads values without quotes.

use std::ops::Range;

use super::random_run::{RunExtent, read_random_run};
use super::reader::Reader;

/// Maximum length in bytes of a value that is examined.
const MAX_BYTES: usize = 512;

/// Words at the start of a line that sets a variable.
const STATEMENTS: [&str; 8] = ["export", "env", "env:", "arg", "set", "setx", "setenv", "declare"];

/// Reads a value without quotes. Code is no such value: calls, subscripts, types and variables.
pub(super) fn read_bare(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    if let Some(run) = read_random_run(reader, RunExtent::Part) {
        return Some(run);
    }
    let start = reader.at;
    let n_bytes = reader.skip_while(MAX_BYTES, is_bare);
    // A sentence or a list ends behind the value.
    let value = reader.text[start..start + n_bytes].trim_end_matches(['.', ':', '?', '!']);
    let is_value = !value.is_empty() && !is_code(*reader);
    is_value.then_some(start..start + value.len())
}

/// Reads the value of a setting that takes the rest of its line. Most marks may be part of it.
pub(super) fn read_line(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    if let Some(run) = read_random_run(&mut { *reader }, RunExtent::Line)
        .filter(|run| Reader { at: run.end, ..*reader }.is_at_line_end())
    {
        reader.at = run.end;
        return Some(run);
    }
    let start = reader.at;
    let is_part = |c: char| match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => is_bare(byte) || matches!(byte, b'#' | b'&' | b',' | b'$' | b';'),
        _ => c.is_alphabetic(),
    };
    let window = reader.window(MAX_BYTES);
    reader.at += window.find(|c| !is_part(c)).unwrap_or(window.len());
    let value = reader.text[start..reader.at].trim_end_matches([',', ';']);
    let is_label = !value.is_ascii() && !has_number(value);
    let is_value = !value.is_empty() && !is_label && !value.starts_with(['$', '&', '#']) && reader.is_at_line_end();
    is_value.then_some(start..start + value.len())
}

/// Returns true if a value with letters of any language has the digits of a password, in contrast to a label.
pub(super) fn has_number(value: &str) -> bool {
    const MIN_DIGITS: usize = 3;
    value.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS
}

/// Returns true if a line begins at the name: only a dash, a comment mark, a quote, or words such as `export` precede it.
pub(super) fn begins_line(text: &str, name_start: usize) -> bool {
    // The address of a registry, as in `//npm.example.org/:_authToken=x`.
    let is_address = |word: &str| word.ends_with("/:");
    words_before(text, name_start)
        .is_some_and(|mut words| words.all(|word| is_statement_word(word) || is_address(word)))
}

/// Returns true if a line sets the name without a mark between name and value, as in `ENV NAME value`.
pub(super) fn is_statement(text: &str, name_start: usize) -> bool {
    words_before(text, name_start).is_some_and(|mut words| {
        let is_first = words.next().is_some_and(is_statement_word);
        is_first && words.all(is_statement_word)
    })
}

/// Returns the words of the line before a name; `None` if the line is long.
fn words_before(text: &str, name_start: usize) -> Option<impl Iterator<Item = &str>> {
    const MAX_BYTES: usize = 120;
    let earliest = name_start.saturating_sub(MAX_BYTES);
    let bytes = &text.as_bytes()[earliest..name_start];
    let line_start = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(position) => position + 1,
        None if earliest == 0 => 0,
        None => return None,
    };
    let before = std::str::from_utf8(&bytes[line_start..]).ok()?;
    let is_mark = |c: char| "-#/;*>\"'`$".contains(c);
    let words = before.split_whitespace().filter(|word| !word.starts_with('-'));
    Some(words.map(move |word| word.trim_matches(is_mark)).filter(|word| !word.is_empty()))
}

fn is_statement_word(word: &str) -> bool {
    STATEMENTS.iter().any(|statement| word.eq_ignore_ascii_case(statement))
}

pub(super) fn is_bare(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`#;,&(){}<>$[]\\".contains(&byte)
}

/// Returns true if the text behind a value shows that it is code.
fn is_code(reader: Reader<'_>) -> bool {
    let rest = reader.rest();
    match reader.peek() {
        b'(' | b'[' | b'{' | b'$' => true,
        b'<' => !rest.starts_with("</") && !rest.starts_with("<br"),
        b'>' => reader.before() == b'-',
        b'\\' => !["\\n", "\\r", "\\t", "\\\"", "\\'", "\\\n", "\\\\n"].iter().any(|escape| rest.starts_with(escape)),
        _ => false,
    }
}
