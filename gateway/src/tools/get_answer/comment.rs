//! The comment above a definition, which says what it is for and is no part of it.

/// Lines above a definition that may be its comment, at most.
pub(super) const MAX_LINES: u32 = 40;

/// What lines of comments begin with, and of attributes, which may stand between a comment and what it is about.
const MARKS: [&str; 7] = ["//", "/*", "*", "#", "--", "@", "%"];

/// Returns how many of the lines right above a definition are its comment.
pub(super) fn n_lines(above: &[&str]) -> usize {
    let mut n_lines = 0;
    let mut in_block = false;
    for line in above.iter().rev().map(|line| line.trim()) {
        in_block |= line.ends_with("*/");
        if !in_block && !MARKS.iter().any(|mark| line.starts_with(mark)) {
            break;
        }
        in_block &= !line.starts_with("/*");
        n_lines += 1;
    }
    // A block that does not begin here is one of which the end was read alone.
    if in_block { 0 } else { n_lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_right_above_is_found() {
        for (above, expected) in [
            ("}\n\n// SettleOrder settles.\n// It retries.", 2),
            ("use a;\n/// Runs.\n#[must_use]", 2),
            ("x();\n/**\n * Runs.\n */", 3),
            ("/*\nRuns\n\nlong */\n@Override", 5),
            ("long */", 0),
            ("// of something else\n", 0),
            ("a = 1", 0),
            ("", 0),
        ] {
            assert_eq!(n_lines(&above.split('\n').collect::<Vec<_>>()), expected, "{above}");
        }
    }
}
