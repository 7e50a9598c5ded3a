//! Chunks: pieces of a file without definitions.

use model::{ByteSpan, Chunk, LineSpan};

/// Lines per chunk: about a screen.
const CHUNK_LINES: u32 = 60;

/// Maximum size in bytes of a chunk, so that long lines still give small chunks. A longer line is cut.
const MAX_CHUNK_BYTES: usize = 8_000;

/// Maximum number of chunks of one file: 16 MB of long lines, or 120,000 short ones.
const MAX_CHUNKS: usize = 2_000;

/// Splits a file into chunks of whole lines. Chunks of white space are left out.
pub(crate) fn split(bytes: &[u8]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut line = 1;
    while start < bytes.len() && chunks.len() < MAX_CHUNKS {
        let (end, n_breaks) = next_chunk(&bytes[start..]);
        let next_chunk = &bytes[start..start + end];
        let is_whole = next_chunk.ends_with(b"\n");
        if !next_chunk.trim_ascii().is_empty() {
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

/// Returns the length of the next chunk and its number of line breaks.
fn next_chunk(rest: &[u8]) -> (usize, u32) {
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
        (false, 0) => (char_boundary(rest, MAX_CHUNK_BYTES), 0),
        (false, end) => (end, n_breaks),
    }
}

/// Moves a cut back to the start of a character, if the bytes are UTF-8.
fn char_boundary(bytes: &[u8], cut: usize) -> usize {
    (cut - 3..=cut).rev().find(|&at| bytes[at] & 0b1100_0000 != 0b1000_0000).unwrap_or(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<(u32, u32)> {
        split(text.as_bytes()).iter().map(|chunk| (chunk.lines.start, chunk.lines.end)).collect()
    }

    #[test]
    fn chunks_cover_all_lines() {
        assert_eq!(spans(&"x\n".repeat(130)), [(1, 60), (61, 120), (121, 130)]);
        assert_eq!(spans("one"), [(1, 1)]);
        assert_eq!(spans(""), []);
        assert_eq!(spans(" \n\n"), []);
    }

    #[test]
    fn long_lines_are_split_within_one_line() {
        let text = format!("a\n{}\nb\n", "é".repeat(6_000));
        assert_eq!(spans(&text), [(1, 1), (2, 2), (2, 3)]);
        assert!(
            split(text.as_bytes()).iter().all(|chunk| std::str::from_utf8(chunk.bytes.of(text.as_bytes())).is_ok())
        );
    }
}
