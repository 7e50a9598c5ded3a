//! One call per worker for all that it is asked, and for each repository an answer or the reason why not. No step
//! here has a `Result`: a worker that cannot answer costs its own repositories and nothing else.

use std::{collections::BTreeMap, future::Future, time::Duration};

use futures::stream::{FuturesUnordered, StreamExt as _};
use model::ShardState;
use proto::v1;
use tokio::time::Instant;

use crate::{
    discovery::{self, ShardClient},
    plan::{Group, Plan, Shortfalls},
};

/// How long a step waits for the slow once somebody has answered: long enough for a cold cache, short enough for a
/// person who waits.
pub const SOFT_DEADLINE: Duration = Duration::from_secs(2);

/// How long a whole request may take, whatever happens.
pub const HARD_DEADLINE: Duration = Duration::from_secs(10);

/// The replies of one step, in the order of workers, and what is missing from them.
pub(crate) struct FanOut<A> {
    pub(crate) replies: Vec<(Group, A)>,
    pub(crate) shortfalls: Shortfalls,
}

/// A reply as far as its bookkeeping goes.
pub(crate) trait Reply {
    fn outcomes(&self) -> &[v1::Outcome];

    /// Drops what belongs to repositories that `keep` does not name.
    fn retain(&mut self, keep: impl Fn(&str) -> bool);
}

/// Something that a sound worker never sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The repository it is about; the whole reply if that cannot be told.
    pub(crate) repository: Option<String>,
    pub(crate) what: &'static str,
}

/// Asks each group's worker, and returns what came back before the deadlines. Dropping the future cancels the calls.
pub(crate) async fn fan_out<Q, A, F>(
    plan: &Plan,
    groups: &[Group],
    clients: &[ShardClient],
    hard_deadline: Instant,
    message: impl Fn(&Group) -> Q,
    rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
    faults: impl Fn(&A) -> Vec<Fault>,
) -> FanOut<A>
where
    A: Reply,
    F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
{
    let (answered, mut shortfalls) = ask(plan, groups, clients, hard_deadline, message, rpc).await;
    let mut replies = Vec::with_capacity(answered.len());
    for (group, mut reply) in answered {
        let found = faults(&reply);
        shortfalls.extend(inspect(plan, &group, &mut reply, &found));
        replies.push((group, reply));
    }
    FanOut { replies, shortfalls }
}

/// Does the same without a look into the replies.
pub(crate) async fn ask<Q, A, F>(
    plan: &Plan,
    groups: &[Group],
    clients: &[ShardClient],
    hard_deadline: Instant,
    message: impl Fn(&Group) -> Q,
    rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
) -> (Vec<(Group, A)>, Shortfalls)
where
    F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
{
    let calls = groups.iter().enumerate().map(|(group_idx, group)| {
        let mut request = tonic::Request::new(message(group));
        request.set_timeout(hard_deadline.saturating_duration_since(Instant::now()));
        let reply = rpc(clients[group.worker_idx].clone(), request);
        async move { (group_idx, reply.await) }
    });
    let mut results = gather(calls.collect(), groups.len(), hard_deadline).await;

    let (mut answered, mut shortfalls) = (Vec::with_capacity(groups.len()), Shortfalls::default());
    for (group_idx, group) in groups.iter().enumerate() {
        match results.remove(&group_idx) {
            Some(Ok(response)) => answered.push((group.clone(), response.into_inner())),
            Some(Err(status)) => {
                let state = proto::status::shard_state(&status);
                fall_short(&mut shortfalls, plan, group, state, &discovery::one_line(&status));
            }
            None => {
                let reason = "it did not answer in time";
                fall_short(&mut shortfalls, plan, group, ShardState::TimedOut, reason);
            }
        }
    }
    (answered, shortfalls)
}

/// Waits for all calls; once one has answered, no longer than the soft deadline; never longer than the hard one.
async fn gather<A, F>(
    mut calls: FuturesUnordered<F>,
    n_calls: usize,
    hard_deadline: Instant,
) -> BTreeMap<usize, Result<tonic::Response<A>, tonic::Status>>
where
    F: Future<Output = (usize, Result<tonic::Response<A>, tonic::Status>)>,
{
    let soft_deadline = hard_deadline.min(Instant::now() + SOFT_DEADLINE);
    let mut results = BTreeMap::new();
    let mut any_answer = false;
    while results.len() < n_calls {
        let deadline = if any_answer { soft_deadline } else { hard_deadline };
        let Ok(Some((group_idx, result))) = tokio::time::timeout_at(deadline, calls.next()).await else { break };
        any_answer |= result.is_ok();
        results.insert(group_idx, result);
    }
    results
}

pub(crate) fn fall_short(shortfalls: &mut Shortfalls, plan: &Plan, group: &Group, state: ShardState, reason: &str) {
    let worker = &plan.directory.workers[group.worker_idx].name;
    for position in &group.positions {
        shortfalls.note(*position, state, format!("worker {worker}: {reason}"));
    }
}

/// Compares a reply with what was asked, leaves in it only what can be trusted, and returns what is missing.
fn inspect(plan: &Plan, group: &Group, reply: &mut impl Reply, faults: &[Fault]) -> Shortfalls {
    let mut shortfalls = Shortfalls::default();
    let bad = |what: &str| format!("worker {}: bad reply: {what}", plan.directory.workers[group.worker_idx].name);
    if let Some(fault) = faults.iter().find(|fault| fault.repository.is_none()) {
        group.positions.iter().for_each(|p| shortfalls.note(*p, ShardState::Failed, bad(fault.what)));
    }
    let positions = plan.by_id(group);
    for fault in faults {
        match fault.repository.as_deref().map(|id| positions.get(id)) {
            Some(Some(position)) => shortfalls.note(*position, ShardState::Failed, bad(fault.what)),
            Some(None) => tracing::warn!(what = fault.what, "a worker answered for a repository it was not asked for"),
            None => {}
        }
    }
    let mut accounted: BTreeMap<usize, usize> = BTreeMap::new();
    for outcome in reply.outcomes() {
        let Some(position) = positions.get(outcome.repository.as_str()).copied() else { continue };
        *accounted.entry(position).or_default() += 1;
        match outcome.shortfall() {
            Some(state) => shortfalls.note(position, state, text::sanitise_name(&outcome.reason)),
            None if outcome.generation != plan.repository(position).advertised.generation => {
                shortfalls.note(position, ShardState::Failed, bad("another generation than the one asked for"));
            }
            None => {}
        }
    }
    for position in &group.positions {
        if accounted.get(position).copied() != Some(1) {
            shortfalls.note(*position, ShardState::Failed, bad("not exactly one outcome for the repository"));
        }
    }
    let trusted = |id: &str| {
        positions
            .get(id)
            .is_some_and(|position| shortfalls.get(*position).is_none_or(|state| state == ShardState::Partial))
    };
    reply.retain(trusted);
    shortfalls
}
