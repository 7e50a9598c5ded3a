//! Rules for passwords made of words. A literal beside the name of a password may be one, even if it is a word.

use super::rule_spec::{RuleSpec, SECRET_WORD};
use super::secret_value::{is_not_placeholder, is_public_id, is_random, is_unlike_words};

/// Names of memorable secrets, with nothing after them: here, words may be the secret.
const PASSWORD_NAME: &str = "(?i-u:pass(?:word|wd|phrase|code))[_-]?[0-9]{0,2}";

/// Short names that occur within other words, and so must be delimited.
const SHORT_NAME: &str = r"(?:(?-u:\b|_)(?i-u:pass|pw|pwd)|[a-z](?:Pass|Pw|Pwd))[_-]?[0-9]{0,2}";

/// Returns the rules for passwords that may be words. They apply only where nothing but a literal is possible.
pub(super) fn rules() -> Vec<RuleSpec> {
    // name = | name": | name: Type = | name := []byte(
    let assigned = r#"\\?["'`]?\]?[ \t\n]{0,8}(?::[A-Za-z_&'<>\[\]| ?.]{1,40}=|:=|=>|[:=])[ \t\n]{0,8}"#;
    let wrapped = r"(?:[bruf@$]{1,2}|[A-Za-z:.\[\]]{1,24}\()?";
    let quoted = r#"\\?(?:"([^"\\\s]{8,100})\\?"|'([^'\s]{8,100})'|`([^`\s]{8,100})`)"#;
    let bare = r#"([!-~&&[^"'`#;,&(){}<>$\[\]\\]]{8,100})"#;
    let in_environment = r#"([!-~&&[^"'`;(){}<>$\\]]{8,100})"#;
    let end = r"[ \t]*(?:[ \t]#.*)?\r?$";
    let any_name = format!("(?:{PASSWORD_NAME}|{SHORT_NAME})");
    let variable = r"^[ \t]*(?:-[ \t]+|export[ \t]+|(?i-u:env|arg|set)[ \t]+)?(?:[A-Z0-9_]{0,64}_)?(?:PASS(?:WORD|WD|PHRASE|CODE)?|PWD?|SECRET)_?[0-9]{0,2}";
    let key = format!(r#"^[ \t]*(?:-[ \t]+)?["']?[A-Za-z0-9_.-]{{0,64}}{any_name}["']?"#);
    let top_level_key = format!("^[A-Za-z0-9_.-]{{0,64}}{any_name}");
    let named = format!(
        r#"(?i-u:name|key)["']?[ \t]*[:=][ \t]*["']?[A-Za-z0-9_.-]{{0,64}}(?:{SECRET_WORD}|{SHORT_NAME})["']?[ \t]*,?[ \t\r\n]{{1,60}}["']?(?i-u:value)["']?[ \t]*[:=][ \t]*"#
    );
    // Triggers are searched in every text, so they are simpler than the names.
    let trigger = |separator: &str| format!("(?i-u:pass(?:word|wd|phrase|code)?|pwd?|secret){separator}");
    let [after_name, equals, colon] =
        [r#"[0-9_-]*[\\"'`\]]*[ \t\n]*[:=]"#, "[0-9_-]*[ \t]?=", r#"[0-9_-]*["']?:[ \t]"#].map(trigger);
    let before_value = r#"(?i-u:pass|pw|secret|token|credential|key)[A-Za-z0-9_.-]*["',]*[ \t\r\n]+["']?(?i-u:value)"#;
    vec![
        (after_name.clone(), format!("{PASSWORD_NAME}{assigned}{wrapped}{quoted}"), is_password),
        (after_name, format!("{SHORT_NAME}{assigned}{wrapped}{quoted}"), is_unlike_words),
        (equals.clone(), format!("(?m){variable}={in_environment}{end}"), is_password),
        (equals, format!("(?m){top_level_key}[ \t]?=[ \t]?{bare}{end}"), is_password_setting),
        (colon, format!("(?m){key}:[ \t]+{bare}{end}"), is_password_setting),
        (before_value.to_owned(), format!("(?m){named}(?:{quoted}|{bare}{end})"), is_password),
    ]
}

/// Returns true if a literal beside the name of a password may be a password. Words may be, unless they form a label, a path
/// or a translation key, or mention passwords themselves.
fn is_password(value: &str) -> bool {
    const STATES: &str = "required optional sensitive undefined disabled enabled encrypted nullable mandatory missing \
        invalid incorrect forbidden unauthorized unknown default anonymous authentication basic_auth string boolean";
    let is_of = |is_part: fn(char) -> bool| value.chars().all(is_part);
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_path = value.starts_with(['/', '.', '~', '$', '%', '@', ':', '*']) || value.contains("//");
    let is_reference = is_of(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '|')) && !has_digit;
    let is_number = is_of(|c| c.is_ascii_digit() || matches!(c, '.' | '_' | '-'));
    let is_one_lower_word = is_of(|c| c.is_ascii_lowercase());
    let is_mention_without_digits = !has_digit && mentions_secret(value);
    let is_state = STATES.split_whitespace().any(|state| value.eq_ignore_ascii_case(state));
    is_not_placeholder(value)
        && value.is_ascii()
        && !value.contains(char::is_whitespace)
        && !is_public_id(value)
        && !is_path
        && !is_number
        && !is_mention_without_digits
        && !is_state
        && (!is_reference || is_one_lower_word || is_unlike_words(value))
}

/// Applies [`is_password`] to an unquoted value where code is possible as well.
fn is_password_setting(value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_kebab = value.contains('-') && !value.contains(['_', '.', ':', '/']);
    let is_word = !has_digit && !has_kebab && !is_unlike_words(value);
    let is_type = !is_random(value)
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.chars().all(char::is_alphanumeric);
    let is_member = value.contains('.') && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '?'));
    is_password(value) && !is_word && !is_type && !is_member && !mentions_secret(value)
}

/// Returns true if the value contains the name of a secret, and so may be a name itself.
fn mentions_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["pass", "pwd", "secret", "token", "credential"].iter().any(|word| lower.contains(word))
}
