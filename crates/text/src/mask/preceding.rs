//! Finds the value that stands before its name, as in `{value: x, name: API_KEY}`, `"x" == password` and
//! `echo x | login --password-stdin`.

use std::ops::Range;

use super::assigned_values::{AssignedValue, ValueForm};
use super::bare_value::read_bare;
use super::companion::{VALUE_KEYS, read_key};
use super::comparison::{compared_form, is_matcher};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes before a name that are examined.
const MAX_BYTES: usize = 300;

/// Keys of names that may follow the key of the value.
const NAME_KEYS: [&str; 8] = ["name", "key", "id", "parameterkey", "forkey", "forhttpheaderfield", "forname", "envvar"];

/// Links of a literal and the name behind it.
const LINKS: [&str; 10] =
    ["->", " as the", " as a", " as", " to the", " to", " into the", " into", " 2constant", "<$>"];

/// Operators and methods that compare a literal with the name behind it. One comes before its ends.
const COMPARISONS: [&str; 12] =
    ["===", "!==", "==", "!=", "<>", " eq", " ne", " -eq", " -ne", ".equals(", ".equalsignorecase(", ".eql?("];

/// Last words of commands that store the text that another command writes, before the name of a secret.
const STORING_WORDS: [&str; 5] = ["put", "set", "add", "create", "update"];

/// Returns the value that stands before a name.
pub(super) fn find_preceding(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let name_reader = Reader::new(text, name.range.start);
    let written = &text[name.range.clone()];
    let before = name_reader.text_before(MAX_BYTES);
    if written.starts_with("--") {
        let reads_input = written.ends_with("-stdin") || written.starts_with("--with-");
        let piped = reads_input.then(|| find_piped(name_reader)).flatten();
        return piped.or_else(|| find_in_option(name_reader, before));
    }
    let unquoted = before.trim_end_matches(['"', '\'', ' ', '\\', '`', '$', '@']);
    let in_pair = unquoted.strip_suffix([':', '=']).and_then(|key| find_in_pair(name_reader, before, key));
    let linked = || find_linked(name_reader, before, before.trim_end_matches('`'));
    let compared = || {
        let value = linked().or_else(|| find_before_lookup(name_reader, before))?;
        let is_literal = value.form == ValueForm::Literal;
        Some(if is_literal {
            AssignedValue { form: compared_form(written, name.is_ambiguous), ..value }
        } else {
            value
        })
    };
    in_pair
        .or_else(compared)
        .or_else(|| find_operand(name_reader, before))
        .or_else(|| is_stored(before).then(|| find_piped(name_reader)).flatten())
        .or_else(|| find_redirected(name_reader))
}

/// Finds the value of the key `value` in the braces, the tag, the list item or the arguments of the name.
fn find_in_pair(name: Reader<'_>, before: &str, before_link: &str) -> Option<AssignedValue> {
    let before_key = before_link.trim_end_matches(['"', '\'', ' ', '\\']);
    let key = before_key.rsplit(|c: char| !c.is_ascii_alphanumeric()).next()?;
    if !NAME_KEYS.iter().any(|name_key| key.eq_ignore_ascii_case(name_key)) {
        return None;
    }
    if key.len() > 3 && key.to_ascii_lowercase().starts_with("for") {
        // A message of Objective-C, as in `setObject:@"x" forKey:@"name"`.
        let argument = before_key[..before_key.len() - key.len()].trim_end();
        if let Some(content) = last_literal(argument) {
            let start = name.at - before.len();
            return Some(AssignedValue {
                range: start + content.start..start + content.end,
                form: ValueForm::Argument,
            });
        }
    }
    // The last ones are of SQL, as in `UPDATE settings SET value = 'x' WHERE name = 'name'`.
    let openings = ["{", "<", "(", "- ", "SET ", "set "];
    let (opening, mark) = openings.iter().filter_map(|mark| Some((before_key.rfind(mark)?, *mark))).max()?;
    let mut reader = Reader::new(name.text, name.at - before.len() + opening + mark.len());
    if mark == "<" {
        reader.skip_while(60, |byte| byte.is_ascii_graphic());
    }
    if mark == "("
        && let Some(range) = read_literal(&mut reader)
    {
        return (range.end <= name.at).then_some(AssignedValue { range, form: ValueForm::Argument });
    }
    let key = read_key(&mut reader)?;
    let is_sql = mark.eq_ignore_ascii_case("set ") && before_key.to_ascii_lowercase().contains("where ");
    if !is_sql && !VALUE_KEYS.iter().any(|value_key| key.eq_ignore_ascii_case(value_key)) {
        return None;
    }
    let (range, form) = match read_literal(&mut reader) {
        Some(range) => (range, ValueForm::Literal),
        None => (read_bare(&mut reader)?, ValueForm::Inline),
    };
    (range.end <= name.at).then_some(AssignedValue { range, form })
}

/// Finds the literal of `"x" -> name`, ``Use `x` as the name``, `MOVE "x" TO name`, `s" x" 2constant name`,
/// `default "x" .name` and `"x" == name`. `before_name` is the beginning of `before` that ends with the link.
fn find_linked(name: Reader<'_>, before: &str, before_name: &str) -> Option<AssignedValue> {
    let trimmed = before_name.trim_end();
    let without_link = |link: &&str| {
        let at = trimmed.len().checked_sub(link.len())?;
        trimmed.get(at..).filter(|end| end.eq_ignore_ascii_case(link))?;
        trimmed.get(..at)
    };
    let compared = COMPARISONS.iter().find_map(without_link);
    let unlinked = compared.or_else(|| LINKS.iter().find_map(without_link));
    let form = if compared.is_some() { ValueForm::Literal } else { ValueForm::Item };
    let content = last_literal(unlinked.unwrap_or(trimmed))?;
    let is_default = || trimmed[..content.start - 1].trim_end().ends_with("default");
    let is_linked = unlinked.is_some() || is_default();
    let start = name.at - before.len();
    is_linked.then_some(AssignedValue { range: start + content.start..start + content.end, form })
}

/// Returns the range of the content of the literal that ends a text.
fn last_literal(text: &str) -> Option<Range<usize>> {
    let literal = text.trim_end();
    let quote = literal.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let content = &literal[..literal.len() - 1];
    let opening = content.rfind(quote)?;
    Some(opening + 1..content.len())
}

/// Finds the literal before an expression that reads the name, as in `"x" == headers["name"]` and
/// `"x" if is_test else environ["name"]`.
fn find_before_lookup(name: Reader<'_>, before: &str) -> Option<AssignedValue> {
    let opened = before.trim_end_matches(['"', '\'', '[', '(', '!', ' ']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | ':');
    let before_lookup = opened.trim_end_matches(is_part);
    if opened.len() == before.len() || before_lookup.len() == opened.len() {
        return None;
    }
    let condition = || {
        let line_start = before_lookup.rfind('\n').map_or(0, |feed| feed + 1);
        let before_else = before_lookup[line_start..].trim_end().strip_suffix(" else")?;
        let content = last_literal(before_lookup.get(..line_start + before_else.rfind(" if ")?)?)?;
        let start = name.at - before.len();
        Some(AssignedValue { range: start + content.start..start + content.end, form: ValueForm::Item })
    };
    find_linked(name, before, before_lookup).or_else(condition)
}

/// Finds the first operand of a function that compares it with the name, as in `strcmp("x", name)`.
fn find_operand(name: Reader<'_>, before: &str) -> Option<AssignedValue> {
    let operands = before_expression(before).trim_end().strip_suffix(',')?;
    // A conversion of the first operand, as in `[]byte("x")`.
    let operands = operands.trim_end().trim_end_matches(')');
    let content = last_literal(operands)?;
    let call = without_conversion(&operands[..content.start - 1]).strip_suffix('(')?.trim_end_matches('!');
    let function = call.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let start = name.at - before.len();
    let range = start + content.start..start + content.end;
    is_matcher(function).then_some(AssignedValue { range, form: ValueForm::Item })
}

/// Returns the text before the expression that a name is the end of, as in `request.headers["name"]`, `getenv("name")` and
/// `[]byte(name)`.
fn before_expression(before: &str) -> &str {
    let is_part =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | ':' | '[' | ']' | '(' | '&' | '-' | '>');
    let unquoted = before.trim_end_matches(['"', '\'', ' ']);
    match unquoted.ends_with(['(', '[', '.', '>']) {
        true => unquoted.trim_end_matches(is_part),
        false => before,
    }
}

/// Returns the text before the prefix or the conversion of a literal.
fn without_conversion(before_literal: &str) -> &str {
    const CONVERSIONS: [&str; 8] = ["[]byte(", "b", "Buffer.from(", "new String(", "String(", "bytes(", "@", "L"];
    let trimmed = before_literal.trim_end();
    let unconverted = CONVERSIONS.iter().filter_map(|conversion| trimmed.strip_suffix(*conversion));
    let mut before_call = unconverted.map(str::trim_end).filter(|before| before.ends_with('('));
    before_call.next().unwrap_or(trimmed)
}

/// Finds the default of an option whose flag is the name, as in `Option("x", "--name")`.
fn find_in_option(name: Reader<'_>, before: &str) -> Option<AssignedValue> {
    let opening = before.rfind('(')?;
    let mut reader = Reader::new(name.text, name.at - before.len() + opening + 1);
    let is_option = before[..opening].ends_with("Option") || before[..opening].ends_with("option");
    reader.skip_space(32);
    let range = is_option.then(|| read_literal(&mut reader)).flatten()?;
    (range.end < name.at && reader.peek() == b',').then_some(AssignedValue { range, form: ValueForm::Argument })
}

/// Returns true if the text before a name ends with a command that stores its input, as in `gh secret set NAME`.
fn is_stored(before: &str) -> bool {
    let command = before.trim_end_matches(['"', '\'']);
    command.ends_with(' ') && command.split_whitespace().next_back().is_some_and(|word| STORING_WORDS.contains(&word))
}

/// Finds the text that a command writes to the one of the name, as in `echo x | login --password-stdin`.
fn find_piped(name: Reader<'_>) -> Option<AssignedValue> {
    let before = name.text_before(MAX_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let range = last_word_written(&line[..line.rfind(" | ")?])?;
    let start = name.at - line.len();
    let range = unquoted(name.text, start + range.start..start + range.end);
    Some(AssignedValue { range, form: ValueForm::Setting })
}

/// Finds the text that a command writes to the file with the name, as in `echo x > /run/secrets/name`.
fn find_redirected(name: Reader<'_>) -> Option<AssignedValue> {
    let before = name.text_before(MAX_BYTES);
    let line = &before[before.rfind('\n').map_or(0, |feed| feed + 1)..];
    let command = line.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "/._-~${}\"'".contains(c)).trim_end();
    let written = command.strip_suffix('>').map(|command| command.trim_end_matches('>').trim_end());
    let written = written.or_else(|| command.trim_end().strip_suffix("| tee"))?;
    let range = last_word_written(written.trim_end())?;
    let start = name.at - line.len();
    let range = unquoted(name.text, start + range.start..start + range.end);
    Some(AssignedValue { range, form: ValueForm::Setting })
}

/// Returns the range of the last word that the last `echo` of a line writes. Filters such as `| base64` may follow.
fn last_word_written(line: &str) -> Option<Range<usize>> {
    let start = ["echo ", "printf "].iter().filter_map(|writer| Some(line.rfind(writer)? + writer.len())).max()?;
    let written = line[start..].split(" | ").next()?.trim_end();
    let word = written.rsplit(' ').next()?;
    let end = start + written.len();
    Some(end - word.len()..end)
}

fn unquoted(text: &str, range: Range<usize>) -> Range<usize> {
    let word = &text[range.clone()];
    let n_before = word.len() - word.trim_start_matches(['"', '\'']).len();
    let n_after = word.len() - word.trim_end_matches(['"', '\'']).len();
    range.start + n_before..(range.end - n_after).max(range.start + n_before)
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn values_before_their_names_are_masked() {
        for line in [
            "[defaults setObject:@\"SECRET\" forKey:@\"password\"];",
            "UPDATE settings SET value = 'SECRET' WHERE name = 'api_key';",
            "UPDATE config SET val='SECRET' WHERE key = 'api_key' AND env = 'prod';",
            "Use `SECRET` as the `api_key`.",
            "echo SECRET | base64 | gh secret set API_KEY",
            "echo -n \"SECRET\" | docker secret create api_key -",
            "echo SECRET > /run/secrets/api_key",
            "printf '%s' 'SECRET' >> ./config/api_key",
            "echo SECRET | tee /run/secrets/api_key",
            "if hmac.compare_digest(\"SECRET\", request.headers[\"X-Token\"]):",
            "if (strcmp(\"SECRET\", getenv(\"API_KEY\")) == 0) {",
            "subtle.ConstantTimeCompare([]byte(\"SECRET\"), []byte(token))",
            "if hmac.compare_digest(b\"SECRET\", token):",
            "if (strcmp(\"SECRET\", config->password) == 0) {",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7K")).into_owned();
            assert_eq!(masked, line.replace("SECRET", "[masked]"));
        }
    }

    #[test]
    fn other_text_before_a_name_is_kept() {
        for line in [
            "[defaults setObject:@\"identifier\" forKey:@\"token\"];",
            "[defaults setObject:@\"q8ZtLr2VxN4mWc7K\" forKey:@\"region\"];",
            "UPDATE settings SET value = 'disabled' WHERE name = 'api_key';",
            "echo $API_KEY > /run/secrets/api_key",
            "echo done > /run/secrets/api_key",
            "make q8ZtLr2VxN4mWc7K > token.log",
            "echo q8ZtLr2VxN4mWc7K > build.log; cat token",
            "print(\"q8ZtLr2VxN4mWc7K\", request.headers[\"X-Token\"])",
            "assertEqual(\"identifier\", token.kind)",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
