//! Classifies values: secrets, in contrast to names, sentences, paths, hashes and placeholders.

use std::sync::LazyLock;

use regex::Regex;

/// Returns true if a value beside the name of a secret is not made of words.
pub(super) fn is_unlike_words(value: &str) -> bool {
    is_not_placeholder(value)
        && !value.contains(char::is_whitespace)
        && !value.contains("://")
        && !is_public_id(value)
        && !is_constant(value)
        && !value.split(|c: char| !c.is_alphanumeric()).all(is_wordlike)
}

/// Returns true if an unquoted value looks random. Code may also be unquoted.
///
/// Random text switches between capitals, small letters and digits every other character. Identifiers seldom do, however
/// long they are.
pub(super) fn is_random(value: &str) -> bool {
    /// Mean run length of one character class: lower in most passwords, higher in most identifiers.
    const MAX_MEAN_RUN: f32 = 3.5;
    const MIN_CHARS: usize = 10;
    let n_alphanumeric = value.chars().filter(|c| c.is_alphanumeric()).count();
    is_unlike_words(value)
        && n_alphanumeric >= MIN_CHARS
        && n_alphanumeric as f32 <= MAX_MEAN_RUN * count_runs(value) as f32
}

/// Returns true if the text after the prefix of a token, which may be cut, is not a word.
pub(super) fn is_token_prefix(value: &str) -> bool {
    let is_mixed = value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic());
    is_mixed && is_not_filler(value) && is_not_placeholder(value)
}

/// Returns true if a value is an actual value and not a placeholder.
pub(super) fn is_not_placeholder(value: &str) -> bool {
    const PLACEHOLDER_PARTS: &str =
        "change example placeholder your dummy sample redacted replace insert todo xxxx **** ... … < ${ $( { %s %(";
    const PLACEHOLDERS: [&str; 11] =
        ["password", "passwd", "passw0rd", "pass", "pwd", "secret", "token", "user", "none", "null", "x-oauth-basic"];
    let lower = value.to_ascii_lowercase();
    let is_variable = value.starts_with('$') && value[1..].chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_windows_variable = value.starts_with('%') && value.ends_with('%');
    is_not_filler(value)
        && !is_variable
        && !is_windows_variable
        && !PLACEHOLDERS.contains(&lower.trim_matches(|c: char| !c.is_alphanumeric()))
        && !PLACEHOLDER_PARTS.split(' ').any(|word| lower.contains(word))
}

/// Returns true if a value is more than one repeated character, such as `xxxx`, after its prefix.
pub(super) fn is_not_filler(value: &str) -> bool {
    const MIN_DISTINCT: usize = 4;
    let random_part = value.rsplit(['_', '-', '.']).max_by_key(|part| part.len()).unwrap_or(value);
    let mut seen: Vec<char> = random_part.chars().skip(random_part.len().saturating_sub(16)).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() >= MIN_DISTINCT.min(random_part.len())
}

/// Returns true for a UUID or a timestamp: not made of words, but not secret.
pub(super) fn is_public_id(value: &str) -> bool {
    static PUBLIC_ID: LazyLock<Regex> = LazyLock::new(|| {
        let uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
        let time = "[+-]?[0-9]{4,9}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?";
        Regex::new(&format!("^(?i-u:{uuid}|{time})$")).expect("the pattern is valid")
    });
    PUBLIC_ID.is_match(value)
}

/// Returns true for the name of a constant, such as `PKCS7_ISSUER`.
fn is_constant(value: &str) -> bool {
    value.contains('_') && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Returns true if a part of a value, without punctuation, could be a word, an acronym, a number, or words in camel case,
/// with an optional number at the end.
fn is_wordlike(part: &str) -> bool {
    const MAX_UNDECIDABLE_LEN: usize = 3;
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    if part.len() <= MAX_UNDECIDABLE_LEN || letters.is_empty() {
        return true;
    }
    let mean_hump = letters.chars().count() / count_runs(letters).max(1);
    letters.chars().all(char::is_alphabetic) && mean_hump >= 3 && letters.contains(is_vowel)
}

fn is_vowel(c: char) -> bool {
    !c.is_ascii() || matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// Counts the runs of letters and of digits. A capital after a small letter starts a run.
pub(super) fn count_runs(value: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum CharClass {
        Capital,
        Small,
        Digit,
        Other,
    }
    let class_of = |c: char| match c {
        c if c.is_numeric() => CharClass::Digit,
        c if c.is_uppercase() => CharClass::Capital,
        c if c.is_alphabetic() => CharClass::Small,
        _ => CharClass::Other,
    };
    let mut n_runs = 0;
    let mut before = CharClass::Other;
    for class in value.chars().map(class_of) {
        let continues = class == before || (before == CharClass::Capital && class == CharClass::Small);
        n_runs += usize::from(class != CharClass::Other && !continues);
        before = class;
    }
    n_runs
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
            ("d41d8cd98f00b204e9800998ecf8427e", true, true),
            ("S3cure!Pass9", true, true),
            ("S3cure[Pass9", true, true),
            ("sha256Checksum", true, false),
            ("GenerateHmacSha256Signature1", true, false),
            ("password_reset_v2", false, false),
            ("config.Database.Password2", false, false),
            ("/etc/harbour/token.json", false, false),
            ("correcthorsebattery", false, false),
            ("0123456789012345", false, false),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", true, true),
            ("3F2504E0-4F89-11D3-9A0C-0305E82C3301", false, false),
            ("2026-01-02T03:04:05Z", false, false),
            ("changeme-Q8z2x", false, false),
            ("TR31_P0_PIN_ENCRYPTION_KEY", false, false),
            ("$DB_PASSWORD_2x", false, false),
            ("xxxxxxxxxxxxxxxx", false, false),
        ] {
            assert_eq!((is_unlike_words(value), is_random(value)), (unlike_words, random), "{value}");
        }
    }
}
