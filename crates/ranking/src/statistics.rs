//! Statistics of a corpus: what makes the scores of two repositories comparable.

use crate::N_FIELDS;

/// Counts over the rows of one repository, or of many: they add up exactly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    pub rows: u64,
    /// Tokens per field, as `Field::ALL` counts.
    pub field_tokens: [u64; N_FIELDS],
    /// Rows that hold the term in any field, in the order of the query's terms.
    pub document_frequencies: Vec<u64>,
    /// Definitions that have the name of the identifier in any notation, in the order of the query's identifiers.
    pub name_counts: Vec<u64>,
}

impl Statistics {
    /// Returns the statistics of nothing, for a query of so many terms and identifiers.
    pub fn zero(n_terms: usize, n_identifiers: usize) -> Statistics {
        Statistics {
            document_frequencies: vec![0; n_terms],
            name_counts: vec![0; n_identifiers],
            ..Statistics::default()
        }
    }

    /// Adds the counts of another corpus, for the same terms and identifiers.
    pub fn add(&mut self, other: &Statistics) {
        self.rows += other.rows;
        self.field_tokens.iter_mut().zip(other.field_tokens).for_each(|(sum, tokens)| *sum += tokens);
        add_each(&mut self.document_frequencies, &other.document_frequencies);
        add_each(&mut self.name_counts, &other.name_counts);
    }

    /// Returns the weight of each term, in the order of the terms.
    pub fn idfs(&self) -> Vec<f32> {
        self.document_frequencies.iter().map(|frequency| idf(self.rows, *frequency)).collect()
    }

    /// Returns the sum of the weights of all terms, absent ones included: the most that any row could score.
    pub fn total_idf(&self) -> f32 {
        self.idfs().iter().sum()
    }
}

fn add_each(sums: &mut [u64], counts: &[u64]) {
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

/// Returns how much a term that stands in `frequency` of `rows` rows tells: ln(1 + (N - n + .5) / (n + .5)), the
/// inverse document frequency of BM25 in the form that never is negative (Robertson and Zaragoza, 2009).
pub fn idf(rows: u64, frequency: u64) -> f32 {
    let (rows, frequency) = (rows as f64, frequency as f64);
    (1.0 + ((rows - frequency).max(0.0) + 0.5) / (frequency + 0.5)).ln() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_tell_more() {
        assert!(idf(1000, 1) > idf(1000, 10));
        assert!(idf(1000, 1000) > 0.0);
        assert!(idf(0, 0) > 0.0);
    }

    #[test]
    fn counts_add_up() {
        let part = |n: u64| Statistics {
            rows: 3 * n,
            field_tokens: [n; N_FIELDS],
            document_frequencies: vec![n, 2 * n],
            name_counts: vec![n],
        };
        let mut sum = Statistics::zero(2, 1);
        sum.add(&part(1));
        sum.add(&part(2));
        assert_eq!(sum, part(3));
    }
}
