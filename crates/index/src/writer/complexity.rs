//! Indentation complexity of a file. It needs no grammar, and correlates with cyclomatic complexity (Hindle, Godfrey and
//! Holt, "Reading beside the lines", 2008).

/// Nesting levels per tab.
const TAB_LEVELS: u32 = 1;

/// Maximum number of spaces per level. Deeper indentation is alignment.
const MAX_UNIT: usize = 8;

/// Maximum level of a line. A deeper line is a table or a continued expression.
const MAX_LEVELS: u32 = 12;

/// Line starts that begin or continue a comment in most languages.
const COMMENT_STARTS: [&str; 6] = ["//", "/*", "* ", "*/", "# ", "-- "];

/// Returns the sum of one plus the nesting level over all lines but blank lines and comments.
pub(crate) fn indentation_complexity(bytes: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(bytes);
    let lines = || text.lines().filter(|line| is_code(line));
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let unit = lines().map(spaces).filter(|n_spaces| *n_spaces > 1).min().unwrap_or(1).min(MAX_UNIT);
    let levels = |line: &str| {
        let tabs = line.len() - line.trim_start_matches('\t').len();
        let levels = tabs as u32 * TAB_LEVELS + (spaces(line) / unit) as u32;
        1 + levels.min(MAX_LEVELS)
    };
    lines().map(levels).fold(0, u32::saturating_add)
}

fn is_code(line: &str) -> bool {
    let code = line.trim();
    !code.is_empty() && !COMMENT_STARTS.iter().any(|start| code.starts_with(start))
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
            assert_eq!(indentation_complexity(text.as_bytes()), expected, "{text:?}");
        }
        assert!(indentation_complexity(&[0xff, b'\n', b' ']) > 0);
    }
}
