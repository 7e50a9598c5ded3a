//! Annotations of variadic parameters of Java: `Object @Nullable... arguments`.
//!
//! The grammar expects them behind the dots, and loses the method otherwise. They are replaced by spaces before the file is parsed, so that
//! all offsets stay valid.

use std::borrow::Cow;

/// Maximum number of annotations before the dots of one parameter.
const MAX_ANNOTATIONS: usize = 8;

/// Returns the source without the annotations that precede the dots of a variadic parameter.
pub(crate) fn blank(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut plain = Cow::Borrowed(bytes);
    let dots = bytes.windows(3).enumerate().filter(|(_, window)| *window == b"...");
    for (at, _) in dots {
        let mut end = at;
        for _ in 0..MAX_ANNOTATIONS {
            let Some(start) = annotation_before(&bytes[..end]) else { break };
            plain.to_mut()[start..end].fill(b' ');
            end = start;
        }
    }
    plain
}

/// Returns the start of the annotation without arguments that ends a text, apart from blanks in the same line.
fn annotation_before(text: &[u8]) -> Option<usize> {
    let text = &text[..text.iter().rposition(|byte| !matches!(byte, b' ' | b'\t'))? + 1];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let at = text.iter().rposition(|byte| !is_name(byte))?;
    let has_type_before =
        || text[..at].trim_ascii_end().last().is_some_and(|byte| is_name(byte) || b">])".contains(byte));
    (text[at] == b'@' && at + 1 < text.len() && has_type_before()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_before_the_dots_are_blank() {
        for (source, expected) in [
            ("void f(@A Object @Nullable... x);", "void f(@A Object          ... x);"),
            ("void f(List<T> @A @b.C ... x);", "void f(List<T>         ... x);"),
            ("void f(byte[] @A... x);", "void f(byte[]   ... x);"),
        ] {
            assert_eq!(String::from_utf8_lossy(&blank(source.as_bytes())), expected);
        }
        // The modifiers of a parameter, other dots and lone names stay.
        for source in
            ["void f(@A Object... x);", "void f(@A ... x);", "String s = \"a...\";", "// @... b", "void f(Object x @"]
        {
            assert_eq!(String::from_utf8_lossy(&blank(source.as_bytes())), source);
        }
    }

    #[test]
    fn a_method_with_annotated_dots_is_read() {
        let source = "interface Log {\n  void info(String text);\n  void info(String text, @A Object @A... all);\n  void warn();\n}\n";
        let facts = crate::extract(model::Language::Java, source.as_bytes());
        let found: Vec<String> =
            facts.definitions.iter().map(|one| format!("{}:{}", one.name, one.name_line)).collect();
        assert!(facts.diagnostics.is_empty(), "{:?}", facts.diagnostics);
        assert_eq!(found, ["Log:1", "info:2", "info:3", "warn:4"]);
    }
}
