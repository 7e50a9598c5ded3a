//! Chunks: pieces of a file that no definitions divide.

use model::{ByteSpan, Chunk, LineSpan};

/// Lines in a chunk: about a screen.
const CHUNK_LINES: u32 = 60;

/// The most bytes in a chunk, so that a chunk of long lines is still a piece; a longer line is cut.
const MAX_CHUNK_BYTES: usize = 8_000;

/// The most chunks of one file: 16 MB of long lines, or 120,000 short ones.
const MAX_CHUNKS: usize = 2_000;

/// Divides a file into chunks of whole lines. Chunks of white space are left out.
pub(crate) fn divide(bytes: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut line = 1;
    while start < bytes.len() && chunks.len() < MAX_CHUNKS {
        let (end, n_breaks) = piece(&bytes[start..]);
        let piece = &bytes[start..start + end];
        let is_whole = piece.ends_with(b"\n");
        if !piece.trim_ascii().is_empty() {
            chunks.push(Chunk {
                lines: LineSpan { start: line, end: line + n_breaks - u32::from(is_whole) },
                bytes: ByteSpan { start: start as u32, end: (start + end) as u32 },
            });
        }
        start += end;
        line += n_breaks;
    }
    chunks
}

/// Returns the length of the next piece and how many line breaks it has.
fn piece(rest: &[u8]) -> (usize, u32) {
    let mut n_breaks = 0;
    let mut whole_lines = 0;
    for (index, &byte) in rest.iter().enumerate().take(MAX_CHUNK_BYTES) {
        if byte == b'\n' {
            n_breaks += 1;
            whole_lines = index + 1;
            if n_breaks == CHUNK_LINES {
                return (whole_lines, n_breaks);
            }
        }
    }
    match (rest.len() <= MAX_CHUNK_BYTES, whole_lines) {
        (true, _) => (rest.len(), n_breaks),
        (false, 0) => (at_character(rest, MAX_CHUNK_BYTES), 0),
        (false, end) => (end, n_breaks),
    }
}

/// Moves a cut back to where a character starts, if the bytes are UTF-8.
fn at_character(bytes: &[u8], cut: usize) -> usize {
    (cut - 3..=cut).rev().find(|&at| bytes[at] & 0b1100_0000 != 0b1000_0000).unwrap_or(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<(u32, u32)> {
        divide(text.as_bytes()).iter().map(|chunk| (chunk.lines.start, chunk.lines.end)).collect()
    }

    #[test]
    fn lines_are_counted_through() {
        assert_eq!(spans(&"x\n".repeat(130)), [(1, 60), (61, 120), (121, 130)]);
        assert_eq!(spans("one"), [(1, 1)]);
        assert_eq!(spans(""), []);
        assert_eq!(spans(" \n\n"), []);
    }

    #[test]
    fn long_lines_are_cut_and_stay_on_their_line() {
        let text = format!("a\n{}\nb\n", "é".repeat(6_000));
        assert_eq!(spans(&text), [(1, 1), (2, 2), (2, 3)]);
        assert!(
            divide(text.as_bytes()).iter().all(|chunk| std::str::from_utf8(chunk.bytes.of(text.as_bytes())).is_ok())
        );
    }
}
