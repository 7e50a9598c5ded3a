//! Finds values in sentences, tables and titles.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::bare_value::{read_bare, read_line};
use super::inline_markup::read_marked_up;
use super::literal::read_literal;
use super::reader::Reader;

/// Finds the value in the next cell of a table, or in the filter `default` of a template.
pub(super) fn find_in_cell(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    reader.skip_blanks(MAX_BLANKS);
    if reader.eat("default") {
        reader.skip_while(4, |byte| matches!(byte, b'(' | b':' | b' '));
    }
    read_sentence_value(reader, found);
    find_in_further_cells(reader, found);
}

/// Finds the values in the further cells of a row that begins with a bar, as in `| name | the key of staging | value |`. A cell
/// is examined if it is one word.
fn find_in_further_cells(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    const MAX_CELLS: usize = 5;
    const MAX_CELL_BYTES: usize = 300;
    let before = reader.text_before(MAX_CELL_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    if !line.trim_start().starts_with('|') {
        return;
    }
    for _ in 0..MAX_CELLS {
        let Some(n_bytes) = reader.window(MAX_CELL_BYTES).find(['|', '\n']) else { return };
        reader.at += n_bytes;
        if !reader.eat("|") {
            return;
        }
        reader.skip_blanks(MAX_BLANKS);
        let mut cell = reader;
        let range = read_literal(&mut cell).or_else(|| read_bare(&mut cell));
        cell.skip_blanks(MAX_BLANKS);
        let is_whole = cell.peek() == b'|';
        found.extend(range.filter(|_| is_whole).map(|range| AssignedValue { range, form: ValueForm::Loose }));
    }
}

/// Reads a value of a sentence or a table: within backticks, quotes, markup or nothing.
pub(super) fn read_sentence_value(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    if let Some(range) = read_literal(&mut reader).or_else(|| read_marked_up(&mut reader)) {
        found.push(AssignedValue { range, form: ValueForm::Item });
    } else if let Some(range) = read_bare(&mut reader) {
        found.push(AssignedValue { range, form: ValueForm::Sentence });
    }
}

/// Finds the value that is alone on the line below a title.
pub(super) fn find_below_title(mut reader: Reader<'_>) -> Option<AssignedValue> {
    reader.skip_blanks(MAX_BLANKS);
    reader.skip_space(MAX_BLANKS);
    let _ = reader.eat(": ") || reader.eat("- ");
    let range = read_literal(&mut { reader }).or_else(|| read_line(&mut reader))?;
    Some(AssignedValue { range, form: ValueForm::Sentence })
}

/// Finds the word in parentheses behind a name and a blank, as in `the token (x)`.
pub(super) fn find_in_parentheses(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    if Reader::new(reader.text, reader.at).text_before(2) != " (" {
        return;
    }
    let range = read_marked_up(&mut reader).or_else(|| read_bare(&mut reader)).filter(|_| reader.peek() == b')');
    found.extend(range.map(|range| AssignedValue { range, form: ValueForm::Sentence }));
}

/// Moves over words that tell the place or the use of a value, up to its verb: `for the staging system` in `the token for the
/// staging system is x`.
pub(super) fn skip_place(reader: &mut Reader<'_>) {
    const PREPOSITIONS: [&str; 6] = ["for", "of", "on", "in", "at", "from"];
    const VERBS: [&str; 4] = ["is", "was", "equals", "remains"];
    const MAX_WORDS: usize = 6;
    let mut ahead = *reader;
    for word_idx in 0..MAX_WORDS {
        let start = ahead.at;
        ahead.skip_while(24, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'`' | b'\''));
        let word = &ahead.text[start..ahead.at];
        if word_idx > 0 && VERBS.contains(&word) {
            *reader = Reader { at: start, ..ahead };
            return;
        }
        let is_phrase = if word_idx == 0 { PREPOSITIONS.contains(&word) } else { !word.is_empty() };
        if !is_phrase || ahead.skip_blanks(4) == 0 {
            return;
        }
    }
}

/// Moves over words that link a name and its value in a sentence.
pub(super) fn skip_sentence_words(reader: &mut Reader<'_>) {
    const WORDS: [&str; 21] = [
        "to",
        "is",
        "as",
        "was",
        "be",
        "set",
        "should",
        "must",
        "the",
        "a",
        "value",
        "of",
        "with",
        "defaults",
        "equals",
        "equal",
        "being",
        "changed",
        "from",
        "now",
        "currently",
    ];
    let mut ahead = *reader;
    loop {
        let start = ahead.at;
        ahead.skip_while(10, |byte| byte.is_ascii_alphabetic());
        let word = &ahead.text[start..ahead.at];
        if !WORDS.iter().any(|linking| word.eq_ignore_ascii_case(linking)) || ahead.skip_blanks(MAX_BLANKS) == 0 {
            return;
        }
        *reader = ahead;
    }
}

/// Moves over the digit that tells the encryption of a password, as in `enable secret 0 x`.
pub(super) fn skip_encryption_type(reader: &mut Reader<'_>) {
    let mut ahead = *reader;
    if ahead.skip_while(1, |byte| byte.is_ascii_digit()) > 0 && ahead.skip_blanks(MAX_BLANKS) > 0 {
        *reader = ahead;
    }
}

/// Moves over a remark in parentheses, as in `Password (staging): x`.
pub(super) fn skip_qualifier(reader: &mut Reader<'_>) {
    let mut ahead = *reader;
    let has_remark = ahead.eat("(");
    ahead.skip_while(60, |byte| byte.is_ascii_alphanumeric() || b" ,.-/".contains(&byte));
    if has_remark && ahead.eat(")") {
        ahead.skip_while(2, |byte| byte == b'*');
        if ahead.peek() == b':' {
            *reader = ahead;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn addresses_in_tables_are_kept() {
        for (line, is_masked) in [
            ("| token | mainnet | 0xdAC17F958D2ee523a2206206994597C13D831ec7 |", false),
            ("| Token | `0xdAC17F958D2ee523a2206206994597C13D831ec7` | mainnet |", false),
            ("| token | staging | q8ZtLr2VxN4mWc7KpJ5s |", true),
            ("| private key | staging | 0xdAC17F958D2ee523a2206206994597C13D831ec7dAC17F958D2ee523a2206206 |", true),
        ] {
            assert_eq!(mask_secrets(line).contains("[masked]"), is_masked, "{line}");
        }
    }
}
