//! The targets of a request: from the request to snapshots, and from the query of each snapshot to its outcome.

use std::{collections::BTreeSet, sync::Arc};

use index::{IndexError, Snapshot};
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

/// Looks up the targets of a request.
pub(super) fn find(catalog: &Catalog, targets: &[v1::Target]) -> Result<Vec<QueryTarget>, Status> {
    let repositories: BTreeSet<&str> = targets.iter().map(|target| target.repository.as_str()).collect();
    tracing::Span::current().record("repositories", repositories.len());
    let find = |target: &v1::Target| {
        let (repo, generation) = target.parse()?;
        Ok(QueryTarget { repository: target.repository.clone(), lookup: catalog.lookup(repo, generation) })
    };
    targets.iter().map(find).collect()
}

/// Queries the snapshots of all targets in parallel. Returns the replies of those that answered, in the order of the targets,
/// and the outcome of each target.
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
) -> (Option<(TargetSnapshot<'a>, T)>, v1::Outcome) {
    let outcome = |state: TargetState, reason: &str| v1::Outcome {
        repository: target.repository.clone(),
        generation: String::new(),
        state: state.into(),
        reason: reason.to_owned(),
    };
    let (alias, snapshot) = match &target.lookup {
        SnapshotLookup::Found { alias, snapshot } => (alias, snapshot),
        SnapshotLookup::NotReady { reason } => return (None, outcome(TargetState::NotReady, reason)),
        SnapshotLookup::Stale => {
            return (None, outcome(TargetState::Stale, "the worker no longer has the requested generation"));
        }
        // The caller does not know yet that other workers hold it.
        SnapshotLookup::Unknown => {
            return (None, outcome(TargetState::Stale, "this worker does not hold the repository any more"));
        }
    };
    if context.is_over() {
        return (None, outcome(TargetState::TimedOut, "the deadline has passed"));
    }
    let shard = TargetSnapshot { repository: &target.repository, alias, snapshot };
    match context.on_shard("shard", shard.repository, || query(&shard)) {
        Ok(reply) => {
            let generation = snapshot.manifest().generation.to_string();
            (Some((shard, reply)), v1::Outcome { generation, ..outcome(TargetState::Ok, "") })
        }
        Err(error) => {
            tracing::warn!(alias, %error, "query failed");
            (None, outcome(TargetState::Failed, &error.to_string()))
        }
    }
}
