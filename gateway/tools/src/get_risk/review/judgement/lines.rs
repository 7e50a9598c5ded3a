//! The place of a line after a change.

use proto::v1;

/// The place of an old line in the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NewLine {
    Same(u32),
    /// The line is gone, or other lines are in its place.
    Replaced(std::ops::Range<u32>),
}

pub(super) fn new_line(hunks: &[v1::LineHunk], line: u32) -> NewLine {
    let mut shift = 0_i64;
    for hunk in hunks {
        let end = hunk.old_start.saturating_add(hunk.old_lines);
        if end <= line {
            shift += i64::from(hunk.new_lines) - i64::from(hunk.old_lines);
        } else if hunk.old_start <= line {
            return NewLine::Replaced(hunk.new_start..hunk.new_start.saturating_add(hunk.new_lines));
        }
    }
    NewLine::Same(u32::try_from(i64::from(line) + shift).unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_the_text_before_them() {
        let hunk =
            |old_start, old_lines, new_start, new_lines| v1::LineHunk { old_start, old_lines, new_start, new_lines };
        let hunks = [hunk(2, 1, 2, 3), hunk(8, 0, 10, 1)];
        for (line, expected) in [
            (1, NewLine::Same(1)),
            (2, NewLine::Replaced(2..5)),
            (3, NewLine::Same(5)),
            (7, NewLine::Same(9)),
            (8, NewLine::Same(11)),
        ] {
            assert_eq!(new_line(&hunks, line), expected, "{line}");
        }
    }
}
