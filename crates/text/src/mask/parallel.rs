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

/// Returns the value at the place of a name among several that are assigned at once.
pub(super) fn find_parallel(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_BYTES);
    let statement = &before[before.rfind(['\n', ';', '{', '}']).map_or(0, |end| end + 1)..];
    let names = &statement[statement.rfind(['(', '[']).map_or(0, |opening| opening + 1)..];
    let n_before = names.matches(',').count();
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_blanks(MAX_BLANKS);
    if !names.bytes().all(is_part) || (n_before == 0 && reader.peek() != b',') {
        return None;
    }
    reader.skip_while(MAX_BYTES, is_part);
    reader.skip_while(1, |byte| matches!(byte, b')' | b']'));
    reader.skip_blanks(MAX_BLANKS);
    let is_assigned = reader.eat(":=") || (reader.eat("=") && !matches!(reader.peek(), b'=' | b'>' | b'~'));
    is_assigned.then_some(())?;
    reader.skip_blanks(MAX_BLANKS);
    _ = OPENINGS.iter().any(|opening| reader.eat(opening));
    for _ in 0..n_before {
        reader.skip_space(MAX_BLANKS);
        if read_literal(&mut reader).is_none() {
            reader.skip_while(MAX_VALUE_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_.$-".contains(&byte));
        }
        reader.skip_blanks(MAX_BLANKS);
        reader.eat(",").then_some(())?;
    }
    reader.skip_space(MAX_BLANKS);
    let range = read_literal(&mut reader)?;
    Some(AssignedValue { range, form: ValueForm::Item })
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
