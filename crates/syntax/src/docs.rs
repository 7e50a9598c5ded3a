//! Doc comments as plain text.

/// Maximum length in bytes of a doc. A longer one is a manual, which full-text search finds by its own text.
const MAX_DOC_BYTES: usize = 4_000;

/// Maximum number of bytes of a comment that are read: several definitions may share one, and each of them reads it.
const MAX_COMMENT_READ: usize = 12_000;

/// Returns the text of a comment without its markers.
pub(crate) fn strip_markers(comment: &[u8]) -> String {
    let text = String::from_utf8_lossy(&comment[..comment.len().min(MAX_COMMENT_READ)]);
    let mut lines = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if is_directive(trimmed) {
            continue;
        }
        let opened = if in_block { None } else { strip_start(trimmed, &["/**", "/*!", "/*", "--[[", "=begin"]) };
        in_block |= opened.is_some();
        let mut content = opened.unwrap_or(trimmed);
        if in_block {
            let closed = strip_end(content);
            in_block = closed.is_none();
            content = closed.unwrap_or(content);
            content = if opened.is_none() { content.trim_start_matches('*') } else { content };
        } else {
            content = without_line_marker(content);
        }
        lines.push(content.strip_prefix(' ').unwrap_or(content).trim_end());
    }
    join_trimmed(&lines)
}

/// Returns the text of a docstring without its indentation.
pub(crate) fn dedent(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let margin = lines.iter().skip(1).filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    for (line_idx, line) in lines.iter_mut().enumerate() {
        *line = if line_idx == 0 { line.trim_start() } else { line.get(margin..).unwrap_or_else(|| line.trim_start()) };
    }
    join_trimmed(&lines)
}

/// Returns the text between the quotes of a string literal, which may have a prefix.
pub(crate) fn unquoted(literal: &[u8]) -> String {
    let text = String::from_utf8_lossy(literal);
    let quoted = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let n_quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
    quoted.get(n_quotes..quoted.len().saturating_sub(n_quotes)).unwrap_or_default().to_owned()
}

/// Returns true if a comment is a license header.
pub(crate) fn is_license(doc: &str) -> bool {
    let lower = doc.to_ascii_lowercase();
    [
        "copyright",
        "spdx-",
        "licensed under",
        "all rights reserved",
        "license:",
        "(c) 20",
        "permission is hereby granted",
    ]
    .iter()
    .any(|mark| lower.contains(mark))
}

fn without_line_marker(line: &str) -> &str {
    for marker in ["/", "#", "-", ";", "%"] {
        let rest = line.trim_start_matches(marker);
        let n_marks = line.len() - rest.len();
        let is_comment = n_marks > 1 || (n_marks == 1 && !matches!(marker, "/" | "-"));
        if is_comment {
            // `//!` in Rust, and `#:`, which documents an attribute in Python.
            return rest.strip_prefix(if marker == "#" { ':' } else { '!' }).unwrap_or(rest);
        }
    }
    line
}

fn strip_start<'a>(line: &'a str, markers: &[&str]) -> Option<&'a str> {
    markers.iter().find_map(|marker| line.strip_prefix(marker))
}

fn strip_end(line: &str) -> Option<&str> {
    ["*/", "]]", "=end"].iter().find_map(|marker| line.strip_suffix(marker)).map(|rest| rest.trim_end_matches('*'))
}

/// Returns true if a comment line is a directive for a compiler or a linter.
fn is_directive(line: &str) -> bool {
    [
        "//go:",
        "//nolint",
        "// +build",
        "// eslint-",
        "/* eslint",
        "// @ts-",
        "# type:",
        "# noqa",
        "# pylint:",
        "#!",
        "# -*-",
    ]
    .iter()
    .any(|mark| line.starts_with(mark))
}

fn join_trimmed(lines: &[&str]) -> String {
    let is_text = |line: &str| !line.trim().is_empty();
    let first = lines.iter().position(|line| is_text(line)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| is_text(line)).map_or(first, |index| index + 1);
    let mut doc = lines[first..last].join("\n").replace('\r', " ");
    if doc.len() > MAX_DOC_BYTES {
        let mut cut = MAX_DOC_BYTES;
        while !doc.is_char_boundary(cut) {
            cut -= 1;
        }
        doc.truncate(cut);
    }
    doc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_stripped() {
        for (comment, expected) in [
            ("/// One.\r\n///\r\n///   indented", "One.\n\n  indented"),
            ("/**\n * One.\n * @param a\n */", "One.\n@param a"),
            ("/** One. */", "One."),
            ("/*!\n * One\n **/", "One"),
            ("//! One\n//! two", "One\ntwo"),
            ("# One\n# two", "One\ntwo"),
            ("#: One\n#: two", "One\ntwo"),
            ("-- One\n-- two", "One\ntwo"),
            ("--- One", "One"),
            ("//go:generate x\n// One", "One"),
            ("/* a */", "a"),
            ("//", ""),
            ("/*", ""),
        ] {
            assert_eq!(strip_markers(comment.as_bytes()), expected, "{comment}");
        }
    }

    #[test]
    fn docstrings_are_dedented() {
        assert_eq!(dedent("One.\n\n    two\n      three\n    "), "One.\n\ntwo\n  three");
        assert_eq!(dedent("\n    One.\n"), "One.");
    }

    #[test]
    fn long_docs_are_cut_at_a_character() {
        assert!(strip_markers(format!("// {}", "é".repeat(5_000)).as_bytes()).len() <= MAX_DOC_BYTES);
    }
}
