//! Finds the value that stands before its name, as in `{value: x, name: API_KEY}` and `echo x | login --password-stdin`.

use std::ops::Range;

use super::assigned_values::{AssignedValue, ValueForm};
use super::bare_value::read_bare;
use super::companion::{VALUE_KEYS, read_key};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes before a name that are examined.
const MAX_BYTES: usize = 300;

/// Keys of names that may follow the key of the value.
const NAME_KEYS: [&str; 7] = ["name", "key", "id", "parameterkey", "forkey", "forhttpheaderfield", "forname"];

/// Links of a literal and the name behind it.
const LINKS: [&str; 9] = ["->", " as the", " as a", " as", " to the", " to", " into the", " into", " 2constant"];

/// Returns the value that stands before a name.
pub(super) fn find_preceding(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let name_reader = Reader::new(text, name.range.start);
    if text[name.range.clone()].starts_with("--") {
        return find_piped(name_reader, &text[name.range.clone()]);
    }
    let before = name_reader.text_before(MAX_BYTES);
    let unquoted = before.trim_end_matches(['"', '\'', ' ', '\\', '`', '$', '@']);
    let in_pair = unquoted.strip_suffix([':', '=']).and_then(|key| find_in_pair(name_reader, before, key));
    in_pair.or_else(|| find_linked(name_reader, before))
}

/// Finds the value of the key `value` in the braces, the tag, the list item or the arguments of the name.
fn find_in_pair(name: Reader<'_>, before: &str, before_link: &str) -> Option<AssignedValue> {
    let before_key = before_link.trim_end_matches(['"', '\'', ' ', '\\']);
    let key = before_key.rsplit(|c: char| !c.is_ascii_alphanumeric()).next()?;
    if !NAME_KEYS.iter().any(|name_key| key.eq_ignore_ascii_case(name_key)) {
        return None;
    }
    let openings = ["{", "<", "(", "- "];
    let (opening, mark) = openings.iter().filter_map(|mark| Some((before_key.rfind(mark)?, *mark))).max()?;
    let mut reader = Reader::new(name.text, name.at - before.len() + opening + mark.len());
    if mark == "<" {
        reader.skip_while(60, |byte| byte.is_ascii_graphic());
    }
    if mark == "("
        && let Some(range) = read_literal(&mut reader)
    {
        return (range.end <= name.at).then_some(AssignedValue { range, form: ValueForm::Argument });
    }
    let key = read_key(&mut reader)?;
    if !VALUE_KEYS.iter().any(|value_key| key.eq_ignore_ascii_case(value_key)) {
        return None;
    }
    let (range, form) = match read_literal(&mut reader) {
        Some(range) => (range, ValueForm::Literal),
        None => (read_bare(&mut reader)?, ValueForm::Inline),
    };
    (range.end <= name.at).then_some(AssignedValue { range, form })
}

/// Finds the literal of `"x" -> name`, ``Use `x` as the name``, `MOVE "x" TO name`, `s" x" 2constant name` and
/// `default "x" .name`.
fn find_linked(name: Reader<'_>, before: &str) -> Option<AssignedValue> {
    let trimmed = before.trim_end();
    let unlinked = LINKS.iter().find_map(|link| {
        let at = trimmed.len().checked_sub(link.len())?;
        trimmed.get(at..).filter(|end| end.eq_ignore_ascii_case(link))?;
        trimmed.get(..at)
    });
    let literal = unlinked.unwrap_or(trimmed).trim_end();
    let quote = literal.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let content = &literal[..literal.len() - 1];
    let opening = content.rfind(quote)?;
    let is_default = || content[..opening].trim_end().ends_with("default");
    let is_linked = unlinked.is_some() || is_default();
    let start = name.at - before.len() + opening + 1;
    let range = start..start + content.len() - opening - 1;
    is_linked.then_some(AssignedValue { range, form: ValueForm::Item })
}

/// Finds the text that a command writes to one that reads a secret, as in `echo x | login --password-stdin`.
fn find_piped(name: Reader<'_>, flag: &str) -> Option<AssignedValue> {
    if !flag.ends_with("-stdin") && !flag.starts_with("--with-") {
        return None;
    }
    let before = name.text_before(MAX_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let command = &line[..line.rfind(" | ")?];
    let start = ["echo ", "printf "].iter().filter_map(|writer| Some(command.rfind(writer)? + writer.len())).max()?;
    let word = command[start..].rsplit(' ').next()?;
    let word_end = name.at - line.len() + command.len();
    Some(AssignedValue { range: unquoted(name.text, word_end - word.len()..word_end), form: ValueForm::Setting })
}

fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let word = &text[range.clone()];
    let n_before = word.len() - word.trim_start_matches(['"', '\'']).len();
    let n_after = word.len() - word.trim_end_matches(['"', '\'']).len();
    range.start + n_before..(range.end - n_after).max(range.start + n_before)
}
