//! Finds the value of a name that stands under a key of its own, such as `name: DB_PASSWORD` and `value: ...`.

use super::literal::{begins_literal, read_literal};
use super::reader::Reader;

/// Keys of values.
pub(super) const VALUE_KEYS: [&str; 8] =
    ["value", "content", "default", "defaultvalue", "default_value", "parametervalue", "--body", "--value"];

/// Key of an expression, which is a value if it is a literal: `select="'x'"` of XSLT.
const EXPRESSION_KEY: &str = "select";

/// Keys of the next name.
const NAME_KEYS: [&str; 4] = ["name", "key", "id", "parameterkey"];

/// Options of a name, each with the option of its value: PowerShell, and `reg add`.
const OPTION_PAIRS: [(&str, &str); 3] = [("-name", "-value"), ("-path", "-value"), ("/v", "/d")];

/// Maximum number of keys from a name to its value.
const MAX_KEYS: usize = 6;

/// Returns the position of the value of the key `value` or `default` that follows a name: beside it, if the name is the value
/// of a key itself, or in its block.
pub(super) fn find_companion(name_start: usize, after_name: Reader<'_>) -> Option<Reader<'_>> {
    if let Some(value) = find_option(name_start, after_name) {
        return Some(value);
    }
    let mut reader = after_name;
    if !is_value(Reader::new(reader.text, name_start)) {
        enter_block(&mut reader, name_start)?;
    }
    for _ in 0..MAX_KEYS {
        let mut argument = reader;
        argument.skip_while(100, |byte| byte.is_ascii_whitespace() || byte == b',');
        if read_literal(&mut argument).is_some() && argument.peek() == b',' {
            reader = argument;
            continue;
        }
        let key = read_key(&mut reader)?;
        if VALUE_KEYS.iter().any(|value_key| key.eq_ignore_ascii_case(value_key)) {
            return Some(reader);
        }
        if key.eq_ignore_ascii_case(EXPRESSION_KEY) {
            reader.skip_while(1, |byte| matches!(byte, b'"' | b'\''));
            return begins_literal(reader).then_some(reader);
        }
        if NAME_KEYS.iter().any(|name_key| key.eq_ignore_ascii_case(name_key)) {
            return None;
        }
        if read_literal(&mut reader).is_none() {
            reader.skip_while(160, |byte| !matches!(byte, b'\n' | b',' | b'{' | b'}'));
        }
    }
    None
}

/// Returns the position of the value in `-Name NAME -Value ...` and `/v NAME /d ...`, with other options between them.
fn find_option(name_start: usize, after_name: Reader<'_>) -> Option<Reader<'_>> {
    const MAX_BEFORE: usize = 16;
    let before = Reader::new(after_name.text, name_start).text_before(MAX_BEFORE).trim_end_matches(['"', '\'']);
    // The drive of the environment in PowerShell.
    let before = ["Env:", "env:", "ENV:"].iter().find_map(|drive| before.strip_suffix(*drive)).unwrap_or(before);
    let option = before.trim_end().rsplit([' ', '\t']).next().filter(|_| before.ends_with([' ', '\t']))?;
    let (_, value_option) = OPTION_PAIRS.iter().find(|(name_option, _)| option.eq_ignore_ascii_case(name_option))?;
    let mut reader = after_name;
    for _ in 0..MAX_KEYS * 2 {
        reader.skip_while(2, |byte| matches!(byte, b'"' | b'\''));
        reader.skip_blanks(32);
        reader.skip_continuation(32);
        let start = reader.at;
        reader.skip_while(160, |byte| !byte.is_ascii_whitespace());
        if reader.text[start..reader.at].eq_ignore_ascii_case(value_option) {
            reader.skip_blanks(32);
            return Some(reader);
        }
        if reader.at == start {
            return None;
        }
    }
    None
}

/// Returns true if the text at the reader is the value of a key, such as `name`.
fn is_value(reader: Reader<'_>) -> bool {
    const MAX_PATH_BYTES: usize = 80;
    let before = reader.text_before(MAX_PATH_BYTES);
    // The path of a parameter, as in `name = "/app/NAME"`.
    let path = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'));
    let is_path = before.ends_with('/') && before[path.len()..].starts_with('/') && path.ends_with(['"', '\'', ' ']);
    let before = if is_path { path } else { before };
    before.trim_end_matches([' ', '\t', '"', '\'', '\\']).ends_with([':', '='])
}

/// Moves into the block of a name: its braces, or the deeper lines below its colon.
fn enter_block(reader: &mut Reader<'_>, name_start: usize) -> Option<()> {
    let is_table = reader.before() == b']' && reader.is_at_line_end();
    let is_argument = matches!(reader.before(), b'"' | b'\'') && reader.eat(",");
    let n_blanks = reader.skip_blanks(16);
    if is_argument {
        // The options of a call, as in `read("NAME", { default: "x" })`.
        reader.eat("{");
    }
    if is_table || is_argument || (n_blanks > 0 && reader.rest().starts_with("--")) {
        return Some(());
    }
    let has_colon = reader.eat(":");
    reader.skip_blanks(16);
    if reader.eat("{") {
        return Some(());
    }
    let mut key = *reader;
    let is_below = has_colon && key.is_at_line_end() && key.skip_space(100) > 0;
    (is_below && column(reader.text, key.at) > column(reader.text, name_start)).then_some(())
}

/// Returns the number of bytes before an offset on its line; at most 200.
fn column(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().rev().take(200).take_while(|byte| **byte != b'\n').count()
}

/// Moves over a comment that takes its line.
pub(super) fn skip_comment(reader: &mut Reader<'_>) {
    const MAX_COMMENT_BYTES: usize = 160;
    if reader.eat("# ") || reader.eat("// ") {
        reader.at += reader.window(MAX_COMMENT_BYTES).find('\n').unwrap_or(0);
        reader.skip_space(100);
    }
}

/// Moves over a key and its mark, and returns the key.
pub(super) fn read_key<'t>(reader: &mut Reader<'t>) -> Option<&'t str> {
    const QUOTES: &[u8] = b"\"'\\";
    reader.skip_while(100, |byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';'));
    skip_comment(reader);
    reader.skip_while(2, |byte| QUOTES.contains(&byte));
    let mut start = reader.at;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    reader.skip_while(24, is_part);
    // The namespace of an attribute, as in `android:value="x"`.
    let mut attribute = *reader;
    if attribute.eat(":") && attribute.skip_while(24, is_part) > 0 && attribute.rest().starts_with("=\"") {
        start = reader.at + 1;
        *reader = attribute;
    }
    let key = &reader.text[start..reader.at];
    reader.skip_while(2, |byte| QUOTES.contains(&byte));
    reader.skip_blanks(32);
    let is_key = !key.is_empty() && (reader.eat("=") || reader.eat(":") || key.starts_with("--"));
    reader.skip_blanks(32);
    is_key.then_some(key)
}
