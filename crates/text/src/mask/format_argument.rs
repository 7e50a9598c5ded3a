//! Finds the argument that a format string shows behind a name, as in `printf 'NAME=%s\n' x` and `printf("NAME=%s", "x")`.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::bare_value::read_bare;
use super::expression::is_key;
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes of a format string before a name, and behind it.
const MAX_FORMAT_BYTES: usize = 120;

/// Maximum number of bytes of an argument that is no literal.
const MAX_ARGUMENT_BYTES: usize = 80;

/// The marks of arguments.
const MARKS: [&str; 5] = ["%s", "%q", "%v", "%b", "{}"];

/// Returns the argument that replaces the mark behind a name.
pub(super) fn find_formatted(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_blanks(2);
    (reader.eat("=") || reader.eat(":")).then_some(())?;
    reader.skip_while(4, |byte| matches!(byte, b' ' | b'\\' | b'"' | b'\''));
    MARKS.iter().find(|mark| reader.eat(mark))?;

    let before = Reader::new(text, name.range.start).text_before(MAX_FORMAT_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let opening = line.rfind(['"', '\''])?;
    let quote = line.as_bytes()[opening];
    let is_command = line[..opening].ends_with("printf ");
    let n_marks_before: usize = MARKS.iter().map(|mark| line[opening..].matches(mark).count()).sum();
    reader.skip_while(MAX_FORMAT_BYTES, |byte| byte != quote && byte != b'\n');
    (reader.peek() == quote).then_some(())?;
    reader.at += 1;

    for _ in 0..n_marks_before {
        skip_argument(&mut reader, is_command);
    }
    skip_separator(&mut reader);
    if let Some(range) = read_literal(&mut reader) {
        return (!is_key(reader)).then_some(AssignedValue { range, form: ValueForm::Argument });
    }
    let range = is_command.then(|| read_bare(&mut reader)).flatten()?;
    Some(AssignedValue { range, form: ValueForm::Setting })
}

/// Moves over the marks between two arguments, or between the format string and the first argument.
fn skip_separator(reader: &mut Reader<'_>) {
    reader.skip_blanks(MAX_BLANKS);
    if ![",", "% (", "%(", "% ", ".format("].iter().any(|separator| reader.eat(separator)) {
        reader.skip_continuation(MAX_BLANKS);
        return;
    }
    reader.skip_space(MAX_BLANKS);
}

fn skip_argument(reader: &mut Reader<'_>, is_command: bool) {
    skip_separator(reader);
    if read_literal(reader).is_none() {
        let ends = |byte: u8| if is_command { byte.is_ascii_whitespace() } else { b",)\n".contains(&byte) };
        reader.skip_while(MAX_ARGUMENT_BYTES, |byte| !ends(byte));
    }
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn arguments_of_format_strings_are_masked() {
        for (line, is_masked) in [
            ("printf \"API_KEY=%s\" \"q8ZtLr2VxN4mWc7K\" >> .env", true),
            ("printf 'API_KEY=%s\\n' q8ZtLr2VxN4mWc7K >> .env", true),
            ("printf 'HOST=%s\\nAPI_KEY=%s\\n' db.internal q8ZtLr2VxN4mWc7K", true),
            ("fmt.Printf(\"host %s, token: %s\\n\", host, \"q8ZtLr2VxN4mWc7K\")", true),
            ("print(\"token=%s\" % \"q8ZtLr2VxN4mWc7K\")", true),
            ("println!(\"token={}\", \"q8ZtLr2VxN4mWc7K\");", true),
            ("printf \"API_KEY=%s\" \"$API_KEY\"", false),
            ("printf 'API_KEY=%s\\n' $API_KEY", false),
            ("printf(\"token=%s\", \"identifier\");", false),
            ("fmt.Printf(\"token: %s\\n\", generateTokenOfUser42x)", false),
            ("{\"token: %s\", \"q8ZtLr2VxN4mWc7K\": 1}", false),
            ("fmt.Printf(\"token: %s, id: %s\", t, \"q8ZtLr2VxN4mWc7K\")", false),
        ] {
            assert_eq!(mask_secrets(line).contains("[masked]"), is_masked, "{line}");
        }
    }
}
