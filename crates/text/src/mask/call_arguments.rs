//! Finds the value among the arguments of a call that has the name, if other arguments stand between them: options of command
//! lines such as `StringP("name", "", "x", "help")`, and functions that fill a buffer.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes from the parenthesis of a call to the name.
const MAX_BYTES: usize = 100;

/// Maximum number of bytes of the arguments behind a name, without literals.
const MAX_CODE_BYTES: usize = 160;

/// Maximum number of literals behind a name.
const MAX_LITERALS: usize = 8;

/// Minimum length of a value. Shorter literals are names of one letter, units and formats.
const MIN_VALUE_BYTES: usize = 8;

/// Parts of the names of functions that define an option, with its name, its help and its default.
const OPTIONS: [&str; 6] = ["option", "stringp", "stringvarp", "stringvar", "argument", "flag"];

/// Ends of the names of functions that fill the buffer that is their first argument.
const FILLERS: [&str; 3] = ["sprintf", "snprintf", "printf_s"];

/// Conversions of a literal.
const CONVERSIONS: [&str; 5] = [".into()", ".to_string()", ".to_owned()", ".as_str()", ".freeze"];

/// Returns the value among the arguments behind a name.
pub(super) fn find_in_call(text: &str, name: &TellingName) -> Option<AssignedValue> {
    find_behind_key(text, name).or_else(|| find_in_arguments(text, name))
}

/// Returns the literal behind a key that is converted, as in `insert("name".into(), "x".into())`.
fn find_behind_key(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let mut reader = Reader::new(text, name.range.end);
    let is_closed = reader.skip_while(1, |byte| matches!(byte, b'"' | b'\'')) > 0;
    let is_converted = is_closed && CONVERSIONS.iter().any(|conversion| reader.eat(conversion)) && reader.eat(",");
    is_converted.then_some(())?;
    reader.skip_space(MAX_BLANKS);
    let range = read_literal(&mut reader)?;
    Some(AssignedValue { range, form: ValueForm::Argument })
}

fn find_in_arguments(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(MAX_BYTES);
    let opening = before.rfind('(')?;
    let function = before[..opening].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let function = function.to_ascii_lowercase();
    let first = &before[opening + 1..];
    let mut reader = Reader::new(text, name.range.end);
    if OPTIONS.iter().any(|option| function.contains(option)) {
        // The name is in a literal, perhaps beside others, as in `"-p, --name <value>"`.
        let quote = first.bytes().rev().find(|byte| matches!(byte, b'"' | b'\''))?;
        reader.skip_while(40, |byte| byte != quote && byte != b'\n');
        (reader.peek() == quote).then_some(())?;
        reader.at += 1;
    } else if !FILLERS.iter().any(|filler| function.ends_with(*filler)) || first.contains(['"', '\'', ',']) {
        return None;
    }
    let range = std::iter::from_fn(|| next_literal(&mut reader))
        .take(MAX_LITERALS)
        .find(|range| range.len() >= MIN_VALUE_BYTES && is_value(&text[range.clone()]))?;
    Some(AssignedValue { range, form: ValueForm::Item })
}

/// Returns true for neither a sentence, nor a format, nor a flag.
fn is_value(literal: &str) -> bool {
    !literal.contains(' ') && !literal.starts_with(['%', '-'])
}

/// Returns the next literal of the arguments at the reader; `None` at the end of the call.
fn next_literal(reader: &mut Reader<'_>) -> Option<std::ops::Range<usize>> {
    let mut n_open = 0_usize;
    for _ in 0..MAX_CODE_BYTES {
        if let Some(range) = read_literal(reader) {
            return Some(range);
        }
        match reader.peek() {
            b'(' | b'[' | b'{' => n_open += 1,
            b')' | b']' | b'}' if n_open > 0 => n_open -= 1,
            b')' | b';' | 0 => return None,
            _ => {}
        }
        reader.at += reader.rest().chars().next().map_or(1, char::len_utf8);
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn values_among_arguments_are_masked() {
        for line in [
            "flags.StringP(\"api-key\", \"\", \"SECRET\", \"the key of the service\")",
            "pflag.StringVarP(&key, \"api-key\", \"k\", \"SECRET\", \"the key\")",
            "program.option(\"-k, --api-key <value>\", \"the key of the service\", \"SECRET\");",
            "program.requiredOption('--api-key <value>', 'the key', 'SECRET');",
            "$this->addOption('api-key', null, 1, 'the key', 'SECRET');",
            "parser.addOption('api-key', help: 'the key', defaultsTo: 'SECRET');",
            "[Option('k', \"api-key\", Default = \"SECRET\")]",
            "map.insert(\"API_KEY\".into(), \"SECRET\".into());",
            "map.insert(\"API_KEY\".to_string(), \"SECRET\".to_string());",
            "snprintf(password, sizeof password, \"%s\", \"SECRET\");",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7K")).into_owned();
            assert_eq!(masked, line.replace("SECRET", "[masked]"));
        }
    }

    #[test]
    fn other_arguments_are_kept() {
        for line in [
            "flags.StringP(\"api-key\", \"k\", \"\", \"the key of the service\")",
            "program.option('--token-kind <kind>', 'one of', 'identifier');",
            "flags.StringP(\"region\", \"\", \"q8ZtLr2VxN4mWc7K\", \"where the token is used\")",
            "snprintf(password, sizeof password, \"%s-%d\", prefix, 3);",
            "map.insert(\"API_KEY\".into(), lookup(\"q8ZtLr2VxN4mWc7K\"));",
            "flags.StringP(\"api-key\", \"\", \"\", \"the key\"); log(\"q8ZtLr2VxN4mWc7K\")",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
