//! BM25F score of a row. Fields are weighted before saturation, so one term in the name and in the body counts as one
//! frequent term, not as two terms.

use crate::{Field, aggregate::MAX_AGGREGATION};

/// Saturation parameter: tf / (K1 + tf).
const K1: f32 = 2.0;

/// Minimum relevance of a hit. Below it, no query term carries information about the row.
pub const RELEVANCE_FLOOR: f32 = 0.03;

/// Returns the contribution of one occurrence of a term in a field of `length` tokens to its weighted frequency.
pub fn field_weight(field: Field, length: u32) -> f32 {
    let penalty = field.length_penalty();
    field.weight() / (1.0 - penalty + penalty * length as f32 / field.average_length())
}

/// Returns the share of a term's weight that a row with this weighted frequency gets: less than 1.
pub fn saturation(weighted_frequency: f32) -> f32 {
    weighted_frequency / (K1 + weighted_frequency)
}

/// Upper bound of a term's contribution to any file of a set, as a share of its weight, rounded up to a byte. It
/// aggregates the term's saturations over the rows of each file. A file's score is at most the sum of these bounds over
/// the query terms: for each term, its best rows are at least as good as the best rows for the whole query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaxImpact(pub u8);

impl MaxImpact {
    /// Returns the smallest bound that is not below the aggregated saturations of a file.
    pub fn above(aggregated: f32) -> MaxImpact {
        MaxImpact((aggregated / MAX_AGGREGATION * 255.0).ceil().clamp(0.0, 255.0) as u8)
    }

    /// Returns the bound as a share of the term's weight.
    pub fn bound(self) -> f32 {
        f32::from(self.0) / 255.0 * MAX_AGGREGATION
    }
}

/// Discounts a partial match: one well-matched word of four is mostly coincidence, four of four are not. The exponent
/// was chosen so that the best code hit for a question that is not about code mostly has a relevance below 1.
fn discounted(part: f32) -> f32 {
    // The power 1.5 by a square root gives the same bits on every machine.
    part * part.sqrt()
}

/// Returns the relevance of a file from the score of its best row: 10 x^1.5 (0 to 10), where x is the share of the
/// query's information in that row. Values are comparable between queries and repositories.
pub fn relevance(best_row: f32, total_weight: f32) -> f32 {
    if total_weight > 0.0 { 10.0 * discounted((best_row / total_weight).clamp(0.0, 1.0)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::aggregate::file_score;

    #[test]
    fn field_weights_favour_names_and_short_fields() {
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
        fn impact_is_an_upper_bound(frequencies in proptest::collection::vec(0.0_f32..1e6, 1..8)) {
            let mut parts: Vec<f32> = frequencies.into_iter().map(saturation).collect();
            parts.sort_unstable_by(|a, b| b.total_cmp(a));
            let aggregated = file_score(&parts);
            prop_assert!(parts[0] < 1.0 && MaxImpact::above(aggregated).bound() * 1.000_01 >= aggregated);
        }

        #[test]
        fn file_score_is_at_most_the_sum_of_term_bounds(
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
