//! The encoding of entries: keys with their space, values with a checksum, and database records with a value or its location.

use std::io;

use crate::values::ValueLocation;

/// Length of the checksum. With 64 bits, one in 2^64 damaged values is undetected.
const CHECKSUM_BYTES: usize = 8;

/// Returns the key on disk. It begins with the length of the space, so that keys of different spaces are never equal.
pub(crate) fn full_key(space: &str, key: &[u8]) -> Vec<u8> {
    let mut full_key = Vec::with_capacity(space.len() + key.len() + 2);
    full_key.extend_from_slice(&(space.len() as u16).to_le_bytes());
    full_key.extend_from_slice(space.as_bytes());
    full_key.extend_from_slice(key);
    full_key
}

/// Returns a value with its checksum in front.
pub(crate) fn seal(full_key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(CHECKSUM_BYTES + value.len());
    sealed.extend_from_slice(&checksum(full_key, value));
    sealed.extend_from_slice(value);
    sealed
}

/// Returns the value of a sealed one; `None` if it was not sealed under this key, or is damaged.
pub(crate) fn unseal<'a>(full_key: &[u8], sealed: &'a [u8]) -> Option<&'a [u8]> {
    let (stored, value) = sealed.split_at_checked(CHECKSUM_BYTES)?;
    (stored == checksum(full_key, value)).then_some(value)
}

/// Maximum length of a sealed value in the database itself. The database writes a value several times, but reuses the space of
/// a replaced one.
const MAX_INLINE_BYTES: usize = 512;

/// First byte of a record with a value.
const INLINE: u8 = 0;

/// First byte of a record with the location of a value.
const EXTERNAL: u8 = 1;

/// A database record: a sealed value, or its location in the file of values.
pub(crate) enum ValueRecord<'a> {
    Inline(&'a [u8]),
    External(ValueLocation),
}

/// Encodes the record of a sealed value. `append` writes a value that is too long for the database.
pub(crate) fn encode_record(
    sealed: &[u8],
    append: impl FnOnce(&[u8]) -> io::Result<ValueLocation>,
) -> io::Result<Vec<u8>> {
    if sealed.len() <= MAX_INLINE_BYTES {
        return Ok([&[INLINE], sealed].concat());
    }
    let ValueLocation { offset, n_bytes } = append(sealed)?;
    Ok([&[EXTERNAL][..], &offset.to_le_bytes(), &n_bytes.to_le_bytes()].concat())
}

/// Decodes a record; `None` if it is invalid.
pub(crate) fn decode_record(record: &[u8]) -> Option<ValueRecord<'_>> {
    let (kind, rest) = record.split_first()?;
    match *kind {
        INLINE => Some(ValueRecord::Inline(rest)),
        EXTERNAL => {
            let (offset, n_bytes) = rest.split_first_chunk::<8>()?;
            let location = ValueLocation {
                offset: u64::from_le_bytes(*offset),
                n_bytes: u32::from_le_bytes(n_bytes.try_into().ok()?),
            };
            Some(ValueRecord::External(location))
        }
        _ => None,
    }
}

/// Returns the checksum of key and value, so that a value under a wrong key is detected.
fn checksum(full_key: &[u8], value: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(full_key.len() as u64).to_le_bytes());
    hasher.update(full_key);
    hasher.update(value);
    let mut checksum = [0; CHECKSUM_BYTES];
    hasher.finalize_xof().fill(&mut checksum);
    checksum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_of_different_spaces_differ() {
        assert_ne!(full_key("a", b"bc"), full_key("ab", b"c"));
    }

    proptest! {
        #[test]
        fn a_flipped_bit_is_detected(value in prop::collection::vec(any::<u8>(), 0..64), at: prop::sample::Index, bit in 0..8) {
            let sealed = seal(b"key", &value);
            prop_assert_eq!(unseal(b"key", &sealed), Some(&value[..]));
            prop_assert_eq!(unseal(b"kez", &sealed), None);
            prop_assert_eq!(unseal(b"key", &sealed[..sealed.len() - 1]), None);
            let mut damaged = sealed.clone();
            let byte_idx = at.index(damaged.len());
            damaged[byte_idx] ^= 1_u8 << bit;
            prop_assert_eq!(unseal(b"key", &damaged), None);
        }
    }
}
