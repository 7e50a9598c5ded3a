//! Compression of source and pages. Each block is compressed by itself, so that one block is read without the others.

use std::{cell::RefCell, io};

use zstd::bulk::{Compressor, Decompressor};

/// Compression level of zstd. Source is a third smaller than with lz4, for 1 % more CPU time of an indexing run. Level 9
/// would save a twelfth of the rest and take six times as long.
const LEVEL: i32 = 3;

/// Maximum decompressed length of a block. The stored length is allocated up front, so it must be bounded.
const MAX_RAW_BYTES: usize = 64 << 20;

/// Compresses blocks. Equal input gives equal output, whatever was compressed before.
pub(crate) struct BlockCompressor(Compressor<'static>);

impl BlockCompressor {
    pub(crate) fn new() -> io::Result<BlockCompressor> {
        Compressor::new(LEVEL).map(BlockCompressor)
    }

    pub(crate) fn compress(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.compress(bytes)
    }
}

thread_local! {
    /// The decompressor of this thread. Creating one takes longer than decompressing a file.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Decompresses a block of at most `n_raw` bytes.
pub(crate) fn decompress_block(compressed: &[u8], n_raw: usize) -> io::Result<Vec<u8>> {
    if n_raw > MAX_RAW_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a compressed block claims {n_raw} bytes")));
    }
    DECOMPRESSOR.with_borrow_mut(|cached| {
        let decompressor = match cached {
            Some(decompressor) => decompressor,
            None => cached.insert(Decompressor::new()?),
        };
        decompressor.decompress(compressed, n_raw)
    })
}

/// Compresses a single block.
pub(crate) fn compress_block(bytes: &[u8]) -> io::Result<Vec<u8>> {
    BlockCompressor::new()?.compress(bytes)
}

/// Compresses a whole file, which is decompressed without knowing its length.
pub(crate) fn compress_file(bytes: &[u8]) -> io::Result<Vec<u8>> {
    zstd::encode_all(bytes, LEVEL)
}

/// Decompresses the output of `compress_file`.
pub(crate) fn decompress_file(compressed: &[u8]) -> io::Result<Vec<u8>> {
    zstd::decode_all(compressed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_depends_on_the_input_alone() {
        let text = |n: usize| format!("fn f{n}() {{ g({n}) }}\n").repeat(n).into_bytes();
        let mut compressor = BlockCompressor::new().unwrap();
        for n in [1_000, 0, 1, 40, 1_000, 7] {
            let compressed = compressor.compress(&text(n)).unwrap();
            assert!(compressed == compress_block(&text(n)).unwrap(), "{n}");
            assert_eq!(decompress_block(&compressed, text(n).len()).unwrap(), text(n));
            assert_eq!(decompress_file(&compress_file(&text(n)).unwrap()).unwrap(), text(n));
            assert!(n == 0 || decompress_block(&compressed, text(n).len() - 1).is_err(), "{n}");
        }
    }
}
