//! The confidence of an answer, in the words of the contract.

use serde::{Deserialize, Serialize};

use super::gates::dominance;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// Returns the lower of the two.
    pub(super) fn at_most(self, most: Confidence) -> Confidence {
        self.min(most)
    }
}

/// Minimum relevance of the file that an extractive answer cites first, for high and for medium confidence. Measured on 739 judged
/// questions, each asked of its repository and of twelve: docs/developing/calibration.md has the frequencies.
const HIGH_RELEVANCE: f32 = 4.0;
const MEDIUM_RELEVANCE: f32 = 2.0;

/// Returns the confidence of an answer that quotes sources, by the extractive gates.
///
/// The first citation must be of the best hit, which must be relevant, and every word and name of the question must occur
/// somewhere. For high confidence, no other file may be nearly as relevant. `relevances` are those of the hits, best hit first.
pub(super) fn of_extracts(first_cited: Option<usize>, relevances: &[f32], has_unknown: bool) -> Confidence {
    let (Some(0), Some((best, others))) = (first_cited, relevances.split_first()) else { return Confidence::Low };
    let second = others.iter().copied().fold(0.0, f32::max);
    if has_unknown || *best < MEDIUM_RELEVANCE {
        return Confidence::Low;
    }
    let stands_out = dominance(&[*best, second]).is_none();
    if stands_out && *best >= HIGH_RELEVANCE { Confidence::High } else { Confidence::Medium }
}

/// Minimum share of the information of a question in a passage, for high and for medium confidence.
const HIGH_SHARE: f32 = 0.8;
const MEDIUM_SHARE: f32 = 0.5;

/// Returns the confidence that a passage with a share of what is asked allows.
fn of_share(share: f32) -> Confidence {
    match share {
        _ if share >= HIGH_SHARE => Confidence::High,
        _ if share >= MEDIUM_SHARE => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// Returns the confidence that the best passage allows, quoted or not. A document says more than the code that has its words.
pub(super) fn of_best_passage(share: Option<f32>, is_of_prose: bool) -> Confidence {
    match share {
        Some(share) if !is_of_prose => of_share(share),
        _ => Confidence::High,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worse_passage_never_allows_more() {
        use Confidence::{High, Low, Medium};
        for (share, is_of_prose, expected) in [
            (Some(0.9), false, High),
            (Some(0.6), false, Medium),
            (Some(0.26), false, Low),
            (Some(0.24), false, Low),
            (Some(0.0), false, Low),
            (Some(0.24), true, High),
            (None, false, High),
        ] {
            assert_eq!(of_best_passage(share, is_of_prose), expected, "{share:?} {is_of_prose}");
        }
    }

    #[test]
    fn extracts_are_trusted_if_they_are_of_the_best_hit() {
        use Confidence::{High, Low, Medium};
        for (first_cited, relevances, has_unknown, expected) in [
            (Some(0), &[6.0, 3.0][..], false, High),
            (Some(0), &[6.0], false, High),
            (Some(0), &[6.0, 5.5], false, Medium),
            (Some(0), &[2.5, 1.0], false, Medium),
            (Some(0), &[1.5, 1.0], false, Low),
            (Some(0), &[6.0, 3.0], true, Low),
            (Some(1), &[3.0, 6.0], false, Low),
            (None, &[6.0], false, Low),
            (Some(0), &[], false, Low),
        ] {
            assert_eq!(of_extracts(first_cited, relevances, has_unknown), expected, "{first_cited:?} {relevances:?}");
        }
    }
}
