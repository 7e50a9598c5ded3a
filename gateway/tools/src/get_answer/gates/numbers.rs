//! Number gate: a number in an answer, in digits or as a word, must occur in the retrieved text in either form.

use super::{
    citation_marks::{DraftPiece, pieces},
    paths::path,
};

/// Number words. `one` counts in compounds only: alone it is a pronoun.
const WORDS: [(&str, u32); 37] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("hundreds", 100),
    ("thousand", 1_000),
    ("thousands", 1_000),
    ("million", 1_000_000),
    ("millions", 1_000_000),
    ("dozen", 12),
    ("dozens", 12),
    ("twice", 2),
    ("thrice", 3),
];

/// Returns the distinct numbers of a text that do not occur in `retrieved`. Citation marks, line numbers of paths,
/// numbers within names, and list numbers are ignored.
pub(in super::super) fn unfounded_numbers(text: &str, retrieved: &str) -> Vec<String> {
    let known: Vec<String> = numbers(retrieved);
    let mut unfounded: Vec<String> = Vec::new();
    for number in numbers(&without_places(text)) {
        if !known.contains(&number) && !unfounded.contains(&number) {
            unfounded.push(number);
        }
    }
    unfounded
}

/// Removes citation marks, and the line numbers after paths.
fn without_places(text: &str) -> String {
    let prose_of =
        |piece: DraftPiece<'_>| if let DraftPiece::Text(prose) = piece { prose.to_owned() } else { String::new() };
    let prose: String = pieces(text).into_iter().map(prose_of).collect();
    let mut rest = String::with_capacity(prose.len());
    for word in prose.split_inclusive(char::is_whitespace) {
        let shown = word.trim_end();
        rest.push_str(path(shown, false).unwrap_or(shown));
        rest.push_str(&word[shown.len()..]);
    }
    rest
}

fn numbers(text: &str) -> Vec<String> {
    let mut found = numbers_in_digits(text);
    found.extend(numbers_in_words(text).iter().map(u32::to_string));
    found
}

/// Returns the separate numbers of a text, without thousands separators.
fn numbers_in_digits(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !c.is_ascii_digit() || before.is_alphanumeric() || matches!(before, '_' | '#') {
            before = c;
            continue;
        }
        let is_more = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '_');
        let mut end = at + 1;
        while let Some((next_at, next)) = chars.next_if(|(_, next)| is_more(*next)) {
            end = next_at + next.len_utf8();
        }
        let number = text[at..end].trim_end_matches(['.', ',', '_']).replace([',', '_'], "");
        before = text[..end].chars().next_back().unwrap_or(' ');
        // `1.` at the beginning of a line is a list number.
        let begins_line = text[..at].trim_end_matches([' ', '-', '*']).ends_with('\n') || text[..at].trim().is_empty();
        let is_mark = text[at..end].ends_with('.') || text[end..].starts_with(')');
        if !(begins_line && is_mark) {
            found.push(number);
        }
    }
    found
}

/// Returns the numbers written as words; `twenty-five` and `two hundred` are one each.
fn numbers_in_words(text: &str) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut before: Option<u32> = None;
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let value = WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, value)| *value);
        let joined = match (before, value) {
            (Some(tens @ 20..=90), Some(unit @ 1..=9)) if tens % 10 == 0 => Some(tens + unit),
            (Some(count @ 2..=999), Some(unit @ (100 | 1_000 | 1_000_000))) => count.checked_mul(unit),
            _ => None,
        };
        if joined.is_some() {
            found.pop();
        }
        before = joined.or(value);
        found.extend(before.filter(|number| *number > 1));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_numbers_of_a_draft_are_found() {
        let retrieved = "const TTL: u64 = 3_600; // 30 s, 1.5 times, up to 65,535; http2, utf8; three tries";
        for (text, expected) in [
            ("It lives for 3600 seconds, or 3,600.", &[][..]),
            ("It waits 30s, then 1.5 times as long.", &[]),
            ("It waits 45 seconds and then 45 more, or 2.5.", &["45", "2.5"]),
            ("1. It waits.\n2. It stops.\n", &[]),
            ("There are 4 steps [12], see [web:src/a.rs:120-140].", &["4"]),
            ("At most 65535.", &[]),
            ("It retries [exactly 17 times] [1].", &["17"]),
            ("It opens `[` and retries 17 times [1].", &["17"]),
            ("It retries seventeen times, or Forty-two.", &["17", "42"]),
            ("It retries a dozen times, or thousands; two thousand, and twice that.", &["12", "1000", "2000", "2"]),
            ("At most two hundred, or a hundred and twenty-one.", &["200", "100", "21"]),
            ("It tries 3 times, thirty seconds each, and one more time.", &[]),
            ("It calls `retry_two` and `TwoFactor`.", &[]),
            ("It speaks HTTP2 and md5sum, v10 and x86_64.", &[]),
        ] {
            assert_eq!(unfounded_numbers(text, retrieved), expected, "{text}");
        }
    }
}
