//! The score of a row: BM25F, which weighs the fields before it saturates, so that a term in the name and in the body
//! counts as one term seen often, not as two terms.

use crate::{Field, aggregate::MAX_AGGREGATION};

/// How soon more occurrences of a term stop counting: tf / (K1 + tf).
const K1: f32 = 2.0;

/// A hit whose relevance is lower is noise: no term of the query tells anything about it.
pub const RELEVANCE_FLOOR: f32 = 0.03;

/// Returns what one occurrence of a term in a field of `length` tokens adds to the term's weighted frequency.
pub fn field_weight(field: Field, length: u32) -> f32 {
    let penalty = field.length_penalty();
    field.weight() / (1.0 - penalty + penalty * length as f32 / field.average_length())
}

/// Returns what part of the weight of a term a row gets that holds it with this weighted frequency: less than 1.
pub fn saturation(weighted_frequency: f32) -> f32 {
    weighted_frequency / (K1 + weighted_frequency)
}

/// The most that a term does for any of many files, as a part of its weight: its saturations in the rows of the file,
/// aggregated as scores are. What a file gets for a query is never above the sum over the terms, since the rows that are
/// best for the query are at most as good for one term as those that are best for it. Rounded up to a byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Impact(pub u8);

impl Impact {
    /// Returns the least impact that is not below the saturations of a file, aggregated.
    pub fn above(aggregated: f32) -> Impact {
        Impact((aggregated / MAX_AGGREGATION * 255.0).ceil().clamp(0.0, 255.0) as u8)
    }

    /// Returns the part of its weight that no file gets more of.
    pub fn bound(self) -> f32 {
        f32::from(self.0) / 255.0 * MAX_AGGREGATION
    }
}

/// The part of the information of a query that a row holds tells less than that part of the relevance: one word of four,
/// well matched, is mostly an accident, and four of four are none. Chosen so that the best that questions about no code
/// find in code mostly is below 1.
fn discounted(part: f32) -> f32 {
    // To the power of 1.5, the same to the bit on every machine.
    part * part.sqrt()
}

/// Returns how relevant a file is, from 0 to 10, by the score of its best row: 10 x^1.5, x the part of the query's
/// information that the row holds. It means the same in every query and over every set of repositories.
pub fn relevance(best_row: f32, total_weight: f32) -> f32 {
    if total_weight > 0.0 { 10.0 * discounted((best_row / total_weight).clamp(0.0, 1.0)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::aggregate::file_score;

    #[test]
    fn names_count_more_than_bodies_and_short_fields_more_than_long_ones() {
        assert!(field_weight(Field::Name, 2) > 4.0 * field_weight(Field::Body, 80));
        assert!(field_weight(Field::Body, 5) > field_weight(Field::Body, 500));
    }

    #[test]
    fn relevance_is_bounded() {
        assert_eq!(relevance(5.0, 0.0), 0.0);
        assert!((relevance(5.0, 10.0) - 3.5).abs() < 0.1);
        assert_eq!(relevance(20.0, 10.0), 10.0);
    }

    proptest! {
        #[test]
        fn an_impact_is_never_below_what_it_bounds(frequencies in proptest::collection::vec(0.0_f32..1e6, 1..8)) {
            let mut parts: Vec<f32> = frequencies.into_iter().map(saturation).collect();
            parts.sort_unstable_by(|a, b| b.total_cmp(a));
            let aggregated = file_score(&parts);
            prop_assert!(parts[0] < 1.0 && Impact::above(aggregated).bound() * 1.000_01 >= aggregated);
        }

        #[test]
        fn no_file_gets_more_than_the_sum_over_its_terms(
            rows in proptest::collection::vec((0.0_f32..1.0, 0.0_f32..1.0), 1..12),
            weight in 0.1_f32..9.0,
        ) {
            let aggregate = |of_row: &dyn Fn(&(f32, f32)) -> f32| {
                let mut scores: Vec<f32> = rows.iter().map(of_row).collect();
                scores.sort_unstable_by(|a, b| b.total_cmp(a));
                file_score(&scores)
            };
            let of_query = aggregate(&|row| row.0 + weight * row.1);
            let bound = aggregate(&|row| row.0) + weight * aggregate(&|row| row.1);
            prop_assert!(of_query <= bound * 1.000_01);
        }
    }
}
