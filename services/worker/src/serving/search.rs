//! The search of one worker: each target returns its best files by each ranker, the lists are cut once over all targets, and
//! each target describes the files that are left.
//!
//! Names, paths and vectors are ranked in every repository. Rows are scored only in repositories that can have one of the best
//! files: repositories are visited in waves, in the descending order of the upper bounds of their scores, until a bound is below
//! the scores that were found.

mod candidates;
mod cut;
mod replies;
mod request;

use index::IndexError;
use proto::v1;
use tonic::Status;

use super::{
    query_pool::{self, QueryContext},
    targets::{self, QueryTarget},
};
use candidates::ShardCandidates;
use cut::ChosenFiles;
use request::CheckedSearch;

/// Repositories that are scored in parallel before the next bound is compared. It does not depend on the number of cores, so that
/// the same request always prunes the same repositories.
const WAVE: usize = 8;

/// Why a shard has no complete reply.
enum ShardFailure {
    TimedOut,
    Failed(IndexError),
}

/// The failures of a search, by the index of the shard.
type ShardFailures = Vec<(usize, ShardFailure)>;

/// Answers a search.
pub(super) fn search(
    request: &v1::SearchRequest,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> Result<v1::SearchResponse, Status> {
    let request = CheckedSearch::check(request)?;
    let message_vector = request.message_vector();
    let (ranked, outcomes) = targets::query_all(targets, context, |shard| {
        Ok(ShardCandidates::rank(shard, request.of(shard.repository), message_vector.as_ref()))
    });
    let shards: Vec<ShardCandidates<'_>> = ranked.into_iter().map(|(_, candidates)| candidates).collect();
    let query = request.of_others();
    let (shards, score_failures) = score_rows(shards, query.limit, context);
    let chosen = cut::best_files(&shards, &query);
    let (hits, read_failures) = describe(&shards, chosen, &score_failures, context);
    let failures = score_failures.into_iter().chain(read_failures);
    let outcomes = failures.fold(outcomes, |outcomes, (shard_idx, failure)| {
        with_failure(outcomes, shards[shard_idx].target.repository, failure)
    });
    // Both parts of a draft are of one repository.
    let repositories = || shards.chunk_by(|a, b| a.target.repository == b.target.repository);
    let ids = |is_included: fn(&[ShardCandidates<'_>]) -> bool| {
        let included = repositories().filter(|parts| is_included(parts));
        included.map(|parts| parts[0].target.repository.to_owned()).collect()
    };
    Ok(v1::SearchResponse {
        hits,
        outcomes,
        pages: replies::best_pages(&shards, query.limit),
        messages: replies::nearest_messages(&shards),
        pruned: ids(|parts| parts.iter().all(|part| !part.is_scored)),
        without_vectors: if query.vector.is_some() {
            ids(|parts| parts.iter().any(|part| !part.has_vectors))
        } else {
            Vec::new()
        },
    })
}

/// Scores the rows of the shards that can have one of the best files, those with the highest bounds first.
fn score_rows<'a>(
    mut shards: Vec<ShardCandidates<'a>>,
    limit: usize,
    context: &QueryContext,
) -> (Vec<ShardCandidates<'a>>, ShardFailures) {
    let mut failures = Vec::new();
    let mut order: Vec<usize> = (0..shards.len()).filter(|shard_idx| shards[*shard_idx].bound > 0.0).collect();
    order.sort_by(|a, b| {
        shards[*b].bound.total_cmp(&shards[*a].bound).then_with(|| shards[*a].target.alias.cmp(shards[*b].target.alias))
    });
    let mut best: Vec<f32> = Vec::new();
    for wave in order.chunks(WAVE) {
        let floor = if best.len() < limit { 0.0 } else { best[limit - 1] };
        let wave: Vec<usize> = wave.iter().copied().filter(|shard_idx| shards[*shard_idx].bound >= floor).collect();
        if wave.is_empty() {
            break;
        }
        if context.is_over() {
            failures.extend(wave.into_iter().map(|shard_idx| (shard_idx, ShardFailure::TimedOut)));
            continue;
        }
        let ranked = query_pool::map(&wave, |shard_idx| {
            let ShardCandidates { target, query, .. } = &shards[*shard_idx];
            context.on_shard("score rows", target.repository, || target.snapshot.rank_by_text(query, floor))
        });
        for (shard_idx, ranked) in wave.into_iter().zip(ranked) {
            shards[shard_idx].is_scored = true;
            match ranked {
                Ok(files) => {
                    best.extend(files.iter().map(|file| file.0));
                    shards[shard_idx].by_text = files;
                }
                Err(error) => failures.push((shard_idx, ShardFailure::Failed(error))),
            }
        }
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        best.truncate(limit);
    }
    (shards, failures)
}

/// Reads the hits of the chosen files; a shard that has failed before has none.
fn describe(
    shards: &[ShardCandidates<'_>],
    chosen: Vec<ChosenFiles>,
    failed: &ShardFailures,
    context: &QueryContext,
) -> (Vec<v1::FileHit>, ShardFailures) {
    let has_failed = |shard_idx: usize| failed.iter().any(|failure| failure.0 == shard_idx);
    let chosen: Vec<ChosenFiles> = chosen.into_iter().filter(|files| !has_failed(files.shard_idx)).collect();
    let described = query_pool::map(&chosen, |ChosenFiles { shard_idx, files }| {
        let shard = &shards[*shard_idx];
        let read = || shard.target.snapshot.file_hits(&shard.query, &shard.named, files);
        let hits = context.on_shard("read hits", shard.target.repository, read)?;
        hits.iter().map(|hit| replies::file_hit(&shard.target, hit)).collect::<Result<Vec<_>, _>>()
    });
    let (mut hits, mut failures) = (Vec::new(), Vec::new());
    for (files, of_shard) in chosen.iter().zip(described) {
        match of_shard {
            Ok(of_shard) => hits.extend(of_shard),
            Err(error) => failures.push((files.shard_idx, ShardFailure::Failed(error))),
        }
    }
    (hits, failures)
}

/// Returns the outcomes with the failure of a repository.
fn with_failure(mut outcomes: Vec<v1::Outcome>, repository: &str, failure: ShardFailure) -> Vec<v1::Outcome> {
    let (state, reason) = match failure {
        ShardFailure::TimedOut => (v1::TargetState::TimedOut, "the deadline has passed".to_owned()),
        ShardFailure::Failed(error) => {
            tracing::warn!(repository, %error, "search failed");
            (v1::TargetState::Failed, error.to_string())
        }
    };
    for outcome in outcomes.iter_mut().filter(|outcome| outcome.repository == repository) {
        outcome.generation.clear();
        outcome.state = state.into();
        outcome.reason.clone_from(&reason);
    }
    outcomes
}
