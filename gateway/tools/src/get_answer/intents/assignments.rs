//! Lines that give a name a value, in the notations of languages.

/// Returns the assigned name and the value of a line in lower case.
pub(super) fn assigned(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let is_comment = ["//", "#", "*", "/*", "--"].iter().any(|mark| line.starts_with(mark));
    let at = line.find([':', '=']).filter(|_| !is_comment)?;
    let value = line[at..].trim_start_matches([':', '=', ' ']);
    let is_comparison = line[at..].starts_with("==") || line[..at].ends_with(['!', '<', '>']);
    // An update such as `n += 1` gives no first value.
    let is_update = line[..at].ends_with(['+', '-', '*', '/', '%', '|', '&', '^']);
    let is_statement = ["if ", "return ", "elif ", "while ", "for ", "assert", "def ", "func ", "import ", "from "]
        .iter()
        .any(|start| line.starts_with(start));
    (!value.is_empty() && !is_comparison && !is_update && !is_statement).then_some((&line[..at], value))
}

/// Returns a score of a line: the name stands for the words, the value is a literal.
pub(super) fn score(line: &str, words: &[String], asks_default: bool) -> i32 {
    let lower = line.to_lowercase();
    let Some((name, value)) = assigned(&lower) else { return 0 };
    let is_literal = value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'))
        || ["true", "false", "none", "null", "nil"].iter().any(|literal| value.starts_with(literal));
    let has_digit = value.chars().any(|c| c.is_ascii_digit());
    let is_constant = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| {
        word.len() > 3 && word.contains('_') && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
    }) || line.trim_start().starts_with("const ")
        || line.trim_start().starts_with("default");
    let named = words.iter().all(|word| name.contains(word.as_str()));
    let is_default = asks_default && lower.contains("default");
    2 * i32::from(named)
        + 2 * i32::from(is_constant)
        + i32::from(is_literal)
        + i32::from(has_digit)
        + 2 * i32::from(is_default)
}

/// Returns true for a value that begins with a number, a sign or a quotation mark.
pub(super) fn is_literal(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'))
}

/// Returns true for a value that says something by itself: a literal, a constant, or a call with a number.
pub(super) fn is_given(value: &str) -> bool {
    let is_text = value.starts_with(['"', '\'', '`', '[', '{']);
    let is_word = ["true", "false", "none", "null", "nil"].iter().any(|word| value.to_lowercase().starts_with(word));
    let name = value.trim_end_matches([',', ';', ')', ' ']).rsplit('.').next().unwrap_or(value);
    let is_constant = name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_text || is_word || is_constant || value.chars().any(|c| c.is_ascii_digit())
}

/// Returns true for a value that is a number, a term of numbers, one with a unit or a constant, one behind another value, or none:
/// `5 * time.Second`, `1 << MAX_BITS`, `options.size || 4`, `nil`.
pub(super) fn is_number(value: &str) -> bool {
    const CALLS: [&str; 10] =
        ["pow", "time", "from_secs", "from_millis", "of", "ofSeconds", "ofMillis", "toMillis", "timedelta", "seconds"];
    let words = value.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let is_part =
        |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase()) || CALLS.contains(&word);
    let is_text = value.starts_with(['"', '\'', '`', '{', '[']);
    let mut has_digit = false;
    let is_fallback = ["||", "??", " or "].iter().any(|mark| value.contains(mark));
    let is_nothing = matches!(
        value.trim_end_matches([',', ';']).to_lowercase().as_str(),
        "none" | "null" | "nil" | "undefined" | "infinity"
    );
    if is_nothing || (is_fallback && value.contains(|c: char| c.is_ascii_digit())) {
        return true;
    }
    !is_text
        && words.inspect(|word| has_digit |= word.starts_with(|c: char| c.is_ascii_digit())).all(is_part)
        && has_digit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_other_values() {
        for (value, expected) in [
            ("30,", true),
            ("1024 * (80 + 32)", true),
            ("5 * time.Second", true),
            ("pow(2, 29)", true),
            ("nil,", true),
            ("options.size || 4;", true),
            ("request.split(\",\", 2)", false),
            ("\"4\"", false),
            ("compute()", false),
            ("MAX_SIZE", false),
        ] {
            assert_eq!(is_number(value), expected, "{value}");
        }
    }

    #[test]
    fn assignments_are_read() {
        for (line, expected) in [
            ("    \"MAX_SIZE\": 500_000,", Some(("\"max_size\"", "500_000,"))),
            ("LIMIT = 20", Some(("limit ", "20"))),
            ("# LIMIT = 20", None),
            ("if limit == 20:", None),
            ("return limit", None),
        ] {
            assert_eq!(assigned(&line.to_lowercase()), expected, "{line}");
        }
        for (value, expected) in
            [("5,", true), ("'info',", true), ("DEFAULT_SIZE;", true), ("Integer(val)", false), ("size", false)]
        {
            assert_eq!(is_given(value), expected, "{value}");
        }
    }
}
