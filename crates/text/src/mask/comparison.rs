//! Finds the literal that a name is compared with, as in `if password == "x":`, `$name eq 'x'` and `expect(name).toBe("x")`.

use super::assigned_values::{AssignedValue, MAX_BLANKS, ValueForm};
use super::literal::read_literal;
use super::reader::Reader;
use super::telling_names::TellingName;

/// Operators of comparisons. An operator comes before its prefixes.
const OPERATORS: [&str; 5] = ["===", "!==", "==", "!=", "<>"];

/// Operators that are words, which follow a blank.
const WORD_OPERATORS: [&str; 8] = ["eq ", "ne ", "-eq ", "-ne ", "-ceq ", "-cne ", "-ieq ", "-ine "];

/// Parts of the names of functions and methods that compare.
const MATCHERS: [&str; 7] = ["equal", "eql", "tobe", "same", "compare", "strcmp", "memcmp"];

/// The name of such a function, or a word of it.
const MATCHER_WORD: &str = "eq";

/// Maximum number of members from a name to the method that compares it.
const MAX_MEMBERS: usize = 3;

/// Words before `pass` that name a pass of a renderer or of a compiler, whose value is a word.
const PASSES: [&str; 11] =
    ["valid", "state", "render", "shadow", "geometry", "light", "lighting", "depth", "blur", "first", "second"];

/// Words before a member whose value is a message about a password.
const MESSAGES: [&str; 13] = [
    "error",
    "errors",
    "validity",
    "validation",
    "status",
    "message",
    "messages",
    "warning",
    "warnings",
    "valid",
    "touched",
    "hints",
    "hint",
];

/// Returns the form of a literal that is compared with a name. A chosen password may be a word, where nothing else may stand there.
pub(super) fn compared_form(written: &str, is_ambiguous: bool) -> ValueForm {
    let (owner, member) = written.rsplit_once('.').unwrap_or(("", written));
    let words = words_of(member);
    let is_pass = matches!(words.as_slice(), [before @ .., last]
        if last == "pass" && before.iter().any(|word| PASSES.contains(&word.as_str())));
    let is_message = words_of(owner).iter().any(|word| MESSAGES.contains(&word.as_str()));
    if is_ambiguous || is_pass || is_message { ValueForm::Item } else { ValueForm::Literal }
}

/// Returns the words of an identifier in small letters: those between other characters, and those that begin with a capital.
fn words_of(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in identifier.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && was_small) {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            words.last_mut().expect("there is a word").push(c.to_ascii_lowercase());
        }
        was_small = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the literal that follows a name and an operator, or a method that compares.
pub(super) fn find_compared(text: &str, name: &TellingName) -> Option<AssignedValue> {
    let mut method = Reader::new(text, name.range.end);
    method.eat("()");
    method.skip_while(6, |byte| b"\\\"'`])}".contains(&byte));
    let mut operand = method;
    let has_blank = operand.skip_blanks(MAX_BLANKS) > 0;
    let has_operator = OPERATORS.iter().any(|operator| operand.eat(operator))
        || (has_blank && WORD_OPERATORS.iter().any(|operator| operand.eat(operator)));
    let form = if has_operator {
        compared_form(&text[name.range.clone()], name.is_ambiguous)
    } else if eat_query_method(&mut method, &text[name.range.clone()]) || eat_matcher(&mut method) {
        operand = method;
        ValueForm::Item
    } else {
        return None;
    };
    operand.skip_blanks(MAX_BLANKS);
    let range = read_literal(&mut operand)?;
    Some(AssignedValue { range, form })
}

/// Returns true if the name of a function or a method contains one of the words for comparisons.
pub(super) fn is_matcher(function: &str) -> bool {
    let lower = function.to_ascii_lowercase();
    MATCHERS.iter().any(|matcher| lower.contains(matcher)) || lower.split([' ', '_']).any(|word| word == MATCHER_WORD)
}

/// Moves over the end of `name.eql?(`, whose beginning is a part of the name.
fn eat_query_method(reader: &mut Reader<'_>, written: &str) -> bool {
    let is_method = written.rsplit_once('.').is_some_and(|(_, method)| is_matcher(method));
    is_method && (reader.eat("?(") || reader.eat("? "))
}

/// Moves over the members up to a method that compares, as in `.toBe(`, `.not.toEqual(` and `.to eq(`.
fn eat_matcher(reader: &mut Reader<'_>) -> bool {
    for _ in 0..MAX_MEMBERS {
        if !reader.eat(".") {
            return false;
        }
        let start = reader.at;
        reader.skip_while(40, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?' | b' '));
        let member = &reader.text[start..reader.at];
        let has_argument = member.ends_with(' ') || reader.eat("(");
        if is_matcher(member) {
            return has_argument;
        }
        if has_argument && !reader.eat(")") {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::mask_secrets;

    #[test]
    fn literals_of_comparisons_are_masked() {
        for line in [
            "if password == \"q8ZtLr2VxN4mWc7K\":",
            "if password == 'butterfly':",
            "assert api_key != \"q8ZtLr2VxN4mWc7K\", 'x'",
            "[ \"${API_KEY}\" != 'q8ZtLr2VxN4mWc7K' ] && exit 1",
            "if ($token eq \"q8ZtLr2VxN4mWc7K\") {",
            "if ($env:TOKEN -eq 'q8ZtLr2VxN4mWc7K') {",
            "if secret.eql?(\"q8ZtLr2VxN4mWc7K\")",
            "expect(token).not.toBe(\"q8ZtLr2VxN4mWc7K\");",
            "expect(token).to eq('q8ZtLr2VxN4mWc7K')",
            "assertThat(config.getToken()).isEqualTo(\"q8ZtLr2VxN4mWc7K\");",
            "if (\"q8ZtLr2VxN4mWc7K\" === req.headers[\"x-api-key\"]) {",
            "if ('q8ZtLr2VxN4mWc7K' == password) {",
            "if ('butterfly' == password) {",
            "if valid_password == \"butterfly22\":",
            "if flight_password == 'butterfly22':",
            "if (estatePassword === \"butterfly22\") {",
            "if light.password == 'butterfly22':",
            "if (this.state.password === 'butterfly22') {",
            "if first_password == 'butterfly22':",
            "if (status_password == \"butterfly22\") {",
            "if \"q8ZtLr2VxN4mWc7K\" != token:",
            "if (\"q8ZtLr2VxN4mWc7K\" eq $secret) {",
            "if (\"q8ZtLr2VxN4mWc7K\".equals(secretKey)) {",
            "if (hash_equals('q8ZtLr2VxN4mWc7K', $token)) {",
            "if (strcmp(\"q8ZtLr2VxN4mWc7K\", password) == 0) {",
        ] {
            assert!(mask_secrets(line).contains("[masked]"), "{line}");
        }
    }

    #[test]
    fn comparisons_with_words_are_kept() {
        for line in [
            "if token == \"identifier\":",
            "if render_pass == \"geometry\" {",
            "if (pass == \"deferred\") {",
            "if (shadowPass == \"deferred\") {",
            "if (form.fieldErrors.password === \"mismatch\") {",
            "if validation_state.password == \"mismatch\" {",
            "if (\"deferred\" == pass) {",
            "if (errors.password === \"mismatch\") {",
            "if (\"mismatch\" === errors.password) {",
            "if token == \"identifier\" && next == \"(\" {",
            "if token.kind == TokenKind::Identifier {",
            "if password == \"\":",
            "if key == \"Enter\":",
            "if (\"identifier\" === token) {",
            "if (\"required\" == password) {",
            "if (auth eq \"anonymous\") {",
            "expect(token).toBe(\"access_token\");",
            "assert_eq!(token, Token::Identifier);",
            "assertEquals(\"Bearer\", token.getType());",
            "assertEquals(\"identifier\", token.text());",
            "if password == other.password:",
            "if secret.eql?(other)",
        ] {
            assert_eq!(mask_secrets(line), line);
        }
    }
}
