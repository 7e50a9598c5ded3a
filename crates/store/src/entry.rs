//! How an entry lies on disk: its key within a space, its value behind a checksum, and in which of two files that is.

use std::io;

use crate::values::Place;

/// Bytes of the checksum. 64 bits leave one wrong value in 2^64 damaged ones.
const CHECKSUM_BYTES: usize = 8;

/// Returns the key on disk. The length of the space comes first, so that no two spaces share a key.
pub(crate) fn full_key(space: &str, key: &[u8]) -> Vec<u8> {
    let mut full_key = Vec::with_capacity(space.len() + key.len() + 2);
    full_key.extend_from_slice(&(space.len() as u16).to_le_bytes());
    full_key.extend_from_slice(space.as_bytes());
    full_key.extend_from_slice(key);
    full_key
}

/// Returns a value with its checksum before it.
pub(crate) fn seal(full_key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(CHECKSUM_BYTES + value.len());
    sealed.extend_from_slice(&checksum(full_key, value));
    sealed.extend_from_slice(value);
    sealed
}

/// Returns the value within a sealed one; none if it is not what was sealed under this key.
pub(crate) fn unseal<'a>(full_key: &[u8], sealed: &'a [u8]) -> Option<&'a [u8]> {
    let (stored, value) = sealed.split_at_checked(CHECKSUM_BYTES)?;
    (stored == checksum(full_key, value)).then_some(value)
}

/// Sealed values of up to this many bytes stand in the database itself: it writes them several times over, but where one
/// replaces another it gives the room back.
const SMALL_BYTES: usize = 512;

const HERE: u8 = 0;
const AT: u8 = 1;

/// Where a sealed value lies.
pub(crate) enum Lying<'a> {
    Here(&'a [u8]),
    At(Place),
}

/// Returns what the database keeps of a sealed value; `append` puts one down that is not small.
pub(crate) fn record_of(sealed: &[u8], append: impl FnOnce(&[u8]) -> io::Result<Place>) -> io::Result<Vec<u8>> {
    if sealed.len() <= SMALL_BYTES {
        return Ok([&[HERE], sealed].concat());
    }
    let Place { offset, n_bytes } = append(sealed)?;
    Ok([&[AT][..], &offset.to_le_bytes(), &n_bytes.to_le_bytes()].concat())
}

/// Returns where the value of a record lies; none if it is no record.
pub(crate) fn lying(record: &[u8]) -> Option<Lying<'_>> {
    let (kind, rest) = record.split_first()?;
    match *kind {
        HERE => Some(Lying::Here(rest)),
        AT => {
            let (offset, n_bytes) = rest.split_first_chunk::<8>()?;
            let place =
                Place { offset: u64::from_le_bytes(*offset), n_bytes: u32::from_le_bytes(n_bytes.try_into().ok()?) };
            Some(Lying::At(place))
        }
        _ => None,
    }
}

/// Covers the key as well, so that a value that turns up under another key is noticed.
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
    fn spaces_do_not_meet() {
        assert_ne!(full_key("a", b"bc"), full_key("ab", b"c"));
    }

    proptest! {
        #[test]
        fn a_changed_bit_is_noticed(value in prop::collection::vec(any::<u8>(), 0..64), at: prop::sample::Index, bit in 0..8) {
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
