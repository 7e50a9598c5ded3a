//! The order of the files in an answer: the best matches, then code before prose and tests.
//!
//! Files that co-change with the best are not promoted. Commit votes already cover them: of the files that a change
//! touches .921 are among the first ten without promotion, and .907 with it.

use model::FileClass;
use ranking::aggregate::RequestedClasses;

use super::evidence::EvidenceHit;

/// Number of best files that keep their rank.
const N_BEST: usize = 3;

/// Moves code before prose and tests. The best files, and the classes that the question asks for, keep their rank.
pub(super) fn code_first(hits: Vec<EvidenceHit>, requested_classes: RequestedClasses) -> Vec<EvidenceHit> {
    let is_demoted = |hit: &EvidenceHit| {
        let class = FileClass::from(hit.file.class());
        class != FileClass::Source && !requested_classes.admits(class)
    };
    let mut hits = hits;
    let n_best = N_BEST.min(hits.len());
    hits[n_best..].sort_by_key(is_demoted);
    hits
}

#[cfg(test)]
mod tests {
    use proto::v1;

    use super::*;

    fn hits(paths: &[&str]) -> Vec<EvidenceHit> {
        let class = |path: &str| match path.rsplit('.').next() {
            Some("md") => v1::FileClass::Docs,
            Some("test") => v1::FileClass::Test,
            _ => v1::FileClass::Source,
        };
        let file = |path: &&str| v1::File { path: (*path).to_owned(), class: class(path).into(), ..Default::default() };
        let hit = |path| EvidenceHit {
            repo_idx: federation::repo_idx::RepoIdx(0),
            file: file(path),
            relevance: 1.0,
            places: Vec::new(),
            of_sides: [false; 2],
            purpose: String::new(),
        };
        paths.iter().map(hit).collect()
    }

    fn paths(hits: &[EvidenceHit]) -> String {
        hits.iter().map(|hit| hit.file.path.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn code_precedes_prose_except_for_the_best_files() {
        let order =
            |requested_classes| paths(&code_first(hits(&["a.md", "b", "c", "d.md", "e.test", "f"]), requested_classes));
        assert_eq!(order(RequestedClasses::default()), "a.md b c f d.md e.test");
        assert_eq!(order(RequestedClasses { docs: true, ..RequestedClasses::default() }), "a.md b c d.md f e.test");
    }
}
