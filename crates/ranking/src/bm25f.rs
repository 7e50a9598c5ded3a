//! The score of a row: BM25F, which weighs the fields before it saturates, so that a term in the name and in the body
//! counts as one term seen often, not as two terms.

use crate::{Field, N_FIELDS, Statistics};

/// How soon more occurrences of a term stop counting: tf / (K1 + tf).
const K1: f32 = 2.0;

/// A hit whose relevance is lower is noise: no term of the query tells anything about it.
pub const RELEVANCE_FLOOR: f32 = 0.03;

/// The statistics of a query's corpus, made ready to score rows of any repository in it.
#[derive(Debug, Clone)]
pub struct Scorer {
    /// By field: what a term frequency is divided by before its length counts, 1 - b.
    base: [f32; N_FIELDS],
    /// By field: what a token of length adds to that, b / average length.
    per_token: [f32; N_FIELDS],
    /// By term.
    idfs: Vec<f32>,
}

impl Scorer {
    /// Returns the scorer of a query with these global statistics.
    pub fn new(statistics: &Statistics) -> Scorer {
        let mut base = [1.0; N_FIELDS];
        let mut per_token = [0.0; N_FIELDS];
        for (field_idx, field) in Field::ALL.iter().enumerate() {
            let tokens = statistics.field_tokens[field_idx];
            if tokens > 0 {
                let average = tokens as f32 / statistics.rows.max(1) as f32;
                base[field_idx] = 1.0 - field.length_penalty();
                per_token[field_idx] = field.length_penalty() / average;
            }
        }
        Scorer { base, per_token, idfs: statistics.idfs() }
    }

    /// Returns what `frequency` occurrences in a field of `length` tokens add to the term's weighted frequency.
    pub fn weigh(&self, field: Field, frequency: u32, length: u32) -> f32 {
        let field_idx = field as usize;
        field.weight() * frequency as f32 / (self.base[field_idx] + self.per_token[field_idx] * length as f32)
    }

    /// Returns what a term with this weighted frequency adds to the score of a row.
    pub fn score(&self, term_idx: usize, weighted_frequency: f32) -> f32 {
        self.idfs[term_idx] * weighted_frequency / (K1 + weighted_frequency)
    }
}

/// Returns how relevant a file is, from 0 to 10, by the score of its best row: the part of the query's information that
/// the row holds. It means the same in every query and over every set of repositories.
pub fn relevance(best_row: f32, total_idf: f32) -> f32 {
    if total_idf > 0.0 { (10.0 * best_row / total_idf).clamp(0.0, 10.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scorer() -> Scorer {
        Scorer::new(&Statistics {
            rows: 100,
            field_tokens: [1000; N_FIELDS],
            document_frequencies: vec![1, 90],
            ..Statistics::default()
        })
    }

    #[test]
    fn names_count_more_than_bodies_and_short_fields_more_than_long_ones() {
        let scorer = scorer();
        assert!(scorer.weigh(Field::Name, 1, 10) > scorer.weigh(Field::Body, 3, 10));
        assert!(scorer.weigh(Field::Body, 1, 5) > scorer.weigh(Field::Body, 1, 500));
    }

    #[test]
    fn a_term_never_adds_more_than_its_weight() {
        let scorer = scorer();
        assert!(scorer.score(0, 1e9) <= crate::statistics::idf(100, 1) * 1.0001);
        assert!(scorer.score(0, 1.0) > scorer.score(1, 1.0));
    }

    #[test]
    fn relevance_is_bounded() {
        assert_eq!(relevance(5.0, 0.0), 0.0);
        assert_eq!(relevance(5.0, 10.0), 5.0);
        assert_eq!(relevance(20.0, 10.0), 10.0);
    }
}
