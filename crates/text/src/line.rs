//! Lines as they are shown: cut where they are too long, with a price each, and the spans that they make up.

use std::borrow::Cow;

use model::LineSpan;

use crate::tokens::{LINE_START, price};

/// A longer line is cut here: nobody reads on, and one minified line would otherwise use up any budget.
pub const MAX_LINE_CHARS: usize = 400;

/// Stands for lines left out.
pub const GAP: &str = "⋯";

/// Ends a line that was cut.
pub const CUT: char = '…';

/// Returns the line, or its beginning where it is longer than [`MAX_LINE_CHARS`].
pub(crate) fn shorten(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        None => Cow::Borrowed(line),
        Some(_) => Cow::Owned(line.chars().take(MAX_LINE_CHARS - 1).chain([CUT]).collect()),
    }
}

#[expect(clippy::ptr_arg, reason = "being owned is what tells a shortened line")]
pub(crate) fn is_shortened(line: &Cow<'_, str>) -> bool {
    matches!(line, Cow::Owned(_))
}

/// Returns what a line and its line feed add to a text at most, in parts of a token.
pub(crate) fn price_of_line(line: &str) -> usize {
    price(line) + LINE_START
}

/// Notes `n_lines` from `line` as shown, one span for all that follow each other.
pub(crate) fn push_lines(shown: &mut Vec<LineSpan>, line: u32, n_lines: u32) {
    if n_lines == 0 {
        return;
    }
    let end = line + n_lines - 1;
    match shown.last_mut() {
        Some(last) if line <= last.end + 1 => last.end = last.end.max(end),
        _ => shown.push(LineSpan { start: line, end }),
    }
}
