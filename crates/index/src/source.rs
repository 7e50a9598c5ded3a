//! Reading source out of a generation.

use model::LineSpan;

use crate::{IndexError, Snapshot, Source};

/// Longer pieces are cut after a line: no answer can show more.
const MAX_SOURCE_BYTES: usize = 1 << 20;

impl Snapshot {
    /// Returns lines of a file, or all of it; nothing where there is no such file.
    ///
    /// Lines past the end are left out, and the span that comes back says what is there.
    pub fn source(&self, path: &str, lines: Option<LineSpan>) -> Result<Option<Source>, IndexError> {
        let Some(file_idx) = self.file_index(path) else { return Ok(None) };
        let bytes = self.bytes(file_idx)?;
        let text = String::from_utf8_lossy(&bytes);
        let wanted = lines.unwrap_or(LineSpan { start: 1, end: u32::MAX });
        Ok(Some(cut(&text, wanted)))
    }
}

fn cut(text: &str, wanted: LineSpan) -> Source {
    let first = wanted.start.max(1);
    let mut piece = String::new();
    let mut last = first - 1;
    let mut n_file_lines = 0;
    let mut is_full = false;
    for line in text.lines() {
        n_file_lines += 1;
        if n_file_lines < first || n_file_lines > wanted.end || is_full {
            continue;
        }
        if piece.len() + line.len() > MAX_SOURCE_BYTES {
            is_full = true;
            continue;
        }
        if last >= first {
            piece.push('\n');
        }
        piece.push_str(line);
        last = n_file_lines;
    }
    Source { text: piece, lines: LineSpan { start: first, end: last }, n_file_lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_stop_at_the_end() {
        let text = "a\r\nb\n\nd";
        for (start, end, expected, last) in
            [(1, 2, "a\nb", 2), (2, 9, "b\n\nd", 4), (3, 3, "", 3), (5, 9, "", 4), (0, 1, "a", 1)]
        {
            let source = cut(text, LineSpan { start, end });
            assert_eq!(
                (source.text.as_str(), source.lines.end, source.n_file_lines),
                (expected, last, 4),
                "{start}-{end}"
            );
        }
    }
}
