//! The context of one tool call: its caller, the repositories that exist for the caller, the deadline, and the calls to workers.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use proto::{grant::Targeted, v1};
use ranking::{QueryParts, Statistics};
use tokio::time::Instant;

use crate::{
    Federation,
    answer::Answer,
    connection::{ShardClient, WorkerConnections},
    fan_out::{self, Replies, Reply, fan_out},
    plan::{Group, Plan, Visible},
    principal::Principal,
    query_vector::QueryEmbedding,
    reply_checks,
    repo_idx::RepoIdx,
    statistics,
};

/// The context of one call: its caller, the readable repositories and the deadline.
pub struct CallContext<'a> {
    /// All workers, and the caches that calls share.
    pub federation: &'a Federation,
    /// The caller, whose access rule is already applied to `visible`.
    pub principal: &'a Principal,
    /// The repositories that the caller may read, in the directory at the start of the call.
    pub visible: Visible,
    /// The connections to the workers of the directory.
    pub connections: WorkerConnections,
    /// Maximum wait for links that are being resolved. Links that are not known by then are missing in the overlay.
    pub link_patience: Duration,
    started: Instant,
}

impl<'a> CallContext<'a> {
    /// Creates the context of a call that started at `started`, with a snapshot of the current directory.
    pub fn new(federation: &'a Federation, principal: &'a Principal, started: Instant) -> CallContext<'a> {
        let known = federation.workers.known();
        let visible = Visible::new(Arc::clone(&known.directory), principal);
        let link_patience = fan_out::SOFT_DEADLINE;
        CallContext { federation, principal, visible, connections: known.connections.clone(), link_patience, started }
    }

    /// Sums the statistics of a query's terms. Later steps skip a repository without statistics, so that an answer ranks like one
    /// index over the remaining repositories.
    #[tracing::instrument(skip_all, fields(terms = query.terms.len()))]
    pub async fn statistics(&self, plan: &Plan, query: &QueryParts) -> Answer<Statistics> {
        let (n_terms, n_identifiers) = (query.terms.len(), query.identifiers.len());
        let mut sum = Statistics::zero(n_terms, n_identifiers);
        if n_terms + n_identifiers == 0 {
            return Answer::complete(sum);
        }
        let mut unknown: Vec<Group> = Vec::new();
        for group in &plan.groups {
            match self.federation.statistics.get(statistics::key(self.principal, plan, group, query)) {
                Some(known) => sum.add(&known),
                None => unknown.push(group.clone()),
            }
        }
        let message = |targets| v1::StatisticsRequest {
            targets,
            terms: query.terms.iter().map(|term| term.text.clone()).collect(),
            identifiers: query.identifiers.clone(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.statistics(request).await };
        let faults = reply_checks::statistics_faults(n_terms, n_identifiers);
        let Answer { value: replies, shortfalls } = self.ask(plan, &unknown, message, rpc, faults).await;
        let remaining = plan.without(&shortfalls);
        for (group, reply) in replies {
            if group.repo_idxs.iter().all(|repo_idx| remaining.shortfalls.get(*repo_idx).is_some()) {
                continue;
            }
            let part = statistics::from_wire(reply.statistics.unwrap_or_default());
            sum.add(&part);
            if group.repo_idxs.iter().all(|repo_idx| remaining.shortfalls.get(*repo_idx).is_none()) {
                self.federation.statistics.insert(statistics::key(self.principal, plan, &group, query), part);
            }
        }
        Answer { value: sum, shortfalls }
    }

    /// Embeds a query.
    pub async fn embed_query(&self, text: &str) -> QueryEmbedding {
        self.federation.model.embed_query(self.principal, text, self.started).await
    }

    /// Asks every worker of the plan for corrections of unknown words.
    pub async fn suggest(&self, plan: &Plan, words: Vec<String>) -> Answer<Replies<v1::SuggestResponse>> {
        let faults = reply_checks::suggest_faults(words.len());
        let message = |targets| v1::SuggestRequest { targets, words: words.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.suggest(request).await };
        self.ask(plan, &plan.groups, message, rpc, faults).await
    }

    /// Asks every worker of the plan; `request` without its targets.
    pub async fn search(&self, plan: &Plan, request: &v1::SearchRequest) -> Answer<Replies<v1::SearchResponse>> {
        let faults = reply_checks::search_faults(request.identifiers.len());
        let message = |targets| v1::SearchRequest { targets, ..request.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.search(request).await };
        self.ask(plan, &plan.groups, message, rpc, faults).await
    }

    /// Asks every worker of the plan; `request` without its targets.
    pub async fn symbols(&self, plan: &Plan, request: &v1::SymbolsRequest) -> Answer<Replies<v1::SymbolsResponse>> {
        let message = |targets| v1::SymbolsRequest { targets, ..request.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.symbols(request).await };
        self.ask(plan, &plan.groups, message, rpc, reply_checks::symbols_faults).await
    }

    /// Asks every worker of the plan for the files that match `path`, with their symbols: at most `limit` per repository.
    pub async fn outline(&self, plan: &Plan, path: &str, limit: u32) -> Answer<Replies<v1::OutlineResponse>> {
        let message = |targets| v1::OutlineRequest { targets, path: path.to_owned(), limit, folder: false };
        let rpc = |mut client: ShardClient, request| async move { client.outline(request).await };
        self.ask(plan, &plan.groups, message, rpc, reply_checks::outline_faults).await
    }

    /// Asks every worker of the plan for the entries of a folder; an empty path is the root. A worker of an older version lists none, so
    /// that its repositories are missing.
    pub async fn folders(&self, plan: &Plan, path: &str) -> Answer<BTreeMap<RepoIdx, v1::FolderListing>> {
        let message = |targets| v1::OutlineRequest { targets, path: path.to_owned(), limit: 0, folder: true };
        let rpc = |mut client: ShardClient, request| async move { client.outline(request).await };
        let replies = self.ask(plan, &plan.groups, message, rpc, reply_checks::outline_faults).await;
        let mut found = BTreeMap::new();
        for (group, reply) in replies.value {
            let repo_idxs = plan.by_id(&group);
            for listing in reply.folders {
                let repo_idx = repo_idxs.get(listing.repository.as_str()).copied();
                found.extend(repo_idx.map(|repo_idx| (repo_idx, listing)));
            }
        }
        Answer { value: found, shortfalls: replies.shortfalls }
    }

    /// Asks every worker of the plan for the overviews of its repositories, with at most `limit` items per list.
    pub async fn overviews(&self, plan: &Plan, limit: u32) -> Answer<BTreeMap<RepoIdx, v1::RepositoryOverview>> {
        let message = |targets| v1::OverviewRequest { targets, limit };
        let rpc = |mut client: ShardClient, request| async move { client.overview(request).await };
        let replies = self.ask(plan, &plan.groups, message, rpc, reply_checks::overview_faults).await;
        let mut found = BTreeMap::new();
        for (group, reply) in replies.value {
            let repo_idxs = plan.by_id(&group);
            for overview in reply.overviews {
                let repo_idx = repo_idxs.get(overview.repository.as_str()).copied();
                found.extend(repo_idx.map(|repo_idx| (repo_idx, overview)));
            }
        }
        Answer { value: found, shortfalls: replies.shortfalls }
    }

    /// Returns the hard deadline of the call.
    pub fn hard_deadline(&self) -> Instant {
        self.started + fan_out::HARD_DEADLINE
    }

    /// Calls the workers of `groups` and returns the validated replies.
    pub async fn ask<Q, A, F>(
        &self,
        plan: &Plan,
        groups: &[Group],
        message: impl Fn(Vec<v1::Target>) -> Q,
        rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
        faults: impl Fn(&A) -> Vec<fan_out::ReplyFault>,
    ) -> Answer<Replies<A>>
    where
        Q: Targeted,
        A: Reply,
        F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
    {
        let message = |group: &Group| message(group.repo_idxs.iter().map(|repo_idx| plan.target(*repo_idx)).collect());
        fan_out(plan, groups, &self.connections, self.hard_deadline(), message, rpc, faults).await
    }
}
