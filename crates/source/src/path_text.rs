//! Converts paths to text. Git and Unix allow any bytes in a name; the rest of the system requires UTF-8.
//!
//! A UTF-8 name is unchanged. Any other byte is escaped as `\xNN`, and so is every backslash of a path that contains such a
//! byte or already contains `\x`. The conversion is reversible, so two paths never get the same text.

use std::borrow::Cow;

const ESCAPE: &str = "\\x";

/// Returns the text of a path.
pub(crate) fn to_text(path: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(path)
        && !text.contains(ESCAPE)
    {
        return text.to_owned();
    }
    let mut text = String::with_capacity(path.len() + 8);
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == '\\' { text.push_str("\\x5c") } else { text.push(character) }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("{ESCAPE}{byte:02x}"));
        }
    }
    text
}

/// Returns the path that has this text.
pub(crate) fn to_bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        let digits = rest.get(at + 2..at + 4).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        match digits {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            None => {
                bytes.extend_from_slice(ESCAPE.as_bytes());
                rest = &rest[at + 2..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_non_utf8_paths_are_escaped() {
        for (bytes, expected) in [
            (&b"src/a b.rs"[..], "src/a b.rs"),
            ("größe/日本.md".as_bytes(), "größe/日本.md"),
            (b"a\\b", "a\\b"),
            (b"caf\xe9.py", "caf\\xe9.py"),
            (b"caf\\xe9.py", "caf\\x5cxe9.py"),
        ] {
            assert_eq!(to_text(bytes), expected);
        }
    }

    proptest! {
        #[test]
        fn conversion_is_reversible(bytes in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), any::<u8>()], 0..24)) {
            let text = to_text(&bytes);
            prop_assert_eq!(&*to_bytes(&text), &bytes[..]);
        }
    }
}
