//! The search of one worker: every target is asked, and what they return is cut once, over all of them.

use std::cmp::Ordering;

use index::{FileHit, SearchHits, SearchQuery};
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

/// Which hits a ranker ranks, and which of two comes first.
type Ranker = (fn(&Hit<'_>) -> bool, fn(&Hit<'_>, &Hit<'_>) -> Ordering);

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
    let mut identifier_counts = vec![0; request.identifiers.len()];
    for (_, hits) in &replies {
        identifier_counts.iter_mut().zip(&hits.identifier_counts).for_each(|(sum, count)| *sum += count);
    }
    let chosen = cut(&replies, limit);
    Ok(v1::SearchResponse { hits: chosen.iter().map(describe).collect(), identifier_counts, outcomes })
}

fn statistics(request: &v1::SearchRequest) -> Result<Statistics, Status> {
    let sent = request.statistics.clone().unwrap_or_default();
    if sent.document_frequencies.len() != request.terms.len() {
        return Err(Status::invalid_argument("statistics and terms differ in number"));
    }
    let mut field_tokens = [0; N_FIELDS];
    if !request.terms.is_empty() {
        field_tokens = sent
            .field_tokens
            .try_into()
            .map_err(|_| Status::invalid_argument(format!("statistics must have {N_FIELDS} fields")))?;
    }
    Ok(Statistics { rows: sent.rows, field_tokens, document_frequencies: sent.document_frequencies })
}

/// Returns the union of the best hits of each ranker over all targets.
fn cut<'a>(replies: &'a [(Asked<'a>, SearchHits)], limit: usize) -> Vec<Hit<'a>> {
    let mut hits: Vec<Hit<'a>> = replies
        .iter()
        .flat_map(|(asked, found)| found.hits.iter().map(move |hit| Hit { asked, hit: hit.clone() }))
        .collect();
    let mut is_chosen = vec![false; hits.len()];
    let rankers: [Ranker; 3] = [
        (|hit| hit.hit.lexical > 0.0, |a, b| b.hit.lexical.total_cmp(&a.hit.lexical)),
        (
            |hit| hit.asked.snapshot.hit_name_key(&hit.hit).is_some(),
            |a, b| a.asked.snapshot.hit_name_key(&a.hit).cmp(&b.asked.snapshot.hit_name_key(&b.hit)),
        ),
        (|hit| hit.hit.path > 0.0, |a, b| b.hit.path.total_cmp(&a.hit.path)),
    ];
    for (takes_part, order) in rankers {
        let mut list: Vec<usize> = (0..hits.len()).filter(|idx| takes_part(&hits[*idx])).collect();
        let full_order =
            |a: &usize, b: &usize| order(&hits[*a], &hits[*b]).then_with(|| hits[*a].place().cmp(&hits[*b].place()));
        if list.len() > limit {
            list.select_nth_unstable_by(limit, full_order);
            list.truncate(limit);
        }
        list.into_iter().for_each(|idx| is_chosen[idx] = true);
    }
    let mut keep = is_chosen.into_iter();
    hits.retain(|_| keep.next().unwrap_or(false));
    hits
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
