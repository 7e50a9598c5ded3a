//! Finds the values that a syntax assigns to a name: in settings, code, markup, command lines and sentences.
//!
//! A name is followed by closing marks, a link such as `=`, `,` or `||`, and the value. Languages share most links, so one
//! table serves all of them.

use std::ops::Range;

use super::bare_value::{self, read_bare, read_line};
use super::companion::find_companion;
use super::comparison::compared_form;
use super::declaration::{find_in_macro, find_initial_value, is_id_of_other_name};
use super::expression::{LiteralForms, begins_with_operator, find_literals};
use super::inline_markup::{read_marked_up, skip_end, skip_end_before_text};
use super::literal::{begins_literal, is_delimited_literal, read_literal};
use super::markup::{find_in_markup, skip_attributes};
use super::random_run::{RunExtent, read_random_run};
use super::reader::Reader;
use super::scheme::skip_scheme;
use super::sentence::{
    find_below_title, find_in_cell, find_in_parentheses, read_sentence_value, skip_encryption_type, skip_place,
    skip_qualifier, skip_sentence_words,
};
use super::telling_names::TellingName;
use super::yaml_values::{find_in_yaml, skip_properties};

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
    /// Any text in the scope of a name, such as the entry of a map.
    Entry,
    /// Without quotes, where no code is possible: an environment variable or a flag.
    Setting,
    /// Without quotes, on a line of its own, which may be a setting or code.
    Line,
    /// Without quotes, within a line.
    Inline,
    /// Without quotes, in a sentence.
    Sentence,
    /// Without quotes, and random by its marks.
    RandomRun,
    /// Any text near the name.
    Loose,
}

/// The relation of a name and the text behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueLink {
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
    /// `name <<< value`
    HereString,
    /// `name - value`
    Dash,
}

/// The marks of links. A mark comes before its prefixes.
const LINKS: [(&str, ValueLink); 36] = [
    ("<<<", ValueLink::HereString),
    ("||=", ValueLink::Assignment),
    ("??=", ValueLink::Assignment),
    ("===", ValueLink::Assignment),
    ("!==", ValueLink::Assignment),
    ("==", ValueLink::Assignment),
    ("!=", ValueLink::Assignment),
    ("?=", ValueLink::Assignment),
    ("+=", ValueLink::Assignment),
    (":=", ValueLink::Assignment),
    ("=>", ValueLink::Assignment),
    ("->", ValueLink::Assignment),
    ("<-", ValueLink::Assignment),
    ("←", ValueLink::Assignment),
    ("→", ValueLink::Assignment),
    ("⇒", ValueLink::Assignment),
    ("➜", ValueLink::Assignment),
    ("=", ValueLink::Assignment),
    ("||", ValueLink::Fallback),
    ("??", ValueLink::Fallback),
    ("?:", ValueLink::Fallback),
    (":-", ValueLink::Fallback),
    ("- ", ValueLink::Dash),
    ("– ", ValueLink::Dash),
    ("— ", ValueLink::Dash),
    ("or ", ValueLink::Word),
    ("else ", ValueLink::Word),
    ("::", ValueLink::Member),
    (".", ValueLink::Method),
    (":", ValueLink::Colon),
    (",", ValueLink::Comma),
    ("(", ValueLink::Call),
    ("{", ValueLink::Call),
    (">", ValueLink::Element),
    ("<", ValueLink::Tag),
    ("|", ValueLink::Cell),
];

/// Maximum number of blanks around a link. They align columns.
pub(super) const MAX_BLANKS: usize = 64;

/// Returns the values of a name.
pub(super) fn assigned_values(text: &str, name: &TellingName) -> Vec<AssignedValue> {
    let mut found = Vec::new();
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_while(6, |byte| b"\\\"'`])*$".contains(&byte));
    let behind_marks = reader;
    skip_end_before_text(&mut reader, name.range.start);
    let name = NamedPlace { text, name, end: reader.at };
    skip_brace(&mut reader, name.name.range.start);
    skip_attributes(&mut reader, &name);
    let n_blanks = reader.skip_blanks(MAX_BLANKS);
    if n_blanks > 0 {
        skip_qualifier(&mut reader);
    }
    let mut next_line = reader;
    next_line.skip_space(MAX_BLANKS);
    if begins_with_operator(next_line.rest()) {
        reader = next_line;
    }
    if let Some(value) = after_type(reader).filter(|_| !name.is_quoted()) {
        find_literals(value, LiteralForms::ASSIGNED, &mut found);
        let between = text[reader.at..value.at].trim_end_matches(|c: char| c.is_whitespace() || c == '=');
        found.retain(|value| !is_id_of_other_name(between, &text[value.range.clone()]));
    } else if let Some((mark, link)) = LINKS.iter().find(|(mark, _)| reader.eat(mark)) {
        let is_variable = *mark == "=" && n_blanks == 0 && name.is_constant();
        let is_setting = is_variable || name.is_flag() || *mark == ":-" || *link == ValueLink::HereString;
        let is_comparison = matches!(*mark, "==" | "===" | "!=" | "!==");
        let forms = match compared_form(name.written(), name.name.is_ambiguous) {
            form if is_comparison => LiteralForms { direct: form, ..LiteralForms::ASSIGNED },
            _ => LiteralForms::ASSIGNED,
        };
        LinkedValue { name: &name, link: *link, is_setting, forms }.find(reader, &mut found);
    } else if !name.is_flag() && reader.is_at_line_end() && bare_value::begins_line(text, name.name.range.start) {
        found.extend(find_below_title(reader));
    } else if n_blanks > 0 || name.is_flag() {
        find_unlinked(&name, reader, &mut found);
    }
    find_beside(name.name.range.start, behind_marks, &mut found);
    if !name.is_quoted() {
        found.extend(find_initial_value(behind_marks));
        found.extend(find_in_macro(behind_marks, name.name.range.start));
    }
    found
}

/// A name with the marks that close it.
pub(super) struct NamedPlace<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a TellingName,
    /// The end of the marks, such as quotes, and of inline markup.
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
    pub(super) fn is_quoted(&self) -> bool {
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
    link: ValueLink,
    /// True if no code is possible.
    is_setting: bool,
    /// Of the literals of an assignment or a comparison.
    forms: LiteralForms,
}

impl LinkedValue<'_> {
    /// Finds the value at the reader, which is behind the link.
    fn find(&self, mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
        match self.link {
            ValueLink::Comma if self.name.is_literal() => find_at(reader, LiteralForms::FALLBACK, found),
            ValueLink::Comma if !self.name.is_quoted() => find_at(reader, LiteralForms::ARGUMENTS, found),
            ValueLink::Comma => find_at(reader, LiteralForms::LOOSE, found),
            ValueLink::Call => {
                find_in_parentheses(reader, found);
                reader.at -= 1;
                find_literals(reader, LiteralForms::ARGUMENTS, found);
            }
            ValueLink::Member if matches!(reader.peek(), b' ' | b'\t') => {
                self.find_assigned(reader, LiteralForms::ASSIGNED, found);
            }
            ValueLink::Member => {
                read_member(&mut reader);
                find_literals(reader, LiteralForms::ARGUMENTS, found);
            }
            ValueLink::Method if skip_to_input(&mut reader) => find_literals(reader, LiteralForms::LOOSE, found),
            ValueLink::Method if skip_to_fallback(&mut reader) => find_literals(reader, LiteralForms::FALLBACK, found),
            ValueLink::Method => {}
            ValueLink::Element | ValueLink::Tag => find_in_markup(reader, self.link, found),
            ValueLink::Cell => find_in_cell(reader, found),
            ValueLink::Dash => self.find_behind_dash(reader, found),
            ValueLink::Word if self.name.closing_marks().contains('`') => {}
            ValueLink::Fallback | ValueLink::Word => self.find_assigned(reader, LiteralForms::FALLBACK, found),
            ValueLink::Assignment | ValueLink::Colon | ValueLink::HereString => {
                self.find_assigned(reader, self.forms, found)
            }
        }
    }

    /// A value without quotes must be the rest of its line, in contrast to a subtraction.
    fn find_behind_dash(&self, reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
        let begins_line = bare_value::begins_line(reader.text, self.name.name.range.start);
        let is_enclosed = begins_literal(reader) || read_marked_up(&mut { reader }).is_some();
        if is_enclosed || (begins_line && read_line(&mut { reader }).is_some()) {
            read_sentence_value(reader, found);
        }
    }

    fn find_assigned(&self, mut reader: Reader<'_>, forms: LiteralForms, found: &mut Vec<AssignedValue>) {
        // The end of bold text, as in `**Token:** value` and `<b>Token:</b> value`.
        reader.eat("**");
        skip_end(&mut reader, self.name.name.range.start);
        reader.skip_blanks(MAX_BLANKS);
        // A blank that does not break the line.
        while reader.eat("\u{a0}") {}
        // A string of YAML that begins on the next line.
        let _ = reader.rest().starts_with("\"\\\n") && reader.eat("\"");
        reader.skip_continuation(MAX_BLANKS);
        skip_template(&mut reader);
        if self.link == ValueLink::Colon {
            skip_properties(&mut reader);
        }
        let begins_line = bare_value::begins_line(reader.text, self.name.name.range.start);
        let extent = match (self.is_setting, begins_line) {
            (true, _) => RunExtent::Word,
            (false, true) => RunExtent::Line,
            (false, false) => RunExtent::Part,
        };
        let is_delimited = || begins_literal(reader) || read_marked_up(&mut { reader }).is_some();
        if let Some(range) = read_random_run(&mut { reader }, extent).filter(|_| !is_delimited()) {
            found.push(AssignedValue { range, form: ValueForm::RandomRun });
            return;
        }
        if self.link == ValueLink::Colon && find_in_yaml(reader, found) {
            return;
        }
        skip_scheme(&mut reader);
        if let Some(range) = read_marked_up(&mut { reader }) {
            found.push(AssignedValue { range, form: ValueForm::Item });
            return;
        }
        find_at(reader, forms, found);
        if begins_literal(reader) {
            return;
        }
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

/// Moves over the name of a method that types text into a field, as in `get("#password").type("x")`.
fn skip_to_input(reader: &mut Reader<'_>) -> bool {
    const INPUTS: [&str; 6] = ["type", "fill", "sendKeys", "send_keys", "setValue", "val"];
    let mut ahead = *reader;
    let is_input = INPUTS.contains(&read_member(&mut ahead)) && ahead.peek() == b'(';
    if is_input {
        *reader = ahead;
    }
    is_input
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

/// Finds the value of a name that is followed by blanks only.
fn find_unlinked(name: &NamedPlace<'_>, mut reader: Reader<'_>, found: &mut Vec<AssignedValue>) {
    let is_closed = name.end > name.name.range.end;
    let is_noun = ["psk", "pw"].iter().any(|noun| name.written().to_ascii_lowercase().ends_with(noun));
    let is_value_of_noun = is_noun && (name.is_flag() || begins_literal(reader));
    if name.name.is_ambiguous && !is_closed && !is_value_of_noun {
        // `pass` is a verb as well.
        return;
    }
    reader.skip_continuation(MAX_BLANKS);
    if name.is_flag() {
        reader.skip_space(MAX_BLANKS);
        reader.eat("- ");
    }
    let is_statement = || {
        let is_sentence = ["to ", "TO "].iter().any(|word| reader.rest().starts_with(word));
        !is_closed && !is_sentence && bare_value::is_statement(name.text, name.name.range.start)
    };
    if begins_literal(reader) {
        find_literals(reader, LiteralForms::FALLBACK, found);
    } else if name.is_flag() || is_statement() {
        if let Some(range) = read_random_run(&mut { reader }, RunExtent::Word) {
            found.push(AssignedValue { range, form: ValueForm::RandomRun });
            return;
        }
        let range = read_line(&mut { reader }).or_else(|| read_bare(&mut reader));
        found.extend(range.map(|range| AssignedValue { range, form: ValueForm::Setting }));
    } else {
        skip_place(&mut reader);
        skip_sentence_words(&mut reader);
        skip_encryption_type(&mut reader);
        read_sentence_value(reader, found);
    }
}

/// Moves over a brace behind a name that is assigned to, as in `$ENV{NAME} = "x"` and, in a table, `${NAME}    x`.
fn skip_brace(reader: &mut Reader<'_>, name_start: usize) {
    let mut ahead = *reader;
    let has_brace = ahead.eat("}");
    let begins_line =
        || reader.text[..name_start].strip_suffix("${").is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'));
    let begins_row = ahead.rest().starts_with("    ") && begins_line();
    ahead.skip_blanks(if begins_row { 3 } else { 4 });
    if has_brace && (begins_row || ahead.rest().starts_with("= ")) {
        *reader = ahead;
    }
}

/// Moves over the beginning of a template, as in `name: {{ "x" | b64enc }}` and `name: ${OTHER:-x}`.
fn skip_template(reader: &mut Reader<'_>) {
    let mut ahead = *reader;
    if ahead.eat("${") {
        ahead.skip_while(80, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if [":-", ":="].iter().any(|mark| ahead.eat(mark)) {
            *reader = ahead;
        }
        return;
    }
    let is_template = ahead.eat("{{");
    ahead.eat("-");
    ahead.skip_blanks(4);
    if is_template && begins_literal(ahead) {
        *reader = ahead;
    }
}

/// Finds the value that stands under a key of its own, beside a name or below it.
fn find_beside(name_start: usize, behind_name: Reader<'_>, found: &mut Vec<AssignedValue>) {
    let Some(value) = find_companion(name_start, behind_name) else { return };
    let mut reader = value;
    let literal = begins_literal(reader).then(|| read_literal(&mut reader)).flatten();
    let (range, form) = match literal {
        Some(range) => (Some(range), ValueForm::Literal),
        None => match (read_random_run(&mut { reader }, RunExtent::Line), read_line(&mut { reader })) {
            (Some(range), _) => (Some(range), ValueForm::RandomRun),
            (None, Some(range)) => (Some(range), ValueForm::Setting),
            (None, None) => (read_bare(&mut reader), ValueForm::Inline),
        },
    };
    found.extend(range.map(|range| AssignedValue { range, form }));
}

/// Returns the position of the literal in `: Type = "value"` and `Type = "value"`.
fn after_type(mut reader: Reader<'_>) -> Option<Reader<'_>> {
    const MAX_TYPE_BYTES: usize = 48;
    // The length of an array, as in `: [&str; 2]`.
    let is_array = reader.rest().starts_with(": [") || reader.rest().starts_with(": &[");
    let is_type =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_&'<>[]| ?.*:\t".contains(&byte) || (is_array && byte == b';');
    let n_bytes = reader.skip_while(MAX_TYPE_BYTES, is_type);
    let is_spaced = matches!(reader.before(), b' ' | b'\t');
    let is_assigned = n_bytes > 0 && !matches!(reader.before(), b'<' | b'>' | b':' | b'|' | b'?') && reader.eat("=");
    reader.skip_space(8);
    let begins_array = is_array && matches!(reader.peek(), b'[' | b'&');
    let begins_value = begins_literal(reader) && (is_spaced || is_delimited_literal(reader));
    (is_assigned && (begins_array || begins_value)).then_some(reader)
}
