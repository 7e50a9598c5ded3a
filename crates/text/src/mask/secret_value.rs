//! Decides whether a value is a secret, in contrast to code, names, sentences, paths and placeholders.

use std::sync::LazyLock;

use regex::Regex;

use super::assigned_values::ValueForm;
use super::passwords::{is_password, is_password_setting};
use super::random_text::is_random_text;
use super::telling_names::NameKind;
use super::words::{count_runs, is_jumble, is_pronounceable, is_words};

/// Minimum length of a secret.
const MIN_BYTES: usize = 8;

/// Minimum length of a value that is a secret unless it is plainly something else.
const MIN_LONG: usize = 16;

/// Returns true if the value of a telling name is a secret.
pub(super) fn is_secret(value: &str, kind: NameKind, form: ValueForm) -> bool {
    let is_identifier = || value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if kind == NameKind::AccessToken && !is_identifier() {
        return false;
    }
    if kind == NameKind::ServiceKey && !(is_identifier() && is_service_key(value)) {
        return false;
    }
    if form == ValueForm::RandomRun {
        return true;
    }
    if matches!(form, ValueForm::Literal | ValueForm::Argument | ValueForm::Item) && is_random_text(value) {
        return true;
    }
    let is_password_name = kind == NameKind::Password;
    let is_long = value.len() >= MIN_LONG;
    if value.len() < MIN_BYTES
        || value.contains(char::is_whitespace)
        || is_structured(value)
        || (is_address(value) && !is_assigned(form))
        || !is_not_placeholder(value)
    {
        return false;
    }
    match form {
        ValueForm::Literal => {
            is_unlike_words(value)
                || is_passphrase(value)
                || is_random_number(value)
                || (is_password_name && is_password(value))
        }
        ValueForm::Argument => is_unlike_words(value) || is_passphrase(value) || is_random_number(value),
        ValueForm::Item | ValueForm::Inline => is_random(value) || is_passphrase(value),
        ValueForm::Entry => is_long && !is_pattern(value) && (is_random(value) || is_passphrase(value)),
        ValueForm::Setting => {
            is_random(value)
                || is_random_number(value)
                || (is_long && is_long_setting(value) && (kind != NameKind::Credential || is_unlike_words(value)))
                || (is_password_name && is_password(value))
        }
        ValueForm::Line => {
            is_random(value)
                || is_passphrase(value)
                || is_random_number(value)
                || (is_password_name && is_password_setting(value))
        }
        ValueForm::Sentence => {
            let is_type = !is_password_name && is_qualified_type(value);
            is_long && !is_type && (is_random(value) || is_passphrase(value))
        }
        ValueForm::RandomRun | ValueForm::Loose => is_long && (is_random(value) || is_passphrase(value)),
    }
}

/// Returns true for a long random value with digits and letters.
fn is_service_key(value: &str) -> bool {
    const MIN_KEY_BYTES: usize = 20;
    let has = |is_of: fn(&u8) -> bool| value.as_bytes().iter().any(is_of);
    value.len() >= MIN_KEY_BYTES && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && is_random(value)
}

/// Returns true if a value is assigned to a name or passed with it, in contrast to text near the name.
fn is_assigned(form: ValueForm) -> bool {
    matches!(form, ValueForm::Literal | ValueForm::Argument | ValueForm::Setting | ValueForm::Line)
}

/// Returns true for the public address of a contract or an account: forty hexadecimal digits behind `0x`.
fn is_address(value: &str) -> bool {
    const N_DIGITS: usize = 40;
    let digits = value.strip_prefix("0x").filter(|digits| digits.len() == N_DIGITS);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns true if a value beside the name of a secret is not made of words.
pub(super) fn is_unlike_words(value: &str) -> bool {
    is_not_placeholder(value)
        && !value.contains(char::is_whitespace)
        && !value.contains("://")
        && !is_time(value)
        && !is_hex_number(value)
        && !is_constant(value)
        && !is_words(value)
        && !is_name_of_secret(value)
}

/// Returns true if a value looks random. Code may stand in its place.
///
/// Random text switches between capitals, small letters and digits every other character, or its letters form no words.
pub(super) fn is_random(value: &str) -> bool {
    /// Mean run length of one character class: lower in most passwords, higher in most identifiers.
    const MAX_MEAN_RUN: f32 = 3.5;
    const MIN_CHARS: usize = 10;
    let n_alphanumeric = value.chars().filter(|c| c.is_alphanumeric()).count();
    let is_changing = || n_alphanumeric as f32 <= MAX_MEAN_RUN * count_runs(value) as f32;
    let is_unpronounceable = || !is_snake_case(value) && !is_pronounceable(value);
    is_unlike_words(value)
        && (is_jumble(value)
            || (n_alphanumeric >= MIN_CHARS && (is_changing() || is_hex(value) || is_unpronounceable())))
}

/// Returns true for a key in hexadecimal digits.
fn is_hex(value: &str) -> bool {
    value.len() >= MIN_LONG && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true for a regular expression, or code.
fn is_pattern(value: &str) -> bool {
    value.contains(['(', ')', '[', ']', '{', '}', '\\', '<', '>', '$'])
}

/// Returns true for the name of another secret, such as `X-CSRF-TOKEN`.
fn is_name_of_secret(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_' | '.')) && mentions_secret(value)
}

/// Returns true for a type of a package, such as `secp256k1.PrivateKey`: the name of an algorithm looks random.
fn is_qualified_type(value: &str) -> bool {
    const MAX_PACKAGE_LEN: usize = 16;
    let is_package = |name: &str| {
        name.len() <= MAX_PACKAGE_LEN
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let is_type = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
            && is_words(name)
    };
    value.split_once('.').is_some_and(|(package, name)| is_package(package) && is_type(name))
}

/// Returns true for letters with underscores, which are a name.
fn is_snake_case(value: &str) -> bool {
    value.contains('_') && value.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
}

/// Returns true for a number such as `0xAF19040C71523402`, of at most 64 bits, or `1048576i32`.
fn is_hex_number(value: &str) -> bool {
    const MAX_DIGITS: usize = 16;
    let suffix = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    if matches!(suffix, "i32" | "u32" | "i64" | "u64" | "usize" | "isize" | "i128" | "u128") {
        return suffix.len() < value.len();
    }
    let digits = value.strip_prefix("0x").or(value.strip_prefix("0X"));
    digits.is_some_and(|digits| digits.trim_end_matches(['u', 'U', 'l', 'L']).len() <= MAX_DIGITS)
}

/// Returns true for at least four words with dashes, such as `correct-horse-battery-staple`, perhaps with a number at the end.
fn is_passphrase(value: &str) -> bool {
    const MIN_WORDS: usize = 4;
    const MIN_WORD_LEN: usize = 3;
    let words = value.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let is_word = |word: &str| word.len() >= MIN_WORD_LEN && word.bytes().all(|byte| byte.is_ascii_lowercase());
    value.len() >= MIN_LONG
        && words.split('-').count() >= MIN_WORDS
        && words.split('-').all(is_word)
        && !mentions_secret(value)
}

/// Returns true for a long number that is neither round nor a sequence, in contrast to limits and placeholders.
fn is_random_number(value: &str) -> bool {
    /// Of 53, 63, 64, 127, 128, 255 and 256 bits.
    const LIMITS: [&str; 7] = [
        "9007199254740991",
        "9223372036854775",
        "1844674407370955",
        "1701411834604692",
        "3402823669209384",
        "5789604461865809",
        "1157920892373161",
    ];
    const MIN_DISTINCT: u32 = 6;
    const MAX_STEPS_PERCENT: usize = 40;
    if value.len() < MIN_LONG || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let n_distinct = value.bytes().fold(0u16, |seen, byte| seen | 1 << (byte - b'0')).count_ones();
    // Of zeros and other repeated digits, and of digits that follow each other.
    let is_step = |pair: &&[u8]| pair[0] == pair[1] || (pair[0] + 1 - b'0') % 10 == pair[1] - b'0';
    let n_steps = value.as_bytes().windows(2).filter(is_step).count();
    let is_limit = LIMITS.iter().any(|max| value.starts_with(max));
    n_distinct >= MIN_DISTINCT && n_steps * 100 <= (value.len() - 1) * MAX_STEPS_PERCENT && !is_limit
}

/// Returns true for the long value of an environment variable or a flag, unless it is a path, a reference or a number.
fn is_long_setting(value: &str) -> bool {
    let is_reference = value.contains(['/', '.', ':', '@', '=']);
    is_unlike_words(value)
        || (!is_reference
            && !is_constant(value)
            && !is_time(value)
            && value.contains(|c: char| c.is_ascii_alphabetic()))
}

/// Returns true for a value with parts that have names of their own, such as a URL and a connection string.
fn is_structured(value: &str) -> bool {
    value.contains("://") || (value.contains(';') && value.contains('='))
}

/// Returns true if the text after the prefix of a token, which may be cut, is not a word.
pub(super) fn is_token_prefix(value: &str) -> bool {
    let is_mixed = value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic());
    is_mixed && is_not_filler(value) && is_not_placeholder(value)
}

/// Returns true if a value is an actual value and not a placeholder.
pub(super) fn is_not_placeholder(value: &str) -> bool {
    const PLACEHOLDERS: [&str; 11] =
        ["password", "passwd", "passw0rd", "pass", "pwd", "secret", "token", "user", "none", "null", "x-oauth-basic"];
    const MARKS: [&str; 8] = ["****", "...", "…", "${", "$(", "#{", "{{", "%("];
    // Random text may contain the letters.
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_format = value.match_indices("%s").any(|(start, mark)| is_end(&value[start + mark.len()..]));
    let is_variable = value.starts_with('$') && value[1..].chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_windows_variable = value.starts_with('%') && value.ends_with('%');
    let is_between = |open, close| value.split_once(open).is_some_and(|(_, rest): (&str, &str)| rest.contains(close));
    let bare = value.trim_matches(|c: char| !c.is_alphanumeric());
    // A remark in the place of a value, such as `[secure]`.
    let remark = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_remark = remark.is_some_and(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_'));
    is_not_filler(value)
        && !is_variable
        && !is_remark
        && !is_windows_variable
        && !PLACEHOLDERS.iter().any(|placeholder| bare.eq_ignore_ascii_case(placeholder))
        && !is_format
        && !MARKS.iter().any(|mark| value.contains(mark))
        && !is_between('<', '>')
        && !is_between('{', '}')
        && !has_placeholder_word(value)
}

/// Returns true if no word of a value tells that it has to be replaced, and the value is more than a few repeated characters.
pub(super) fn is_not_placeholder_word(value: &str) -> bool {
    is_not_filler(value) && !has_placeholder_word(value)
}

/// Returns true if a word of a value tells that the value has to be replaced. The word must begin the value or follow a mark,
/// since random text may contain it.
fn has_placeholder_word(value: &str) -> bool {
    const WORDS: [&str; 11] = [
        "change",
        "example",
        "placeholder",
        "your",
        "dummy",
        "sample",
        "redacted",
        "replace",
        "insert",
        "todo",
        "xxxx",
    ];
    let begins_word = |at: usize| {
        let before = value[..at].chars().next_back();
        let is_hump = value[at..].starts_with(|c: char| c.is_ascii_uppercase());
        before.is_none_or(|before| !before.is_alphanumeric() || (before.is_lowercase() && is_hump))
    };
    let is_word_at = |at: usize| {
        WORDS.iter().any(|word| {
            value.as_bytes()[at..].get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    value.char_indices().any(|(at, c)| c.is_ascii_alphabetic() && begins_word(at) && is_word_at(at))
}

/// Returns true if a value is more than a few repeated characters, such as `xxxx` behind a prefix.
pub(super) fn is_not_filler(value: &str) -> bool {
    const MIN_DISTINCT: usize = 4;
    let longest_part = value.rsplit(['_', '-', '.']).max_by_key(|part| part.len()).unwrap_or(value);
    // The prefix of a token is at most as long as its rest.
    let rest = if longest_part.len() * 2 >= value.len() { longest_part } else { value };
    let mut seen: Vec<char> = rest.chars().skip(rest.len().saturating_sub(16)).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() >= MIN_DISTINCT.min(rest.len())
}

/// Returns true for a timestamp.
pub(super) fn is_time(value: &str) -> bool {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        let time = "^(?-u)[+-]?[0-9]{4,9}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?$";
        Regex::new(time).expect("the pattern is valid")
    });
    value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')) && TIME.is_match(value)
}

/// Returns true for the name of a constant, such as `PKCS7_ISSUER`.
pub(super) fn is_constant(value: &str) -> bool {
    value.contains('_') && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Returns true if the value contains the name of a secret, and so may be a name itself.
pub(super) fn mentions_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["pass", "pwd", "secret", "token", "credential", "auth"].iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinguished_from_secrets() {
        for (value, unlike_words, random) in [
            ("Tr0ub4dor&3x", true, true),
            ("hunter2secret9", true, true),
            ("q8ZtLr2VxN4mWc7K", true, true),
            ("qLkJhGfDsAzXcVbN", true, true),
            ("qlkjhgfdsazxcvbn", true, true),
            ("d41d8cd98f00b204e9800998ecf8427e", true, true),
            ("S3cure!Pass9", true, true),
            ("S3cure[Pass9", true, true),
            ("3F2504E0-4F89-11D3-9A0C-0305E82C3301", true, true),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", true, true),
            ("/hT9xL2mQ//vR4+sK7wB1nY5c", true, true),
            ("sha256Checksum", false, false),
            ("GenerateHmacSha256Signature1", false, false),
            ("password_reset_v2", false, false),
            ("config.Database.Password2", false, false),
            ("/etc/harbour/token.json", false, false),
            ("correcthorsebattery", false, false),
            ("0123456789012345", false, false),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", true, true),
            ("2026-01-02T03:04:05Z", false, false),
            ("changeme-Q8z2x", false, false),
            ("TR31_P0_PIN_ENCRYPTION_KEY", false, false),
            ("$DB_PASSWORD_2x", false, false),
            ("xxxxxxxxxxxxxxxx", false, false),
            ("1048576i32", false, false),
        ] {
            assert_eq!((is_unlike_words(value), is_random(value)), (unlike_words, random), "{value}");
        }
    }

    #[test]
    fn long_numbers_are_random_unless_they_are_round_or_sequences() {
        for (value, expected) in [
            ("4815162342108723", true),
            ("314159265358979323846264", true),
            ("481516234210872", false),
            ("1234567890123456", false),
            ("0123456789012345", false),
            ("1000000000000000000", false),
            ("1111222233334444", false),
            ("18446744073709551615", false),
            ("170141183460469231731687303715884105727", false),
            ("340282366920938463463374607431768211455", false),
            ("115792089237316195423570985008687907853269984665640564039457584007913129639935", false),
            ("4815162342-108723", false),
        ] {
            assert_eq!(is_random_number(value), expected, "{value}");
            for form in [ValueForm::Literal, ValueForm::Argument, ValueForm::Setting, ValueForm::Line] {
                assert_eq!(is_secret(value, NameKind::Key, form), expected, "{value} {form:?}");
            }
            assert!(!is_secret(value, NameKind::Key, ValueForm::Sentence), "{value}");
        }
    }

    #[test]
    fn types_of_packages_are_no_secrets() {
        for (value, kind, expected) in [
            ("secp256k1.PrivateKey", NameKind::Key, false),
            ("secp256k1.PrivateKey", NameKind::Password, true),
            ("secp256k1.qLkJhGfDsAz", NameKind::Key, true),
            ("q8ZtLr2Vx.PrivateKey", NameKind::Key, true),
            ("q8ztlr2vxn4mwc7kpj5s.PrivateKey", NameKind::Key, true),
        ] {
            assert_eq!(is_secret(value, kind, ValueForm::Sentence), expected, "{value}");
        }
    }

    #[test]
    fn formats_are_placeholders() {
        for (value, expected) in [("%s:%s@cache", false), ("prefix-%s", false), ("O4anm5h%s8Jw*BWe5-hZ", true)] {
            assert_eq!(is_not_placeholder(value), expected, "{value}");
        }
    }
}
