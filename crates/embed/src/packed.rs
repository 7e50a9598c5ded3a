//! Vectors with 4 bits per number, for approximate comparison of many vectors: half the size of a [`Vector`].
//!
//! The low bits of the bytes have the first half of a vector, the high bits the second half, so that both are read in
//! one pass.

use multiversion::multiversion;

use crate::Vector;

/// Numbers are in `-MAX_NUMBER..=MAX_NUMBER`.
const MAX_NUMBER: f32 = 7.0;

/// Returns the size of a packed vector in bytes.
pub fn packed_len(n_dims: usize) -> usize {
    n_dims.div_ceil(2)
}

/// Quantises a vector to 4 bits per number.
pub fn pack(vector: &Vector) -> Vec<u8> {
    let codes = vector.codes();
    let largest = codes.iter().map(|code| code.unsigned_abs()).max().unwrap_or(0).max(1);
    let number = |code: &i8| (f32::from(*code) / f32::from(largest) * MAX_NUMBER).round() as i8 as u8;
    let (low, high) = codes.split_at(packed_len(codes.len()));
    let high = high.iter().map(number).chain(std::iter::once(0));
    low.iter().zip(high).map(|(low, high)| number(low) & 0x0f | high << 4).collect()
}

/// Returns the inverse of a packed vector's length; 0 for the zero vector.
pub fn packed_inverse_norm(packed: &[u8]) -> f32 {
    let square: i32 = packed.iter().map(|byte| low_nibble(*byte).pow(2) + high_nibble(*byte).pow(2)).sum();
    if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() }
}

/// Returns the dot product of each packed vector with the query; `packed` has the vectors concatenated.
pub fn packed_products(packed: &[u8], query: &[i8]) -> Vec<i32> {
    let n_bytes = packed_len(query.len());
    if n_bytes == 0 {
        return Vec::new();
    }
    let wide: Vec<i16> = query.iter().map(|code| i16::from(*code)).chain(std::iter::once(0)).collect();
    let (low, high) = (&wide[..n_bytes], &wide[n_bytes..2 * n_bytes]);
    let mut products = vec![0; packed.len() / n_bytes];
    multiply(packed, low, high, &mut products);
    products
}

#[multiversion(targets("x86_64+avx2"))]
fn multiply(packed: &[u8], lows: &[i16], highs: &[i16], products: &mut [i32]) {
    for (vector, product) in packed.chunks_exact(lows.len()).zip(products) {
        let both = lows.iter().zip(highs);
        let parts = vector.iter().zip(both).map(|(byte, (by_low, by_high))| {
            let low = i16::from(((byte << 4) as i8) >> 4);
            let high = i16::from((*byte as i8) >> 4);
            i32::from(low) * i32::from(*by_low) + i32::from(high) * i32::from(*by_high)
        });
        *product = parts.sum();
    }
}

fn low_nibble(byte: u8) -> i32 {
    i32::from(((byte << 4) as i8) >> 4)
}

fn high_nibble(byte: u8) -> i32 {
    i32::from((byte as i8) >> 4)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{cosine, inverse_norm};

    #[test]
    fn numbers_round_trip() {
        let vector = Vector::from_codes(&[127, -127, 0, 18, -54]);
        assert_eq!(pack(&vector), [0x17, 0xd9, 0x00], "7, -7, 0 and 1, -3, nothing");
        assert_eq!(packed_products(&pack(&vector), &[1, 10, 50, 100, 1]), [7 - 70 + 100 - 3]);
        assert!(packed_products(&[], &[1, 2]).is_empty() && packed_products(&[1], &[]).is_empty());
        assert_eq!(packed_inverse_norm(&pack(&Vector::zero(4))), 0.0);
    }

    proptest! {
        #[test]
        fn cosine_is_preserved(
            a in prop::collection::vec(-127_i8..=127, 256),
            b in prop::collection::vec(-127_i8..=127, 256),
            share in 0.0_f32..1.0,
        ) {
            let mixed = |(a, b): (&i8, &i8)| share * f32::from(*a) + (1.0 - share) * f32::from(*b);
            let (a, b) = (Vector::from_codes(&a), Vector::quantise(&a.iter().zip(&b).map(mixed).collect::<Vec<f32>>()));
            let packed = pack(&a);
            let product = packed_products(&packed, b.codes())[0];
            let packed_cosine = cosine(product, packed_inverse_norm(&packed), inverse_norm(b.codes()));
            prop_assert!((packed_cosine - a.cosine(&b)).abs() < 0.03);
        }
    }
}
