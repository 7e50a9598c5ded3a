//! The score of a file, made from the scores of its rows.

use model::FileClass;

/// How many rows of a file count: with more, long files win by their length alone.
pub const TOP_ROWS: usize = 5;

/// What the second and later rows are worth beside the best one.
const REST_WEIGHT: f32 = 0.25;

/// What each of them is worth beside the one before.
const REST_DECAY: f32 = 0.7;

/// What tests, examples and prose are worth when nobody asked for them. Leaving this out costs more than any other
/// part of the ranking.
const DEMOTION: f32 = 0.3;

/// Returns the score of a file with these row scores, best first: s1 + .25 (s2 + .7 s3 + .49 s4 + .343 s5).
pub fn file_score(row_scores: &[f32]) -> f32 {
    let Some((best, rest)) = row_scores.split_first() else { return 0.0 };
    let mut weight = REST_WEIGHT;
    let mut score = *best;
    for row_score in rest.iter().take(TOP_ROWS - 1) {
        score += weight * row_score;
        weight *= REST_DECAY;
    }
    score
}

/// Returns what the score of a file of this class is multiplied by.
pub fn class_factor(class: FileClass, keeps_demoted: bool) -> f32 {
    match class {
        FileClass::Source | FileClass::Config => 1.0,
        FileClass::Test | FileClass::Docs if keeps_demoted => 1.0,
        FileClass::Test | FileClass::Docs | FileClass::Generated | FileClass::Vendored => DEMOTION,
        FileClass::Binary => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_row_leads_and_five_count() {
        assert_eq!(file_score(&[]), 0.0);
        assert_eq!(file_score(&[2.0]), 2.0);
        let five = file_score(&[1.0; 5]);
        assert!((five - (1.0 + 0.25 * (1.0 + 0.7 + 0.49 + 0.343))).abs() < 1e-6);
        assert_eq!(file_score(&[1.0; 9]), five);
    }

    #[test]
    fn tests_count_less_unless_asked_for() {
        assert!(class_factor(FileClass::Test, false) < class_factor(FileClass::Source, false));
        assert_eq!(class_factor(FileClass::Test, true), 1.0);
    }
}
