//! The comment above a definition, which describes it and is not part of its lines.

/// Maximum number of lines above a definition that may be its comment.
pub(super) const MAX_LINES: u32 = 40;

/// Prefixes of comment lines, and of attributes, which may stand between a comment and its definition.
const MARKS: [&str; 7] = ["//", "/*", "*", "#", "--", "@", "%"];

/// Returns the number of lines directly above a definition that are its comment.
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
    // Without its beginning, only the end of the block was read.
    if in_block { 0 } else { n_lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_directly_above_is_found() {
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
