//! Bytes as they lie in a generation where they are not read in place: compressed piece by piece, so that one piece is
//! read without the others.

use std::{cell::RefCell, io};

use zstd::bulk::{Compressor, Decompressor};

/// Level of zstd: source takes a third less than with lz4, for 1 % more CPU time of an index; level 9 would save a
/// twelfth of the rest and take six times as long.
const LEVEL: i32 = 3;

/// A piece is no longer than this before it is packed: room is made for so much as it says.
const MAX_RAW_BYTES: usize = 64 << 20;

/// Packs pieces. The same bytes give the same piece, whatever was packed before.
pub(crate) struct Packer(Compressor<'static>);

impl Packer {
    pub(crate) fn new() -> io::Result<Packer> {
        Compressor::new(LEVEL).map(Packer)
    }

    pub(crate) fn pack(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.compress(bytes)
    }
}

thread_local! {
    /// What this thread unpacks with: to make one takes longer than to unpack a file.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Returns the bytes that a piece was packed from: `n_raw` of them at most.
pub(crate) fn unpack(packed: &[u8], n_raw: usize) -> io::Result<Vec<u8>> {
    if n_raw > MAX_RAW_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a piece of {n_raw} bytes")));
    }
    UNPACKER.with_borrow_mut(|kept| {
        let unpacker = match kept {
            Some(unpacker) => unpacker,
            None => kept.insert(Decompressor::new()?),
        };
        unpacker.decompress(packed, n_raw)
    })
}

/// Packs one piece by itself.
pub(crate) fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    Packer::new()?.pack(bytes)
}

/// Packs what is read as a whole, and tells its length itself.
pub(crate) fn pack_whole(bytes: &[u8]) -> io::Result<Vec<u8>> {
    zstd::encode_all(bytes, LEVEL)
}

/// Returns the bytes that `pack_whole` was given.
pub(crate) fn unpack_whole(packed: &[u8]) -> io::Result<Vec<u8>> {
    zstd::decode_all(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_depends_on_its_bytes_alone() {
        let text = |n: usize| format!("fn f{n}() {{ g({n}) }}\n").repeat(n).into_bytes();
        let mut packer = Packer::new().unwrap();
        for n in [1_000, 0, 1, 40, 1_000, 7] {
            let packed = packer.pack(&text(n)).unwrap();
            assert!(packed == Packer::new().unwrap().pack(&text(n)).unwrap(), "{n}");
            assert_eq!(unpack(&packed, text(n).len()).unwrap(), text(n));
            assert_eq!(unpack_whole(&pack_whole(&text(n)).unwrap()).unwrap(), text(n));
            assert!(n == 0 || unpack(&packed, text(n).len() - 1).is_err(), "{n}");
        }
    }
}
