//! Dialect detection: a file extension may be shared by several languages.

use model::Language;

/// Line starts that occur in C++ but not in C.
const CPP_LINE_STARTS: [&str; 8] =
    ["class ", "namespace ", "template<", "template <", "using ", "public:", "private:", "constexpr "];

/// Returns the language of a file: a `.h` file that uses C++ is C++.
pub(crate) fn detect(language: Language, bytes: &[u8]) -> Language {
    match language {
        Language::C if is_cpp_file(bytes) => Language::Cpp,
        language => language,
    }
}

fn is_cpp_file(bytes: &[u8]) -> bool {
    let mut in_comment = false;
    bytes.split(|&byte| byte == b'\n').any(|line| {
        let text = line.trim_ascii();
        let was_in_comment = in_comment;
        if let Some(open) = find(text, b"/*") {
            in_comment = find(&text[open..], b"*/").is_none();
        } else if find(text, b"*/").is_some() {
            in_comment = false;
        }
        !was_in_comment && !text.starts_with(b"//") && !text.starts_with(b"*") && is_cpp_line(text)
    })
}

fn is_cpp_line(text: &[u8]) -> bool {
    CPP_LINE_STARTS.iter().any(|start| text.starts_with(start.as_bytes())) || has_qualified_name(text)
}

/// Returns true if the line has `a::b` outside of strings.
fn has_qualified_name(text: &[u8]) -> bool {
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
    fn cpp_headers_are_detected() {
        for (text, expected) in [
            ("class A;\n", Language::Cpp),
            ("namespace a {", Language::Cpp),
            ("#pragma once\nstd::string f();", Language::Cpp),
            ("// class A\n/*\n class B\n*/\nint f(void);\n", Language::C),
            ("puts(\"a::b\");", Language::C),
            ("struct a { int class_id; };", Language::C),
            ("", Language::C),
        ] {
            assert_eq!(detect(Language::C, text.as_bytes()), expected, "{text}");
        }
    }
}
