//! The search of one worker: every target names its best files by each ranker, these are cut once over all targets, and of
//! what is left every target tells all there is.
//!
//! Names, paths and vectors are looked through everywhere. The rows of a repository are scored only while it can have one of
//! the best files: repositories come in the order of what they can reach at most, a wave at a time, and the search
//! ends where that is less than what was found.

mod request;

use std::cmp::Reverse;

use index::{FileHit, IndexError, MessageHit, Named, PageHit, QueryVector, SearchQuery};
use proto::v1;
use ranking::votes::N_VOTING;
use tonic::Status;

use super::{
    pool::{self, Wanted},
    targets::{self, Asked, Target},
    wire,
};

use request::Query;

/// Repositories that are scored side by side before it is seen whether more need to be. A constant, whatever the number of
/// cores, so that the same request always leaves out the same ones.
const WAVE: usize = 8;

/// One target, and what came of it so far.
struct Shard<'a> {
    asked: Asked<'a>,
    query: SearchQuery<'a>,
    named: Named,
    by_vector: Vec<(f32, u32)>,
    pages: Vec<PageHit>,
    messages: Vec<MessageHit>,
    /// What no file of it is above by terms.
    bound: f32,
    by_text: Vec<(f32, u32)>,
    is_scored: bool,
    has_vectors: bool,
}

/// A file of a shard.
type Place = (usize, u32);

/// Answers a search.
pub(super) fn search(
    request: &v1::SearchRequest,
    targets: &[Target],
    wanted: &Wanted,
) -> Result<v1::SearchResponse, Status> {
    let request = Query::read(request)?;
    let message_vector = request.message_vector();
    let said = message_vector.as_ref();
    let (found, mut outcomes) =
        targets::ask(targets, wanted, |asked| Ok(look_through(asked, request.of(asked.repository), said)));
    let mut shards: Vec<Shard<'_>> = found.into_iter().map(|(asked, shard)| Shard { asked, ..shard }).collect();
    let query = request.of_others();
    let mut failures = score_rows(&mut shards, query.limit, wanted);
    let chosen = cut(&shards, &query);
    let hits = describe(&shards, &chosen, wanted, &mut failures);
    failures
        .into_iter()
        .for_each(|(shard_idx, failure)| note(&mut outcomes, shards[shard_idx].asked.repository, failure));
    let ids = |keep: fn(&Shard<'_>) -> bool| {
        let kept = shards.iter().filter(|shard| keep(shard));
        kept.map(|shard| shard.asked.repository.to_owned()).collect()
    };
    Ok(v1::SearchResponse {
        hits,
        outcomes,
        pages: best_pages(&shards, query.limit),
        messages: nearest_messages(&shards),
        pruned: ids(|shard| !shard.is_scored),
        without_vectors: if query.vector.is_some() { ids(|shard| !shard.has_vectors) } else { Vec::new() },
    })
}

fn look_through<'a>(asked: &Asked<'a>, query: SearchQuery<'a>, said: Option<&QueryVector<'_>>) -> Shard<'a> {
    let snapshot = asked.snapshot;
    Shard {
        asked: asked.clone(),
        named: snapshot.named(&query),
        by_vector: snapshot.rank_by_vector(&query),
        pages: snapshot.rank_pages(&query),
        messages: said.map_or_else(Vec::new, |said| snapshot.rank_messages(said, query.filter, N_VOTING)),
        bound: snapshot.text_bound(&query),
        by_text: Vec::new(),
        is_scored: false,
        has_vectors: snapshot.manifest().rows == 0
            || query.vector.as_ref().is_some_and(|vector| snapshot.has_vectors_of(vector)),
        query,
    }
}

/// Why a shard cannot be answered for.
enum Failure {
    TimedOut,
    Failed(IndexError),
}

/// Scores the rows of the shards that can matter, those that can reach most first.
fn score_rows(shards: &mut [Shard<'_>], limit: usize, wanted: &Wanted) -> Vec<(usize, Failure)> {
    let mut failures = Vec::new();
    let mut order: Vec<usize> = (0..shards.len()).filter(|shard_idx| shards[*shard_idx].bound > 0.0).collect();
    order.sort_by(|a, b| {
        shards[*b].bound.total_cmp(&shards[*a].bound).then_with(|| shards[*a].asked.alias.cmp(shards[*b].asked.alias))
    });
    let mut best: Vec<f32> = Vec::new();
    for wave in order.chunks(WAVE) {
        let floor = if best.len() < limit { 0.0 } else { best[limit - 1] };
        let wave: Vec<usize> = wave.iter().copied().filter(|shard_idx| shards[*shard_idx].bound >= floor).collect();
        if wave.is_empty() {
            break;
        }
        if wanted.is_over() {
            failures.extend(wave.into_iter().map(|shard_idx| (shard_idx, Failure::TimedOut)));
            continue;
        }
        let ranked = pool::map(&wave, |shard_idx| {
            let Shard { asked, query, .. } = &shards[*shard_idx];
            wanted.on_shard("score rows", asked.repository, || asked.snapshot.rank_by_text(query, floor))
        });
        for (shard_idx, ranked) in wave.into_iter().zip(ranked) {
            shards[shard_idx].is_scored = true;
            match ranked {
                Ok(files) => {
                    best.extend(files.iter().map(|file| file.0));
                    shards[shard_idx].by_text = files;
                }
                Err(error) => failures.push((shard_idx, Failure::Failed(error))),
            }
        }
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        best.truncate(limit);
    }
    failures
}

/// Returns the union of the best files of each ranker over all shards, in the order of shards.
fn cut(shards: &[Shard<'_>], query: &SearchQuery<'_>) -> Vec<(usize, Vec<u32>)> {
    let all = |list: fn(&Shard<'_>) -> Vec<(f32, u32)>| -> Vec<(f32, Place)> {
        let of_shard = |(shard_idx, shard): (usize, &Shard<'_>)| {
            list(shard).into_iter().map(move |(score, file_idx)| (score, (shard_idx, file_idx)))
        };
        shards.iter().enumerate().flat_map(of_shard).collect()
    };
    let named = shards.iter().enumerate().flat_map(|(shard_idx, shard)| {
        let files = shard.named.by_name.iter();
        files.map(move |(file_idx, name)| {
            (shard.asked.snapshot.name_order(*file_idx, name, query.kept), (shard_idx, *file_idx))
        })
    });
    let descending =
        |list: Vec<(f32, Place)>| list.into_iter().map(|(score, place)| (Reverse(Score(score)), place)).collect();
    let mut chosen: Vec<Place> = best(shards, descending(all(|shard| shard.by_text.clone())), query.limit);
    chosen.extend(best(shards, descending(all(|shard| shard.by_vector.clone())), query.limit));
    chosen.extend(best(shards, named.collect(), query.limit));
    let by_path = all(|shard| shard.named.by_path.iter().map(|(file_idx, score)| (*score, *file_idx)).collect());
    chosen.extend(best(shards, descending(by_path), query.limit));
    chosen.sort_unstable();
    chosen.dedup();
    let by_shard = chosen.chunk_by(|a, b| a.0 == b.0);
    by_shard.map(|places| (places[0].0, places.iter().map(|place| place.1).collect())).collect()
}

/// Returns the places of the `limit` files with the least keys; ties go by alias and path.
fn best<K: Ord>(shards: &[Shard<'_>], mut keyed: Vec<(K, Place)>, limit: usize) -> Vec<Place> {
    let name = |place: &Place| {
        let asked = &shards[place.0].asked;
        (asked.alias, asked.snapshot.hit_path(place.1))
    };
    let order = |a: &(K, Place), b: &(K, Place)| a.0.cmp(&b.0).then_with(|| name(&a.1).cmp(&name(&b.1)));
    if keyed.len() > limit {
        keyed.select_nth_unstable_by(limit, order);
        keyed.truncate(limit);
    }
    keyed.into_iter().map(|(_, place)| place).collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Score(f32);

impl Eq for Score {}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn describe(
    shards: &[Shard<'_>],
    chosen: &[(usize, Vec<u32>)],
    wanted: &Wanted,
    failures: &mut Vec<(usize, Failure)>,
) -> Vec<v1::FileHit> {
    let is_sound = |shard_idx: usize| !failures.iter().any(|failure| failure.0 == shard_idx);
    let chosen: Vec<&(usize, Vec<u32>)> = chosen.iter().filter(|(shard_idx, _)| is_sound(*shard_idx)).collect();
    let described = pool::map(&chosen, |(shard_idx, files)| {
        let shard = &shards[*shard_idx];
        let read = || shard.asked.snapshot.hits(&shard.query, &shard.named, files);
        let hits = wanted.on_shard("read hits", shard.asked.repository, read)?;
        hits.iter().map(|hit| file_hit(&shard.asked, hit)).collect::<Result<Vec<_>, _>>()
    });
    let mut hits = Vec::new();
    for ((shard_idx, _), of_shard) in chosen.into_iter().zip(described) {
        match of_shard {
            Ok(of_shard) => hits.extend(of_shard),
            Err(error) => failures.push((*shard_idx, Failure::Failed(error))),
        }
    }
    hits
}

/// Returns the best pages of all shards; ties go by alias, and within one by its own order.
fn best_pages(shards: &[Shard<'_>], limit: usize) -> Vec<v1::PageHit> {
    let mut pages: Vec<(&Asked<'_>, &PageHit)> =
        shards.iter().flat_map(|shard| shard.pages.iter().map(move |page| (&shard.asked, page))).collect();
    pages.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.alias.cmp(b.0.alias)));
    pages.truncate(limit);
    let hit = |(asked, page): (&Asked<'_>, &PageHit)| v1::PageHit {
        repository: asked.repository.to_owned(),
        page_type: page.page_type.name().to_owned(),
        path: page.path.clone(),
        title: page.title.clone(),
        score: page.score,
    };
    pages.into_iter().map(hit).collect()
}

/// Returns the nearest messages of all shards; ties go by alias, and within one by its own order.
fn nearest_messages(shards: &[Shard<'_>]) -> Vec<v1::MessageHit> {
    let mut messages: Vec<(&Asked<'_>, &MessageHit)> =
        shards.iter().flat_map(|shard| shard.messages.iter().map(move |message| (&shard.asked, message))).collect();
    messages.sort_by(|a, b| b.1.cosine.total_cmp(&a.1.cosine).then(a.0.alias.cmp(b.0.alias)));
    messages.truncate(N_VOTING);
    let hit = |(asked, message): (&Asked<'_>, &MessageHit)| v1::MessageHit {
        repository: asked.repository.to_owned(),
        cosine: message.cosine,
        files: message.n_files,
        paths: message.files.iter().map(|file_idx| asked.snapshot.hit_path(*file_idx).to_owned()).collect(),
    };
    messages.into_iter().map(hit).collect()
}

fn note(outcomes: &mut [v1::Outcome], repository: &str, failure: Failure) {
    let (state, reason) = match failure {
        Failure::TimedOut => (v1::TargetState::TimedOut, "the deadline came first".to_owned()),
        Failure::Failed(error) => {
            tracing::warn!(repository, %error, "search failed");
            (v1::TargetState::Failed, error.to_string())
        }
    };
    for outcome in outcomes.iter_mut().filter(|outcome| outcome.repository == repository) {
        outcome.generation.clear();
        outcome.state = state.into();
        outcome.reason.clone_from(&reason);
    }
}

fn file_hit(asked: &Asked<'_>, hit: &FileHit) -> Result<v1::FileHit, IndexError> {
    let snapshot = asked.snapshot;
    let (name, rows) = snapshot.symbols_of_hit(hit)?;
    Ok(v1::FileHit {
        repository: asked.repository.to_owned(),
        file: Some(wire::file(snapshot.hit_file(hit.file_idx))),
        lexical: hit.lexical,
        best_row: hit.best_row,
        name: name.map(wire::name_match),
        path: hit.path,
        rows: rows.into_iter().map(wire::row).collect(),
        cosine: hit.cosine,
        history: hit.history,
        changed_at: snapshot.changed_at(hit.file_idx),
    })
}
