//! Finds the values of a YAML key that are not on its line, or are several.

use std::ops::Range;

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::bare_value::{read_bare, read_line};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::names_other_value;

/// Maximum length in bytes of a comment between a key and its value.
const MAX_COMMENT_BYTES: usize = 160;

/// Finds the values of a YAML key in brackets, in a block of text, or in the list below it. Returns false if there are none.
pub(super) fn find_in_yaml(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) -> bool {
    const MAX_ITEMS: usize = 50;
    let n_found = found.len();
    if reader.rest().starts_with("# ") {
        reader.at += reader.window(MAX_COMMENT_BYTES).find('\n').unwrap_or(0);
    }
    let mut block = reader;
    if reader.eat("[") {
        while let Some(range) = read_item(&mut reader, read_bare).filter(|_| found.len() < n_found + MAX_ITEMS) {
            found.push(AssignedValue { range, form: ValueForm::Inline });
            reader.eat(",");
        }
    } else if block.skip_while(3, |byte| b"|>-+".contains(&byte)) > 0 && block.is_at_line_end() {
        let range = read_item(&mut block, read_line);
        found.extend(range.map(|range| AssignedValue { range, form: ValueForm::Line }));
    } else if reader.is_at_line_end() && !is_list(reader) {
        found.extend(read_lone_value(&mut reader).map(|range| AssignedValue { range, form: ValueForm::Line }));
    } else if reader.is_at_line_end() {
        while reader.skip_space(MAX_BLANKS) > 0 && reader.eat("- ") && found.len() < n_found + MAX_ITEMS {
            let (range, form) = match read_literal(&mut reader) {
                Some(range) => (Some(range), ValueForm::Item),
                None => (read_item(&mut reader, read_line), ValueForm::Line),
            };
            found.extend(range.map(|range| AssignedValue { range, form }));
        }
    }
    found.len() > n_found
}

/// Moves over an anchor and a tag before a value.
pub(super) fn skip_properties(reader: &mut Reader<'_>) {
    for _ in 0..2 {
        let mut ahead = *reader;
        let is_property = matches!(ahead.peek(), b'&' | b'!');
        ahead.skip_while(60, |byte| byte.is_ascii_alphanumeric() || b"&!-_/.:".contains(&byte));
        if is_property && ahead.skip_blanks(MAX_BLANKS) > 0 {
            *reader = ahead;
        }
    }
}

/// Returns true if the next line is an item of a list.
fn is_list(mut reader: Reader<'_>) -> bool {
    reader.skip_space(MAX_BLANKS);
    reader.rest().starts_with("- ")
}

/// Reads a value that is alone on the next line, which is indented.
fn read_lone_value(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    reader.at += reader.window(MAX_COMMENT_BYTES).find('\n').unwrap_or(0);
    reader.eat("\n");
    (reader.skip_blanks(MAX_BLANKS) > 0).then(|| read_line(reader)).flatten()
}

/// Finds the values of the map below the key before the reader, and returns its end.
pub(super) fn find_in_yaml_map(
    mut reader: Reader<'_>,
    name_start: usize,
    found: &mut Vec<AssignedValue>,
) -> Option<usize> {
    const MAX_ENTRIES: usize = 64;
    reader.skip_blanks(MAX_BLANKS);
    if !reader.eat(":") || !reader.is_at_line_end() {
        return None;
    }
    let line = Reader::new(reader.text, name_start).text_before(100);
    let indent = line[line.rfind('\n').map_or(0, |feed| feed + 1)..].len();
    for _ in 0..MAX_ENTRIES {
        let mut entry = reader;
        entry.skip_while(200, |byte| byte != b'\n');
        let is_line = entry.eat("\n");
        let is_deeper = entry.skip_blanks(100) > indent;
        let n_quotes = entry.skip_while(1, |byte| matches!(byte, b'"' | b'\''));
        let start = entry.at;
        entry.skip_while(80, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'));
        let key = &entry.text[start..entry.at];
        entry.skip_while(n_quotes, |byte| matches!(byte, b'"' | b'\''));
        if !is_line || !is_deeper || key.is_empty() || !entry.eat(":") {
            break;
        }
        entry.skip_blanks(MAX_BLANKS);
        skip_properties(&mut entry);
        let value = read_literal(&mut entry).or_else(|| read_line(&mut entry));
        let secret = value.filter(|_| !names_other_value(key));
        found.extend(secret.map(|range| AssignedValue { range, form: ValueForm::Entry }));
        reader = entry;
    }
    Some(reader.at)
}

fn read_item(reader: &mut Reader<'_>, read: impl Fn(&mut Reader<'_>) -> Option<Range<usize>>) -> Option<Range<usize>> {
    reader.skip_space(MAX_BLANKS);
    read(reader)
}
