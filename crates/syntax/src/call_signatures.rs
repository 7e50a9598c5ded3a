//! Generic call signatures of TypeScript that begin a line, separated from the member before them.
//!
//! In `interface A {\n  f(): B\n  <T>(x: T): C\n}`, the grammar reads `B<T>` and loses the file. The compiler ends a type before a `<` on
//! a new line. The space before such a signature is replaced by a semicolon before the file is parsed, so that all offsets stay valid.

use std::borrow::Cow;

/// Maximum length in bytes of the type parameters, and of the parameters, of a signature.
const MAX_LIST_BYTES: usize = 4_000;

/// Maximum number of lines of comments and blank lines before a signature.
const MAX_SKIPPED_LINES: usize = 200;

/// Returns the source with a semicolon before each generic call signature that follows a type on a line before.
pub(crate) fn separate(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let is_joined = |(line, at): &(usize, usize)| at > line && follows_type(&bytes[..*line]);
    let starts: Vec<usize> = signatures(&bytes).filter(is_joined).map(|(_, at)| at).collect();
    if starts.is_empty() {
        return bytes;
    }
    let mut separated = bytes.into_owned();
    for at in starts {
        separated[at - 1] = b';';
    }
    Cow::Owned(separated)
}

/// Returns the generic call signatures that begin a line: the start of the line, and of the signature.
fn signatures(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    bytes.split_inclusive(|byte| *byte == b'\n').filter_map(move |line| {
        let of_line = start;
        start += line.len();
        let indentation = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let at = of_line + indentation;
        (line.get(indentation) == Some(&b'<') && is_call_signature(&bytes[at..])).then_some((of_line, at))
    })
}

/// Returns true if a text begins with type parameters, parameters and a colon.
fn is_call_signature(text: &[u8]) -> bool {
    let after = |text: &[u8], open, close| {
        let list = text.trim_ascii_start();
        let length = list_length(list, open, close)?;
        Some(text.len() - list.len() + length)
    };
    let Some(n_type_parameters) = after(text, b'<', b'>') else { return false };
    let rest = &text[n_type_parameters..];
    after(rest, b'(', b')').is_some_and(|n_parameters| rest[n_parameters..].trim_ascii_start().first() == Some(&b':'))
}

/// Returns the length of a list with its brackets. The end of an arrow (`=>`) closes nothing.
fn list_length(text: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut depth = 0usize;
    let mut before = 0;
    for (at, byte) in text.iter().take(MAX_LIST_BYTES).enumerate() {
        if *byte == open {
            depth += 1;
        } else if *byte == close && before != b'=' {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return (at > 0).then_some(at + 1);
        }
        before = *byte;
    }
    None
}

/// Maximum length of a comment that is skipped. It bounds the work for a hostile file.
const MAX_COMMENT_BYTES: usize = 16 << 10;

/// Returns true if the last code of a text, without comments, may end a type.
fn follows_type(text: &[u8]) -> bool {
    let mut rest = text.trim_ascii_end();
    for _ in 0..MAX_SKIPPED_LINES {
        let start = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if rest.ends_with(b"*/") {
            let first = rest.len().saturating_sub(MAX_COMMENT_BYTES);
            let Some(opening) = rest[first..].windows(2).rposition(|pair| pair == b"/*") else { return false };
            rest = rest[..first + opening].trim_ascii_end();
        } else if rest[start..].trim_ascii_start().starts_with(b"//") {
            rest = rest[..start].trim_ascii_end();
        } else {
            return rest.last().is_some_and(|last| {
                last.is_ascii_alphanumeric()
                    || !last.is_ascii()
                    || b"_$>])}'\"`".contains(last) && !rest.ends_with(b"=>")
            });
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let separated = separate(Cow::Borrowed(source.as_bytes()));
        assert_eq!(String::from_utf8_lossy(&separated), expected);
    }

    #[test]
    fn a_generic_call_signature_on_a_new_line_is_a_member() {
        for (source, expected) in [
            ("interface A {\n  f(): B\n  <T>(x: T): C\n}", "interface A {\n  f(): B\n ;<T>(x: T): C\n}"),
            (
                "type A = {\n\t(x: B): C<D>\n\t<T>(\n\t\tx: T): C\n}",
                "type A = {\n\t(x: B): C<D>\n;<T>(\n\t\tx: T): C\n}",
            ),
            (
                "{\n  a: b[]\n\n  /** <c> */\n  // d\n  <\n    T extends () => C,\n  >(x: T): x is C",
                "{\n  a: b[]\n\n  /** <c> */\n  // d\n ;<\n    T extends () => C,\n  >(x: T): x is C",
            ),
            ("{\n  a: 'b'\n  <T,>(x: (y: T) => C) : C", "{\n  a: 'b'\n ;<T,>(x: (y: T) => C) : C"),
        ] {
            check(source, expected);
        }
    }

    #[test]
    fn other_lines_that_begin_with_an_angle_stay() {
        for source in [
            // It is the first member, or separated already.
            "interface A {\n  <T>(x: T): C\n}",
            "interface A {\n  f(): B;\n  <T>(x: T): C\n}",
            "interface A {\n  f(): B,\n  // b\n  <T>(x: T): C\n}",
            // Values.
            "const f =\n  <T>(x: T): C => x",
            "f(\n  <T>(x: T): C => x)",
            "const f = (a) =>\n  <T>(x: T): C => x",
            "const a = b\n  < c && (d)",
            "return (\n  <a>\n    <b>c</b>\n  </a>\n)",
            // Type arguments of one type.
            "type A = B\n  <C>\n",
            "f\n  <T>(x)\n",
            // No place for a semicolon.
            "f(): B\n<T>(x: T): C",
        ] {
            check(source, source);
        }
    }

    #[test]
    fn code_after_a_call_signature_is_read() {
        let source = "export interface A {\n  (): B\n\n  /** Text. */\n  <T>(x: T): C\n  <T>(x: T, y: T): C\n}\nexport function f(): B\n";
        let facts = crate::extract(model::Language::TypeScript, source.as_bytes());
        let found: Vec<String> =
            facts.definitions.iter().map(|one| format!("{}:{}", one.name, one.name_line)).collect();
        assert!(facts.diagnostics.is_empty(), "{:?}", facts.diagnostics);
        assert_eq!(found, ["A:1", "f:8"]);
    }
}
