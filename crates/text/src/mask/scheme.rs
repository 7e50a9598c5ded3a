//! Tells a value from the scheme of authentication before it.

use std::ops::Range;

use super::reader::Reader;

/// Returns a value without whitespace and escaped quotes around it, and without the scheme of authentication before it, such as `Bearer`.
pub(super) fn without_scheme(text: &str, value: Range<usize>) -> Range<usize> {
    let untrimmed = &text[value.clone()];
    let written = untrimmed.trim();
    let value_start = value.start + untrimmed.len() - untrimmed.trim_start().len();
    let value_end = value_start + written.len();
    let end = value_end - if written.ends_with("\\\"") && written.starts_with("\\\"") { 2 } else { 0 };
    let mut reader = Reader::new(text, value_start);
    reader.eat("\\\"");
    skip_scheme(&mut reader);
    reader.at.min(end)..end
}

pub(super) fn skip_scheme(reader: &mut Reader<'_>) {
    // The source of a password for openssl.
    reader.eat("pass:");
    const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "key"];
    let mut ahead = *reader;
    let n_bytes = ahead.skip_while(10, |byte| byte.is_ascii_alphabetic());
    let word = &reader.rest()[..n_bytes];
    if SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) && ahead.skip_blanks(8) > 0 {
        *reader = ahead;
    }
}
