//! Dialects: files whose name does not say which language they are really in.

use model::Language;

/// Words that only C++ has, at the start of a line.
const CPP_LINES: [&str; 8] =
    ["class ", "namespace ", "template<", "template <", "using ", "public:", "private:", "constexpr "];

/// Returns the language that a file is written in: a `.h` that uses C++ is C++.
pub(crate) fn of(language: Language, bytes: &[u8]) -> Language {
    match language {
        Language::C if speaks_cpp(bytes) => Language::Cpp,
        language => language,
    }
}

fn speaks_cpp(bytes: &[u8]) -> bool {
    let mut in_comment = false;
    bytes.split(|&byte| byte == b'\n').any(|line| {
        let text = line.trim_ascii();
        let was_in_comment = in_comment;
        if let Some(open) = find(text, b"/*") {
            in_comment = find(&text[open..], b"*/").is_none();
        } else if find(text, b"*/").is_some() {
            in_comment = false;
        }
        !was_in_comment && !text.starts_with(b"//") && !text.starts_with(b"*") && is_cpp(text)
    })
}

fn is_cpp(text: &[u8]) -> bool {
    CPP_LINES.iter().any(|start| text.starts_with(start.as_bytes())) || names_a_scope(text)
}

/// Says whether `a::b` is on the line, outside of strings.
fn names_a_scope(text: &[u8]) -> bool {
    let Some(at) = find(text, b"::") else { return false };
    let is_name =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'>');
    is_name(text[..at].last())
        && is_name(text.get(at + 2))
        && !text[..at].iter().any(|byte| matches!(byte, b'"' | b'\'' | b'/'))
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_apart() {
        for (text, expected) in [
            ("class A;\n", Language::Cpp),
            ("namespace a {", Language::Cpp),
            ("#pragma once\nstd::string f();", Language::Cpp),
            ("// class A\n/*\n class B\n*/\nint f(void);\n", Language::C),
            ("puts(\"a::b\");", Language::C),
            ("struct a { int class_id; };", Language::C),
            ("", Language::C),
        ] {
            assert_eq!(of(Language::C, text.as_bytes()), expected, "{text}");
        }
    }
}
