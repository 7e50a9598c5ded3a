//! Finds the values in the scope of a name that is larger than one assignment: a map, the body of a function, or a column.
//!
//! The entries of a scope have names of their own, so its values are secrets only if they look random.

use std::ops::Range;

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::columns::{Column, find_in_column, value_in_row};
use super::expression::is_key;
use super::function_body::enter_body;
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::{TellingName, names_other_value};
use super::yaml_values::find_in_yaml_map;

/// Maximum number of bytes of a map that are examined.
const MAX_MAP_BYTES: usize = 4 << 10;

/// Maximum number of columns of one table that are examined.
const MAX_COLUMNS: usize = 8;

/// The scopes of a text that have been examined. A scope within a map or a table is not examined again, so that the work is
/// linear in the size of the text.
#[derive(Default)]
pub(super) struct Scopes {
    end_of_map: usize,
    end_of_header: usize,
    end_of_table: usize,
    n_columns: usize,
}

impl Scopes {
    /// Returns the values in the scope of a name.
    pub(super) fn find(&mut self, text: &str, name: &TellingName) -> Vec<AssignedValue> {
        let mut found = Vec::new();
        let mut reader = Reader::new(text, name.range.end);
        reader.skip_while(6, |byte| b"\\\"'`]*".contains(&byte));
        let is_quoted = reader.at > name.range.end;
        if !name.is_ambiguous && !is_of_lexer(&text[name.range.clone()]) && name.range.start >= self.end_of_map {
            self.find_in_map(reader, name, &mut found);
        }
        if !is_quoted && let Some(body) = enter_body(reader, name.range.start) {
            found.extend(read_literal(&mut { body }).map(entry));
        }
        self.find_in_column(reader, name, &mut found);
        found
    }

    fn find_in_map(&mut self, reader: Reader<'_>, name: &TellingName, found: &mut Vec<AssignedValue>) {
        if let Some(map) = enter_map(reader) {
            self.end_of_map = find_in_map(map, found);
        } else if let Some(end) = find_in_yaml_map(reader, name.range.start, found) {
            self.end_of_map = end;
        }
    }

    fn find_in_column(&mut self, reader: Reader<'_>, name: &TellingName, found: &mut Vec<AssignedValue>) {
        // A row of a table of settings may begin with the name, whatever the header of the table is.
        found.extend(value_in_row(reader, name.range.start));
        if name.range.start >= self.end_of_table {
            self.n_columns = 0;
        } else if name.range.start >= self.end_of_header || self.n_columns >= MAX_COLUMNS {
            return;
        }
        if let Some(column) = Column::of_name(reader, name.range.start) {
            self.n_columns += 1;
            self.end_of_header = column.rows.at;
            self.end_of_table = find_in_column(&column, found);
        }
    }
}

/// Returns true for the name of the tokens of a lexer, which are no secrets.
fn is_of_lexer(name: &str) -> bool {
    matches!(name.rsplit('.').next(), Some("tokens" | "token"))
}

/// Returns a value in a scope.
fn entry(range: Range<usize>) -> AssignedValue {
    AssignedValue { range, form: ValueForm::Entry }
}

/// Returns the position behind the brace of the map that is assigned to the name before the reader.
fn enter_map(mut reader: Reader<'_>) -> Option<Reader<'_>> {
    const MAX_TYPE_BYTES: usize = 80;
    let start = reader.at;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b" \t_.<>[],:&*=%@?|(".contains(&byte);
    reader.skip_while(MAX_TYPE_BYTES, is_part);
    let before = &reader.text[start..reader.at];
    let is_linked = (before.contains(['=', ':']) && !before.contains("==")) || before == " ";
    if !is_linked || !reader.eat("{") {
        return None;
    }
    let is_function = before.contains("=>") && !before.trim_end().ends_with("=>");
    let mut first = reader;
    skip_comments(&mut first);
    let is_map = match read_literal(&mut first) {
        Some(_) => is_key(first) || first.peek() == b']',
        None => read_entry_key(&mut first).is_some_and(|mark| mark != '=' || !before.contains("=>")),
    };
    (is_map && !is_function).then_some(reader)
}

/// Finds the values of a map, and returns its end.
fn find_in_map(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) -> usize {
    let end = reader.at + MAX_MAP_BYTES;
    let mut depth = 1;
    let mut is_other = false;
    while reader.at < end {
        skip_comments(&mut reader);
        let start = reader.at;
        if let Some(range) = read_literal(&mut reader) {
            if is_key(reader) || reader.rest().starts_with("] =") {
                is_other = names_other_value(&reader.text[range]);
            } else if !is_other {
                found.push(entry(range));
            }
            continue;
        }
        if read_entry_key(&mut reader).is_some() {
            let key = reader.text[start..reader.at].trim_end_matches([':', '=', '>', ' ', '\t']);
            is_other = names_other_value(key);
            continue;
        }
        if reader.at > start {
            continue;
        }
        match reader.peek() {
            0 => break,
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            b',' | b';' => is_other = false,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        reader.at += reader.rest().chars().next().map_or(1, char::len_utf8);
    }
    reader.at
}

/// Moves over whitespace and comments.
fn skip_comments(reader: &mut Reader<'_>) {
    const MAX_LINES: usize = 8;
    for _ in 0..MAX_LINES {
        let n_space = reader.skip_space(200);
        let is_comment = reader.rest().starts_with("//") || (n_space > 0 && reader.peek() == b'#');
        if !is_comment {
            return;
        }
        reader.skip_while(200, |byte| byte != b'\n');
    }
}

/// Moves over a word, and over the mark behind it if it is the key of an entry. Returns the first character of the mark.
fn read_entry_key(reader: &mut Reader<'_>) -> Option<char> {
    let n_bytes = reader.skip_while(80, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let mut mark = *reader;
    if mark.eat("::") {
        mark.skip_while(80, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    mark.skip_blanks(MAX_BLANKS);
    let rest = mark.rest();
    let is_key = n_bytes > 0
        && ((rest.starts_with(':') && !rest.starts_with("::")) || (rest.starts_with('=') && !rest.starts_with("==")));
    if !is_key {
        return None;
    }
    let is_arrow = mark.eat("=>");
    let first = rest.chars().next().filter(|_| !is_arrow).unwrap_or('>');
    mark.at += usize::from(!is_arrow);
    mark.skip_blanks(MAX_BLANKS);
    *reader = mark;
    Some(first)
}
