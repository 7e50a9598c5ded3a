//! Finds the string literals of an expression in any language.

use super::assigned_values::{AssignedValue, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;

/// Maximum number of bytes of an expression, without its literals.
const MAX_CODE_BYTES: usize = 240;

/// Maximum number of literals of an expression.
const MAX_LITERALS: usize = 32;

/// Parts of names of functions that take the name of a value and return the value.
const LOOKUPS: [&str; 12] =
    ["env", "get", "fetch", "config", "lookup", "read", "load", "property", "setting", "param", "prompt", "input"];

/// The forms of the literals of an expression.
#[derive(Clone, Copy)]
pub(super) struct LiteralForms {
    /// The form of a literal that stands alone.
    pub(super) direct: ValueForm,
    /// The form of the others.
    pub(super) nested: ValueForm,
}

impl LiteralForms {
    pub(super) const ASSIGNED: LiteralForms = LiteralForms { direct: ValueForm::Literal, nested: ValueForm::Item };
    pub(super) const FALLBACK: LiteralForms = LiteralForms { direct: ValueForm::Argument, nested: ValueForm::Item };
    pub(super) const LOOSE: LiteralForms = LiteralForms { direct: ValueForm::Loose, nested: ValueForm::Loose };
    pub(super) const ARGUMENTS: LiteralForms = LiteralForms { direct: ValueForm::Argument, nested: ValueForm::Loose };
}

/// Finds the string literals of the expression at the reader. An assigned literal may be within a conversion, such as
/// `String::from("x")`. Others may be defaults, parts of a sum, or items of a list.
pub(super) fn find_literals(mut reader: Reader<'_>, forms: LiteralForms, found: &mut Vec<AssignedValue>) {
    // The arguments of a call end with it.
    let begins_with_call = reader.peek() == b'(' && forms.direct == ValueForm::Argument;
    let mut depth = 0usize;
    let mut is_direct = true;
    let mut is_conditional = false;
    let mut n_code_bytes = 0;
    let mut n_literals = 0;
    // The last byte of code that is no whitespace.
    let mut last = b'=';
    while n_code_bytes < MAX_CODE_BYTES && n_literals < MAX_LITERALS {
        let start = reader.at;
        if let Some(range) = read_literal(&mut reader) {
            if !is_conditional && is_key(reader) {
                return;
            }
            let form = match (is_direct, is_conditional) {
                (true, _) => forms.direct,
                (false, false) => forms.nested,
                (false, true) => ValueForm::Loose,
            };
            found.push(AssignedValue { range, form });
            (is_direct, last) = (false, b'"');
            n_literals += 1;
            continue;
        }
        match reader.peek() {
            b'(' | b'[' => depth += 1,
            b'{' if is_list(reader) => depth += 1,
            b')' if depth == 1 && begins_with_call => return,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b')' | b']' | b'{' | b'}' | b';' | 0 => return,
            b',' if depth == 0 => return,
            b'\n' if depth == 0 && !continues(reader, last) => return,
            b'#' if matches!(reader.before(), b' ' | b'\t') => return,
            b'/' if reader.rest().starts_with("//") => return,
            b'?' if !is_default_operator(reader, last) => is_conditional = true,
            byte if byte.is_ascii_alphabetic() => {
                let word = read_word(&mut reader);
                is_direct &= forms.direct == ValueForm::Literal && is_conversion(word, reader.peek());
                n_code_bytes += word.len();
                last = b'a';
                continue;
            }
            _ => {}
        }
        let byte = reader.peek();
        if !byte.is_ascii_whitespace() {
            is_direct &= matches!(byte, b'(' | b'{' | b'&' | b'*');
            last = byte;
        }
        reader.at += reader.rest().chars().next().map_or(1, char::len_utf8);
        n_code_bytes += reader.at - start;
    }
}

fn read_word<'t>(reader: &mut Reader<'t>) -> &'t str {
    let start = reader.at;
    reader.skip_while(MAX_CODE_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_.:!".contains(&byte));
    &reader.text[start..reader.at]
}

/// Returns true for `??`, `?:` and `?.`, in contrast to the `?` of a condition.
fn is_default_operator(reader: Reader<'_>, last: u8) -> bool {
    last == b'?' || ["??", "?:", "?."].iter().any(|operator| reader.rest().starts_with(operator))
}

/// Returns true if a word before `next` keeps the value of the literal that follows.
fn is_conversion(word: &str, next: u8) -> bool {
    if next != b'(' {
        return matches!(word, "new" | "mut" | "await" | "return");
    }
    let function = word.to_ascii_lowercase();
    !LOOKUPS.iter().any(|lookup| function.contains(lookup))
}

/// Returns true if the literal before the reader is the key of a map. A keyword of Clojure or Elixir begins the next entry, as in
/// `"x" :port 1`.
pub(super) fn is_key(mut reader: Reader<'_>) -> bool {
    let n_blanks = reader.skip_blanks(8);
    let is_keyword = |reader: &Reader<'_>| n_blanks > 0 && reader.peek().is_ascii_lowercase();
    (reader.eat(":") && !reader.rest().starts_with(':') && !is_keyword(&reader)) || reader.eat("=>")
}

/// Returns true if the braces at the reader contain literals.
fn is_list(mut reader: Reader<'_>) -> bool {
    reader.eat("{");
    reader.skip_space(100);
    matches!(reader.peek(), b'"' | b'\'' | b'`')
}

/// Returns true if the expression continues on the next line: `last` is the last byte of the line.
fn continues(mut reader: Reader<'_>, last: u8) -> bool {
    reader.skip_space(100);
    matches!(last, b'=' | b'|' | b'?' | b'+' | b'\\' | b':') || begins_with_operator(reader.rest())
}

/// Returns true if a line cannot begin a statement.
pub(super) fn begins_with_operator(line: &str) -> bool {
    ["||", "??", "?:", "?.", ".", "+ ", "or "].iter().any(|operator| line.starts_with(operator))
}
