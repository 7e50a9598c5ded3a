//! Dot products of a query with all vectors of an array.

use multiversion::multiversion;

/// Number of rows per block: a megabyte, so that streams are on different pages, and products that fit the L1 cache.
const N_BLOCK: usize = 4_096;

/// Number of streams that are read alternately, so that the hardware prefetches each of them. For 200,000 uncached rows of 256
/// bytes, four took 4.7 ms, one 8.1 ms and eight 5.5 ms.
const N_STREAMS: usize = 4;

/// Calls `each` with the index of every row of `codes` and its dot product with the query, in order.
///
/// Rows are concatenated, each as long as the query. The results are exact; CPU features that are detected at run time
/// influence the speed only.
pub fn scan(codes: &[i8], query: &[i8], mut each: impl FnMut(usize, i32)) {
    if query.is_empty() {
        return;
    }
    // Widened once rather than for every row.
    let wide_query: Vec<i16> = query.iter().map(|code| i16::from(*code)).collect();
    let mut products = vec![0; N_BLOCK.min(codes.len() / query.len())];
    for (block_idx, block) in codes.chunks(N_BLOCK * query.len()).enumerate() {
        let products = &mut products[..block.len() / query.len()];
        multiply(block, &wide_query, products);
        for (row_idx, product) in products.iter().enumerate() {
            each(block_idx * N_BLOCK + row_idx, *product);
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn multiply(rows: &[i8], query: &[i16], products: &mut [i32]) {
    let n_dims = query.len();
    let mut multiply_row = |row_idx: usize| {
        let row = &rows[row_idx * n_dims..(row_idx + 1) * n_dims];
        products[row_idx] = row.iter().zip(query).map(|(code, other)| i32::from(*code) * i32::from(*other)).sum();
    };
    let n_rows = rows.len() / n_dims;
    let n_in_stream = n_rows / N_STREAMS;
    for step in 0..n_in_stream {
        for stream in 0..N_STREAMS {
            multiply_row(stream * n_in_stream + step);
        }
    }
    (n_in_stream * N_STREAMS..n_rows).for_each(multiply_row);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dot;

    fn scanned(codes: &[i8], query: &[i8]) -> Vec<(usize, i32)> {
        let mut found = Vec::new();
        scan(codes, query, |row_idx, product| found.push((row_idx, product)));
        found
    }

    #[test]
    fn empty_inputs_have_no_rows() {
        assert_eq!(scanned(&[], &[1, 2]), []);
        assert_eq!(scanned(&[1, 2], &[]), []);
        assert_eq!(scanned(&[1, 2, 3], &[1, 2]), [(0, 5)], "half a row is none");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn scan_equals_a_plain_loop(n_dims in 1_usize..70, n_rows in 0_usize..10_000, seed in any::<u64>()) {
            let mut state = seed;
            let mut code = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8 as i8
            };
            let query: Vec<i8> = (0..n_dims).map(|_| code()).collect();
            let codes: Vec<i8> = (0..n_dims * n_rows).map(|_| code()).collect();
            let expected: Vec<(usize, i32)> = codes.chunks(n_dims).map(|row| dot(row, &query)).enumerate().collect();
            prop_assert_eq!(scanned(&codes, &query), expected);
        }
    }
}
