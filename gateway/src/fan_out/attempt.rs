//! One group of repositories, asked of its worker, and of others that hold the same generations where that one is late or fails.

use std::{pin::pin, time::Duration};

use futures::future::join_all;
use model::ShardState;
use tonic::{Code, Status};

use crate::{
    connection::Connections,
    plan::{Group, Plan},
};

/// What came of the parts of a group: all of its repositories, each once.
pub(super) type Parts<A> = Vec<(Group, Result<A, Status>)>;

/// Asks for a group: its worker first; others as well once it is late, as far as there is something to spare; and others
/// instead if it fails, or is late since it has stopped. What timed out is never asked for again: it would do so there, too.
pub(super) async fn attempt<A, F>(
    plan: &Plan,
    connections: &Connections,
    group: Group,
    call: impl Fn(Group) -> F,
) -> Parts<A>
where
    F: Future<Output = Result<A, Status>>,
{
    connections.spare.earn();
    let mut first = pin!(call(group.clone()));
    let elsewhere = plan.elsewhere(&group, connections);
    let can_hedge = elsewhere.left.is_empty();
    // Later than it mostly is, or than those mostly are who could stand in: who is always slow is late all the same.
    let others_are_late =
        elsewhere.groups.iter().map(|group| connections[group.worker_idx].latencies.late::<A>()).max();
    let late = connections[group.worker_idx].latencies.late::<A>().min(others_are_late.unwrap_or(Duration::MAX));
    tokio::select! {
        biased;
        result = &mut first => return settle(plan, connections, group, result, call).await,
        () = tokio::time::sleep(late), if plan.has_others(&group) => connections[group.worker_idx].check(),
    }
    if !can_hedge || !connections.spare.hedge(elsewhere.groups.len()) {
        return settle(plan, connections, group, first.await, call).await;
    }
    let mut others = pin!(ask_all(elsewhere.groups, &call));
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

/// Returns the reply, or what others reply if the failure is one that they may not share.
async fn settle<A, F>(
    plan: &Plan,
    connections: &Connections,
    group: Group,
    result: Result<A, Status>,
    call: impl Fn(Group) -> F,
) -> Parts<A>
where
    F: Future<Output = Result<A, Status>>,
{
    let status = match result {
        Ok(reply) => return vec![(group, Ok(reply))],
        Err(status) => status,
    };
    let state = proto::status::shard_state(&status);
    if state == ShardState::Unreachable {
        connections[group.worker_idx].doubt();
    }
    if state == ShardState::TimedOut || is_of_the_request(&status) {
        return vec![(group, Err(status))];
    }
    let elsewhere = plan.instead(&group, connections);
    connections.spare.retry(elsewhere.groups.len());
    let mut parts = ask_all(elsewhere.groups, &call).await;
    if !elsewhere.left.is_empty() {
        parts.push((Group { worker_idx: group.worker_idx, positions: elsewhere.left }, Err(status)));
    }
    parts
}

async fn ask_all<A, F>(groups: Vec<Group>, call: &impl Fn(Group) -> F) -> Parts<A>
where
    F: Future<Output = Result<A, Status>>,
{
    let ask = |group: Group| {
        let asked = call(group.clone());
        async move { (group, asked.await) }
    };
    join_all(groups.into_iter().map(ask)).await
}

/// Says whether a failure is one of the request, which would fail anywhere.
fn is_of_the_request(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::InvalidArgument | Code::PermissionDenied | Code::Unauthenticated | Code::Unimplemented | Code::OutOfRange
    )
}
