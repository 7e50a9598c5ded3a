//! Finds the values of elements and attributes in markup.

use super::assigned_values::{AssignedValue, MAX_BLANKS, NamedPlace, ValueForm, ValueLink};
use super::bare_value::has_number;
use super::reader::Reader;

/// Finds the text of the element at the reader.
pub(super) fn find_in_markup(mut reader: Reader<'_>, link: ValueLink, found: &mut Vec<AssignedValue>) {
    const MAX_TAGS: usize = 6;
    if link == ValueLink::Tag {
        reader.at -= 1;
    }
    for _ in 0..MAX_TAGS {
        reader.skip_space(MAX_BLANKS);
        if !reader.eat("<![CDATA[") && reader.eat("<") {
            reader.skip_while(100, |byte| !matches!(byte, b'>' | b'\n'));
            reader.eat(">");
        }
    }
    let start = reader.at;
    let is_part = |c: char| (c.is_ascii_graphic() && !matches!(c, '<' | '>')) || (!c.is_ascii() && c.is_alphabetic());
    let window = reader.window(4 << 10);
    reader.at += window.find(|c| !is_part(c)).unwrap_or(window.len());
    let value = reader.text[start..reader.at].trim_end_matches(']');
    if !value.is_ascii() && !has_number(value) {
        return;
    }
    reader.skip_space(MAX_BLANKS);
    let ends_element = reader.eat(">") || reader.rest().starts_with("</");
    let form = match ends_element {
        true if link == ValueLink::Element => ValueForm::Line,
        true => ValueForm::Sentence,
        false if value.contains(['(', '[', '{', '`', '"']) => return,
        false => ValueForm::Loose,
    };
    found.push(AssignedValue { range: start..start + value.len(), form });
}

/// Moves over further attributes of an element, as in `<setting name="NAME" type="String">` and `<NAME type="String">`.
pub(super) fn skip_attributes(reader: &mut Reader<'_>, name: &NamedPlace<'_>) {
    const MAX_PREFIX_BYTES: usize = 24;
    let before = Reader::new(name.text, name.name.range.start).text_before(MAX_PREFIX_BYTES);
    let is_attribute = name.is_quoted() && before.trim_end_matches(['"', '\'', '\\']).ends_with('=');
    let namespace = before.strip_suffix(':').unwrap_or(before);
    let is_element = !name.is_quoted()
        && namespace.trim_end_matches(|c: char| before.ends_with(':') && c.is_ascii_alphanumeric()).ends_with('<');
    let mut ahead = *reader;
    if (is_attribute || is_element) && ahead.skip_blanks(4) > 0 {
        ahead.skip_while(160, |byte| byte.is_ascii_alphanumeric() || b" =\"'-_:./#".contains(&byte));
        if ahead.peek() == b'>' && matches!(ahead.before(), b'"' | b'\'') {
            *reader = ahead;
        }
    }
}
