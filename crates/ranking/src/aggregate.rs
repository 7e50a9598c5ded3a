//! Aggregation of row scores into the score of a file, and demotion by file class.

use model::FileClass;

/// Number of rows of a file that count. With more, long files win by their length alone.
pub const TOP_ROWS: usize = 5;

/// Weight of the second-best row relative to the best one.
const REST_WEIGHT: f32 = 0.25;

/// Factor by which the weight decreases from each further row to the next.
const REST_DECAY: f32 = 0.7;

/// Upper bound of the ratio between a file's score and the score of its best row: the sum of all row weights.
pub const MAX_AGGREGATION: f32 = 1.0 + REST_WEIGHT * (1.0 + REST_DECAY * (1.0 + REST_DECAY * (1.0 + REST_DECAY)));

/// Factor for tests, examples and prose unless the query asks for them. Without it, ranking quality drops more than
/// without any other part of the ranking.
const DEMOTION: f32 = 0.3;

/// Factor for manifests and settings: they contain the words of every topic and are seldom the wanted result.
const CONFIG_DEMOTION: f32 = 0.4;

/// Factor on the name score of a file whose repository is named in the query, if the file matches another word of the
/// query. It must exceed the factor for naming the repository, which carries no information within it. Measured on the
/// tuning cases over 12 repositories, each with its repository name added, MRR@10: commits .715 to .748, comments .754
/// to .789, questions .729 to .841. A factor of 3 adds .012, .003 and .014, but penalises other files when a repository
/// name is also a common word.
pub const MENTIONED_REPO_FACTOR: f32 = 2.0;

/// Returns the score of a file from its row scores, best first: s1 + .25 (s2 + .7 s3 + .49 s4 + .343 s5).
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

/// File classes that the query asks for explicitly, so that they are not demoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestedClasses {
    /// Tests, examples and benchmarks.
    pub tests: bool,
    /// Documentation.
    pub docs: bool,
    /// Manifests, settings and build files.
    pub config: bool,
}

impl RequestedClasses {
    /// Returns true if files of this class are exempt from demotion.
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

/// Returns the factor for the score of a file of this class: at most 1, and 0 for binary files.
pub fn class_factor(class: FileClass, requested: RequestedClasses) -> f32 {
    match class {
        FileClass::Binary => 0.0,
        class if requested.admits(class) => 1.0,
        FileClass::Config => CONFIG_DEMOTION,
        _ => DEMOTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_score_sums_the_top_five_rows_with_decay() {
        assert_eq!(file_score(&[]), 0.0);
        assert_eq!(file_score(&[2.0]), 2.0);
        let five = file_score(&[1.0; 5]);
        assert!((five - (1.0 + 0.25 * (1.0 + 0.7 + 0.49 + 0.343))).abs() < 1e-6);
        assert_eq!(file_score(&[1.0; 9]), five);
    }

    #[test]
    fn classes_are_demoted_unless_requested() {
        let none = RequestedClasses::default();
        assert!(class_factor(FileClass::Test, none) < class_factor(FileClass::Source, none));
        assert_eq!(class_factor(FileClass::Test, RequestedClasses { tests: true, ..none }), 1.0);
        assert!(class_factor(FileClass::Docs, RequestedClasses { tests: true, ..none }) < 1.0);
    }

    #[test]
    fn file_score_stays_below_max_aggregation() {
        assert!((file_score(&[1.0; 9]) - MAX_AGGREGATION).abs() < 1e-6);
    }
}
