//! How complex a file is, by how deep its lines are nested: a measure that needs no grammar, and goes with those that do
//! (Hindle, Godfrey and Holt, "Reading beside the lines", 2008).

/// How deep a tab nests.
const TAB_LEVELS: u32 = 1;

/// Spaces that nest at most: what indents by more aligns.
const MAX_UNIT: usize = 8;

/// Levels of one line that count: what lies deeper is a table or a continued expression.
const MAX_LEVELS: u32 = 12;

/// Beginnings of lines that are comments in most languages.
const COMMENTS: [&str; 6] = ["//", "/*", "* ", "*/", "# ", "-- "];

/// Returns the sum over all lines of one and the levels that they are nested; blank lines and comments count nothing.
pub(crate) fn of(bytes: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(bytes);
    let lines = || text.lines().filter(|line| counts(line));
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let unit = lines().map(spaces).filter(|n_spaces| *n_spaces > 1).min().unwrap_or(1).min(MAX_UNIT);
    let levels = |line: &str| {
        let tabs = line.len() - line.trim_start_matches('\t').len();
        let levels = tabs as u32 * TAB_LEVELS + (spaces(line) / unit) as u32;
        1 + levels.min(MAX_LEVELS)
    };
    lines().map(levels).fold(0, u32::saturating_add)
}

fn counts(line: &str) -> bool {
    let code = line.trim();
    !code.is_empty() && !COMMENTS.iter().any(|start| code.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_lines_count_more() {
        for (text, expected) in [
            ("", 0),
            ("a\n\n\nb\n", 2),
            ("if a:\n    b\n    if c:\n        d\n", 1 + 2 + 2 + 3),
            ("if a:\n  b\n  if c:\n    d\n", 1 + 2 + 2 + 3),
            ("if a {\n\tb\n\tif c {\n\t\td\n", 1 + 2 + 2 + 3),
            ("// a\n/* b\n * c\n */\nd\n", 1),
            ("                                        deep\n", 1 + 5),
        ] {
            assert_eq!(of(text.as_bytes()), expected, "{text:?}");
        }
        assert!(of(&[0xff, b'\n', b' ']) > 0);
    }
}
