//! Passwords made of words: beside a password's name, a literal may be one, whatever it reads like.

use super::literal::{is_no_placeholder, is_public_id, is_random, is_unlike_words};
use super::rules::{Judge, SECRET_WORD};

/// Names of what people make up and remember, with nothing after it: here, words may be the secret.
const PASSWORD: &str = "(?i-u:pass(?:word|wd|phrase|code))[_-]?[0-9]{0,2}";

/// Words that are part of many others, and so have to stand alone.
const SHORT: &str = r"(?:(?-u:\b|_)(?i-u:pass|pw|pwd)|[a-z](?:Pass|Pw|Pwd))[_-]?[0-9]{0,2}";

/// Returns the rules for passwords that may be words: only where nothing but a literal can stand.
pub(super) fn rules() -> Vec<(String, String, Judge)> {
    // name = | name": | name: Type = | name := []byte(
    let assigned = r#"\\?["'`]?\]?[ \t\n]{0,8}(?::[A-Za-z_&'<>\[\]| ?.]{1,40}=|:=|=>|[:=])[ \t\n]{0,8}"#;
    let wrapped = r"(?:[bruf@$]{1,2}|[A-Za-z:.\[\]]{1,24}\()?";
    let quoted = r#"\\?(?:"([^"\\\s]{8,100})\\?"|'([^'\s]{8,100})'|`([^`\s]{8,100})`)"#;
    let bare = r#"([!-~&&[^"'`#;,&(){}<>$\[\]\\]]{8,100})"#;
    let in_environment = r#"([!-~&&[^"'`;(){}<>$\\]]{8,100})"#;
    let end = r"[ \t]*(?:[ \t]#.*)?\r?$";
    let any_name = format!("(?:{PASSWORD}|{SHORT})");
    let variable = r"^[ \t]*(?:-[ \t]+|export[ \t]+|(?i-u:env|arg|set)[ \t]+)?(?:[A-Z0-9_]{0,64}_)?(?:PASS(?:WORD|WD|PHRASE|CODE)?|PWD?|SECRET)_?[0-9]{0,2}";
    let key = format!(r#"^[ \t]*(?:-[ \t]+)?["']?[A-Za-z0-9_.-]{{0,64}}{any_name}["']?"#);
    let top_level_key = format!("^[A-Za-z0-9_.-]{{0,64}}{any_name}");
    let named = format!(
        r#"(?i-u:name|key)["']?[ \t]*[:=][ \t]*["']?[A-Za-z0-9_.-]{{0,64}}(?:{SECRET_WORD}|{SHORT})["']?[ \t]*,?[ \t\r\n]{{1,60}}["']?(?i-u:value)["']?[ \t]*[:=][ \t]*"#
    );
    // Looked for in every text, and so simpler than the names are.
    let trigger = |separator: &str| format!("(?i-u:pass(?:word|wd|phrase|code)?|pwd?|secret){separator}");
    let [after_name, equals, colon] =
        [r#"[0-9_-]*[\\"'`\]]*[ \t\n]*[:=]"#, "[0-9_-]*[ \t]?=", r#"[0-9_-]*["']?:[ \t]"#].map(trigger);
    let before_value = r#"(?i-u:pass|pw|secret|token|credential|key)[A-Za-z0-9_.-]*["',]*[ \t\r\n]+["']?(?i-u:value)"#;
    vec![
        (after_name.clone(), format!("{PASSWORD}{assigned}{wrapped}{quoted}"), is_chosen),
        (after_name, format!("{SHORT}{assigned}{wrapped}{quoted}"), is_unlike_words),
        (equals.clone(), format!("(?m){variable}={in_environment}{end}"), is_chosen),
        (equals, format!("(?m){top_level_key}[ \t]?=[ \t]?{bare}{end}"), is_chosen_setting),
        (colon, format!("(?m){key}:[ \t]+{bare}{end}"), is_chosen_setting),
        (before_value.to_owned(), format!("(?m){named}(?:{quoted}|{bare}{end})"), is_chosen),
    ]
}

/// Says whether a literal beside a password's name may be one that somebody chose: words are, unless they make a label,
/// a path, a key of a translation, or speak of passwords themselves.
fn is_chosen(value: &str) -> bool {
    const STATES: &str = "required optional sensitive undefined disabled enabled encrypted nullable mandatory missing \
        invalid incorrect forbidden unauthorized unknown default anonymous authentication basic_auth string boolean";
    let is_of = |is_part: fn(char) -> bool| value.chars().all(is_part);
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_path = value.starts_with(['/', '.', '~', '$', '%', '@', ':', '*']) || value.contains("//");
    let is_reference = is_of(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '|')) && !has_digit;
    let is_number = is_of(|c| c.is_ascii_digit() || matches!(c, '.' | '_' | '-'));
    let is_one_lower_word = is_of(|c| c.is_ascii_lowercase());
    let names_one_only = !has_digit && names_one(value);
    let is_state = STATES.split_whitespace().any(|state| value.eq_ignore_ascii_case(state));
    is_no_placeholder(value)
        && value.is_ascii()
        && !value.contains(char::is_whitespace)
        && !is_public_id(value)
        && !is_path
        && !is_number
        && !names_one_only
        && !is_state
        && (!is_reference || is_one_lower_word || is_unlike_words(value))
}

/// Says the same of a value without quotes in a place where code might stand as well.
fn is_chosen_setting(value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_kebab = value.contains('-') && !value.contains(['_', '.', ':', '/']);
    let is_word = !has_digit && !has_kebab && !is_unlike_words(value);
    let is_type = !is_random(value)
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.chars().all(char::is_alphanumeric);
    let is_member = value.contains('.') && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '?'));
    is_chosen(value) && !is_word && !is_type && !is_member && !names_one(value)
}

/// Says whether the value holds the name of a secret, and so may be a name itself.
fn names_one(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["pass", "pwd", "secret", "token", "credential"].iter().any(|word| lower.contains(word))
}
