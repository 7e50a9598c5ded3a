//! Fan-out: one call per worker, with hedged requests and retries on replicas.
//!
//! Each repository gets a reply or a shortfall with its reason. No step returns a `Result`: a failing worker costs only its own
//! repositories, and not even those if a replica holds the same generations.

use std::{collections::BTreeMap, future::Future, time::Duration};

use futures::stream::{FuturesUnordered, StreamExt as _};
use model::ShardState;
use proto::{grant::Targeted, v1};
use runtime::trace;
use tokio::time::Instant;
use tracing::Instrument as _;

mod attempt;

use crate::{
    answer::{Answer, Shortfalls},
    connection::{ShardClient, WorkerConnection, WorkerConnections},
    discovery,
    plan::{Group, Plan},
    repo_idx::RepoIdx,
};
use attempt::{GroupResults, attempt};

/// Soft deadline of a step: maximum wait for slow workers once one worker has answered. Long enough for a cold cache, short
/// enough for an interactive user.
pub const SOFT_DEADLINE: Duration = Duration::from_secs(2);

/// Hard deadline of a whole request.
pub const HARD_DEADLINE: Duration = Duration::from_secs(10);

/// Replies in the order of workers, each with the group of repositories that it covers.
pub type Replies<A> = Vec<(Group, A)>;

/// The bookkeeping part of a reply.
pub trait Reply {
    /// Returns the outcomes as sent; a valid reply has exactly one for each requested repository.
    fn outcomes(&self) -> &[v1::Outcome];

    /// Drops the rows of repositories for which `keep` returns false.
    fn retain(&mut self, keep: impl Fn(&str) -> bool);
}

/// An inconsistency in a reply: a correct worker never sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyFault {
    /// The affected repository; unset if the whole reply is invalid.
    pub repository: Option<String>,
    /// The inconsistency, which completes `bad reply: ...`.
    pub what: &'static str,
}

/// Calls each group's worker and returns the replies that arrive before the deadlines. Dropping the future cancels the calls.
///
/// A group is split in the replies if several replicas answered for it.
#[tracing::instrument(skip_all, fields(workers = groups.len()))]
pub async fn fan_out<Q, A, F>(
    plan: &Plan,
    groups: &[Group],
    connections: &WorkerConnections,
    hard_deadline: Instant,
    message: impl Fn(&Group) -> Q,
    rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
    faults: impl Fn(&A) -> Vec<ReplyFault>,
) -> Answer<Replies<A>>
where
    Q: Targeted,
    A: Reply,
    F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
{
    let first = ask(plan, groups, connections, hard_deadline, &message, &rpc).await;
    let (mut replies, missing) = validate_replies(plan, first.value, &faults);
    let RetryGroups { groups: again, without } = retry_groups(plan, connections, missing);
    let shortfalls = first.shortfalls.and(&without);
    if again.is_empty() {
        return Answer { value: replies, shortfalls };
    }
    let second = ask(plan, &again, connections, hard_deadline, &message, &rpc).await;
    let (of_others, missing) = validate_replies(plan, second.value, &faults);
    replies.extend(of_others);
    let still_missing = missing.iter().fold(Shortfalls::default(), |all, (_, short)| all.and(short));
    Answer { value: replies, shortfalls: shortfalls.and(&second.shortfalls).and(&still_missing) }
}

/// The replica groups to retry for the repositories missing from replies.
pub struct RetryGroups {
    /// The groups to call again, each with another worker than before.
    pub groups: Vec<Group>,
    /// The shortfalls of repositories that no other worker holds.
    pub without: Shortfalls,
}

/// Assigns the repositories missing from replies to replicas, as far as a replica can help.
pub fn retry_groups(plan: &Plan, connections: &WorkerConnections, missing: Vec<(Group, Shortfalls)>) -> RetryGroups {
    let mut again = Vec::new();
    let mut without = Shortfalls::default();
    for (group, short) in missing {
        let repo_idxs = short.iter().filter(|(_, state, _)| is_replica_specific(*state)).map(|(repo_idx, ..)| repo_idx);
        let replicas =
            plan.retry_replicas(&Group { worker_idx: group.worker_idx, repo_idxs: repo_idxs.collect() }, connections);
        let is_left = |repo_idx| !replicas.groups.iter().any(|group| group.repo_idxs.contains(&repo_idx));
        without.extend(short.only(is_left));
        again.extend(replicas.groups);
    }
    connections.hedge_budget.retry(again.len());
    RetryGroups { groups: again, without }
}

/// Validates replies: drops invalid rows, and returns the shortfalls of each incomplete reply.
fn validate_replies<A: Reply>(
    plan: &Plan,
    replies: Replies<A>,
    faults: impl Fn(&A) -> Vec<ReplyFault>,
) -> (Replies<A>, Vec<(Group, Shortfalls)>) {
    let mut missing = Vec::new();
    let validate = |(group, mut reply): (Group, A)| {
        let found = faults(&reply);
        let short = validate_reply(plan, &group, &mut reply, &found);
        if !short.is_empty() {
            missing.push((group.clone(), short));
        }
        (group, reply)
    };
    (replies.into_iter().map(validate).collect(), missing)
}

/// Returns true if the failure may be specific to one replica, so that another one can answer.
fn is_replica_specific(state: ShardState) -> bool {
    matches!(state, ShardState::Failed | ShardState::NotReady | ShardState::Stale)
}

/// Calls each group's worker like `fan_out`, without validation of the replies.
pub async fn ask<Q, A, F>(
    plan: &Plan,
    groups: &[Group],
    connections: &WorkerConnections,
    hard_deadline: Instant,
    message: impl Fn(&Group) -> Q,
    rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
) -> Answer<Replies<A>>
where
    Q: Targeted,
    F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
{
    let call = |group: Group| {
        let mut request = tonic::Request::new(message(&group));
        request.set_timeout(hard_deadline.saturating_duration_since(Instant::now()));
        let repo_idxs = plan.by_id(&group);
        connections.grants.sign(&mut request, |id| repo_idxs.get(id).is_some_and(|repo_idx| plan.may_read(*repo_idx)));
        let connection = &connections[group.worker_idx];
        let span = rpc_span::<Q>(connection, &group);
        trace::inject(&span, request.metadata_mut());
        let timing = connections.rpcs.begin();
        let (began, reply) = (Instant::now(), rpc(connection.client.clone(), request));
        let answering = async move {
            let reply = connection.reply(reply).await;
            timing.end(reply.as_ref().err());
            let reply = reply?;
            connection.verify_worker_id(reply.metadata())?;
            connection.latencies.observe::<A>(began.elapsed());
            Ok(reply.into_inner())
        };
        answering.instrument(span)
    };
    let groups: Vec<Group> =
        groups.iter().flat_map(|group| plan.route_around_open_breakers(group, connections)).collect();
    let attempts = groups.iter().enumerate().map(|(group_idx, group)| {
        let parts = attempt(plan, connections, group.clone(), &call);
        async move { (group_idx, parts.await) }
    });
    let open_breaker = |group_idx: usize| connections[groups[group_idx].worker_idx].open_breaker();
    let mut results = gather(attempts.collect(), groups.len(), hard_deadline, open_breaker).await;

    let (mut answered, mut shortfalls) = (Vec::with_capacity(groups.len()), Shortfalls::default());
    for (group_idx, group) in groups.iter().enumerate() {
        let Some(parts) = results.remove(&group_idx) else {
            connections[group.worker_idx].open_breaker();
            record_group_shortfall(&mut shortfalls, plan, group, ShardState::TimedOut, "it did not answer in time");
            continue;
        };
        for (group, result) in parts {
            match result {
                Ok(reply) => answered.push((group, reply)),
                Err(status) => {
                    let state = proto::status::shard_state(&status);
                    record_group_shortfall(&mut shortfalls, plan, &group, state, &discovery::one_line(&status));
                }
            }
        }
    }
    Answer { value: answered, shortfalls }
}

/// Returns the span of one call to one worker.
fn rpc_span<Q>(connection: &WorkerConnection, group: &Group) -> tracing::Span {
    let question = std::any::type_name::<Q>().rsplit("::").next().unwrap_or_default();
    let method = question.trim_end_matches("Request");
    let (worker, repositories) = (connection.name.as_str(), group.repo_idxs.len());
    tracing::info_span!("rpc", otel.name = method, otel.kind = "client", method, worker, repositories)
}

/// Waits for all groups: until the soft deadline once one has answered, else until the hard deadline. If none has answered by
/// the soft deadline, all breakers open: the health checks then fail the calls to dead workers early.
async fn gather<A, F>(
    mut attempts: FuturesUnordered<F>,
    n_attempts: usize,
    hard_deadline: Instant,
    open_breaker: impl Fn(usize),
) -> BTreeMap<usize, GroupResults<A>>
where
    F: Future<Output = (usize, GroupResults<A>)>,
{
    let soft_deadline = hard_deadline.min(Instant::now() + SOFT_DEADLINE);
    let mut results = BTreeMap::new();
    let (mut any_answer, mut are_breakers_open) = (false, false);
    while results.len() < n_attempts {
        let deadline = if are_breakers_open && !any_answer { hard_deadline } else { soft_deadline };
        match tokio::time::timeout_at(deadline, attempts.next()).await {
            Ok(Some((group_idx, parts))) => {
                any_answer |= parts.iter().any(|(_, result): &(Group, _)| result.is_ok());
                results.insert(group_idx, parts);
            }
            Ok(None) => break,
            Err(_) if any_answer || are_breakers_open => break,
            Err(_) => {
                are_breakers_open = true;
                (0..n_attempts).filter(|group_idx| !results.contains_key(group_idx)).for_each(&open_breaker);
            }
        }
    }
    results
}

pub(crate) fn record_group_shortfall(
    shortfalls: &mut Shortfalls,
    plan: &Plan,
    group: &Group,
    state: ShardState,
    reason: &str,
) {
    let worker = &plan.directory.workers[group.worker_idx].name;
    for repo_idx in &group.repo_idxs {
        shortfalls.note(*repo_idx, state, format!("worker {worker}: {reason}"));
    }
}

/// Validates a reply against its request: drops unrequested and invalid rows, and returns the missing repositories.
fn validate_reply(plan: &Plan, group: &Group, reply: &mut impl Reply, faults: &[ReplyFault]) -> Shortfalls {
    let mut shortfalls = Shortfalls::default();
    let bad = |what: &str| format!("worker {}: bad reply: {what}", plan.directory.workers[group.worker_idx].name);
    if let Some(fault) = faults.iter().find(|fault| fault.repository.is_none()) {
        group.repo_idxs.iter().for_each(|p| shortfalls.note(*p, ShardState::Failed, bad(fault.what)));
    }
    let repo_idxs = plan.by_id(group);
    for fault in faults {
        match fault.repository.as_deref().map(|id| repo_idxs.get(id)) {
            Some(Some(repo_idx)) => shortfalls.note(*repo_idx, ShardState::Failed, bad(fault.what)),
            Some(None) => tracing::warn!(what = fault.what, "a worker answered for a repository it was not asked for"),
            None => {}
        }
    }
    let mut accounted: BTreeMap<RepoIdx, usize> = BTreeMap::new();
    for outcome in reply.outcomes() {
        let Some(repo_idx) = repo_idxs.get(outcome.repository.as_str()).copied() else { continue };
        *accounted.entry(repo_idx).or_default() += 1;
        match outcome.shortfall() {
            Some(state) => shortfalls.note(repo_idx, state, text::sanitise_name(&outcome.reason)),
            None if outcome.generation != plan.repository(repo_idx).advertised.generation => {
                shortfalls.note(repo_idx, ShardState::Failed, bad("another generation than the one asked for"));
            }
            None => {}
        }
    }
    for repo_idx in &group.repo_idxs {
        if accounted.get(repo_idx).copied() != Some(1) {
            shortfalls.note(*repo_idx, ShardState::Failed, bad("not exactly one outcome for the repository"));
        }
    }
    let trusted = |id: &str| {
        repo_idxs
            .get(id)
            .is_some_and(|repo_idx| shortfalls.get(*repo_idx).is_none_or(|state| state == ShardState::Partial))
    };
    reply.retain(trusted);
    shortfalls
}
