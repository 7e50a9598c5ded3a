//! The object that is written last: the manifest of a generation behind a checksum of its own, since all other checksums
//! are in it.

const DIGITS: usize = 64;

/// Returns the object of a manifest.
pub(crate) fn seal(manifest: &[u8]) -> Vec<u8> {
    let mut sealed = blake3::hash(manifest).to_hex().as_bytes().to_vec();
    sealed.push(b'\n');
    sealed.extend_from_slice(manifest);
    sealed
}

/// Returns the manifest in an object, if it is what was written.
pub(crate) fn unseal(sealed: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = sealed.split_at_checked(DIGITS)?;
    let manifest = rest.strip_prefix(b"\n")?;
    (blake3::hash(manifest).to_hex().as_bytes() == digits).then_some(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_byte_and_every_cut_shows() {
        let sealed = seal(b"{\"format\": 10}");
        assert_eq!(unseal(&sealed), Some(&b"{\"format\": 10}"[..]));
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 1;
            assert_eq!(unseal(&flipped), None, "byte {at}");
            assert_eq!(unseal(&sealed[..at]), None, "cut at {at}");
        }
        assert_eq!(unseal(&[&sealed[..], b" "].concat()), None);
    }
}
