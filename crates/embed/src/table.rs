//! File format of the built-in model, as written by `distil/table.py`.
//!
//! A header of little-endian numbers, then for each token its scale (f32), its codes (i8), and its text with a line
//! feed.

use std::str;

const MAGIC: &[u8; 8] = b"CWTOKENS";

/// Format version. The file is part of the binary, so there is only one.
const VERSION: u32 = 1;

/// Magic, version, dimensions, tokens, bytes of the vocabulary, checksum.
const HEADER_BYTES: usize = 8 + 5 * 4;

/// The parts of a table file.
pub(crate) struct TokenTable<'a> {
    pub(crate) n_dims: usize,
    pub(crate) scales: Vec<f32>,
    /// Codes of all tokens, concatenated: bytes that are signed numbers.
    pub(crate) codes: &'a [u8],
    pub(crate) tokens: Vec<&'a str>,
    /// CRC-32 of everything after the header.
    #[cfg_attr(not(test), expect(dead_code, reason = "the file is part of the program; a test compares"))]
    pub(crate) checksum: u32,
}

/// Splits a table file into its parts; `None` if lengths are inconsistent or the format differs.
pub(crate) fn read(bytes: &[u8]) -> Option<TokenTable<'_>> {
    let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let (magic, numbers) = header.split_at(MAGIC.len());
    let (numbers, _) = numbers.as_chunks::<4>();
    let [version, n_dims, n_tokens, n_vocabulary_bytes, checksum] =
        <[u32; 5]>::try_from(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect::<Vec<u32>>()).ok()?;
    let (n_dims, n_tokens) = (n_dims as usize, n_tokens as usize);
    let (scales, rest) = rest.split_at_checked(n_tokens.checked_mul(4)?)?;
    let (codes, vocabulary) = rest.split_at_checked(n_tokens.checked_mul(n_dims)?)?;
    let tokens: Vec<&str> = str::from_utf8(vocabulary).ok()?.split_terminator('\n').collect();
    let is_whole = magic == MAGIC
        && version == VERSION
        && n_dims > 0
        && tokens.len() == n_tokens
        && vocabulary.len() == n_vocabulary_bytes as usize;
    let (scales, _) = scales.as_chunks::<4>();
    let scales = scales.iter().map(|scale| f32::from_le_bytes(*scale)).collect();
    is_whole.then_some(TokenTable { n_dims, scales, codes, tokens, checksum })
}
