//! The prefix of a file that may be parsed: not data, not minified, and nested as code is.

use std::collections::HashSet;

/// Maximum length in bytes of a line in a file that is parsed.
///
/// Hand-written code stays below 1 kB. A file with a line over 20 kB is minified or a data table: every name in it is
/// noise, and one line is the whole file.
pub const MAX_PARSED_LINE_BYTES: usize = 20_000;

/// Maximum size in bytes of a file that is parsed.
///
/// The largest hand-written sources are just under 1 MB (the SQLite amalgamation is an exception, and generated). A
/// tree takes about thirty times the memory of its text.
pub const MAX_PARSED_BYTES: usize = 2 << 20;

/// Maximum number of brackets of a parsed file that are open at once.
///
/// Hand-written code stays below 100. Some grammars take time quadratic in the depth, so that a file of brackets alone
/// would keep them busy for minutes.
pub const MAX_PARSED_DEPTH: usize = 5_000;

/// Maximum number of different indentations in a parsed file.
///
/// Each block inside another one has an indentation of its own. Hand-written code stays below 100, with all lines that are
/// aligned with an opening bracket. The grammar of Python stores the widths of the open blocks, two bytes each, and up to 257 bytes
/// of open strings in 1,024 bytes, and writes one more if they are too many.
pub const MAX_PARSED_INDENTATIONS: usize = 350;

/// Width of a tab in the grammar of Python.
const TAB_WIDTH: usize = 8;

/// The prefix of a file that may be parsed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ParsablePrefix {
    pub(crate) n_bytes: usize,
    /// The reason why it is not the whole file.
    pub(crate) reason: Option<String>,
}

impl ParsablePrefix {
    /// Returns the prefix of a file.
    pub(crate) fn of(bytes: &[u8]) -> ParsablePrefix {
        let longest = bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
        if bytes.len() > MAX_PARSED_BYTES {
            return ParsablePrefix::up_to(0, format!("{} bytes, over {MAX_PARSED_BYTES}", bytes.len()));
        }
        if longest > MAX_PARSED_LINE_BYTES {
            return ParsablePrefix::up_to(0, format!("a line of {longest} bytes, over {MAX_PARSED_LINE_BYTES}"));
        }
        let depth = bracket_depth(bytes);
        if depth > MAX_PARSED_DEPTH {
            let reason = format!("brackets {depth} deep, over {MAX_PARSED_DEPTH}");
            return ParsablePrefix::up_to(end_before_depth(bytes), reason);
        }
        match end_before_indentation(bytes) {
            Some(end) => ParsablePrefix::up_to(end, format!("over {MAX_PARSED_INDENTATIONS} different indentations")),
            None => ParsablePrefix { n_bytes: bytes.len(), reason: None },
        }
    }

    fn up_to(n_bytes: usize, reason: String) -> ParsablePrefix {
        ParsablePrefix { n_bytes, reason: Some(reason) }
    }
}

/// Returns the maximum number of open brackets, including those in strings and comments.
fn bracket_depth(bytes: &[u8]) -> usize {
    let mut depth = 0isize;
    let mut deepest = 0;
    for byte in bytes {
        // Branch-free, since the branch predictor cannot predict brackets.
        let opens = matches!(byte, b'(' | b'[' | b'{');
        let closes = matches!(byte, b')' | b']' | b'}');
        depth = (depth + isize::from(opens) - isize::from(closes)).max(0);
        deepest = deepest.max(depth);
    }
    deepest as usize
}

/// Returns the end of the last line without open brackets before brackets are too deep.
fn end_before_depth(bytes: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut end = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 => end = at + 1,
            _ => {}
        }
        if depth > MAX_PARSED_DEPTH {
            break;
        }
    }
    end
}

/// Returns the end of the last line before there are too many indentations; `None` if there are not.
fn end_before_indentation(bytes: &[u8]) -> Option<usize> {
    let mut widths = HashSet::from([0]);
    let mut last_width = 0;
    let mut start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let width = indentation(line);
        // Most lines are indented like the line before.
        if width != last_width {
            last_width = width;
            if widths.insert(width) && widths.len() > MAX_PARSED_INDENTATIONS {
                return Some(start);
            }
        }
        start += line.len();
    }
    None
}

fn indentation(line: &[u8]) -> usize {
    let blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blank.map(|byte| if *byte == b'\t' { TAB_WIDTH } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_ends_before_excessive_nesting() {
        let nested = |n_lines: usize| (0..n_lines).map(|depth| format!("{}a\n", " ".repeat(depth))).collect::<String>();
        for (text, n_bytes, reason) in [
            ("f()\n".to_owned(), 4, None),
            (nested(MAX_PARSED_INDENTATIONS), nested(MAX_PARSED_INDENTATIONS).len(), None),
            (
                nested(MAX_PARSED_INDENTATIONS + 9),
                nested(MAX_PARSED_INDENTATIONS).len(),
                Some("over 350 different indentations"),
            ),
            (format!("f()\n(\n{}", "(\n".repeat(MAX_PARSED_DEPTH)), 4, Some("brackets 5001 deep, over 5000")),
            ("a".repeat(MAX_PARSED_LINE_BYTES + 1), 0, Some("a line of 20001 bytes, over 20000")),
            ("a\n".repeat(MAX_PARSED_BYTES), 0, Some("4194304 bytes, over 2097152")),
        ] {
            let expected = ParsablePrefix { n_bytes, reason: reason.map(str::to_owned) };
            assert_eq!(ParsablePrefix::of(text.as_bytes()), expected);
        }
    }
}
