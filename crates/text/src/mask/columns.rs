//! Finds the values of a column whose header is a telling name: in Markdown, AsciiDoc, CSV and `INSERT` statements.

use std::ops::Range;

use super::assigned_values::{AssignedValue, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;

/// Maximum number of bytes of a header.
const MAX_HEADER_BYTES: usize = 400;

/// Maximum number of bytes of a row.
const MAX_ROW_BYTES: usize = 4 << 10;

/// A column of a table.
pub(super) struct Column<'t> {
    /// The index of the column.
    index: usize,
    n_columns: usize,
    layout: Layout,
    /// The position of the first row.
    pub(super) rows: Reader<'t>,
}

/// The way in which the cells of a table are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// A row is a line; a byte separates the cells.
    Lines(u8),
    /// A mark begins each cell; rows end after as many cells as the header has.
    AsciiDoc,
    /// Parentheses surround a row; commas separate the cells.
    Tuples,
}

impl<'t> Column<'t> {
    /// Returns the column whose header is the name before the reader, if it is one.
    pub(super) fn of_name(mut reader: Reader<'t>, name_start: usize) -> Option<Column<'t>> {
        reader.skip_while(64, |byte| byte == b' ');
        let separator = match reader.peek() {
            separator @ (b',' | b'|' | b';' | b'\t') => separator,
            b')' => b',',
            b'\n' | b'\r' | 0 => last_separator(Reader::new(reader.text, name_start))?,
            _ => return None,
        };
        let before = Reader::new(reader.text, name_start).text_before(MAX_HEADER_BYTES);
        if separator == b','
            && let Some(column) = tuple_column(reader, before)
        {
            return Some(column);
        }
        line_column(reader, before, separator)
    }
}

/// Returns the second cell of a row that begins with the name before the reader, as in `NAME,value`.
pub(super) fn value_in_row(mut reader: Reader<'_>, name_start: usize) -> Option<AssignedValue> {
    let before = Reader::new(reader.text, name_start).text_before(4);
    let is_first_cell = before.trim_end_matches(['"', ' ']).chars().next_back().is_none_or(|c| c == '\n');
    reader.skip_while(64, |byte| byte == b' ');
    let separator = reader.peek();
    if !is_first_cell || !matches!(separator, b',' | b';' | b'\t') {
        return None;
    }
    let cells = read_line_cells(&mut reader, separator);
    let range = trimmed(reader.text, cells.get(1)?);
    (!range.is_empty()).then_some(AssignedValue { range, form: ValueForm::Entry })
}

/// Returns the separator before the last cell of a header.
fn last_separator(name: Reader<'_>) -> Option<u8> {
    let before = name.text_before(4).trim_end_matches([' ', '"', '`', '*']);
    before.bytes().next_back().filter(|byte| matches!(byte, b',' | b'|' | b';' | b'\t'))
}

/// Returns the column of `INSERT INTO t (a, name) VALUES (1, 'x')`.
fn tuple_column<'t>(mut reader: Reader<'t>, before: &str) -> Option<Column<'t>> {
    let opening = before.rfind('(')?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_., \t\r\n`\"[]".contains(&byte);
    let columns_before = &before[opening + 1..];
    if !columns_before.bytes().all(is_part) {
        return None;
    }
    let n_after = reader.text[reader.at..].bytes().take(MAX_HEADER_BYTES).take_while(|byte| is_part(*byte)).count();
    let columns_after = &reader.text[reader.at..reader.at + n_after];
    reader.at += n_after;
    let is_list = reader.eat(")");
    reader.skip_space(64);
    let n_letters = reader.skip_while(6, |byte| byte.is_ascii_alphabetic());
    let is_insert = is_list && reader.text[reader.at - n_letters..reader.at].eq_ignore_ascii_case("values");
    let index = columns_before.matches(',').count();
    let n_columns = index + 1 + columns_after.matches(',').count();
    is_insert.then_some(Column { index, n_columns, layout: Layout::Tuples, rows: reader })
}

/// Returns the column of a table with one row a line.
fn line_column<'t>(mut reader: Reader<'t>, before: &str, separator: u8) -> Option<Column<'t>> {
    let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
    if line_start == 0 && before.len() >= MAX_HEADER_BYTES - 3 {
        return None;
    }
    let (lines_before, cells_before) = before.split_at(line_start);
    let header_start = reader.at;
    reader.skip_while(MAX_HEADER_BYTES, |byte| byte != b'\n');
    let cells_after = &reader.text[header_start..reader.at];
    reader.eat("\n").then_some(())?;
    let count = |cells: &str| cells.bytes().filter(|byte| *byte == separator).count();
    let (index, n_after) = (count(cells_before), count(cells_after));
    let column = |layout, rows| Some(Column { index, n_columns: index + 1 + n_after, layout, rows });
    if separator == b'|' {
        if lines_before.trim_end().ends_with("|===") {
            return Some(Column {
                index: index.checked_sub(1)?,
                n_columns: index + n_after,
                layout: Layout::AsciiDoc,
                rows: reader,
            });
        }
        let mut rule = reader;
        let n_bytes = rule.skip_while(MAX_HEADER_BYTES, |byte| b"|-+: \t\r".contains(&byte));
        let is_rule = n_bytes > 0 && rule.eat("\n");
        return is_rule.then(|| column(Layout::Lines(separator), rule)).flatten();
    }
    let is_part = |byte: u8| byte == separator || byte.is_ascii_alphanumeric() || b"_.\"- \r".contains(&byte);
    // A separator at the end belongs to a list in code.
    let is_header = [cells_before, cells_after].iter().all(|cells| cells.bytes().all(is_part))
        && !cells_after.trim_end().ends_with(char::from(separator));
    is_header.then(|| column(Layout::Lines(separator), reader)).flatten()
}

/// Finds the values of a column, and returns the end of the table.
pub(super) fn find_in_column(column: &Column<'_>, found: &mut Vec<AssignedValue>) -> usize {
    let mut reader = column.rows;
    let mut cell_idx = 0;
    loop {
        let start = reader.at;
        let cells = match column.layout {
            Layout::Lines(separator) => read_line_cells(&mut reader, separator),
            Layout::AsciiDoc => read_marked_cell(&mut reader),
            Layout::Tuples => read_tuple(&mut reader),
        };
        let value = match column.layout {
            Layout::AsciiDoc => {
                cell_idx += cells.len();
                cells.first().filter(|_| (cell_idx - 1) % column.n_columns.max(1) == column.index)
            }
            _ if cells.len() != column.n_columns => None,
            _ => cells.get(column.index),
        };
        let is_row = column.layout == Layout::AsciiDoc || cells.len() == column.n_columns;
        if cells.is_empty() || !is_row || reader.at == start {
            return start;
        }
        found.extend(value.map(|range| AssignedValue { range: trimmed(reader.text, range), form: ValueForm::Entry }));
    }
}

/// Returns the range of the text of a cell, without quotes and markup.
fn trimmed(text: &str, cell: &Range<usize>) -> Range<usize> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`');
    let written = &text[cell.clone()];
    let start = cell.start + written.len() - written.trim_start_matches(is_mark).len();
    start..start + text[start..cell.end].trim_end_matches(is_mark).len()
}

/// Reads the cells of the next line. Within quotes, a separator is text.
fn read_line_cells(reader: &mut Reader<'_>, separator: u8) -> Vec<Range<usize>> {
    let bytes = reader.text.as_bytes();
    let mut cells = Vec::new();
    let mut start = reader.at;
    let mut is_quoted = false;
    let end = (reader.at + MAX_ROW_BYTES).min(bytes.len());
    let mut at = reader.at;
    while at < end && bytes[at] != b'\n' {
        is_quoted ^= bytes[at] == b'"';
        if bytes[at] == separator && !is_quoted {
            cells.push(start..at);
            start = at + 1;
        }
        at += 1;
    }
    let is_whole = at == bytes.len() || bytes[at] == b'\n';
    if !is_whole || cells.is_empty() {
        return Vec::new();
    }
    cells.push(start..at);
    reader.at = (at + 1).min(bytes.len());
    cells
}

/// Reads the cell behind the next `|`; nothing at the end of the table.
fn read_marked_cell(reader: &mut Reader<'_>) -> Vec<Range<usize>> {
    reader.skip_space(200);
    if !reader.eat("|") || reader.rest().starts_with("===") {
        return Vec::new();
    }
    let start = reader.at;
    let cell = reader.window(MAX_ROW_BYTES).split('|').next().unwrap_or_default();
    reader.at += cell.len();
    Vec::from([Range { start, end: reader.at }])
}

/// Reads the cells between parentheses, and the comma before them.
fn read_tuple(reader: &mut Reader<'_>) -> Vec<Range<usize>> {
    let mut ahead = *reader;
    let mut cells = Vec::new();
    ahead.skip_while(200, |byte| byte.is_ascii_whitespace() || byte == b',');
    if !ahead.eat("(") {
        return cells;
    }
    let (mut start, end) = (ahead.at, ahead.at + MAX_ROW_BYTES);
    let mut depth = 1;
    while ahead.at < end {
        if read_literal(&mut ahead).is_some() {
            continue;
        }
        match ahead.peek() {
            0 => return Vec::new(),
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && ahead.peek() == b',') {
            cells.push(start..ahead.at);
            start = ahead.at + 1;
        }
        ahead.at += ahead.rest().chars().next().map_or(1, char::len_utf8);
        if depth == 0 {
            *reader = ahead;
            return cells;
        }
    }
    Vec::new()
}
