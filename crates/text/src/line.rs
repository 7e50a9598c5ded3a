//! Lines of excerpts: shortening, prices and line spans.

use std::borrow::Cow;

use model::LineSpan;

use crate::tokens::{LINE_START, price};

/// Maximum length of a line in characters. Readers skip the rest, and one minified line would use up any budget.
pub const MAX_LINE_CHARS: usize = 400;

/// Replaces omitted lines.
pub const GAP: &str = "⋯";

/// Ends a shortened line.
pub const CUT: char = '…';

/// Returns the line, shortened to [`MAX_LINE_CHARS`].
pub(crate) fn shorten(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        None => Cow::Borrowed(line),
        Some(_) => Cow::Owned(line.chars().take(MAX_LINE_CHARS - 1).chain([CUT]).collect()),
    }
}

#[expect(clippy::ptr_arg, reason = "a shortened line is owned")]
pub(crate) fn is_shortened(line: &Cow<'_, str>) -> bool {
    matches!(line, Cow::Owned(_))
}

/// Returns the maximum price of a line and its line feed, in fractions of a token.
pub(crate) fn price_of_line(line: &str) -> usize {
    price(line) + LINE_START
}

/// Adds `n_lines` lines from `line` to `shown`. Adjacent lines form one span.
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
