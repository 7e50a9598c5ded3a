//! Finds values in sentences, tables and titles.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::bare_value::{read_bare, read_line};
use super::literal::read_literal;
use super::reader::Reader;

/// Finds the value in the next cell of a table, or in the filter `default` of a template.
pub(super) fn find_in_cell(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    reader.skip_blanks(MAX_BLANKS);
    if reader.eat("default") {
        reader.skip_while(4, |byte| matches!(byte, b'(' | b':' | b' '));
    }
    read_sentence_value(reader, found);
}

/// Reads a value of a sentence or a table: within backticks, quotes or nothing.
pub(super) fn read_sentence_value(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    if let Some(range) = read_literal(&mut reader) {
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
    let range = read_bare(&mut reader).filter(|_| reader.peek() == b')');
    found.extend(range.map(|range| AssignedValue { range, form: ValueForm::Sentence }));
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
