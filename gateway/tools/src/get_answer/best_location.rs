//! The definition that a question about a place asks for, if it describes what the code does: "where is a card validated?".

use std::collections::HashSet;

use proto::v1;
use ranking::analyser;

use super::{
    evidence::{EvidenceHit, EvidencePlace},
    extractive_answer::QuestionTerms,
};

/// Beginnings of questions for a place.
const BEGINNINGS: [&str; 14] = [
    "where ",
    "in which file",
    "in what file",
    "in which function",
    "in which class",
    "in which module",
    "which file",
    "which function",
    "which method",
    "which class",
    "which module",
    "what file",
    "what function",
    "what method",
];

/// Maximum number of files whose definitions are compared.
const MAX_FILES: usize = 4;

/// Minimum relevance of a file, relative to the best one.
const MIN_RELATIVE_RELEVANCE: f32 = 0.5;

/// Factor by which each rank of a definition is worth less than the one before, as in an extractive answer.
const RANK_DECAY: f32 = 0.25;

/// Factors of definitions that seldom do what a question asks for: types, and tests.
const TYPE_PENALTY: f32 = 0.3;
const TEST_PENALTY: f32 = 0.8;

/// A definition among the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BestLocation {
    pub(super) hit_idx: usize,
    pub(super) place_idx: usize,
}

/// Returns true if a question asks for a place.
pub(super) fn asks_for_place(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    BEGINNINGS.iter().any(|start| lower.starts_with(start))
}

/// Returns the definition that does what a question describes; `None` if no hit has a definition.
pub(super) fn best_location(hits: &[EvidenceHit], question_terms: &QuestionTerms<'_>) -> Option<BestLocation> {
    let best = hits.iter().map(|hit| hit.relevance).fold(0.0, f32::max);
    let quoted = &question_terms.quoted;
    let is_candidate = |hit: &&EvidenceHit| {
        let is_quoted = quoted.is_empty() || quoted.contains(&hit.repo_idx);
        is_quoted && !hit.is_prose() && hit.relevance >= MIN_RELATIVE_RELEVANCE * best
    };
    let files = hits.iter().enumerate().filter(|(_, hit)| is_candidate(hit)).take(MAX_FILES);
    let places = files.flat_map(|(hit_idx, hit)| {
        hit.places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.symbol.is_some())
            .map(move |(place_idx, place)| (score(hit, place, question_terms), BestLocation { hit_idx, place_idx }))
    });
    places.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, location)| location)
}

fn score(hit: &EvidenceHit, place: &EvidencePlace, question_terms: &QuestionTerms<'_>) -> f32 {
    let of_rank = 1.0 / (1.0 + RANK_DECAY * place.rank as f32);
    let name = place.name().unwrap_or_default();
    let is_test = hit.file.class() == v1::FileClass::Test || name.to_lowercase().contains("test");
    let kind = place.symbol.as_ref().map_or("", |symbol| symbol.kind.as_str());
    let is_type = !matches!(kind, "function" | "method" | "constructor" | "macro");
    let penalty = f32::from(u8::from(is_type)) * TYPE_PENALTY + f32::from(u8::from(is_test)) * TEST_PENALTY;
    let words = |text: &str| analyser::terms(text).into_iter().collect::<HashSet<String>>();
    let said = words(&format!("{name} {}", place.doc()));
    let read = words(&place.source);
    of_rank + question_terms.share(&said, &read) - penalty
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use federation::repo_idx::RepoIdx;
    use model::LineSpan;

    use super::*;

    fn place(kind: &str, name: &str, doc: &str, rank: usize) -> EvidencePlace {
        let symbol =
            v1::Symbol { name: name.to_owned(), kind: kind.to_owned(), doc: doc.to_owned(), ..Default::default() };
        let lines = LineSpan { start: 1, end: 9 };
        EvidencePlace { symbol: Some(symbol), lines, rank, is_named: false, source: String::new() }
    }

    fn hit(path: &str, class: v1::FileClass, relevance: f32, places: Vec<EvidencePlace>) -> EvidenceHit {
        let file = v1::File { path: path.to_owned(), class: class.into(), ..Default::default() };
        EvidenceHit {
            repo_idx: RepoIdx(0),
            file,
            relevance,
            places,
            found_by_sides: [false; 2],
            purpose: String::new(),
        }
    }

    #[test]
    fn questions_for_a_place_are_known_by_their_beginning() {
        for (question, expected) in [
            ("where is a card validated?", true),
            ("Which function signs sessions?", true),
            ("in which file are cookies signed", true),
            ("how is a card validated?", false),
            ("which repositories use the kit?", false),
        ] {
            assert_eq!(asks_for_place(question), expected, "{question}");
        }
    }

    #[test]
    fn the_code_that_does_it_precedes_types_and_tests() {
        let source = v1::FileClass::Source;
        let hits = [
            hit("card_test.js", v1::FileClass::Test, 4.0, vec![place("function", "testCard", "Validates a card.", 0)]),
            hit(
                "card.js",
                source,
                3.0,
                vec![
                    place("class", "InvalidCard", "An invalid card.", 1),
                    place("function", "charge", "Validates a card.", 3),
                ],
            ),
            hit("other.js", source, 1.0, vec![place("function", "validate", "Validates a card.", 4)]),
        ];
        let text = "where is a card validated";
        let terms = analyser::terms("card validated").into_iter().map(|term| (term, 1.0)).collect();
        let question = QuestionTerms { text, terms, quoted: BTreeSet::new(), model: None };
        assert_eq!(best_location(&hits, &question), Some(BestLocation { hit_idx: 1, place_idx: 1 }));
        assert_eq!(best_location(&[], &question), None);
    }
}
