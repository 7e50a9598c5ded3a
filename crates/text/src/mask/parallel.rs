//! Finds the value at the place of a name in an assignment of several, as in `a, name = "x", "y"` and `[a, name] = ["x", "y"]`.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes of the names on either side of a name.
const MAX_BYTES: usize = 120;

/// Maximum number of bytes of a value without quotes.
const MAX_VALUE_BYTES: usize = 80;

/// Beginnings of a list of values.
const OPENINGS: [&str; 6] = ["(", "[", "{", "listOf(", "arrayOf(", "Pair("];

/// Words before the first name of a declaration.
const DECLARING_WORDS: [&str; 12] =
    ["let", "var", "val", "const", "local", "my", "our", "mut", "final", "static", "public", "private"];

/// Returns the value at the place of a name among several to which as many values are assigned at once.
pub(super) fn find_parallel(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_BYTES);
    let statement = &before[before.rfind(['\n', ';', '{', '}']).map_or(0, |end| end + 1)..];
    let names = &statement[statement.rfind(['(', '[']).map_or(0, |opening| opening + 1)..];
    let n_before = count_before(names)?;
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_while(MAX_BYTES, is_part);
    let n_after = count_after(&text[name.range.end..reader.at])?;
    (n_before + n_after > 0).then_some(())?;
    reader.skip_while(1, |byte| matches!(byte, b')' | b']'));
    reader.skip_blanks(MAX_BLANKS);
    let is_assigned = reader.eat(":=") || (reader.eat("=") && !matches!(reader.peek(), b'=' | b'>' | b'~'));
    is_assigned.then_some(())?;
    reader.skip_blanks(MAX_BLANKS);
    _ = OPENINGS.iter().any(|opening| reader.eat(opening));
    for _ in 0..n_before {
        skip_value(&mut reader);
        reader.eat(",").then_some(())?;
    }
    reader.skip_space(MAX_BLANKS);
    let range = read_literal(&mut reader)?;
    for _ in 0..n_after {
        reader.skip_blanks(MAX_BLANKS);
        reader.eat(",").then_some(())?;
        skip_value(&mut reader).then_some(())?;
    }
    Some(AssignedValue { range, form: ValueForm::Item })
}

/// Returns the number of names in the text before a name; `None` if something else than names is between the commas.
fn count_before(names: &str) -> Option<usize> {
    let (declaration, own) = names.rsplit_once(',').unwrap_or(("", names));
    let own = own.trim().trim_start_matches(['@', '$']);
    let others: Vec<&str> = declaration.split(',').map(str::trim).collect();
    let are_names = match others.as_slice() {
        [""] => without_declaring_words(own).is_empty(),
        [first, others @ ..] => {
            own.is_empty() && is_one_name(without_declaring_words(first)) && others.iter().all(|name| is_one_name(name))
        }
        [] => false,
    };
    let n_names = names.matches(',').count();
    (are_names && names.bytes().all(is_part)).then_some(n_names)
}

/// Returns the number of names in the text after a name; `None` if something else than names is between the commas.
fn count_after(names: &str) -> Option<usize> {
    let mut pieces = names.split(',').map(str::trim);
    let has_own = pieces.next().is_some_and(str::is_empty);
    let names: Vec<&str> = pieces.collect();
    (has_own && names.iter().all(|name| is_one_name(name))).then_some(names.len())
}

fn without_declaring_words(text: &str) -> &str {
    let mut rest = text;
    while let Some(word) = rest.split_whitespace().next().filter(|word| DECLARING_WORDS.contains(word)) {
        rest = rest[word.len()..].trim_start();
    }
    rest
}

fn is_one_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

/// Moves over a literal, a number or a name. Returns true if there is one.
fn skip_value(reader: &mut Reader<'_>) -> bool {
    reader.skip_space(MAX_BLANKS);
    let start = reader.at;
    if read_literal(reader).is_none() {
        reader.skip_while(MAX_VALUE_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_.$-".contains(&byte));
    }
    let is_value = reader.at > start;
    reader.skip_blanks(MAX_BLANKS);
    is_value
}

/// Returns true for a byte of names, of the words before them, and of the commas between them.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$.@, \t".contains(&byte)
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn values_at_the_place_of_a_name_are_masked() {
        for line in [
            "user, password = \"app\", \"SECRET\"",
            "password, user = 'SECRET', 'app'",
            "a, b, token = 1, \"x\", \"SECRET\"",
            "user, password := \"app\", \"SECRET\"",
            "var user, password = \"app\", \"SECRET\"",
            "local user, password = \"app\", \"SECRET\"",
            "let (user, password) = (\"app\", \"SECRET\");",
            "let [user, password] = [\"app\", \"SECRET\"];",
            "val (user, password) = listOf(\"app\", \"SECRET\")",
            "[$user, $password] = ['app', 'SECRET'];",
            "self.user, self.password = \"app\", \"SECRET\"",
            "token, id = \"SECRET\", next",
            "let mut token, id = \"SECRET\", 5;",
            "@user, @token = 'app', 'SECRET'",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7K")).into_owned();
            assert_eq!(masked, line.replace("SECRET", "[masked]"));
        }
    }

    #[test]
    fn values_of_other_names_are_kept() {
        for line in [
            "user, token = \"app\", \"identifier\"",
            "user, token = \"app\", next(\"q8ZtLr2VxN4mWc7K\")",
            "check(commit, password == other, \"q8ZtLr2VxN4mWc7K\")",
            "for key, token in pairs(\"q8ZtLr2VxN4mWc7K\") do",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
