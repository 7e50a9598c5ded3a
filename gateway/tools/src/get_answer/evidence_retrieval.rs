//! Evidence retrieval: for the question, for each of its sides, for the definitions that it names, and the text to
//! read.

use std::collections::{BTreeMap, BTreeSet};

use model::Filter;
use proto::v1;
use ranking::query::{self, QueryMode, content_words};

use super::{
    absent_words,
    evidence::{EvidenceHit, EvidencePlace},
    evidence_source,
    question::{Question, is_function_word},
    question_definitions::{self, UndefinedName},
    repository_purpose,
};
use federation::{
    answer::Answer,
    call::CallContext,
    merge::{self, FoundFile, RankedFile},
    plan::Plan,
    repo_idx::RepoIdx,
    repo_mentions,
    retrieval::{RetrievalRequest, RetrievalResult},
    symbol_matches::DefinitionMatch,
};

/// Files to request from each ranker.
const DEPTH: usize = 40;

/// Maximum number of files of one side; further ones match words that both sides share.
const MAX_OF_SIDE: usize = 8;

/// Minimum relevance of a named repository's best span, relative to the best of all others, for it to answer the
/// question.
const LEAST_OF_NAMED: f32 = 0.5;

/// Factor for files that both sides found.
const BOTH_SIDES: f32 = 2.0;

/// Maximum number of files in an answer.
pub(super) const MAX_HITS: usize = 12;

/// The evidence for an answer.
pub(super) struct AnswerEvidence {
    /// The best first.
    pub(super) hits: Vec<EvidenceHit>,
    /// The files of code that the retrieval ranks behind the hits, the best first.
    pub(super) further_files: Vec<(RepoIdx, String)>,
    /// Indices of the repositories that the question names and that answer it: only these are quoted then.
    pub(super) quoted: BTreeSet<RepoIdx>,
    /// Named repositories that do not answer it.
    pub(super) silent: BTreeSet<RepoIdx>,
    /// Indices of the repositories of each side.
    pub(super) side_repositories: [BTreeSet<RepoIdx>; 2],
    pub(super) search_method: &'static str,
    /// The terms of the question with their weights.
    pub(super) terms: Vec<(String, f32)>,
    /// Number of content words in the question.
    pub(super) n_words: usize,
    /// Words of the question that occur nowhere.
    pub(super) unknown_words: Vec<String>,
    /// Words of the question that occur in no file of the repositories that it names, if it names some.
    pub(super) absent_in_named: Vec<String>,
    /// Share of the question's information in those words, from 0 to 1.
    pub(super) unknown_share: f32,
    /// Subjects of the question that occur nowhere: words written like proper names, and sides without other words.
    pub(super) absent_things: Vec<String>,
    /// Names of the question without a definition, each with ids of the nearest definitions.
    pub(super) undefined: Vec<UndefinedName>,
    /// Names of the question with several definitions, each with their ids.
    pub(super) ambiguous: Vec<(String, Vec<String>)>,
    /// The definitions of its names.
    pub(super) definitions: Vec<DefinitionMatch>,
    pub(super) notes: Vec<String>,
    /// Repositories that were not searched because they provably could not change the answer.
    pub(super) n_pruned: usize,
}

impl AnswerEvidence {
    /// Returns the hits in the named repositories; all hits if none is named.
    pub(super) fn hits_in<'e>(&'e self, named: &BTreeSet<RepoIdx>) -> impl Iterator<Item = &'e EvidenceHit> {
        self.hits.iter().filter(move |hit| named.is_empty() || named.contains(&hit.repo_idx))
    }

    /// Returns true if every name, word and repository of the question has evidence, but for words that may be absent.
    pub(super) fn has_all_words_but(&self, may_be_absent: impl Fn(&str) -> bool) -> bool {
        self.undefined.is_empty()
            && self.unknown_words.iter().all(|word| may_be_absent(word))
            && self.absent_in_named.is_empty()
            && self.silent.is_empty()
    }

    /// Returns true if each side of the question concerns exactly one repository, and they differ.
    pub(super) fn joins_two_repositories(&self) -> bool {
        let [first, second] = &self.side_repositories;
        first.len() == 1 && second.len() == 1 && first != second
    }
}

/// Retrieves the evidence for an answer.
pub(super) async fn retrieve_evidence(
    call: &CallContext<'_>,
    plan: &Plan,
    question: &Question,
    filter: &Filter,
) -> Answer<AnswerEvidence> {
    let Answer { value: whole, mut shortfalls } = retrieve(call, plan, &question.text, filter).await;
    let mut n_pruned = whole.n_pruned;
    let mut notes: Vec<String> = whole.corrections.iter().map(|correction| correction.note()).collect();
    let (search_method, method_notes) = whole.method.describe(&plan.without(&shortfalls));
    notes.extend(method_notes);
    let (mut hits, mut side_repositories) = (hits_of(&whole), [BTreeSet::new(), BTreeSet::new()]);
    if let Some(sides) = &question.sides {
        let mut side_hits = [Vec::new(), Vec::new()];
        for (side, hits_of_side) in sides.iter().zip(&mut side_hits) {
            let found = retrieve(call, &plan.without(&shortfalls), side, filter).await;
            shortfalls.extend(found.shortfalls);
            n_pruned = n_pruned.max(found.value.n_pruned);
            *hits_of_side = hits_of(&found.value);
        }
        let named = [0, 1].map(|side| repo_mentions::named(plan, &sides[side]));
        side_repositories = [0, 1].map(|side| repositories(&named[side], &mut side_hits[side]));
        let [first_hits, second_hits] = side_hits;
        hits = merge_sides(hits, first_hits, second_hits);
        if named.iter().all(|named| !named.is_empty()) {
            hits.retain(|hit| named.iter().any(|named| named.contains(&hit.repo_idx)));
        }
    }
    let named_repositories = repo_mentions::named(plan, &question.text);
    let of_names = (&whole, &named_repositories);
    let found = question_definitions::find(call, &plan.without(&shortfalls), (question, filter), of_names, &mut hits)
        .await
        .after(shortfalls);
    let (names, mut shortfalls) = (found.value, found.shortfalls);
    let asks_named_repositories =
        question.sides.is_none() && !named_repositories.is_empty() && named_repositories.len() < plan.asked.len();
    let is_answered_by_named = asks_named_repositories && promote_named_repositories(&mut hits, &named_repositories);
    if let Some(repo_idx) = repository_purpose::repository_to_describe(plan, &question.text, &named_repositories) {
        let overviews = call.overviews(&plan.without(&shortfalls), 1).await;
        shortfalls.extend(overviews.shortfalls);
        hits = repository_purpose::with_purpose(hits, repo_idx, overviews.value.get(&repo_idx));
    }
    let is_code = |hit: &&EvidenceHit| !hit.is_prose() && !matches!(hit.file.class(), v1::FileClass::Test);
    let further_files =
        hits.iter().skip(MAX_HITS).filter(is_code).map(|hit| (hit.repo_idx, hit.file.path.clone())).collect();
    hits.truncate(MAX_HITS);
    let Answer { value: hits, mut shortfalls } =
        evidence_source::read(call, &plan.without(&shortfalls), hits).await.after(shortfalls);
    let absent_in_named = absent_words::of_named(call, plan, question, (&named_repositories, &hits)).await;
    shortfalls.extend(absent_in_named.shortfalls);
    let terms: Vec<(String, f32)> =
        whole.parts.terms.iter().map(|term| term.text.clone()).zip(whole.weights()).collect();
    let unknown_words = absent_words::unknown_words(&question.text, &whole);
    let n_words = content_words(&question.text).iter().filter(|word| !is_function_word(word)).count().max(1);
    let unknown_share = unknown_words.len() as f32 / n_words as f32;
    let absent_things = absent_words::absent_things(question, &unknown_words);
    let (quoted, silent) = match (asks_named_repositories, is_answered_by_named) {
        (false, _) => (BTreeSet::new(), BTreeSet::new()),
        (true, true) => (named_repositories, BTreeSet::new()),
        (true, false) => (BTreeSet::new(), named_repositories),
    };
    let evidence = AnswerEvidence {
        quoted,
        silent,
        absent_things,
        hits,
        further_files,
        side_repositories,
        search_method,
        terms,
        unknown_words,
        absent_in_named: absent_in_named.value,
        unknown_share,
        n_words,
        undefined: names.undefined,
        ambiguous: names.ambiguous,
        definitions: names.definitions,
        notes,
        n_pruned,
    };
    Answer { value: evidence, shortfalls }
}

pub(super) async fn retrieve(
    call: &CallContext<'_>,
    plan: &Plan,
    text: &str,
    filter: &Filter,
) -> Answer<RetrievalResult> {
    let parts = query::parse(text, QueryMode::Auto);
    call.retrieve(plan, RetrievalRequest { text, parts, filter, depth: DEPTH, corrects_typos: true }).await
}

/// Returns the files of a retrieval in order, each with its spans.
pub(super) fn hits_of(retrieved: &RetrievalResult) -> Vec<EvidenceHit> {
    let files = &retrieved.ranking.files;
    let mut places: BTreeMap<usize, Vec<EvidencePlace>> = BTreeMap::new();
    for (rank, ranked_passage) in merge::passages(files, retrieved.scale()).into_iter().enumerate() {
        places.entry(ranked_passage.file_idx).or_default().push(EvidencePlace {
            symbol: ranked_passage.passage.symbol.cloned(),
            lines: ranked_passage.passage.lines,
            rank,
            is_named: false,
            source: String::new(),
        });
    }
    let hit = |(file_idx, ranked): (usize, &RankedFile)| {
        let FoundFile { repo_idx, hit } = &ranked.found;
        Some(EvidenceHit {
            repo_idx: *repo_idx,
            file: hit.file.clone()?,
            relevance: ranked.relevance,
            places: places.remove(&file_idx).unwrap_or_default(),
            found_by_sides: [false; 2],
            purpose: String::new(),
        })
    };
    files.iter().enumerate().filter_map(hit).collect()
}

/// Returns the repositories of a side: only those that it names, or else that of its best file.
fn repositories(named: &BTreeSet<RepoIdx>, hits: &mut Vec<EvidenceHit>) -> BTreeSet<RepoIdx> {
    if named.is_empty() {
        return hits.first().map(|hit| hit.repo_idx).into_iter().collect();
    }
    hits.retain(|hit| named.contains(&hit.repo_idx));
    named.clone()
}

/// Moves the files of named repositories to the front. Returns false, and leaves the order, if other files are far more
/// relevant.
fn promote_named_repositories(hits: &mut [EvidenceHit], named_repositories: &BTreeSet<RepoIdx>) -> bool {
    let is_named = |hit: &EvidenceHit| named_repositories.contains(&hit.repo_idx);
    let best = |in_named: bool| {
        let in_group = hits.iter().filter(|hit| is_named(hit) == in_named);
        in_group.map(|hit| hit.relevance).fold(0.0, f32::max)
    };
    let is_relevant = best(true) > 0.0 && best(true) >= LEAST_OF_NAMED * best(false);
    if is_relevant {
        hits.sort_by_key(|hit| !is_named(hit));
    }
    is_relevant
}

/// Merges the retrieval of a question with those of its sides by reciprocal rank; files of both sides count double.
fn merge_sides(whole: Vec<EvidenceHit>, first: Vec<EvidenceHit>, second: Vec<EvidenceHit>) -> Vec<EvidenceHit> {
    let key = |hit: &EvidenceHit| (hit.repo_idx, hit.file.path.clone());
    let mut joined: BTreeMap<(RepoIdx, String), (f32, EvidenceHit)> = BTreeMap::new();
    let mut add = |hits: Vec<EvidenceHit>, side: Option<usize>, most: usize| {
        for (rank, mut hit) in hits.into_iter().enumerate().take(most) {
            hit.found_by_sides = [side == Some(0), side == Some(1)];
            let rank_weight = (ranking::fusion::RRF_K + 1.0 + rank as f64).recip() as f32;
            match joined.get_mut(&key(&hit)) {
                Some((sum, known)) => {
                    *sum += rank_weight;
                    known.relevance = known.relevance.max(hit.relevance);
                    known.found_by_sides = [0, 1].map(|side| known.found_by_sides[side] || hit.found_by_sides[side]);
                }
                None => {
                    joined.insert(key(&hit), (rank_weight, hit));
                }
            }
        }
    };
    add(whole, None, DEPTH);
    add(first, Some(0), MAX_OF_SIDE);
    add(second, Some(1), MAX_OF_SIDE);
    let mut hits: Vec<(f32, EvidenceHit)> = joined.into_values().collect();
    for (sum, hit) in hits.iter_mut().filter(|(_, hit)| hit.found_by_sides == [true; 2]) {
        *sum *= BOTH_SIDES;
        hit.relevance *= BOTH_SIDES;
    }
    hits.sort_by(|(a_sum, a), (b_sum, b)| b_sum.total_cmp(a_sum).then_with(|| key(a).cmp(&key(b))));
    hits.into_iter().map(|(_, hit)| hit).collect()
}
