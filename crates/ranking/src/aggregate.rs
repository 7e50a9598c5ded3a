//! The score of a file, made from the scores of its rows.

use model::FileClass;

/// How many rows of a file count: with more, long files win by their length alone.
pub const TOP_ROWS: usize = 5;

/// What the second and later rows are worth beside the best one.
const REST_WEIGHT: f32 = 0.25;

/// What each of them is worth beside the one before.
const REST_DECAY: f32 = 0.7;

/// How many times the score of its best row a file can have at most: the sum of the weights of its rows.
pub const MAX_AGGREGATION: f32 = 1.0 + REST_WEIGHT * (1.0 + REST_DECAY * (1.0 + REST_DECAY * (1.0 + REST_DECAY)));

/// What tests, examples and prose are worth when nobody asked for them. Leaving this out costs more than any other
/// part of the ranking.
const DEMOTION: f32 = 0.3;

/// What manifests and settings are worth beside code: they hold the words of everything, and are seldom what is meant.
const CONFIG_DEMOTION: f32 = 0.4;

/// How many times what its name tells a file gets whose repository the query names, if it has any other word of it: more
/// than to say the name does, which tells nothing there. Measured on the tuning cases over 12 repositories, each with the name of
/// its repository added, MRR@10: commits .715 to .748, comments .754 to .789, questions .729 to .841. 3 gives .012, .003 and
/// .014 more, and holds names against everybody else that are words as well.
pub const ADDRESSED: f32 = 2.0;

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

/// Content that the asker wants, although it ranks lower for others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    pub tests: bool,
    pub docs: bool,
    pub config: bool,
}

impl Kept {
    /// Says whether files of this class rank as high as code does.
    pub fn admits(self, class: FileClass) -> bool {
        match class {
            FileClass::Source => true,
            FileClass::Test => self.tests,
            FileClass::Docs => self.docs,
            FileClass::Config => self.config,
            FileClass::Generated | FileClass::Vendored | FileClass::Binary => false,
        }
    }
}

/// Returns what the score of a file of this class is multiplied by; never more than 1.
pub fn class_factor(class: FileClass, kept: Kept) -> f32 {
    match class {
        FileClass::Binary => 0.0,
        class if kept.admits(class) => 1.0,
        FileClass::Config => CONFIG_DEMOTION,
        _ => DEMOTION,
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
        let none = Kept::default();
        assert!(class_factor(FileClass::Test, none) < class_factor(FileClass::Source, none));
        assert_eq!(class_factor(FileClass::Test, Kept { tests: true, ..none }), 1.0);
        assert!(class_factor(FileClass::Docs, Kept { tests: true, ..none }) < 1.0);
    }

    #[test]
    fn no_file_has_more_than_its_best_row_allows() {
        assert!((file_score(&[1.0; 9]) - MAX_AGGREGATION).abs() < 1e-6);
    }
}
