//! The search of one worker: every target is asked, and what they return is cut once, over all of them.

use std::cmp::Ordering;

use index::{FileHit, SearchQuery};
use model::Filter;
use proto::v1;
use ranking::{N_FIELDS, Statistics};
use tonic::Status;

use super::{
    pool::Wanted,
    targets::{self, Asked, Target},
    wire,
};

/// Files that each ranker may return at most, whatever is asked for.
const MAX_FILES: u32 = 2_000;

/// Rows of a file that are sent; the score of the file is made from more.
const SENT_ROWS: usize = 2;

/// A hit, and the target that it is of.
struct Hit<'a> {
    asked: &'a Asked<'a>,
    hit: FileHit,
}

impl Hit<'_> {
    fn path(&self) -> &str {
        self.asked.snapshot.hit_path(&self.hit)
    }

    fn place(&self) -> (&str, &str) {
        (self.asked.alias, self.path())
    }
}

/// Answers a search. `request` must carry statistics for its terms.
pub(super) fn search(
    request: &v1::SearchRequest,
    targets: &[Target],
    wanted: &Wanted,
) -> Result<v1::SearchResponse, Status> {
    let statistics = statistics(request)?;
    let filter = Filter::try_from(&request.filter.clone().unwrap_or_default())?;
    let limit = request.limit.clamp(1, MAX_FILES) as usize;
    let query = SearchQuery {
        terms: &request.terms,
        statistics: &statistics,
        identifiers: &request.identifiers,
        paths: &request.paths,
        filter: &filter,
        keeps_demoted: request.keep_demoted,
        limit,
    };
    let (replies, outcomes) = targets::ask(targets, wanted, |asked| asked.snapshot.search(&query));
    let chosen = cut(&replies, limit, request.keep_demoted);
    Ok(v1::SearchResponse { hits: chosen.iter().map(describe).collect(), outcomes })
}

fn statistics(request: &v1::SearchRequest) -> Result<Statistics, Status> {
    let sent = request.statistics.clone().unwrap_or_default();
    if sent.document_frequencies.len() != request.terms.len() || sent.name_counts.len() != request.identifiers.len() {
        return Err(Status::invalid_argument("statistics differ in number from terms or identifiers"));
    }
    let mut field_tokens = [0; N_FIELDS];
    if !request.terms.is_empty() {
        field_tokens = sent
            .field_tokens
            .try_into()
            .map_err(|_| Status::invalid_argument(format!("statistics must have {N_FIELDS} fields")))?;
    }
    Ok(Statistics {
        rows: sent.rows,
        field_tokens,
        document_frequencies: sent.document_frequencies,
        name_counts: sent.name_counts,
    })
}

/// Returns the union of the best hits of each ranker over all targets.
fn cut<'a>(replies: &'a [(Asked<'a>, Vec<FileHit>)], limit: usize, keeps_demoted: bool) -> Vec<Hit<'a>> {
    let mut hits: Vec<Hit<'a>> = replies
        .iter()
        .flat_map(|(asked, found)| found.iter().map(move |hit| Hit { asked, hit: hit.clone() }))
        .collect();
    hits.sort_unstable_by(|a, b| a.place().cmp(&b.place()));
    let mut is_chosen = vec![false; hits.len()];
    let mut choose = |list: Vec<usize>| list.into_iter().for_each(|hit_idx| is_chosen[hit_idx] = true);
    choose(best(&hits, limit, |hit| descending(hit.hit.lexical)));
    choose(best(&hits, limit, |hit| hit.asked.snapshot.hit_name_order(&hit.hit, keeps_demoted)));
    choose(best(&hits, limit, |hit| descending(hit.hit.path)));
    let mut keep = is_chosen.into_iter();
    hits.retain(|_| keep.next().unwrap_or(false));
    hits
}

/// Returns the places of the `limit` hits with the least keys; ties go by the place. A hit without a key takes no part.
fn best<K: PartialOrd>(hits: &[Hit<'_>], limit: usize, key: impl Fn(&Hit<'_>) -> Option<K>) -> Vec<usize> {
    let mut keyed: Vec<(K, usize)> =
        hits.iter().enumerate().filter_map(|(hit_idx, hit)| Some((key(hit)?, hit_idx))).collect();
    let order = |a: &(K, usize), b: &(K, usize)| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1));
    if keyed.len() > limit {
        keyed.select_nth_unstable_by(limit, order);
        keyed.truncate(limit);
    }
    keyed.into_iter().map(|(_, hit_idx)| hit_idx).collect()
}

/// Returns a key that puts higher scores first, and none for no score.
fn descending(score: f32) -> Option<f32> {
    (score > 0.0).then_some(-score)
}

fn describe(hit: &Hit<'_>) -> v1::FileHit {
    let snapshot = hit.asked.snapshot;
    v1::FileHit {
        repository: hit.asked.repository.to_owned(),
        file: Some(wire::file(snapshot.hit_file(&hit.hit))),
        lexical: hit.hit.lexical,
        best_row: hit.hit.best_row(),
        name: snapshot.hit_name(&hit.hit).map(wire::name_match),
        path: hit.hit.path,
        rows: snapshot.hit_rows(&hit.hit).into_iter().take(SENT_ROWS).map(wire::row).collect(),
    }
}
