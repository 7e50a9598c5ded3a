//! From the targets of a request to snapshots, and from what came of each to its outcome.

use std::{collections::BTreeSet, sync::Arc};

use index::{IndexError, Snapshot};
use proto::v1::{self, TargetState};
use tonic::Status;

use super::pool::{self, Wanted};
use crate::catalog::{Catalog, Held};

/// A target of a request.
pub(super) struct Target {
    /// As the request wrote it.
    pub(super) repository: String,
    pub(super) held: Held,
}

/// A snapshot that is being asked.
#[derive(Clone)]
pub(super) struct Asked<'a> {
    pub(super) repository: &'a str,
    pub(super) alias: &'a str,
    pub(super) snapshot: &'a Arc<Snapshot>,
}

/// Looks up the targets of a request.
pub(super) fn find(catalog: &Catalog, targets: &[v1::Target]) -> Result<Vec<Target>, Status> {
    let repositories: BTreeSet<&str> = targets.iter().map(|target| target.repository.as_str()).collect();
    tracing::Span::current().record("repositories", repositories.len());
    let find = |target: &v1::Target| {
        let (repo, generation) = target.parse()?;
        Ok(Target { repository: target.repository.clone(), held: catalog.held(repo, generation) })
    };
    targets.iter().map(find).collect()
}

/// Asks every target that is held, in parallel. Returns the replies of those that answered, in the order of the targets,
/// and the outcome of each target.
pub(super) fn ask<'a, T: Send>(
    targets: &'a [Target],
    wanted: &Wanted,
    question: impl Fn(&Asked<'a>) -> Result<T, IndexError> + Sync + Send,
) -> (Vec<(Asked<'a>, T)>, Vec<v1::Outcome>) {
    let answers = pool::map(targets, |target| ask_one(target, wanted, &question));
    let (mut replies, mut outcomes) = (Vec::new(), Vec::new());
    for (reply, outcome) in answers {
        replies.extend(reply);
        outcomes.push(outcome);
    }
    (replies, outcomes)
}

fn ask_one<'a, T>(
    target: &'a Target,
    wanted: &Wanted,
    question: impl Fn(&Asked<'a>) -> Result<T, IndexError>,
) -> (Option<(Asked<'a>, T)>, v1::Outcome) {
    let outcome = |state: TargetState, reason: &str| v1::Outcome {
        repository: target.repository.clone(),
        generation: String::new(),
        state: state.into(),
        reason: reason.to_owned(),
    };
    let (alias, snapshot) = match &target.held {
        Held::Snapshot { alias, snapshot } => (alias, snapshot),
        Held::NotReady { reason } => return (None, outcome(TargetState::NotReady, reason)),
        Held::Stale => return (None, outcome(TargetState::Stale, "the generation asked for is no longer held")),
        // Whoever asks has not heard yet that others hold it.
        Held::Unknown => {
            return (None, outcome(TargetState::Stale, "this worker does not hold the repository any more"));
        }
    };
    if wanted.is_over() {
        return (None, outcome(TargetState::TimedOut, "the deadline came first"));
    }
    let asked = Asked { repository: &target.repository, alias, snapshot };
    match wanted.on_shard("shard", asked.repository, || question(&asked)) {
        Ok(reply) => {
            let generation = snapshot.manifest().generation.to_string();
            (Some((asked, reply)), v1::Outcome { generation, ..outcome(TargetState::Ok, "") })
        }
        Err(error) => {
            tracing::warn!(alias, %error, "query failed");
            (None, outcome(TargetState::Failed, &error.to_string()))
        }
    }
}
