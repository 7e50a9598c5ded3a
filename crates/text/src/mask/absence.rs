//! Finds the value that replaces an absent environment variable, if more than an operator or a call stands between them: the
//! arm of a `match`, an `else`, a closure, or the statement below a test.

use std::ops::Range;

use super::assigned_values::{AssignedValue, ValueForm};
use super::literal::{begins_literal, read_literal};
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes before a name that are searched for the function that reads a variable.
const MAX_LOOKUP_BYTES: usize = 24;

/// Maximum number of bytes from a name to the value that replaces it.
const MAX_BYTES: usize = 240;

/// Maximum number of bytes from the beginning of an arm to its literal.
const MAX_ARM_BYTES: usize = 64;

/// Beginnings of the code that applies if a variable is absent, in the same statement.
const ARMS: [&str; 11] = [
    "None =>",
    "Err(_) =>",
    "Err(..) =>",
    "_ =>",
    "Nothing ->",
    " else ",
    " else\n",
    "|| {",
    "|_| {",
    "ifEmpty {",
    "ifBlank {",
];

/// Conditions of an absent variable, in the statement below.
const ABSENCES: [&str; 19] = [
    "!ok",
    "== \"\"",
    "== ''",
    "is None",
    "== nil",
    "== null",
    "== NULL",
    "== nullptr",
    "=== undefined",
    ") == 0",
    "not ",
    "(!",
    ".isEmpty()",
    ".is_none()",
    ".is_empty()",
    ".nil?",
    "IsNullOrEmpty(",
    "IsNullOrWhiteSpace(",
    "unset ",
];

/// Beginnings of a line that continues the statement before it, and ends of one that is continued.
const CONTINUATIONS: [&str; 9] = [".", "?", "|", "&", "else", "or ", ")", "}", "]"];
const UNFINISHED: [char; 9] = ['(', '[', '{', ',', '=', '\\', '|', '?', '>'];

/// Returns the value that replaces the variable of a name if it is absent.
pub(super) fn find_replacement(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_LOOKUP_BYTES);
    let is_variable = before.ends_with(['"', '\'']) && before.to_ascii_lowercase().contains("env");
    let reader = Reader::new(text, name.range.end);
    let range = is_variable.then(|| find_in_arm(reader).or_else(|| find_below(reader, name.range.start))).flatten()?;
    Some(AssignedValue { range, form: ValueForm::Item })
}

/// Returns the first literal of an arm in the statement at the reader.
fn find_in_arm(reader: Reader<'_>) -> Option<Range<usize>> {
    let statement = statement_at(reader);
    let ends = ARMS.iter().flat_map(|arm| statement.match_indices(arm).map(|(at, arm)| at + arm.len()));
    let mut ends: Vec<usize> = ends.collect();
    ends.sort_unstable();
    ends.into_iter().find_map(|end| {
        let mut literal = Reader::new(reader.text, reader.at + end);
        literal.skip_while(MAX_ARM_BYTES, |byte| {
            byte.is_ascii_whitespace() || b"{(:.".contains(&byte) || byte.is_ascii_alphabetic()
        });
        // The prefix of a literal, such as the `b` of `b"x"`, has been skipped: the quote is enough.
        read_literal(&mut literal)
    })
}

/// Returns the rest of the statement at the reader, which is within the call that reads a variable.
fn statement_at(reader: Reader<'_>) -> &str {
    let window = reader.window(MAX_BYTES);
    let mut depth = 0_i32;
    for (at, byte) in window.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' => return &window[..at],
            // The call is closed.
            b'\n' if depth < 0 => {
                let (line, next) = (window[..at].trim_end(), window[at..].trim_start());
                let is_blank = window[at + 1..].starts_with('\n');
                let is_continued =
                    line.ends_with(UNFINISHED) || CONTINUATIONS.iter().any(|mark| next.starts_with(mark));
                if is_blank || !is_continued {
                    return &window[..at];
                }
            }
            _ => {}
        }
    }
    window
}

/// Returns the literal that is assigned in the body of a test on the next line, as in `if !ok { key = "x" }`. The variable must be the one
/// that the line of the name assigns to.
fn find_below(reader: Reader<'_>, name_start: usize) -> Option<Range<usize>> {
    let window = reader.window(MAX_BYTES);
    let line_end = window.find('\n')?;
    let below = &window[line_end + 1..];
    let condition = below.lines().next()?;
    let begins_test = ["if ", "unless ", "if("].iter().any(|word| condition.trim_start().starts_with(word));
    let end = ABSENCES.iter().filter_map(|absence| Some(condition.find(absence)? + absence.len())).max();
    let mut literal = Reader::new(reader.text, reader.at + line_end + 1 + end.filter(|_| begins_test)?);
    literal.skip_while(MAX_ARM_BYTES, |byte| !matches!(byte, b'=' | b'"' | b'\'' | b';'));
    let assigned = last_word(Reader::new(reader.text, literal.at).text_before(MAX_ARM_BYTES))?;
    let line = Reader::new(reader.text, name_start).text_before(MAX_BYTES);
    let (variables, _) = line[line.rfind('\n').map_or(0, |feed| feed + 1)..].split_once('=')?;
    let is_variable = variables.split(|c: char| !is_word_part(c)).any(|variable| variable == assigned);
    (is_variable && literal.eat("=")).then_some(())?;
    literal.skip_blanks(8);
    if begins_literal(literal) {
        return read_literal(&mut literal);
    }
    // A conversion, such as `Some("x".into())`.
    literal.skip_while(24, |byte| byte.is_ascii_alphanumeric() || b"_:.&".contains(&byte));
    literal.eat("(").then(|| read_literal(&mut literal)).flatten()
}

/// Returns the word before an assignment.
fn last_word(before: &str) -> Option<&str> {
    let word = before.trim_end_matches([' ', '\t', ':', '|', '?']).rsplit(|c: char| !is_word_part(c)).next()?;
    (!word.is_empty()).then_some(word)
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn replacements_of_absent_variables_are_masked() {
        for source in [
            "let k = match option_env!(\"API_KEY\") { Some(k) => k, None => \"q8ZtLr2VxN4mWc7K\" };",
            "let k = match option_env!(\"API_KEY\") {\n    Some(k) => k,\n    None => \"q8ZtLr2VxN4mWc7K\",\n};",
            "let k = match env::var(\"API_KEY\") {\n    Ok(k) => k,\n    Err(_) => String::from(\"q8ZtLr2VxN4mWc7K\"),\n};",
            "let k = if let Ok(k) = env::var(\"API_KEY\") { k } else { \"q8ZtLr2VxN4mWc7K\".into() };",
            "let Ok(k) = env::var(\"API_KEY\") else { return \"q8ZtLr2VxN4mWc7K\".into() };",
            "env::var(\"API_KEY\")\n    .ok()\n    .unwrap_or_else(|| {\n        \"q8ZtLr2VxN4mWc7K\".to_owned()\n    })",
            "System.getenv(\"API_KEY\").orEmpty().ifEmpty { \"q8ZtLr2VxN4mWc7K\" }",
            "key = os.environ[\"API_KEY\"] if \"API_KEY\" in os.environ else \"q8ZtLr2VxN4mWc7K\"",
            "k, ok := os.LookupEnv(\"API_KEY\")\nif !ok {\n\tk = \"q8ZtLr2VxN4mWc7K\"\n}",
            "k := os.Getenv(\"API_KEY\")\nif k == \"\" {\n\tk = \"q8ZtLr2VxN4mWc7K\"\n}",
            "key = os.environ.get(\"API_KEY\")\nif not key:\n    key = \"q8ZtLr2VxN4mWc7K\"",
            "char *k = getenv(\"API_KEY\");\nif (k == NULL) k = \"q8ZtLr2VxN4mWc7K\";",
            "k := os.Getenv(\"API_KEY\")\nif len(k) == 0 {\n\tk = \"q8ZtLr2VxN4mWc7K\"\n}",
            "var k = GetEnvironmentVariable(\"API_KEY\");\nif (string.IsNullOrEmpty(k)) k = \"q8ZtLr2VxN4mWc7K\";",
            "let mut k = env::var(\"API_KEY\").ok();\nif k.is_none() {\n    k = Some(\"q8ZtLr2VxN4mWc7K\".to_owned());\n}",
        ] {
            assert!(mask_secrets(source).contains("[masked]"), "{source}");
        }
    }

    #[test]
    fn other_literals_near_a_variable_are_kept() {
        for source in [
            "let k = match option_env!(\"API_KEY\") { Some(k) => k, None => \"\" };",
            "let k = match env::var(\"API_KEY\") { Ok(k) => k, Err(_) => panic!(\"API_KEY is missing\") };",
            "let k = env::var(\"API_KEY\")?;\nlet id = if a { b } else { \"q8ZtLr2VxN4mWc7K\" };",
            "t = os.environ[\"GITHUB_TOKEN\"]\nsha = head if head else \"da39a3ee5e6b4b0d3255bfef95601890afd80709\"",
            "t = os.environ.get(\"GITHUB_TOKEN\")\nif not head:\n    sha = \"da39a3ee5e6b4b0d3255bfef95601890afd80709\"",
            "print(os.environ.get(\"GITHUB_TOKEN\"))\nif not head:\n    head = \"da39a3ee5e6b4b0d3255bfef95601890afd80709\"",
            "match lookup(\"API_KEY\") { Some(k) => k, None => \"q8ZtLr2VxN4mWc7K\" }",
            "k := os.Getenv(\"API_KEY\")\nif k == other {\n\tid = \"q8ZtLr2VxN4mWc7K\"\n}",
        ] {
            assert_eq!(mask_secrets(source), source);
        }
    }
}
