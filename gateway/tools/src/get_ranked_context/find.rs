//! Candidate retrieval: by text, by parts of names, and by similar names.

use std::collections::HashSet;

use model::Filter;
use proto::v1;
use ranking::{
    analyser,
    query::{self, QueryMode, content_words, is_stop_word},
};

use super::{candidate::ContextCandidate, request::RankedContextRequest};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    fan_out::Replies,
    merge,
    plan::Plan,
    retrieval::{RetrievalRequest, RetrievalResult},
    typo::Correction,
};

/// Files to request from each ranker.
const DEPTH: usize = 60;

/// Minimum relevance, from 0 to 10, of the best span for a question of at most so many words; below it, the question
/// only shares words with the code. Longer questions never match any span to a large part: of 266 real ones of up to
/// twelve words three were below the second value.
const NOISE: [(usize, f32); 2] = [(5, 1.0), (12, 0.65)];

/// Symbols to request from each worker by parts of names. Very many may match, so workers return the most used ones.
const MAX_NAMED: u32 = 1_000;

/// Maximum number of question words to look up in names, and their minimum length.
const MAX_WORDS: usize = 12;
const MIN_LETTERS: usize = 3;

/// Maximum length of a word in names, and minimum length for a similarity search: shorter words are similar to too many
/// names.
const MAX_LETTERS: usize = 64;
const MIN_LETTERS_OF_SIMILAR: usize = 5;

/// Minimum share of the question that a similar name must cover; less is a coincidence.
const MIN_PART_OF_SIMILAR: f32 = 0.4;

/// Minimum share of the words, relative to the best match. For a question of several words it is an absolute minimum
/// too, since a single word occurs in some name always.
const MIN_SHARE: f32 = 0.5;
const MANY_WORDS: usize = 3;
const MIN_SHARE_OF_MANY: f32 = 0.3;

/// Number of lower ranks whose relevance counts for a candidate that the search ranks higher.
const N_NEIGHBOURS: usize = 5;

/// Maximum number of question words for similar names, and symbols to request from each worker per word.
const MAX_SIMILAR_WORDS: usize = 4;
const MAX_SIMILAR: u32 = 50;

/// The candidates, best first.
pub(super) struct FoundCandidates {
    pub(super) candidates: Vec<ContextCandidate>,
    /// The retrieval method, as answers name it.
    pub(super) tier: &'static str,
    pub(super) corrections: Vec<Correction>,
    /// The reason why the embedding model gave no scores, if it was queried.
    pub(super) vector_failure: Option<&'static str>,
    /// Repositories that were not searched because they provably could not change the answer.
    pub(super) n_pruned: usize,
}

/// Finds definitions and files as `search_codebase` does.
pub(super) async fn by_text(
    call: &CallContext<'_>,
    plan: &Plan,
    request: &RankedContextRequest,
) -> Answer<FoundCandidates> {
    let retrieval_request = RetrievalRequest {
        text: &request.query,
        parts: query::parse(&request.query, QueryMode::Auto),
        filter: &Filter::default(),
        depth: DEPTH,
        corrects_typos: request.fuzzy,
    };
    let Answer { value: found, shortfalls } = call.retrieve(plan, retrieval_request).await;
    let RetrievalResult { ranking, corrections, method, n_pruned, .. } = &found;
    let code_passages = merge::passages(&ranking.files, found.scale());
    let best = code_passages.iter().map(|code_passage| code_passage.relevance).fold(0.0, f32::max);
    let n_words = content_words(&request.query).len();
    let is_noise = NOISE.iter().find(|(most_words, _)| n_words <= *most_words).is_some_and(|(_, noise)| best < *noise);
    let shown = if is_noise { &[][..] } else { &code_passages[..] };
    let mut candidates: Vec<ContextCandidate> = shown
        .iter()
        .filter_map(|code_passage| {
            let found = &ranking.files[code_passage.file_idx].found;
            let (file, relevance) = (found.hit.file.clone()?, code_passage.relevance / 10.0);
            Some(match code_passage.passage.symbol {
                Some(symbol) => ContextCandidate::of_symbol(found.repo_idx, file, symbol.clone(), relevance),
                None => ContextCandidate::of_file(found.repo_idx, file, code_passage.passage.lines, relevance),
            })
        })
        .collect();
    bound_relevance(&mut candidates);
    let vector_failure = method.unavailable_reason();
    let has_words = ranking.files.iter().any(|file| file.found.hit.lexical > 0.0 || file.found.hit.name.is_some());
    let tier = if has_words || candidates.is_empty() { "bm25" } else { "vector" };
    let found =
        FoundCandidates { candidates, tier, corrections: corrections.clone(), vector_failure, n_pruned: *n_pruned };
    Answer { value: found, shortfalls }
}

/// Sets the relevance that strategies use. Names, paths and meaning rank some candidates above others with more
/// matching terms. Those get the relevance of the few right below them, and no candidate exceeds the one above it.
fn bound_relevance(candidates: &mut [ContextCandidate]) {
    let mut minimum = f32::INFINITY;
    for idx in 0..candidates.len() {
        let next_candidates = &candidates[idx..(idx + N_NEIGHBOURS).min(candidates.len())];
        minimum = next_candidates.iter().map(|candidate| candidate.relevance).fold(0.0, f32::max).min(minimum);
        candidates[idx].bounded_relevance = minimum;
    }
}

/// Finds definitions whose names contain words of the question literally.
pub(super) async fn by_substring(
    call: &CallContext<'_>,
    plan: &Plan,
    request: &RankedContextRequest,
) -> Answer<FoundCandidates> {
    let words = words(&request.query, MAX_WORDS);
    let (mut candidates, mut shortfalls) = (Vec::new(), Shortfalls::default());
    if !words.is_empty() {
        let regex = format!("(?i){}", words.join("|"));
        let message = symbols_request(v1::symbols_request::Query::Regex(regex), MAX_NAMED);
        let replies = call.symbols(plan, &message).await;
        shortfalls = replies.shortfalls;
        candidates = distinct(plan, replies.value, |hit| share_of_words(hit, &words));
    }
    let best = candidates.iter().map(|candidate| candidate.relevance).fold(0.0, f32::max);
    let minimum = if words.len() < MANY_WORDS { 0.0 } else { MIN_SHARE_OF_MANY };
    candidates.retain(|candidate| candidate.relevance > MIN_SHARE * best && candidate.relevance >= minimum);
    let found =
        FoundCandidates { candidates, tier: "legacy", corrections: Vec::new(), vector_failure: None, n_pruned: 0 };
    Answer { value: found, shortfalls }
}

/// Finds definitions whose names are similar to words of the question, or contain one.
pub(super) async fn by_similarity(
    call: &CallContext<'_>,
    plan: &Plan,
    request: &RankedContextRequest,
) -> Answer<FoundCandidates> {
    let (mut candidates, mut shortfalls): (Vec<ContextCandidate>, Shortfalls) = Default::default();
    let words = words(&request.query, MAX_SIMILAR_WORDS);
    let n_letters: usize = words.iter().map(|word| word.chars().count()).sum();
    let is_distinctive = |word: &String| {
        let n_own = word.chars().count();
        n_own >= MIN_LETTERS_OF_SIMILAR && n_own as f32 >= MIN_PART_OF_SIMILAR * n_letters as f32
    };
    for word in words.into_iter().filter(is_distinctive) {
        // Words consist of letters and digits, so they need no escaping.
        let containing_request = symbols_request(v1::symbols_request::Query::Regex(format!("(?i){word}")), MAX_SIMILAR);
        let containing = call.symbols(&plan.without(&shortfalls), &containing_request).await;
        shortfalls.extend(containing.shortfalls);
        let similar = symbols_request(v1::symbols_request::Query::Name(word.clone()), MAX_SIMILAR);
        let similar = call.symbols(&plan.without(&shortfalls), &similar).await;
        shortfalls.extend(similar.shortfalls);
        let similar_candidates = distinct(plan, similar.value, similarity_weight).into_iter();
        for similar_candidate in
            similar_candidates.chain(distinct(plan, containing.value, |hit| part_of_name(hit, &word)))
        {
            if !candidates.iter().any(|known| known.at == similar_candidate.at) {
                candidates.push(similar_candidate);
            }
        }
    }
    candidates.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.sort_key().cmp(&b.sort_key())));
    let found =
        FoundCandidates { candidates, tier: "trigram", corrections: Vec::new(), vector_failure: None, n_pruned: 0 };
    Answer { value: found, shortfalls }
}

/// Returns the distinct question words that may occur in names.
fn words(query: &str, most: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in content_words(query).into_iter().filter(|word| !is_stop_word(word)).flat_map(analyser::words) {
        if (MIN_LETTERS..=MAX_LETTERS).contains(&word.chars().count()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(most);
    words
}

fn symbols_request(query: v1::symbols_request::Query, limit: u32) -> v1::SymbolsRequest {
    let filter = Some((&Filter::default()).into());
    v1::SymbolsRequest { query: Some(query), filter, limit, ..Default::default() }
}

/// Returns the share of the letters of a question that a name covers: long words say more.
fn share_of_words(hit: &v1::SymbolHit, words: &[String]) -> f32 {
    let name = hit.symbol.as_ref().map(|symbol| analyser::fold(&symbol.name)).unwrap_or_default();
    let n_letters = |words: &mut dyn Iterator<Item = &String>| words.map(|word| word.chars().count()).sum::<usize>();
    let n_matched = n_letters(&mut words.iter().filter(|word| name.contains(word.as_str())));
    n_matched as f32 / n_letters(&mut words.iter()).max(1) as f32
}

/// Weight of a similar name, by its kind of similarity.
fn similarity_weight(hit: &v1::SymbolHit) -> f32 {
    match hit.tier() {
        v1::NameTier::Exact => 0.6,
        v1::NameTier::Folded => 0.5,
        v1::NameTier::Prefix => 0.3,
        v1::NameTier::SubWord => 0.2,
        v1::NameTier::Fuzzy => 0.1,
        v1::NameTier::Unspecified => 0.0,
    }
}

/// Weight of a name that contains a word, lower the longer the rest of the name is.
fn part_of_name(hit: &v1::SymbolHit, word: &str) -> f32 {
    let name = hit.symbol.as_ref().map(|symbol| analyser::fold(&symbol.name)).unwrap_or_default();
    if name.contains(word) { 0.2 * word.len() as f32 / name.len() as f32 } else { 0.0 }
}

/// Returns the definitions with any relevance in the order of their locations; of copies the first.
fn distinct(
    plan: &Plan,
    replies: Replies<v1::SymbolsResponse>,
    relevance: impl Fn(&v1::SymbolHit) -> f32,
) -> Vec<ContextCandidate> {
    let mut candidates = Vec::new();
    for (group, reply) in replies {
        let repo_idxs = plan.by_id(&group);
        for hit in reply.hits {
            let relevance = relevance(&hit);
            let repo_idx = repo_idxs.get(hit.repository.as_str()).copied();
            if let (Some(repo_idx), Some(file), Some(symbol)) = (repo_idx, hit.file, hit.symbol)
                && relevance > 0.0
            {
                candidates.push(ContextCandidate::of_symbol(repo_idx, file, symbol, relevance));
            }
        }
    }
    candidates.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    let mut seen = HashSet::new();
    candidates.retain(|candidate| {
        let is_known = |blob: &str| !blob.is_empty();
        !is_known(&candidate.file.blob)
            || seen.insert((candidate.file.blob.clone(), candidate.lines.start, candidate.lines.end))
    });
    candidates
}
