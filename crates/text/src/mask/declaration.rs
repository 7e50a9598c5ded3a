//! Finds the initial value of a name where more than a mark stands between them: a type, a keyword, or the braces of a macro.

use super::assigned_values::{AssignedValue, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;

/// Maximum number of bytes of a type.
const MAX_TYPE_BYTES: usize = 64;

/// Maximum number of bytes of the value of a macro.
const MAX_MACRO_BYTES: usize = 512;

/// Ends of declarations before a value.
const KEYWORDS: [&str; 5] = ["value", "value is", "values", "default", "inz"];

/// Words between a name and `=` that are neither a type nor another name, as in `token value = "x"`.
const VALUE_WORDS: [&str; 7] = ["value", "key", "secret", "hex", "raw", "is", "default"];

/// Parts of the lower-case types of strings.
const STRING_TYPES: [&str; 10] = ["str", "text", "char", "byte", "any", "object", "var", "lob", "auto", "pic"];

/// Parts of the names of revisions and checksums, without digits at the end.
const REVISION_WORDS: [&str; 6] = ["revision", "rev", "commit", "sha", "digest", "checksum"];

/// Returns true if a value is an id of the name between a telling name and `=`: the digits of SHA-1, or those of SHA-256 behind the name
/// of a revision. Keys have 64 digits, too.
pub(super) fn is_id_of_other_name(between: &str, value: &str) -> bool {
    let is_id = match value.len() {
        40 => true,
        64 => is_revision_name(between.trim_matches([' ', '\t'])),
        _ => false,
    };
    is_id && value.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_other_name(between)
}

fn is_revision_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.split('_').any(|part| REVISION_WORDS.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// Returns true if the text between a name and `=` is one word that is another name: the value belongs to that, as in
/// `token revision = "x"`, where `token` is a type or a keyword.
fn is_other_name(between: &str) -> bool {
    let word = between.trim_matches([' ', '\t']);
    let lower = word.to_ascii_lowercase();
    let is_type = word.starts_with(|c: char| c.is_ascii_uppercase())
        || word.ends_with("_t")
        || STRING_TYPES.iter().any(|part| lower.contains(part));
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !is_type
        && !VALUE_WORDS.contains(&lower.as_str())
}

/// Finds the literal behind the type of a name, as in `NAME PIC X(32) VALUE "x"` and `NAME VARCHAR2(64) := 'x'`.
pub(super) fn find_initial_value(mut reader: Reader<'_>) -> Option<AssignedValue> {
    let start = reader.at;
    reader.skip_while(MAX_TYPE_BYTES, |byte| byte.is_ascii_alphanumeric() || b" \t_(),.*%".contains(&byte));
    let between = &reader.text[start..reader.at];
    let declared = between.trim_end_matches([' ', '\t', '(']).to_ascii_lowercase();
    let ends_with = |keyword: &&str| declared.strip_suffix(*keyword).is_some_and(|before| before.ends_with([' ', ')']));
    let is_initialised = match reader.peek() {
        // An assignment of Fortran, as in `DATA name /'x'/`.
        b'/' => declared.is_empty() && reader.eat("/"),
        b':' if declared.ends_with(" put") => reader.eat(":"),
        b':' | b'=' => reader.eat(":=") || reader.eat("="),
        _ => KEYWORDS.iter().any(ends_with),
    };
    reader.skip_blanks(8);
    let range = is_initialised.then(|| read_literal(&mut reader)).flatten()?;
    let is_of_other_name = is_id_of_other_name(between, &reader.text[range.clone()]);
    (!is_of_other_name).then_some(AssignedValue { range, form: ValueForm::Item })
}

/// Finds the braces behind the name of a macro, as in `\newcommand{\name}{x}`.
pub(super) fn find_in_macro(mut reader: Reader<'_>, name_start: usize) -> Option<AssignedValue> {
    if Reader::new(reader.text, name_start).before() != b'\\' {
        return None;
    }
    reader.eat("}");
    let has_brace = reader.eat("{");
    let start = reader.at;
    reader.skip_while(MAX_MACRO_BYTES, |byte| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}'));
    let range = start..reader.at;
    (has_brace && reader.peek() == b'}').then_some(AssignedValue { range, form: ValueForm::Sentence })
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    const ID: &str = "9c1f0a7be4d25386b1e07fd2c48a6395e0d7b412";

    #[test]
    fn a_long_id_belongs_to_the_name_of_a_revision() {
        let key = format!("{ID}5d0c7e1f92ab34687f0e9dc2");
        for (name, is_masked) in [
            ("revision", false),
            ("rev", false),
            ("commit", false),
            ("image_digest", false),
            ("sha256", false),
            ("file_sha_256", false),
            ("checksum", false),
            // Any other name may be that of an environment.
            ("prod", true),
            ("zz", true),
            ("preview", true),
            ("shared", true),
        ] {
            let masks = |line: &str| mask_secrets(line).contains("[masked]");
            assert_eq!(masks(&format!("secret {name} = \"{key}\"")), is_masked, "{name}");
            // A key of another length is no id.
            assert!(masks(&format!("secret {name} = \"{key}9c1f0a7b\"")), "{name}");
        }
    }

    #[test]
    fn a_commit_id_belongs_to_the_name_before_it() {
        for (line, is_masked) in [
            ("token zz = \"ID\"", false),
            ("token zz := \"ID\"", false),
            ("auth revision = 'ID'", false),
            ("secret commit = \"ID\"", false),
            ("password zz = `ID`", false),
            ("token = \"ID\"", true),
            ("var token string = \"ID\"", true),
            ("const token Secret = \"ID\"", true),
            ("token value = \"ID\"", true),
            ("zz token = \"ID\"", true),
            ("token VARCHAR2(64) := 'ID'", true),
            ("Dim token As String = \"ID\"", true),
            ("token: str = \"ID\"", true),
            ("TOKEN=ID", true),
            // Another value than an id is a secret, whatever is between.
            ("token zz = \"q8ZtLr2VxN4mWc7K\"", true),
        ] {
            let line = line.replace("ID", ID);
            assert_eq!(mask_secrets(&line).contains("[masked]"), is_masked, "{line}");
        }
    }
}
