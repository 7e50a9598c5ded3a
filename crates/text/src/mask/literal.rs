//! Telling a literal that is a secret from one that is a name, a sentence, a path, a hash or a placeholder.

use std::sync::LazyLock;

use regex::Regex;

/// Says whether a value beside a secret's name looks chosen to be hard to guess: it is not made of words.
pub(super) fn is_unlike_words(value: &str) -> bool {
    is_no_placeholder(value)
        && !value.contains(char::is_whitespace)
        && !value.contains("://")
        && !is_public_id(value)
        && !is_constant(value)
        && !value.split(|c: char| !c.is_alphanumeric()).all(is_wordlike)
}

/// Says whether a value that stands without quotes, where code may stand as well, looks random.
///
/// Random text changes between capitals, small letters and digits every other character; identifiers, however long,
/// seldom do.
pub(super) fn is_random(value: &str) -> bool {
    /// Characters to a run of one kind: fewer in most passwords, more in most identifiers.
    const MAX_MEAN_PIECE: f32 = 3.5;
    const MIN_CHARS: usize = 10;
    let n_alphanumeric = value.chars().filter(|c| c.is_alphanumeric()).count();
    is_unlike_words(value)
        && n_alphanumeric >= MIN_CHARS
        && n_alphanumeric as f32 <= MAX_MEAN_PIECE * count_of_pieces(value) as f32
}

/// Says whether what follows a token's prefix, as far as it goes, is no word.
pub(super) fn is_beginning_of_token(value: &str) -> bool {
    let is_mixed = value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic());
    is_mixed && is_no_filler(value) && is_no_placeholder(value)
}

/// Says whether a value at the place of a secret is really there, and not merely told of.
pub(super) fn is_no_placeholder(value: &str) -> bool {
    const TELLING: &str =
        "change example placeholder your dummy sample redacted replace insert todo xxxx **** ... … < ${ $( { %s %(";
    const STAND_INS: [&str; 11] =
        ["password", "passwd", "passw0rd", "pass", "pwd", "secret", "token", "user", "none", "null", "x-oauth-basic"];
    let lower = value.to_ascii_lowercase();
    let is_variable = value.starts_with('$') && value[1..].chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_windows_variable = value.starts_with('%') && value.ends_with('%');
    is_no_filler(value)
        && !is_variable
        && !is_windows_variable
        && !STAND_INS.contains(&lower.trim_matches(|c: char| !c.is_alphanumeric()))
        && !TELLING.split(' ').any(|word| lower.contains(word))
}

/// Says whether a value has more to it than one character again and again, as `xxxx` has, whatever its first part is.
pub(super) fn is_no_filler(value: &str) -> bool {
    const MIN_DISTINCT: usize = 4;
    let random_part = value.rsplit(['_', '-', '.']).max_by_key(|part| part.len()).unwrap_or(value);
    let mut seen: Vec<char> = random_part.chars().skip(random_part.len().saturating_sub(16)).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() >= MIN_DISTINCT.min(random_part.len())
}

/// Says whether this is a UUID or a point in time: unlike words, but no secret.
pub(super) fn is_public_id(value: &str) -> bool {
    static PUBLIC_ID: LazyLock<Regex> = LazyLock::new(|| {
        let uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
        let time = "[+-]?[0-9]{4,9}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?";
        Regex::new(&format!("^(?i-u:{uuid}|{time})$")).expect("the pattern is valid")
    });
    PUBLIC_ID.is_match(value)
}

/// Says whether this is how constants are named, such as `PKCS7_ISSUER`.
fn is_constant(value: &str) -> bool {
    value.contains('_') && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Says whether a part of a value, without punctuation, could be a word, an acronym, a number, or words in camelCase,
/// perhaps with a number at the end.
fn is_wordlike(part: &str) -> bool {
    const MAX_TOO_SHORT_TO_TELL: usize = 3;
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    if part.len() <= MAX_TOO_SHORT_TO_TELL || letters.is_empty() {
        return true;
    }
    let mean_hump = letters.chars().count() / count_of_pieces(letters).max(1);
    letters.chars().all(char::is_alphabetic) && mean_hump >= 3 && letters.contains(is_vowel)
}

fn is_vowel(c: char) -> bool {
    !c.is_ascii() || matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// Counts the runs of letters and of digits, where a capital after a small letter starts a run.
pub(super) fn count_of_pieces(value: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Capital,
        Small,
        Digit,
        Other,
    }
    let class_of = |c: char| match c {
        c if c.is_numeric() => Class::Digit,
        c if c.is_uppercase() => Class::Capital,
        c if c.is_alphabetic() => Class::Small,
        _ => Class::Other,
    };
    let mut n_pieces = 0;
    let mut before = Class::Other;
    for class in value.chars().map(class_of) {
        let continues = class == before || (before == Class::Capital && class == Class::Small);
        n_pieces += usize::from(class != Class::Other && !continues);
        before = class;
    }
    n_pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_secrets() {
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
