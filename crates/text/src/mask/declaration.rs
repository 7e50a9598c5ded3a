//! Finds the initial value of a name where more than a mark stands between them: a type, a keyword, or the braces of a macro.

use super::assigned_values::{AssignedValue, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;

/// Maximum number of bytes of a type.
const MAX_TYPE_BYTES: usize = 64;

/// Maximum number of bytes of the value of a macro.
const MAX_MACRO_BYTES: usize = 512;

/// Ends of declarations before a value.
const KEYWORDS: [&str; 5] = ["value", "value is", "values", "default", "inz"];

/// Finds the literal behind the type of a name, as in `NAME PIC X(32) VALUE "x"` and `NAME VARCHAR2(64) := 'x'`.
pub(super) fn find_initial_value(mut reader: Reader<'_>) -> Option<AssignedValue> {
    let start = reader.at;
    reader.skip_while(MAX_TYPE_BYTES, |byte| byte.is_ascii_alphanumeric() || b" \t_(),.*%".contains(&byte));
    let declared = reader.text[start..reader.at].trim_end_matches([' ', '\t', '(']).to_ascii_lowercase();
    let ends_with = |keyword: &&str| declared.strip_suffix(*keyword).is_some_and(|before| before.ends_with([' ', ')']));
    let is_initialised = match reader.peek() {
        // An assignment of Fortran, as in `DATA name /'x'/`.
        b'/' => declared.is_empty() && reader.eat("/"),
        b':' if declared.ends_with(" put") => reader.eat(":"),
        b':' | b'=' => reader.eat(":=") || reader.eat("="),
        _ => KEYWORDS.iter().any(ends_with),
    };
    reader.skip_blanks(8);
    let range = is_initialised.then(|| read_literal(&mut reader)).flatten()?;
    Some(AssignedValue { range, form: ValueForm::Item })
}

/// Finds the braces behind the name of a macro, as in `\newcommand{\name}{x}`.
pub(super) fn find_in_macro(mut reader: Reader<'_>, name_start: usize) -> Option<AssignedValue> {
    if Reader::new(reader.text, name_start).before() != b'\\' {
        return None;
    }
    reader.eat("}");
    let has_brace = reader.eat("{");
    let start = reader.at;
    reader.skip_while(MAX_MACRO_BYTES, |byte| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}'));
    let range = start..reader.at;
    (has_brace && reader.peek() == b'}').then_some(AssignedValue { range, form: ValueForm::Sentence })
}
