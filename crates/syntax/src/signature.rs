//! Signatures: a declaration on one line.
//!
//! A signature gives the name, parameters and result of a definition. Long literals are left out: they tell none of
//! this, and a key or token would be cut in two or reflowed, so that the secret scanner no longer recognizes it.

mod literals;

use literals::{elide_long, without_unclosed};

/// Maximum length of a signature in characters. A longer one is cut and ends in `…`; only generated code has such
/// signatures.
const MAX_SIGNATURE_CHARS: usize = 300;

/// Maximum number of bytes of a declaration that are read: enough for the longest signature, however it is indented.
const MAX_DECLARATION_READ: usize = 4_000;

/// Writes a declaration, up to its body, as one line.
pub(crate) fn render(declaration: &[u8]) -> String {
    let is_cut = declaration.len() > MAX_DECLARATION_READ;
    let text = String::from_utf8_lossy(&declaration[..declaration.len().min(MAX_DECLARATION_READ)]);
    let text = elide_long(&text);
    let mut signature = String::with_capacity(text.len().min(MAX_SIGNATURE_CHARS));
    let mut n_chars = 0;
    for word in text.split_whitespace() {
        n_chars += word.chars().count() + usize::from(!signature.is_empty());
        if n_chars > MAX_SIGNATURE_CHARS {
            return truncate_with_ellipsis(signature, word);
        }
        if !signature.is_empty() {
            signature.push(' ');
        }
        signature.push_str(word);
    }
    if is_cut {
        return truncate_with_ellipsis(signature, "");
    }
    let trimmed_len = signature.trim_end_matches(['{', ':', '=', ';', ',', ' ']).len();
    signature.truncate(trimmed_len);
    signature
}

/// Appends as much of the word as fits, and an ellipsis. An unfinished literal is dropped.
fn truncate_with_ellipsis(mut signature: String, word: &str) -> String {
    let room = (MAX_SIGNATURE_CHARS - 1).saturating_sub(signature.chars().count());
    if room > 1 && !word.is_empty() {
        if !signature.is_empty() {
            signature.push(' ');
        }
        signature.extend(word.chars().take(room - 1));
    }
    let end = signature.char_indices().nth(MAX_SIGNATURE_CHARS - 1).map_or(signature.len(), |(byte, _)| byte);
    signature.truncate(end);
    signature.truncate(without_unclosed(&signature).len());
    signature.push('…');
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_collapsed_and_the_body_is_dropped() {
        assert_eq!(render(b"fn  f(\r\n\ta: u8,\r\n) -> u8 {"), "fn f( a: u8, ) -> u8");
        assert_eq!(render(b"def f(self) -> int:"), "def f(self) -> int");
        assert_eq!(render(b"const f = (a) =>"), "const f = (a) =>");
    }

    #[test]
    fn a_literal_is_never_cut() {
        for quote in ['"', '\'', '`'] {
            let text = format!("def f({}token={quote}ghp_NdgWTvfvchd7Pk7R{quote}):", "parameter, ".repeat(26));
            let signature = render(text.as_bytes());
            assert!(signature.ends_with(&format!("token={quote}…")), "{signature}");
        }
    }

    #[test]
    fn keys_are_elided_before_white_space_is_collapsed() {
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}-----END", "MIIEvQIBADANBgkqhkiG9w0BAQ\n".repeat(300));
        for (before, after, expected) in [
            ("const key = `", "`", "const key = `…`"),
            ("key = \"\"\"", "\"\"\"", "key = \"\"\"…\"\"\""),
            ("const KEY: &'static str = r#\"", "\"#;", "const KEY: &'static str = r#\"…\"#"),
        ] {
            // Neither the whole key nor a key that is cut by the read limit may show.
            let is_read = |repeated: &str| render(format!("{before}{repeated}{after}").as_bytes());
            assert_eq!(is_read(&key[..1_000]), expected);
            assert!(!is_read(&key).contains("MII"), "{}", is_read(&key));
        }
    }

    #[test]
    fn long_signatures_are_truncated() {
        for text in ["é".repeat(5_000), "ab ".repeat(200), "x".repeat(301)] {
            let signature = render(text.as_bytes());
            assert!(signature.ends_with('…'), "{signature}");
            assert!(signature.chars().count() <= MAX_SIGNATURE_CHARS);
        }
    }
}
