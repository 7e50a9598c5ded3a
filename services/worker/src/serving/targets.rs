//! The targets of a request: from the request to snapshots, and from the query of each snapshot to its outcome.

use std::{collections::BTreeSet, sync::Arc};

use index::{IndexError, Snapshot};
use model::{GenerationId, RepoId};
use proto::v1::{self, TargetState};
use tonic::Status;

use super::query_pool::{self, QueryContext};
use crate::repositories::{Catalog, SnapshotLookup};

/// A target of a request.
pub(super) struct QueryTarget {
    /// The repository as the request wrote it.
    pub(super) repository: String,
    pub(super) lookup: SnapshotLookup,
}

/// A snapshot that is queried.
#[derive(Clone)]
pub(super) struct TargetSnapshot<'a> {
    pub(super) repository: &'a str,
    pub(super) alias: &'a str,
    pub(super) snapshot: &'a Arc<Snapshot>,
}

/// Looks up the targets of a request that reads more than texts, names and vectors, so that it has no drafts.
pub(super) fn find(catalog: &Catalog, targets: &[v1::Target]) -> Result<Vec<QueryTarget>, Status> {
    find_with(targets, |repo, generation| catalog.lookup(repo, generation))
}

/// Looks up the targets of a request that reads texts, names and vectors: generations or drafts.
pub(super) fn find_with_drafts(catalog: &Catalog, targets: &[v1::Target]) -> Result<Vec<QueryTarget>, Status> {
    find_with(targets, |repo, generation| catalog.lookup_with_drafts(repo, generation))
}

fn find_with(
    targets: &[v1::Target],
    lookup: impl Fn(RepoId, Option<GenerationId>) -> SnapshotLookup,
) -> Result<Vec<QueryTarget>, Status> {
    let repositories: BTreeSet<&str> = targets.iter().map(|target| target.repository.as_str()).collect();
    tracing::Span::current().record("repositories", repositories.len());
    let find = |target: &v1::Target| {
        let (repo, generation) = target.parse()?;
        Ok(QueryTarget { repository: target.repository.clone(), lookup: lookup(repo, generation) })
    };
    targets.iter().map(find).collect()
}

/// Queries the snapshots of all targets in parallel. Returns the replies of those that answered, in the order of the targets,
/// and the outcome of each target. A draft has two replies: one of the generation below, and one of the edited files.
pub(super) fn query_all<'a, T: Send>(
    targets: &'a [QueryTarget],
    context: &QueryContext,
    query: impl Fn(&TargetSnapshot<'a>) -> Result<T, IndexError> + Sync + Send,
) -> (Vec<(TargetSnapshot<'a>, T)>, Vec<v1::Outcome>) {
    let results = query_pool::map(targets, |target| query_one(target, context, &query));
    let (replies, outcomes): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    (replies.into_iter().flatten().collect(), outcomes)
}

fn query_one<'a, T>(
    target: &'a QueryTarget,
    context: &QueryContext,
    query: impl Fn(&TargetSnapshot<'a>) -> Result<T, IndexError>,
) -> (Vec<(TargetSnapshot<'a>, T)>, v1::Outcome) {
    let outcome = |state: TargetState, reason: &str| v1::Outcome {
        repository: target.repository.clone(),
        generation: String::new(),
        state: state.into(),
        reason: reason.to_owned(),
    };
    let (alias, snapshot, edits) = match &target.lookup {
        SnapshotLookup::Found { alias, snapshot, edits } => (alias, snapshot, edits),
        SnapshotLookup::NotReady { reason } => return (Vec::new(), outcome(TargetState::NotReady, reason)),
        SnapshotLookup::Stale => {
            return (Vec::new(), outcome(TargetState::Stale, "the worker no longer has the requested generation"));
        }
        // The caller does not know yet that other workers hold it.
        SnapshotLookup::Unknown => {
            return (Vec::new(), outcome(TargetState::Stale, "this worker does not hold the repository any more"));
        }
    };
    if context.is_over() {
        return (Vec::new(), outcome(TargetState::TimedOut, "the deadline has passed"));
    }
    let query_part = |snapshot: &'a Arc<Snapshot>| {
        let shard = TargetSnapshot { repository: &target.repository, alias, snapshot };
        context.on_shard("shard", shard.repository, || query(&shard)).map(|reply| (shard, reply))
    };
    let replies: Result<Vec<(TargetSnapshot<'a>, T)>, IndexError> =
        std::iter::once(snapshot).chain(edits).map(query_part).collect();
    match replies {
        Ok(replies) => {
            let generation = snapshot.manifest().generation.to_string();
            (replies, v1::Outcome { generation, ..outcome(TargetState::Ok, "") })
        }
        Err(error) => {
            tracing::warn!(alias, %error, "query failed");
            (Vec::new(), outcome(TargetState::Failed, &error.to_string()))
        }
    }
}
