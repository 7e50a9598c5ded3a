//! The workers that the gateway fetches link facts from.

use proto::v1;
use tokio::time::Instant;

use crate::{
    connection::{ShardClient, WorkerConnections},
    fan_out::fan_out,
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// A source of link facts.
pub(super) trait FactsSource {
    /// Fetches the link facts of a repository; empty if it is too large for them.
    async fn fetch(&self, repo_idx: RepoIdx) -> Result<Vec<u8>, String>;
}

/// The workers that link facts come from.
pub(super) struct WorkerFacts<'a> {
    pub(super) plan: &'a Plan,
    pub(super) connections: &'a WorkerConnections,
    pub(super) deadline: Instant,
}

impl FactsSource for WorkerFacts<'_> {
    async fn fetch(&self, repo_idx: RepoIdx) -> Result<Vec<u8>, String> {
        let WorkerFacts { plan, connections, deadline } = *self;
        let holds = |group: &&Group| group.repo_idxs.contains(&repo_idx);
        let unavailable = || format!("the facts of `{}` are not available", plan.alias(repo_idx));
        let group = plan.groups.iter().find(holds).ok_or_else(unavailable)?;
        let groups = [Group { repo_idxs: vec![repo_idx], ..group.clone() }];
        let mut facts = Vec::new();
        loop {
            let offset = facts.len() as u64;
            let message = |_: &Group| v1::LinkFactsRequest { target: Some(plan.target(repo_idx)), offset };
            let rpc = |mut client: ShardClient, request| async move { client.link_facts(request).await };
            let faults = reply_checks::link_facts_faults(offset);
            let answered = fan_out(plan, &groups, connections, deadline, message, rpc, faults).await;
            let failed = answered.shortfalls.iter().next().map(|(_, _, reason)| reason.to_owned());
            let Some((_, reply)) = answered.value.into_iter().next().filter(|_| failed.is_none()) else {
                return Err(failed.map_or_else(unavailable, |reason| format!("{}: {reason}", unavailable())));
            };
            facts.extend(reply.part);
            if facts.len() as u64 >= reply.total {
                return Ok(facts);
            }
        }
    }
}
