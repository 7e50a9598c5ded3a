//! The seal of a stored generation: its manifest, with a checksum in front. The manifest has the checksums of all other
//! files, but none of its own.

/// Length of a BLAKE3 hash in hexadecimal digits.
const DIGITS: usize = 64;

/// Returns the seal with a manifest.
pub(crate) fn seal(manifest: &[u8]) -> Vec<u8> {
    let mut sealed = blake3::hash(manifest).to_hex().as_bytes().to_vec();
    sealed.push(b'\n');
    sealed.extend_from_slice(manifest);
    sealed
}

/// Returns the manifest in a seal; `None` if the checksum does not match.
pub(crate) fn unseal(sealed: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = sealed.split_at_checked(DIGITS)?;
    let manifest = rest.strip_prefix(b"\n")?;
    (blake3::hash(manifest).to_hex().as_bytes() == digits).then_some(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_byte_and_every_truncation_is_detected() {
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
