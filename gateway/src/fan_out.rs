//! One call per worker for all that it is asked, and for each repository an answer or the reason why not. No step
//! here has a `Result`: a worker that cannot answer costs its own repositories and nothing else, and not even those if
//! another one holds the same generations.

use std::{collections::BTreeMap, future::Future, time::Duration};

use futures::stream::{FuturesUnordered, StreamExt as _};
use model::ShardState;
use proto::{grant::Targeted, v1};
use runtime::trace;
use tokio::time::Instant;
use tracing::Instrument as _;

mod attempt;
pub(crate) mod latencies;
pub(crate) mod spare;

use crate::{
    connection::{Connection, Connections, ShardClient},
    discovery,
    plan::{Group, Plan, Shortfalls},
};
use attempt::{Parts, attempt};

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
///
/// The groups of the replies are those that were answered: parts of the groups given where others stood in for a worker.
#[tracing::instrument(skip_all, fields(workers = groups.len()))]
pub(crate) async fn fan_out<Q, A, F>(
    plan: &Plan,
    groups: &[Group],
    connections: &Connections,
    hard_deadline: Instant,
    message: impl Fn(&Group) -> Q,
    rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
    faults: impl Fn(&A) -> Vec<Fault>,
) -> FanOut<A>
where
    Q: Targeted,
    A: Reply,
    F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
{
    let (answered, shortfalls) = ask(plan, groups, connections, hard_deadline, &message, &rpc).await;
    let mut all = FanOut { replies: Vec::with_capacity(groups.len()), shortfalls };
    let missing = all.take(plan, answered, &faults);
    let again = stand_ins(plan, connections, missing, &mut all.shortfalls);
    if !again.is_empty() {
        let (answered, shortfalls) = ask(plan, &again, connections, hard_deadline, &message, &rpc).await;
        all.shortfalls.extend(shortfalls);
        let missing = all.take(plan, answered, &faults);
        missing.into_iter().for_each(|(_, short)| all.shortfalls.extend(short));
    }
    all
}

/// Returns whom to ask instead for what is missing from replies; what nobody else holds is noted as missing.
pub(crate) fn stand_ins(
    plan: &Plan,
    connections: &Connections,
    missing: Vec<(Group, Shortfalls)>,
    shortfalls: &mut Shortfalls,
) -> Vec<Group> {
    let mut again = Vec::new();
    for (group, short) in missing {
        let positions = short.iter().filter(|(_, state, _)| is_its_own(*state)).map(|(position, ..)| position);
        let elsewhere =
            plan.instead(&Group { worker_idx: group.worker_idx, positions: positions.collect() }, connections);
        let is_left = |position| !elsewhere.groups.iter().any(|group| group.positions.contains(&position));
        shortfalls.extend(short.only(is_left));
        again.extend(elsewhere.groups);
    }
    connections.spare.retry(again.len());
    again
}

impl<A: Reply> FanOut<A> {
    /// Takes in what can be trusted of replies; returns what is missing from each that misses something.
    fn take(
        &mut self,
        plan: &Plan,
        answered: Vec<(Group, A)>,
        faults: impl Fn(&A) -> Vec<Fault>,
    ) -> Vec<(Group, Shortfalls)> {
        let mut missing = Vec::new();
        for (group, mut reply) in answered {
            let found = faults(&reply);
            let short = inspect(plan, &group, &mut reply, &found);
            if short.len() > 0 {
                missing.push((group.clone(), short));
            }
            self.replies.push((group, reply));
        }
        missing
    }
}

/// Says whether a repository may well be answered for by another worker that holds the same generation of it.
fn is_its_own(state: ShardState) -> bool {
    matches!(state, ShardState::Failed | ShardState::NotReady | ShardState::Stale)
}

/// Does the same without a look into the replies.
pub(crate) async fn ask<Q, A, F>(
    plan: &Plan,
    groups: &[Group],
    connections: &Connections,
    hard_deadline: Instant,
    message: impl Fn(&Group) -> Q,
    rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
) -> (Vec<(Group, A)>, Shortfalls)
where
    Q: Targeted,
    F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
{
    let call = |group: Group| {
        let mut request = tonic::Request::new(message(&group));
        request.set_timeout(hard_deadline.saturating_duration_since(Instant::now()));
        let positions = plan.by_id(&group);
        connections.grants.sign(&mut request, |id| positions.get(id).is_some_and(|position| plan.may_read(*position)));
        let connection = &connections[group.worker_idx];
        let span = rpc_span::<Q>(connection, &group);
        trace::inject(&span, request.metadata_mut());
        let timing = connections.rpcs.begin();
        let (began, reply) = (Instant::now(), rpc(connection.client.clone(), request));
        let answering = async move {
            let reply = connection.reply(reply).await;
            timing.end(reply.as_ref().err());
            let reply = reply?;
            connection.recognise(reply.metadata())?;
            connection.latencies.observe::<A>(began.elapsed());
            Ok(reply.into_inner())
        };
        answering.instrument(span)
    };
    let groups: Vec<Group> = groups.iter().flat_map(|group| plan.trusted(group, connections)).collect();
    let attempts = groups.iter().enumerate().map(|(group_idx, group)| {
        let parts = attempt(plan, connections, group.clone(), &call);
        async move { (group_idx, parts.await) }
    });
    let doubt = |group_idx: usize| connections[groups[group_idx].worker_idx].doubt();
    let mut results = gather(attempts.collect(), groups.len(), hard_deadline, doubt).await;

    let (mut answered, mut shortfalls) = (Vec::with_capacity(groups.len()), Shortfalls::default());
    for (group_idx, group) in groups.iter().enumerate() {
        let Some(parts) = results.remove(&group_idx) else {
            connections[group.worker_idx].doubt();
            fall_short(&mut shortfalls, plan, group, ShardState::TimedOut, "it did not answer in time");
            continue;
        };
        for (group, result) in parts {
            match result {
                Ok(reply) => answered.push((group, reply)),
                Err(status) => {
                    let state = proto::status::shard_state(&status);
                    fall_short(&mut shortfalls, plan, &group, state, &discovery::one_line(&status));
                }
            }
        }
    }
    (answered, shortfalls)
}

/// Returns the span of one call to one worker.
fn rpc_span<Q>(connection: &Connection, group: &Group) -> tracing::Span {
    let question = std::any::type_name::<Q>().rsplit("::").next().unwrap_or_default();
    let method = question.trim_end_matches("Request");
    let (worker, repositories) = (connection.name.as_str(), group.positions.len());
    tracing::info_span!("rpc", otel.name = method, otel.kind = "client", method, worker, repositories)
}

/// Waits for all groups; once one has answered, no longer than the soft deadline; never longer than the hard one. Where
/// nobody has answered by the soft deadline, all are doubted: who is lost, and not merely slow, is waited for no longer.
async fn gather<A, F>(
    mut attempts: FuturesUnordered<F>,
    n_attempts: usize,
    hard_deadline: Instant,
    doubt: impl Fn(usize),
) -> BTreeMap<usize, Parts<A>>
where
    F: Future<Output = (usize, Parts<A>)>,
{
    let soft_deadline = hard_deadline.min(Instant::now() + SOFT_DEADLINE);
    let mut results = BTreeMap::new();
    let (mut any_answer, mut all_doubted) = (false, false);
    while results.len() < n_attempts {
        let deadline = if all_doubted && !any_answer { hard_deadline } else { soft_deadline };
        match tokio::time::timeout_at(deadline, attempts.next()).await {
            Ok(Some((group_idx, parts))) => {
                any_answer |= parts.iter().any(|(_, result): &(Group, _)| result.is_ok());
                results.insert(group_idx, parts);
            }
            Ok(None) => break,
            Err(_) if any_answer || all_doubted => break,
            Err(_) => {
                all_doubted = true;
                (0..n_attempts).filter(|group_idx| !results.contains_key(group_idx)).for_each(&doubt);
            }
        }
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
