//! Numbers: one that an answer gives has to stand in what was retrieved.

/// Returns the numbers of a text that stand nowhere in `retrieved`, each once. Numbers of places in brackets, those within
/// names, and those of the items of a list are left alone.
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

/// Takes out what stands in square brackets: numbers of places, and places themselves.
fn without_places(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => rest.push(c),
            _ => {}
        }
    }
    rest
}

/// Returns the numbers of a text that stand by themselves, without separators of thousands.
fn numbers(text: &str) -> Vec<String> {
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
        // `1.` at the beginning of a line counts a list.
        let begins_line = text[..at].trim_end_matches([' ', '-', '*']).ends_with('\n') || text[..at].trim().is_empty();
        let is_mark = text[at..end].ends_with('.') || text[end..].starts_with(')');
        if !(begins_line && is_mark) {
            found.push(number);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_to_be_known() {
        let retrieved = "const TTL: u64 = 3_600; // 30 s, 1.5 times, up to 65,535; http2, utf8";
        for (text, expected) in [
            ("It lives for 3600 seconds, or 3,600.", &[][..]),
            ("It waits 30s, then 1.5 times as long.", &[]),
            ("It waits 45 seconds and then 45 more, or 2.5.", &["45", "2.5"]),
            ("1. It waits.\n2. It stops.\n", &[]),
            ("There are 4 steps [12], see [web:src/a.rs:120-140].", &["4"]),
            ("At most 65535.", &[]),
            ("It speaks HTTP2 and md5sum, v10 and x86_64.", &[]),
        ] {
            assert_eq!(unfounded_numbers(text, retrieved), expected, "{text}");
        }
    }
}
