//! The stated purpose of a repository, as evidence for a question that names one and nothing in it.

use std::collections::BTreeSet;

use model::LineSpan;
use proto::v1;
use ranking::{
    analyser,
    query::{content_words, is_stop_word},
};

use super::{
    evidence::{EvidenceHit, EvidencePlace},
    question_definitions::NAMED_RELEVANCE,
};
use federation::{plan::Plan, repo_idx::RepoIdx};

/// Words that ask for the purpose of a repository rather than for something in it.
const OVERVIEW_WORDS: [&str; 12] = [
    "about",
    "library",
    "package",
    "project",
    "purpose",
    "repo",
    "repository",
    "framework",
    "tool",
    "goal",
    "mean",
    "explain",
];

/// Returns the repository of a question that names one and nothing in it.
pub(super) fn repository_to_describe(
    plan: &Plan,
    text: &str,
    named_repositories: &BTreeSet<RepoIdx>,
) -> Option<RepoIdx> {
    let repo_idx = *named_repositories.first().filter(|_| named_repositories.len() == 1)?;
    let alias = split_terms(plan.alias(repo_idx));
    let is_other = |word: &&str| {
        let is_alias = split_terms(word).iter().all(|term| alias.contains(term));
        !is_stop_word(word) && !is_alias && !OVERVIEW_WORDS.contains(&word.to_lowercase().as_str())
    };
    content_words(text).iter().find(|word| is_other(word)).is_none().then_some(repo_idx)
}

/// Returns the hits with the stated purpose of a repository as the first one.
pub(super) fn with_purpose(
    mut hits: Vec<EvidenceHit>,
    repo_idx: RepoIdx,
    overview: Option<&v1::RepositoryOverview>,
) -> Vec<EvidenceHit> {
    let purpose_source = overview.and_then(|overview| overview.purposes.first());
    let Some(purpose_source) = purpose_source.filter(|purpose_source| !purpose_source.path.is_empty()) else {
        return hits;
    };
    let known = hits.iter().position(|hit| hit.repo_idx == repo_idx && hit.file.path == purpose_source.path);
    let file = v1::File {
        path: purpose_source.path.clone(),
        class: v1::FileClass::Docs.into(),
        lines: 1,
        ..Default::default()
    };
    let found_by_sides = [false; 2];
    let fresh = EvidenceHit {
        repo_idx,
        file,
        relevance: NAMED_RELEVANCE,
        places: Vec::new(),
        found_by_sides,
        purpose: String::new(),
    };
    let mut hit = known.map_or(fresh, |known| hits.remove(known));
    let lines = LineSpan { start: 1, end: hit.file.lines.max(1) };
    let source = text::clean(&purpose_source.text).into_owned();
    hit.file.set_class(v1::FileClass::Docs);
    hit.relevance = hit.relevance.max(NAMED_RELEVANCE);
    hit.places.insert(0, EvidencePlace { symbol: None, lines, rank: 0, is_named: true, source });
    hits.insert(0, hit);
    hits
}

/// Returns the terms of the words in a text, splitting compound names: `parcel-kit` equals `parcel kit`.
fn split_terms(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(analyser::words).flat_map(|word| analyser::terms(&word)).collect()
}
