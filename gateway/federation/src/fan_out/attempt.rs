//! One attempt for a group: the call to its worker, hedged requests to replicas if it is late, and retries if it fails.

use std::{pin::pin, time::Duration};

use futures::future::join_all;
use model::ShardState;
use tonic::{Code, Status};

use crate::{
    connection::WorkerConnections,
    plan::{Group, Plan},
};

/// The results for a group, split by the worker that answered; each repository occurs once.
pub(super) type GroupResults<A> = Vec<(Group, Result<A, Status>)>;

/// Calls the worker of a group. Sends hedged requests to replicas after the hedge delay, within the hedge budget. Retries on
/// replicas if the worker fails. A timed-out call is never retried: it would time out there, too.
pub(super) async fn attempt<A, F>(
    plan: &Plan,
    connections: &WorkerConnections,
    group: Group,
    call: impl Fn(Group) -> F,
) -> GroupResults<A>
where
    F: Future<Output = Result<A, Status>>,
{
    connections.hedge_budget.add_credit();
    let mut first = pin!(call(group.clone()));
    let replicas = plan.hedge_replicas(&group, connections);
    let can_hedge = replicas.unassigned.is_empty();
    // The shorter of the worker's own delay and that of its replicas: a worker that is always slow is hedged, too.
    let delay_of_replicas =
        replicas.groups.iter().map(|group| connections[group.worker_idx].latencies.hedge_delay::<A>()).max();
    let delay =
        connections[group.worker_idx].latencies.hedge_delay::<A>().min(delay_of_replicas.unwrap_or(Duration::MAX));
    tokio::select! {
        biased;
        result = &mut first => return reply_or_retry(plan, connections, group, result, call).await,
        () = tokio::time::sleep(delay), if plan.has_other_replica(&group) => connections[group.worker_idx].request_health_check(),
    }
    if !can_hedge || !connections.hedge_budget.hedge(replicas.groups.len()) {
        return reply_or_retry(plan, connections, group, first.await, call).await;
    }
    let mut others = pin!(call_all(replicas.groups, &call));
    tokio::select! {
        biased;
        result = &mut first => match result {
            Ok(reply) => vec![(group, Ok(reply))],
            Err(_) => others.await,
        },
        parts = &mut others => {
            if parts.iter().all(|(_, result)| result.is_ok()) {
                return parts;
            }
            match first.await {
                Ok(reply) => vec![(group, Ok(reply))],
                Err(_) => parts,
            }
        }
    }
}

/// Returns the reply; after a failure that replicas may not share, retries on them.
async fn reply_or_retry<A, F>(
    plan: &Plan,
    connections: &WorkerConnections,
    group: Group,
    result: Result<A, Status>,
    call: impl Fn(Group) -> F,
) -> GroupResults<A>
where
    F: Future<Output = Result<A, Status>>,
{
    let status = match result {
        Ok(reply) => return vec![(group, Ok(reply))],
        Err(status) => status,
    };
    let state = proto::status::shard_state(&status);
    if state == ShardState::Unreachable {
        connections[group.worker_idx].open_breaker();
    }
    if state == ShardState::TimedOut || is_request_error(&status) {
        return vec![(group, Err(status))];
    }
    let replicas = plan.retry_replicas(&group, connections);
    connections.hedge_budget.retry(replicas.groups.len());
    let mut parts = call_all(replicas.groups, &call).await;
    if !replicas.unassigned.is_empty() {
        parts.push((Group { worker_idx: group.worker_idx, repo_idxs: replicas.unassigned }, Err(status)));
    }
    parts
}

async fn call_all<A, F>(groups: Vec<Group>, call: &impl Fn(Group) -> F) -> GroupResults<A>
where
    F: Future<Output = Result<A, Status>>,
{
    let ask = |group: Group| {
        let asked = call(group.clone());
        async move { (group, asked.await) }
    };
    join_all(groups.into_iter().map(ask)).await
}

/// Returns true if the request itself is at fault, so that it would fail on every worker.
fn is_request_error(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::InvalidArgument | Code::PermissionDenied | Code::Unauthenticated | Code::Unimplemented | Code::OutOfRange
    )
}
