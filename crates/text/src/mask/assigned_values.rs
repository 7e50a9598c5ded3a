//! Finds the values that a syntax assigns to a name: in settings, code, markup, command lines and sentences.
//!
//! A name is followed by closing marks, a link such as `=`, `,` or `||`, and the value. Languages share most links, so one
//! table serves all of them.

use std::ops::Range;

use super::bare_value::{self, read_bare, read_line};
use super::companion::find_companion;
use super::expression::{LiteralForms, begins_with_operator, find_literals};
use super::literal::{begins_literal, read_literal};
use super::reader::Reader;
use super::telling_names::TellingName;
use super::yaml_values::find_in_yaml;

/// A value of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AssignedValue {
    pub(super) range: Range<usize>,
    pub(super) form: ValueForm,
}

/// The way in which a value is written. It tells how likely other text than a secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// A string literal that is assigned.
    Literal,
    /// A string literal that is passed to a function, or a default.
    Argument,
    /// A string literal in a list, a sum or a sentence.
    Item,
    /// Without quotes, where no code is possible: an environment variable or a flag.
    Setting,
    /// Without quotes, on a line of its own, which may be a setting or code.
    Line,
    /// Without quotes, within a line.
    Inline,
    /// Without quotes, in a sentence.
    Sentence,
    /// Any text near the name.
    Loose,
}

/// The relation of a name and the text behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// `name = value`
    Assignment,
    /// `name: value`
    Colon,
    /// `get("name", "value")`
    Comma,
    /// `name("value")`
    Call,
    /// `get("name") || "value"`, `${name:-value}`
    Fallback,
    /// `get("name") or "value"`
    Word,
    /// `get("name").or("value")`
    Method,
    /// `Name::new("value")`
    Member,
    /// `<name>value</name>`
    Element,
    /// `<td>name</td><td>value</td>`
    Tag,
    /// `| name | value |`
    Cell,
}

/// The marks of links. A mark comes before its prefixes.
const LINKS: [(&str, Link); 28] = [
    ("||=", Link::Assignment),
    ("??=", Link::Assignment),
    ("===", Link::Assignment),
    ("!==", Link::Assignment),
    ("==", Link::Assignment),
    ("!=", Link::Assignment),
    ("?=", Link::Assignment),
    ("+=", Link::Assignment),
    (":=", Link::Assignment),
    ("=>", Link::Assignment),
    ("->", Link::Assignment),
    ("<-", Link::Assignment),
    ("=", Link::Assignment),
    ("||", Link::Fallback),
    ("??", Link::Fallback),
    ("?:", Link::Fallback),
    (":-", Link::Fallback),
    ("or ", Link::Word),
    ("else ", Link::Word),
    ("::", Link::Member),
    (".", Link::Method),
    (":", Link::Colon),
    (",", Link::Comma),
    ("(", Link::Call),
    ("{", Link::Call),
    (">", Link::Element),
    ("<", Link::Tag),
    ("|", Link::Cell),
];

/// Maximum number of blanks around a link. They align columns.
pub(super) const MAX_BLANKS: usize = 64;

/// Returns the values of a name.
pub(super) fn assigned_values(text: &str, name: &TellingName) -> Vec<AssignedValue> {
    let mut found = Vec::new();
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_while(6, |byte| b"\\\"'`])*".contains(&byte));
    let name = NamedPlace { text, name, end: reader.at };
    let n_blanks = reader.skip_blanks(MAX_BLANKS);
    let mut next_line = reader;
    next_line.skip_space(MAX_BLANKS);
    if begins_with_operator(next_line.rest()) {
        reader = next_line;
    }
    if let Some(value) = after_type(reader).filter(|_| !name.is_quoted()) {
        find_literals(value, LiteralForms::ASSIGNED, &mut found);
    } else if let Some((mark, link)) = LINKS.iter().find(|(mark, _)| reader.eat(mark)) {
        let is_variable = *mark == "=" && n_blanks == 0 && name.is_constant();
        let is_setting = is_variable || name.is_flag() || *mark == ":-";
        LinkedValue { name: &name, link: *link, is_setting }.find(reader, &mut found);
    } else if n_blanks > 0 || name.is_flag() {
        find_unlinked(&name, reader, &mut found);
    }
    find_beside(&name, &mut found);
    found
}

/// A name with the marks that close it.
struct NamedPlace<'a> {
    text: &'a str,
    name: &'a TellingName,
    /// The end of the marks, such as quotes.
    end: usize,
}

impl NamedPlace<'_> {
    fn written(&self) -> &str {
        &self.text[self.name.range.clone()]
    }

    fn closing_marks(&self) -> &str {
        &self.text[self.name.range.end..self.end]
    }

    /// Returns true if a quote closes the name.
    fn is_quoted(&self) -> bool {
        self.closing_marks().contains(['"', '\'', '`'])
    }

    /// Returns true if the name is a whole literal.
    fn is_literal(&self) -> bool {
        self.is_quoted() && self.text[..self.name.range.start].ends_with(['"', '\'', '`', ':'])
    }

    /// Returns true for a flag of a command line.
    fn is_flag(&self) -> bool {
        self.written().starts_with('-')
    }

    /// Returns true for a name such as `DB_PASSWORD`.
    fn is_constant(&self) -> bool {
        !self.written().contains(|c: char| c.is_ascii_lowercase())
    }
}

/// A value behind a link.
struct LinkedValue<'a> {
    name: &'a NamedPlace<'a>,
    link: Link,
    /// True if no code is possible.
    is_setting: bool,
}

impl LinkedValue<'_> {
    /// Finds the value at the reader, which is behind the link.
    fn find(&self, mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
        match self.link {
            Link::Comma if self.name.is_literal() => find_at(reader, LiteralForms::FALLBACK, found),
            Link::Comma if !self.name.is_quoted() => find_at(reader, LiteralForms::ARGUMENTS, found),
            Link::Comma => {}
            Link::Call => {
                reader.at -= 1;
                find_literals(reader, LiteralForms::ARGUMENTS, found);
            }
            Link::Member => {
                read_member(&mut reader);
                find_literals(reader, LiteralForms::ARGUMENTS, found);
            }
            Link::Method if skip_to_fallback(&mut reader) => find_literals(reader, LiteralForms::FALLBACK, found),
            Link::Method => {}
            Link::Element | Link::Tag => find_in_markup(reader, self.link, found),
            Link::Cell => find_in_cell(reader, found),
            Link::Word if self.name.closing_marks().contains('`') => {}
            Link::Fallback | Link::Word => self.find_assigned(reader, LiteralForms::FALLBACK, found),
            Link::Assignment | Link::Colon => self.find_assigned(reader, LiteralForms::ASSIGNED, found),
        }
    }

    fn find_assigned(&self, mut reader: Reader<'_>, forms: LiteralForms, found: &mut Vec<AssignedValue>) {
        // The end of bold text, as in `**Token:** value`.
        reader.eat("**");
        reader.skip_blanks(MAX_BLANKS);
        if self.link == Link::Colon && find_in_yaml(reader, found) {
            return;
        }
        skip_scheme(&mut reader);
        find_at(reader, forms, found);
        if begins_literal(reader) {
            return;
        }
        let begins_line = bare_value::begins_line(reader.text, self.name.name.range.start);
        let mut rest_of_line = reader;
        let line = begins_line.then(|| read_line(&mut rest_of_line)).flatten();
        let form = match (self.is_setting, &line) {
            (true, _) => ValueForm::Setting,
            (false, Some(_)) => ValueForm::Line,
            (false, None) => ValueForm::Inline,
        };
        found.extend(line.or_else(|| read_bare(&mut reader)).map(|range| AssignedValue { range, form }));
    }
}

/// Finds the literals of the expression behind a few characters of whitespace.
fn find_at(mut reader: Reader<'_>, forms: LiteralForms, found: &mut Vec<AssignedValue>) {
    reader.skip_space(MAX_BLANKS);
    find_literals(reader, forms, found);
}

/// Moves over the name of a member, such as `new`.
fn read_member<'t>(reader: &mut Reader<'t>) -> &'t str {
    let start = reader.at;
    reader.skip_while(40, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    &reader.text[start..reader.at]
}

/// Moves over calls up to the arguments of one that returns a default, such as `.ok().unwrap_or("x")`.
fn skip_to_fallback(reader: &mut Reader<'_>) -> bool {
    const MAX_CALLS: usize = 4;
    const FALLBACKS: [&str; 5] = ["_or", "orelse", "ordefault", "default", "or_else"];
    for _ in 0..MAX_CALLS {
        let member = read_member(reader).to_ascii_lowercase();
        if member == "or" || FALLBACKS.iter().any(|fallback| member.contains(fallback)) {
            return true;
        }
        reader.skip_while(60, |byte| !matches!(byte, b'.' | b'"' | b'\'' | b';' | b'\n'));
        if !reader.eat(".") {
            break;
        }
    }
    false
}

/// Finds the value in the next cell of a table, or in the filter `default` of a template.
fn find_in_cell(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    reader.skip_blanks(MAX_BLANKS);
    if reader.eat("default") {
        reader.skip_while(4, |byte| matches!(byte, b'(' | b':' | b' '));
    }
    read_sentence_value(reader, found);
}

/// Finds the value of a name that is followed by blanks only.
fn find_unlinked(name: &NamedPlace<'_>, mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    let is_closed = name.end > name.name.range.end;
    if name.name.is_ambiguous && !is_closed {
        // `pass` is a verb as well.
        return;
    }
    if name.is_flag() {
        reader.skip_space(MAX_BLANKS);
        reader.eat("- ");
    }
    let is_statement = || !is_closed && bare_value::is_statement(name.text, name.name.range.start);
    if begins_literal(reader) {
        find_literals(reader, LiteralForms::FALLBACK, found);
    } else if name.is_flag() || is_statement() {
        let range = read_line(&mut { reader }).or_else(|| read_bare(&mut reader));
        found.extend(range.map(|range| AssignedValue { range, form: ValueForm::Setting }));
    } else {
        skip_sentence_words(&mut reader);
        read_sentence_value(reader, found);
    }
}

/// Reads a value of a sentence or a table: within backticks, quotes or nothing.
fn read_sentence_value(mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    if let Some(range) = read_literal(&mut reader) {
        found.push(AssignedValue { range, form: ValueForm::Item });
    } else if let Some(range) = read_bare(&mut reader) {
        found.push(AssignedValue { range, form: ValueForm::Sentence });
    }
}

/// Moves over words that link a name and its value in a sentence.
fn skip_sentence_words(reader: &mut Reader<'_>) {
    const WORDS: [&str; 17] = [
        "to", "is", "as", "was", "be", "set", "should", "must", "the", "a", "value", "of", "with", "defaults",
        "equals", "equal", "being",
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

/// Finds the text of the element at the reader.
fn find_in_markup(mut reader: Reader<'_>, link: Link, found: &mut Vec<AssignedValue>) {
    const MAX_TAGS: usize = 6;
    if link == Link::Tag {
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
    let n_bytes = reader.skip_while(4 << 10, |byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'));
    let value = reader.text[start..start + n_bytes].trim_end_matches(']');
    reader.skip_space(MAX_BLANKS);
    let ends_element = reader.eat(">") || reader.rest().starts_with("</");
    let form = match ends_element {
        true if link == Link::Element => ValueForm::Line,
        true => ValueForm::Sentence,
        false if value.contains(['(', '[', '{', '`', '"']) => return,
        false => ValueForm::Loose,
    };
    found.push(AssignedValue { range: start..start + value.len(), form });
}

/// Finds the value that stands under a key of its own, beside a name or below it.
fn find_beside(name: &NamedPlace<'_>, found: &mut Vec<AssignedValue>) {
    let Some(value) = find_companion(name.name.range.start, Reader::new(name.text, name.end)) else { return };
    let mut reader = value;
    let (range, form) = match read_literal(&mut reader) {
        Some(range) => (Some(range), ValueForm::Literal),
        None => match read_line(&mut { reader }) {
            Some(range) => (Some(range), ValueForm::Setting),
            None => (read_bare(&mut reader), ValueForm::Inline),
        },
    };
    found.extend(range.map(|range| AssignedValue { range, form }));
}

/// Returns the position of the literal in `: Type = "value"` and `Type = "value"`.
fn after_type(mut reader: Reader<'_>) -> Option<Reader<'_>> {
    const MAX_TYPE_BYTES: usize = 48;
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&'<>[]| ?.*:\t".contains(&byte);
    let n_bytes = reader.skip_while(MAX_TYPE_BYTES, is_type);
    let is_assigned = n_bytes > 0 && !matches!(reader.before(), b'<' | b'>' | b':' | b'|' | b'?') && reader.eat("=");
    reader.skip_space(8);
    (is_assigned && begins_literal(reader)).then_some(reader)
}

/// Returns a value without the scheme of authentication before it, such as `Bearer`.
pub(super) fn without_scheme(text: &str, value: Range<usize>) -> Range<usize> {
    let mut reader = Reader::new(text, value.start);
    skip_scheme(&mut reader);
    reader.at.min(value.end)..value.end
}

fn skip_scheme(reader: &mut Reader<'_>) {
    const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "key"];
    let mut ahead = *reader;
    let n_bytes = ahead.skip_while(10, |byte| byte.is_ascii_alphabetic());
    let word = &reader.rest()[..n_bytes];
    if SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) && ahead.skip_blanks(8) > 0 {
        *reader = ahead;
    }
}
