//! Signatures: a declaration on one line.
//!
//! A signature says what a thing is called, takes and gives; long literals in it say neither, and a key or token that
//! is one would be cut in two, or folded out of the shape by which it is known for a secret. They are left out here.

mod literals;

use literals::{elide_long, without_open};

/// The longest signature, in characters; what is cut off ends in `…`. Generated code has longer ones that nobody reads.
const MAX_SIGNATURE_CHARS: usize = 300;

/// How much of a declaration is looked at: enough for the longest signature, however it is indented.
const MAX_DECLARATION_READ: usize = 4_000;

/// Writes a declaration, up to its body, as one line.
pub(crate) fn of(declaration: &[u8]) -> String {
    let is_cut = declaration.len() > MAX_DECLARATION_READ;
    let text = String::from_utf8_lossy(&declaration[..declaration.len().min(MAX_DECLARATION_READ)]);
    let text = elide_long(&text);
    let mut signature = String::with_capacity(text.len().min(MAX_SIGNATURE_CHARS));
    let mut n_chars = 0;
    for word in text.split_whitespace() {
        n_chars += word.chars().count() + usize::from(!signature.is_empty());
        if n_chars > MAX_SIGNATURE_CHARS {
            return cut(signature, word);
        }
        if !signature.is_empty() {
            signature.push(' ');
        }
        signature.push_str(word);
    }
    if is_cut {
        return cut(signature, "");
    }
    let kept = signature.trim_end_matches(['{', ':', '=', ';', ',', ' ']).len();
    signature.truncate(kept);
    signature
}

/// Adds as much of the word as there is room for, and says that there was more. Part of a literal is none of it.
fn cut(mut signature: String, word: &str) -> String {
    let room = (MAX_SIGNATURE_CHARS - 1).saturating_sub(signature.chars().count());
    if room > 1 && !word.is_empty() {
        if !signature.is_empty() {
            signature.push(' ');
        }
        signature.extend(word.chars().take(room - 1));
    }
    let end = signature.char_indices().nth(MAX_SIGNATURE_CHARS - 1).map_or(signature.len(), |(byte, _)| byte);
    signature.truncate(end);
    signature.truncate(without_open(&signature).len());
    signature.push('…');
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_folded_and_what_opens_the_body_dropped() {
        assert_eq!(of(b"fn  f(\r\n\ta: u8,\r\n) -> u8 {"), "fn f( a: u8, ) -> u8");
        assert_eq!(of(b"def f(self) -> int:"), "def f(self) -> int");
        assert_eq!(of(b"const f = (a) =>"), "const f = (a) =>");
    }

    #[test]
    fn a_literal_is_never_cut_in_two() {
        for quote in ['"', '\'', '`'] {
            let text = format!("def f({}token={quote}ghp_NdgWTvfvchd7Pk7R{quote}):", "parameter, ".repeat(26));
            let signature = of(text.as_bytes());
            assert!(signature.ends_with(&format!("token={quote}…")), "{signature}");
        }
    }

    #[test]
    fn keys_are_left_out_before_they_are_folded() {
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}-----END", "MIIEvQIBADANBgkqhkiG9w0BAQ\n".repeat(300));
        for (before, after, expected) in [
            ("const key = `", "`", "const key = `…`"),
            ("key = \"\"\"", "\"\"\"", "key = \"\"\"…\"\"\""),
            ("const KEY: &'static str = r#\"", "\"#;", "const KEY: &'static str = r#\"…\"#"),
        ] {
            // Neither whole nor where reading ends in the middle of it.
            let is_read = |repeated: &str| of(format!("{before}{repeated}{after}").as_bytes());
            assert_eq!(is_read(&key[..1_000]), expected);
            assert!(!is_read(&key).contains("MII"), "{}", is_read(&key));
        }
    }

    #[test]
    fn long_ones_are_cut() {
        for text in ["é".repeat(5_000), "ab ".repeat(200), "x".repeat(301)] {
            let signature = of(text.as_bytes());
            assert!(signature.ends_with('…'), "{signature}");
            assert!(signature.chars().count() <= MAX_SIGNATURE_CHARS);
        }
    }
}
