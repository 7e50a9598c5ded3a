//! Text with nested brackets: the parts between separators that no bracket or literal encloses.

/// Returns the parts of a text at a separator outside of brackets and literals, trimmed.
pub(crate) fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = find_outside(rest, |character| character == separator) {
        parts.push(rest[..at].trim());
        rest = &rest[at + separator.len_utf8()..];
    }
    parts.push(rest.trim());
    parts
}

/// Returns the position of the first character outside of brackets and literals that matches.
pub(crate) fn find_outside(text: &str, is_wanted: impl Fn(char) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        let was = std::mem::replace(&mut previous, character);
        if let Some(open) = quote {
            if character == open && was != '\\' {
                quote = None;
            }
            continue;
        }
        if depth == 0 && is_wanted(character) {
            return Some(at);
        }
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            // The head of an arrow closes nothing.
            '>' if matches!(was, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            '"' | '`' => quote = Some(character),
            // A lifetime of Rust has no closing quote.
            '\'' if text[at + 1..].chars().take(4).any(|next| next == '\'') => quote = Some(character),
            _ => {}
        }
    }
    None
}

/// Returns the inside of the bracket that a text begins with, and the rest behind it.
pub(crate) fn bracketed(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next().filter(|first| matches!(first, '(' | '[' | '<' | '{'))?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '<' => '>',
        _ => '}',
    };
    let inside = &text[1..];
    let arrow_free = |at: usize| !inside[..at].ends_with(['-', '=']) || close != '>';
    let end = find_outside(inside, |character| character == close)?;
    let end = if arrow_free(end) { end } else { end + 1 + inside[end + 1..].find(close)? };
    Some((&inside[..end], &inside[end + 1..]))
}

/// Returns a text without the white space that separates no words.
pub(crate) fn without_spaces(text: &str) -> String {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '\'');
    let mut out = String::new();
    let mut has_space = false;
    for character in text.chars() {
        if character.is_whitespace() {
            has_space = true;
            continue;
        }
        if has_space && is_word(character) && out.ends_with(is_word) {
            out.push(' ');
        }
        has_space = false;
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_literals_hide_separators() {
        for (text, expected) in [
            ("a, b", vec!["a", "b"]),
            ("a: dict[str, int], b = ','", vec!["a: dict[str, int]", "b = ','"]),
            ("f: Fn(u8, u8) -> u8, g: &'a str", vec!["f: Fn(u8, u8) -> u8", "g: &'a str"]),
            ("std::map<int, int> m, int k", vec!["std::map<int, int> m", "int k"]),
            ("cb: (a: string, b: X) => void, c", vec!["cb: (a: string, b: X) => void", "c"]),
            ("", vec![""]),
        ] {
            assert_eq!(split_outside(text, ','), expected, "{text}");
        }
        assert_eq!(bracketed("(a(b), c) -> D"), Some(("a(b), c", " -> D")));
        assert_eq!(bracketed("<F: Fn() -> u8>(x)"), Some(("F: Fn() -> u8", "(x)")));
        assert_eq!(bracketed("a"), None);
        assert_eq!(without_spaces("const  T & a = { 1 }"), "const T&a={1}");
    }
}
