//! Finds the literals of the cases of a name, as in `switch name { case "x": ... case "y", "z": ... }` and `match name { "x" => ... }`.

use std::ops::Range;

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes behind a name that are examined.
const MAX_BYTES: usize = 4 << 10;

/// Maximum number of literals of all cases.
const MAX_LITERALS: usize = 64;

/// Words before a name whose cases follow, and beginnings of a case.
const SWITCHES: [&str; 4] = ["switch", "match", "case", "when"];
const CASES: [&str; 3] = ["case", "when", "in"];

/// Returns the literals of the cases of a name.
pub(super) fn find_cases(text: &str, name: &TellingName) -> Vec<AssignedValue> {
    let Some((mut reader, is_arm)) = enter_cases(text, name) else { return Vec::new() };
    let base = indentation_of_line(text, name.range.start);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (line_idx, line) in reader.window(MAX_BYTES).split_inclusive('\n').enumerate() {
        let (line_start, content) = (reader.at, line.trim_start());
        reader.at += line.len();
        let mut case = Reader::new(text, line_start + line.len() - content.len());
        let has_word = eat_case(&mut case);
        let indentation = line.len() - content.len();
        let is_outside = indentation < base || (indentation == base && !has_word);
        if line_idx > 0 && !content.is_empty() && is_outside {
            break;
        }
        if has_word || is_arm {
            read_literals(case, !has_word, &mut found);
        }
        if found.len() >= MAX_LITERALS {
            break;
        }
    }
    found.into_iter().map(|range| AssignedValue { range, form: ValueForm::Item }).collect()
}

/// Returns the position of the first case. The arms of Rust and Kotlin begin with no word.
fn enter_cases<'t>(text: &'t str, name: &TellingName) -> Option<(Reader<'t>, bool)> {
    const MAX_WORD_BYTES: usize = 10;
    let before = Reader::new(text, name.range.start).text_before(MAX_WORD_BYTES).trim_end_matches([' ', '(', '$']);
    let begins_switch = SWITCHES.iter().any(|word| {
        before.strip_suffix(*word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    let mut reader = Reader::new(text, name.range.end);
    let n_bytes = reader.skip_while(MAX_BLANKS, |byte| byte.is_ascii_whitespace() || b"(){:".contains(&byte));
    (n_bytes > 0 && begins_switch).then_some((reader, before.ends_with("match") || before.ends_with("when")))
}

/// Moves over the word of a case, and the blanks behind it.
fn eat_case(reader: &mut Reader<'_>) -> bool {
    let mut ahead = *reader;
    let is_case = CASES.iter().any(|word| ahead.eat(word)) && ahead.skip_blanks(MAX_BLANKS) > 0;
    if is_case {
        *reader = ahead;
    }
    is_case
}

/// Reads the literals of one case. The literals of an arm are followed by an arrow.
fn read_literals(mut reader: Reader<'_>, needs_arrow: bool, found: &mut Vec<Range<usize>>) {
    const MAX_LITERALS_OF_CASE: usize = 8;
    let mut literals = Vec::new();
    while literals.len() < MAX_LITERALS_OF_CASE {
        reader.skip_blanks(MAX_BLANKS);
        let Some(range) = read_literal(&mut reader) else { break };
        literals.push(range);
        reader.skip_blanks(MAX_BLANKS);
        if !reader.eat(",") && !reader.eat("|") && !reader.eat("or ") {
            break;
        }
    }
    let has_arrow = ["=>", "->", "if "].iter().any(|arrow| reader.rest().starts_with(arrow));
    if !needs_arrow || has_arrow {
        found.append(&mut literals);
    }
}

/// Returns the number of blanks at the beginning of the line of an offset; 0 if the line is long.
fn indentation_of_line(text: &str, at: usize) -> usize {
    let before = Reader::new(text, at).text_before(200);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use crate::{MASK, mask_secrets};

    #[test]
    fn literals_of_all_cases_are_masked() {
        for source in [
            "switch (password) {\n  case 'SECRET':\n",
            "switch apiKey {\ncase \"admin\", \"SECRET\":\n\treturn 1\ncase \"SECRET\":\n",
            "  switch (token) {\n    case \"a\":\n      return a;\n    case \"SECRET\":\n      return b;\n  }\n",
            "match token {\n    \"a\" => true,\n    \"SECRET\" | \"SECRET\" => true,\n",
            "match token { \"SECRET\" => true,\n",
            "when (token) {\n    \"a\", \"SECRET\" -> true\n",
            "case token\nwhen 'a', 'SECRET'\n  1\nwhen 'SECRET'\n",
            "match token:\n    case \"a\":\n        pass\n    case \"SECRET\":\n",
        ] {
            let masked = mask_secrets(&source.replace("SECRET", "q8ZtLr2VxN4mWc7K")).into_owned();
            assert_eq!(masked, source.replace("SECRET", MASK));
        }
    }

    #[test]
    fn other_literals_near_cases_are_kept() {
        for source in [
            "match token {\n    \"identifier\" => true,\n",
            "switch (token) { default: id = 'q8ZtLr2VxN4mWc7K' }",
            "switch (token) {\n  case A:\n    id('q8ZtLr2VxN4mWc7K')\n",
            "match token {\n    A => id(\n        \"q8ZtLr2VxN4mWc7K\"\n    ),\n",
            "switch (token) {\n  case A:\n}\nswitch (region) {\n  case 'q8ZtLr2VxN4mWc7K':\n",
        ] {
            assert_eq!(mask_secrets(source), source);
        }
    }
}
