//! Finds the default behind the operators of shells and of Perl: `${NAME-x}`, `$ENV{NAME} // "x"` and `$name //= "x"`; and the value
//! below an explicit key of YAML.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::bare_value::read_line;
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Maximum number of bytes of a value without quotes.
const MAX_VALUE_BYTES: usize = 512;

/// Returns the value behind an operator that few languages have.
pub(super) fn find_default(text: &str, name: &TellingName) -> Option<AssignedValue> {
    find_parameter(text, name).or_else(|| find_defined_or(text, name)).or_else(|| find_below_key(text, name))
}

/// Finds the value of `${NAME-x}`.
fn find_parameter(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let mut reader = Reader::new(text, name.range.end);
    (text[..name.range.start].ends_with("${") && reader.eat("-")).then_some(())?;
    if let Some(range) = read_literal(&mut reader) {
        return Some(AssignedValue { range, form: ValueForm::Argument });
    }
    let start = reader.at;
    reader.skip_while(MAX_VALUE_BYTES, |byte| byte.is_ascii_graphic() && !b"\"'`${}".contains(&byte));
    (reader.peek() == b'}').then_some(())?;
    let range = start..reader.at;
    // A name in small letters may be that of a property of several words, such as `${password-reset-interval}`.
    let is_variable = !text[name.range.clone()].bytes().any(|byte| byte.is_ascii_lowercase());
    // `${auth-token:-x}`: the name goes on to the colon, and other rules find what follows.
    let rest = text[range.clone()].split(':').next().unwrap_or_default();
    let is_property = !is_variable && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let form = if is_variable { ValueForm::Setting } else { ValueForm::Inline };
    (!is_property).then_some(AssignedValue { range, form })
}

/// Finds the value of `$ENV{NAME} // "x"` and `$name //= "x"`. In other languages, a comment follows.
fn find_defined_or(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let is_variable = text[name.range.clone()].starts_with('$')
        || Reader::new(text, name.range.start).text_before(8).trim_end_matches(['"', '\'']).ends_with("ENV{");
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_while(2, |byte| b"\"'}".contains(&byte));
    reader.skip_blanks(MAX_BLANKS);
    (is_variable && (reader.eat("//=") || reader.eat("//"))).then_some(())?;
    reader.skip_space(MAX_BLANKS);
    let range = read_literal(&mut reader)?;
    Some(AssignedValue { range, form: ValueForm::Item })
}

/// Finds the value below `? NAME`.
fn find_below_key(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let before = Reader::new(text, name.range.start).text_before(32).trim_end_matches(['"', '\'']);
    let marks = before.rsplit('\n').next()?.trim();
    let mut reader = Reader::new(text, name.range.end);
    reader.skip_while(1, |byte| matches!(byte, b'"' | b'\''));
    reader.skip_blanks(MAX_BLANKS);
    let is_key = marks == "?" && (reader.eat("\n") || reader.eat("\r\n"));
    reader.skip_blanks(MAX_BLANKS);
    (is_key && reader.eat(": ")).then_some(())?;
    let literal = read_literal(&mut { reader });
    let form = if literal.is_some() { ValueForm::Literal } else { ValueForm::Line };
    Some(AssignedValue { range: literal.or_else(|| read_line(&mut reader))?, form })
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn defaults_of_few_languages_are_masked() {
        for line in [
            "curl -H \"key: ${API_KEY-SECRET}\"",
            "key=${API_KEY-'SECRET'}",
            "key=${api_key-SECRET}",
            "key=${auth-token:-SECRET}",
            "my $k = $ENV{API_KEY} // 'SECRET';",
            "my $k = $ENV{'API_KEY'} // \"SECRET\";",
            "$api_key //= 'SECRET';",
            "? API_KEY\n: SECRET\n",
            "a:\n  ? \"API_KEY\"\n  : \"SECRET\"\n",
        ] {
            let masked = mask_secrets(&line.replace("SECRET", "q8ZtLr2VxN4mWc7K")).into_owned();
            assert_eq!(masked, line.replace("SECRET", "[masked]"));
        }
    }

    #[test]
    fn other_text_behind_these_operators_is_kept() {
        for line in [
            "key=${API_KEY-}",
            "key=${API_KEY-$OTHER_KEY}",
            "key=${API_KEY-disabled}",
            "url=${access-token-endpoint}",
            "a=${password-reset-token-lifetime}",
            "a=${password-reset-mail-link-lifetime}",
            "a=${password-expiration-warning-threshold}",
            "a=${app.password-hash-iterations-2048}",
            "let token = next(); // \"q8ZtLr2VxN4mWc7K\"",
            "$region //= 'q8ZtLr2VxN4mWc7K';",
            "? region\n: q8ZtLr2VxN4mWc7K\n",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
