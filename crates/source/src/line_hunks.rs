//! The lines in which two texts differ.

use std::ops::Range;

use gix::diff::blob::{Algorithm, Diff, InternedInput};

/// Lines of the old text that other lines of the new text replace. Lines are counted from 0; either range may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHunk {
    /// The removed lines.
    pub old: Range<u32>,
    /// The added lines.
    pub new: Range<u32>,
}

/// Returns the differing lines of two texts, in order.
pub fn line_hunks(old: &[u8], new: &[u8]) -> Vec<LineHunk> {
    let input = InternedInput::new(old, new);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.hunks().map(|hunk| LineHunk { old: hunk.before, new: hunk.after }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_ranges_of_lines() {
        let hunks = line_hunks(b"a\nb\nc\n", b"a\nx\ny\nc\nd\n");
        assert_eq!(hunks, [LineHunk { old: 1..2, new: 1..3 }, LineHunk { old: 3..3, new: 4..5 }]);
        assert!(line_hunks(b"a\n", b"a\n").is_empty());
    }
}
