//! Decides whether a value beside the name of a password is one. People choose words as passwords.

use super::bare_value::has_number;
use super::secret_value::{is_constant, is_not_placeholder, is_random, is_time, is_unlike_words, mentions_secret};

/// Maximum length of a password that a person chose.
const MAX_BYTES: usize = 100;

/// Returns true if a literal beside the name of a password may be a password. Words may be, unless they form a label, a path
/// or a translation key, or mention passwords themselves.
pub(super) fn is_password(value: &str) -> bool {
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
    is_random(value)
        || (value.len() <= MAX_BYTES
            && is_not_placeholder(value)
            && (value.is_ascii() || has_number(value))
            && !is_time(value)
            && !is_path
            && !is_number
            && !is_mention_without_digits
            && !is_state
            && !is_constant(value)
            && (!is_reference || is_one_lower_word || is_unlike_words(value)))
}

/// Applies [`is_password`] to an unquoted value where code is possible as well.
pub(super) fn is_password_setting(value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_kebab = value.contains('-') && !value.contains(['_', '.', ':', '/']);
    let is_word = !has_digit && !has_kebab && !is_unlike_words(value);
    let is_type = !is_random(value)
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.chars().all(char::is_alphanumeric);
    let is_member = value.contains('.') && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '?'));
    is_password(value) && !is_word && !is_type && !is_member && !mentions_secret(value)
}
