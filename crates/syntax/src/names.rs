//! Names: limits on their length, and how a receiver is written as text.

/// Maximum length in bytes of a recorded name. People do not type longer ones, and a file that is all one name must not be copied
/// many times.
pub(crate) const MAX_NAME_BYTES: usize = 250;

/// Maximum length in bytes of an import path.
pub(crate) const MAX_PATH_BYTES: usize = 1_000;

/// Maximum length in bytes of a recorded receiver. Of a longer one the end is kept, which determines most of the type.
const MAX_RECEIVER_BYTES: usize = 80;

/// Maximum number of bytes of a receiver that are read, so that a chain of n calls costs O(n) and not O(n²).
const MAX_RECEIVER_READ: usize = 600;

/// Writes a receiver on one line, without call arguments and type arguments, in at most `MAX_RECEIVER_BYTES`.
pub(crate) fn render_receiver(bytes: &[u8]) -> String {
    let skipped = bytes.len().saturating_sub(MAX_RECEIVER_READ);
    let text = String::from_utf8_lossy(&bytes[skipped..]);
    let plain = without_arguments(&text);
    if plain.len() <= MAX_RECEIVER_BYTES {
        return plain;
    }
    let mut cut = plain.len() - (MAX_RECEIVER_BYTES - '…'.len_utf8());
    while !plain.is_char_boundary(cut) {
        cut += 1;
    }
    format!("…{}", &plain[cut..])
}

/// Collapses white space to single spaces, and replaces bytes that are not UTF-8.
pub(crate) fn collapse_white_space(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains(|c: char| c.is_whitespace()) {
        return text.into_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Drops call arguments and `::<>`: `f(a, b).g` becomes `f().g`, `A::<T>` becomes `A`.
fn without_arguments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut n_open = 0usize;
    let mut n_angles = 0usize;
    for c in text.chars() {
        let follows_name = plain.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '!' | '?'));
        match c {
            '(' if n_open > 0 => n_open += 1,
            '(' if n_angles == 0 && follows_name => {
                plain.push('(');
                n_open = 1;
            }
            ')' if n_open > 0 => {
                n_open -= 1;
                if n_open == 0 {
                    plain.push(')');
                }
            }
            _ if n_open > 0 => {}
            '<' if n_angles > 0 => n_angles += 1,
            '<' if follows_name && text.contains('>') && !plain.ends_with([')', ']']) => n_angles = 1,
            '<' if plain.ends_with("::") => {
                plain.truncate(plain.len() - 2);
                n_angles = 1;
            }
            '>' if n_angles > 0 => n_angles -= 1,
            _ if n_angles > 0 => {}
            c if c.is_whitespace() => {
                if !plain.ends_with([' ', '.']) && !plain.is_empty() {
                    plain.push(' ');
                }
            }
            '.' | '?' => {
                plain.truncate(plain.trim_end().len());
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_are_short_and_plain() {
        for (source, expected) in [
            ("a.b", "a.b"),
            ("f(1, g(2)).h", "f().h"),
            ("A::<T>", "A"),
            ("Foo<int>", "Foo"),
            ("Vec::<Vec<u8>>::new()", "Vec::new()"),
            ("self\r\n    .client\n    .get(url)", "self.client.get()"),
            ("(a as B)", "(a as B)"),
            ("new Foo(x)", "new Foo()"),
        ] {
            assert_eq!(render_receiver(source.as_bytes()), expected, "{source}");
        }
    }

    #[test]
    fn the_end_of_a_long_receiver_is_kept() {
        let written = render_receiver(format!("start.{}.end", "é".repeat(200)).as_bytes());
        assert!(written.starts_with('…') && written.ends_with("é.end"), "{written}");
        assert!(written.len() <= MAX_RECEIVER_BYTES);
    }
}
