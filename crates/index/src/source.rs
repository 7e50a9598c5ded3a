//! Source text by path and lines.

use model::LineSpan;

use crate::{error::IndexError, snapshot::Snapshot};

/// Maximum length of an excerpt, which is cut at a line end. No answer can show more.
const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceExcerpt {
    /// The lines, joined by line feeds. Invalid UTF-8 is replaced.
    pub text: String,
    /// The lines that the text covers.
    pub lines: LineSpan,
    /// Number of lines of the whole file.
    pub n_file_lines: u32,
}

impl Snapshot {
    /// Returns lines of a file, or the whole file; `None` if there is no such file.
    ///
    /// Lines past the end are omitted; the returned span covers the existing lines.
    pub fn source(&self, path: &str, lines: Option<LineSpan>) -> Result<Option<SourceExcerpt>, IndexError> {
        let Some(file_idx) = self.file_index(path) else { return Ok(None) };
        let bytes = self.source_bytes(file_idx)?;
        let text = String::from_utf8_lossy(&bytes);
        let requested = lines.unwrap_or(LineSpan { start: 1, end: u32::MAX });
        Ok(Some(excerpt(&text, requested)))
    }
}

fn excerpt(text: &str, requested: LineSpan) -> SourceExcerpt {
    let first = requested.start.max(1);
    let mut excerpt = String::new();
    let mut last = first - 1;
    let mut n_file_lines = 0;
    let mut is_full = false;
    for line in text.lines() {
        n_file_lines += 1;
        if n_file_lines < first || n_file_lines > requested.end || is_full {
            continue;
        }
        if excerpt.len() + line.len() > MAX_SOURCE_BYTES {
            is_full = true;
            continue;
        }
        if last >= first {
            excerpt.push('\n');
        }
        excerpt.push_str(line);
        last = n_file_lines;
    }
    SourceExcerpt { text: excerpt, lines: LineSpan { start: first, end: last }, n_file_lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one_and_end_with_the_file() {
        let text = "a\r\nb\n\nd";
        for (start, end, expected, last) in
            [(1, 2, "a\nb", 2), (2, 9, "b\n\nd", 4), (3, 3, "", 3), (5, 9, "", 4), (0, 1, "a", 1)]
        {
            let source = excerpt(text, LineSpan { start, end });
            assert_eq!(
                (source.text.as_str(), source.lines.end, source.n_file_lines),
                (expected, last, 4),
                "{start}-{end}"
            );
        }
    }
}
