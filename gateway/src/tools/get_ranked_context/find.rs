//! The ways to find what may answer a question: by text, by parts of names, by likeness of names.

use std::collections::HashSet;

use model::Filter;
use proto::v1;
use ranking::{
    analyser,
    query::{self, Mode, content_words, is_stop_word},
};

use super::{candidate::Candidate, request::Request};
use crate::{
    call::{Call, Replies},
    merge,
    plan::Plan,
    retrieval::{Retrieved, Wish},
    typo::Correction,
};

/// Files asked of each ranker.
const DEPTH: usize = 60;

/// Where the best place is less relevant, from 0 to 10, than this, a question of so many words at most has no answer, but
/// words in common with something. One of more words is held by no place in any large part: of 266 real ones of up to twelve
/// words three were below the second.
const NOISE: [(usize, f32); 2] = [(5, 1.0), (12, 0.65)];

/// Symbols asked of each worker by parts of names, which may be in very many: the most used of them come.
const MAX_NAMED: u32 = 1_000;

/// Words of a question that are looked for in names, and the fewest letters of one.
const MAX_WORDS: usize = 12;
const MIN_LETTERS: usize = 3;

/// Longer words are no part of a name. Shorter ones than this are like too many names.
const MAX_LETTERS: usize = 64;
const MIN_LETTERS_TO_BE_LIKE: usize = 5;

/// What is like a word that is a smaller part of the question than this is like the question by chance.
const LEAST_PART_TO_BE_LIKE: f32 = 0.4;

/// What has no larger part of the words than this part of what the best has does not match. Of a question of several words that
/// is a part of them too: a single one is in some name always.
const LEAST_SHARE: f32 = 0.5;
const MANY_WORDS: usize = 3;
const LEAST_OF_MANY: f32 = 0.3;

/// How far down what is more relevant speaks for what the search puts before it.
const N_NEIGHBOURS: usize = 5;

/// Words of a question that names may be like, and symbols asked of each worker for one.
const MAX_LIKE_WORDS: usize = 4;
const MAX_ALIKE: u32 = 50;

/// What may answer a question, the best first.
pub(super) struct Found {
    pub(super) candidates: Vec<Candidate>,
    /// How it was found, as answers call it.
    pub(super) tier: &'static str,
    pub(super) corrections: Vec<Correction>,
    /// Why the model said nothing of the question, where it was asked.
    pub(super) untold: Option<&'static str>,
}

/// Finds definitions and files as a search does.
pub(super) async fn by_text(call: &Call<'_>, plan: &mut Plan, request: &Request) -> Found {
    let wish = Wish {
        text: &request.query,
        parts: query::read(&request.query, Mode::Auto),
        filter: &Filter::default(),
        depth: DEPTH,
        corrects_typos: request.fuzzy,
    };
    let found = call.retrieve(plan, wish).await;
    let Retrieved { ranking, corrections, method, .. } = &found;
    let spots = merge::spots(&ranking.files, found.scale());
    let best = spots.iter().map(|spot| spot.relevance).fold(0.0, f32::max);
    let n_words = content_words(&request.query).len();
    let is_noise = NOISE.iter().find(|(most_words, _)| n_words <= *most_words).is_some_and(|(_, noise)| best < *noise);
    let shown = if is_noise { &[][..] } else { &spots[..] };
    let mut candidates: Vec<Candidate> = shown
        .iter()
        .filter_map(|spot| {
            let found = &ranking.files[spot.file_idx].found;
            let (file, relevance) = (found.hit.file.clone()?, spot.relevance / 10.0);
            Some(match spot.spot.symbol {
                Some(symbol) => Candidate::of_symbol(found.position, file, symbol.clone(), relevance),
                None => Candidate::of_file(found.position, file, spot.spot.lines, relevance),
            })
        })
        .collect();
    settle(&mut candidates);
    let untold = method.untold();
    let has_words = ranking.files.iter().any(|file| file.found.hit.lexical > 0.0 || file.found.hit.name.is_some());
    let tier = if has_words || candidates.is_empty() { "bm25" } else { "vector" };
    Found { candidates, tier, corrections: corrections.clone(), untold }
}

/// Tells how each stands: names, paths and meaning put some before others that have more of the terms. Those are taken to be as
/// relevant as the few right below them, and nothing as more relevant than what is above it.
fn settle(candidates: &mut [Candidate]) {
    let mut least = f32::INFINITY;
    for place in 0..candidates.len() {
        let around = &candidates[place..(place + N_NEIGHBOURS).min(candidates.len())];
        least = around.iter().map(|candidate| candidate.relevance).fold(0.0, f32::max).min(least);
        candidates[place].standing = least;
    }
}

/// Finds definitions whose names have words of the question in them, as they are written.
pub(super) async fn by_substring(call: &Call<'_>, plan: &mut Plan, request: &Request) -> Found {
    let words = words(&request.query, MAX_WORDS);
    let mut candidates = Vec::new();
    if !words.is_empty() {
        let regex = format!("(?i){}", words.join("|"));
        let message = symbols_request(v1::symbols_request::Query::Regex(regex), MAX_NAMED);
        let replies = call.symbols(plan, &message).await;
        candidates = distinct(plan, replies, |hit| share_of_words(hit, &words));
    }
    let best = candidates.iter().map(|candidate| candidate.relevance).fold(0.0, f32::max);
    let least = if words.len() < MANY_WORDS { 0.0 } else { LEAST_OF_MANY };
    candidates.retain(|candidate| candidate.relevance > LEAST_SHARE * best && candidate.relevance >= least);
    Found { candidates, tier: "legacy", corrections: Vec::new(), untold: None }
}

/// Finds definitions whose names are like words of the question, or have one within them.
pub(super) async fn by_likeness(call: &Call<'_>, plan: &mut Plan, request: &Request) -> Found {
    let mut candidates: Vec<Candidate> = Vec::new();
    let words = words(&request.query, MAX_LIKE_WORDS);
    let n_letters: usize = words.iter().map(|word| word.chars().count()).sum();
    let told = |word: &String| {
        let n_own = word.chars().count();
        n_own >= MIN_LETTERS_TO_BE_LIKE && n_own as f32 >= LEAST_PART_TO_BE_LIKE * n_letters as f32
    };
    for word in words.into_iter().filter(told) {
        // Words of a question are letters and digits.
        let within = symbols_request(v1::symbols_request::Query::Regex(format!("(?i){word}")), MAX_ALIKE);
        let holding = call.symbols(plan, &within).await;
        let like = symbols_request(v1::symbols_request::Query::Name(word.clone()), MAX_ALIKE);
        let like = call.symbols(plan, &like).await;
        let alike = distinct(plan, like, likeness).into_iter();
        for alike in alike.chain(distinct(plan, holding, |hit| part_of_name(hit, &word))) {
            if !candidates.iter().any(|known| known.at == alike.at) {
                candidates.push(alike);
            }
        }
    }
    candidates.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.place().cmp(&b.place())));
    Found { candidates, tier: "trigram", corrections: Vec::new(), untold: None }
}

/// Returns the words of a question that may be in names, each once.
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

/// Returns the part of the letters of a question that the name of a definition has: long words tell more.
fn share_of_words(hit: &v1::SymbolHit, words: &[String]) -> f32 {
    let name = hit.symbol.as_ref().map(|symbol| analyser::fold(&symbol.name)).unwrap_or_default();
    let n_letters = |words: &mut dyn Iterator<Item = &String>| words.map(|word| word.chars().count()).sum::<usize>();
    let n_matched = n_letters(&mut words.iter().filter(|word| name.contains(word.as_str())));
    n_matched as f32 / n_letters(&mut words.iter()).max(1) as f32
}

/// A name that is like a word tells little; how little, by how it is like it.
fn likeness(hit: &v1::SymbolHit) -> f32 {
    match hit.tier() {
        v1::NameTier::Exact => 0.6,
        v1::NameTier::Folded => 0.5,
        v1::NameTier::Prefix => 0.3,
        v1::NameTier::SubWord => 0.2,
        v1::NameTier::Fuzzy => 0.1,
        v1::NameTier::Unspecified => 0.0,
    }
}

/// A name that has a word within it tells as little as one that has it among its words, and less the more else is in it.
fn part_of_name(hit: &v1::SymbolHit, word: &str) -> f32 {
    let name = hit.symbol.as_ref().map(|symbol| analyser::fold(&symbol.name)).unwrap_or_default();
    if name.contains(word) { 0.2 * word.len() as f32 / name.len() as f32 } else { 0.0 }
}

/// Returns the definitions of replies that are relevant at all, in the order of their places; of copies the first.
fn distinct(
    plan: &Plan,
    replies: Replies<v1::SymbolsResponse>,
    relevance: impl Fn(&v1::SymbolHit) -> f32,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (group, reply) in replies {
        let positions = plan.by_id(&group);
        for hit in reply.hits {
            let relevance = relevance(&hit);
            let position = positions.get(hit.repository.as_str()).copied();
            if let (Some(position), Some(file), Some(symbol)) = (position, hit.file, hit.symbol)
                && relevance > 0.0
            {
                candidates.push(Candidate::of_symbol(position, file, symbol, relevance));
            }
        }
    }
    candidates.sort_by(|a, b| a.place().cmp(&b.place()));
    let mut seen = HashSet::new();
    candidates.retain(|candidate| {
        let is_known = |blob: &str| !blob.is_empty();
        !is_known(&candidate.file.blob)
            || seen.insert((candidate.file.blob.clone(), candidate.lines.start, candidate.lines.end))
    });
    candidates
}
