//! Bounded edit distance between names, with transpositions.

use rapidfuzz::distance::osa::{self, Args};

/// Returns the maximum number of edits for a name of this many letters; all short names are close to each other.
pub fn allowed_distance(n_letters: usize) -> u32 {
    match n_letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Returns the optimal string alignment distance (insert, delete, replace, swap of neighbours), if it is 1 to `max`.
pub fn edit_distance(left: &str, right: &str, max: u32) -> Option<u32> {
    // A letter has at most 4 bytes; most pairs are excluded here without decoding.
    if max == 0 || left.len().abs_diff(right.len()) > max as usize * 4 {
        return None;
    }
    let bounded = Args::default().score_cutoff(max as usize);
    let n_edits = osa::distance_with_args(left.chars(), right.chars(), &bounded)? as u32;
    (n_edits > 0).then_some(n_edits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn edits_are_counted_up_to_the_limit() {
        for (left, right, expected) in [
            ("recieve", "receive", Some(1)),
            ("ca", "abc", None),
            ("same", "same", None),
            ("größe", "grösse", Some(2)),
            ("", "ab", Some(2)),
        ] {
            assert_eq!(edit_distance(left, right, 2), expected, "{left} {right}");
        }
        assert_eq!(edit_distance("a", "b", 0), None);
    }

    proptest! {
        #[test]
        fn distance_equals_the_textbook_recurrence(left in "[abé]{0,9}", right in "[abé]{0,9}", max in 0_u32..4) {
            let expected = Some(recurrence(&left, &right)).filter(|n_edits| (1..=max).contains(n_edits));
            prop_assert_eq!(edit_distance(&left, &right, max), expected);
        }
    }

    fn recurrence(left: &str, right: &str) -> u32 {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        let mut rows = vec![vec![0_u32; right.len() + 1]; left.len() + 1];
        for (row, column) in (0..=left.len()).flat_map(|row| (0..=right.len()).map(move |column| (row, column))) {
            rows[row][column] = if row == 0 || column == 0 {
                (row + column) as u32
            } else {
                let replaced = rows[row - 1][column - 1] + u32::from(left[row - 1] != right[column - 1]);
                let least = replaced.min(rows[row - 1][column] + 1).min(rows[row][column - 1] + 1);
                let is_swap =
                    row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1];
                if is_swap { least.min(rows[row - 2][column - 2] + 1) } else { least }
            };
        }
        rows[left.len()][right.len()]
    }
}
