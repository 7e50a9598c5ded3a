//! Shortened quotations: a text that is too long is cut between two words, and says so.

/// Returns a text of at most `max_chars` characters, without the word that the limit would split, and with `…` for the rest.
pub(super) fn shortened(text: &str, max_chars: usize) -> String {
    let Some((end, next)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
    let kept = &text[..end];
    let kept = match kept.rfind(char::is_whitespace).filter(|_| !next.is_whitespace()) {
        Some(space) if !kept[..space].trim().is_empty() => &kept[..space],
        _ => kept,
    };
    format!("{} …", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_words() {
        for (text, max_chars, expected) in [
            ("moor the ship", 20, "moor the ship"),
            ("moor the ship", 13, "moor the ship"),
            ("moor the ship", 10, "moor the …"),
            ("moor the ship", 8, "moor the …"),
            ("moored", 3, "moo …"),
            ("ëë ëë", 4, "ëë …"),
        ] {
            assert_eq!(shortened(text, max_chars), expected, "{text} {max_chars}");
        }
    }
}
