//! One call of one tool, from when it came in: who asks, what exists for them, how long there is, and the calls to
//! workers that it makes.

use std::{collections::BTreeMap, sync::Arc};

use proto::{grant::Targeted, v1};
use ranking::{QueryParts, Statistics};
use tokio::time::Instant;

use crate::{
    Core,
    access::Principal,
    connection::{Connections, ShardClient},
    fan_out::{self, Reply, fan_out},
    meaning::Meaning,
    plan::{Group, Plan, Visible},
    progress::Progress,
    replies, statistics,
};

/// Replies in the order of workers, each with what that worker was asked for.
pub(crate) type Replies<A> = Vec<(Group, A)>;

/// The context of one call. Everything it learns of workers' failures goes into its plan.
pub(crate) struct Call<'a> {
    pub(crate) core: &'a Core,
    pub(crate) principal: &'a Principal,
    pub(crate) visible: Visible,
    /// The ways to the workers of the directory.
    pub(crate) connections: Connections,
    pub(crate) progress: Progress,
    started: Instant,
}

impl<'a> Call<'a> {
    pub(crate) fn new(core: &'a Core, principal: &'a Principal, started: Instant) -> Call<'a> {
        let known = core.federation.known();
        let visible = Visible::new(Arc::clone(&known.directory), principal);
        Call {
            core,
            principal,
            visible,
            connections: known.connections.clone(),
            progress: Progress::default(),
            started,
        }
    }

    /// Returns the same call, which tells how far it is.
    pub(crate) fn telling(self, progress: Progress) -> Call<'a> {
        Call { progress, ..self }
    }

    /// Sums the statistics of `terms`. A repository that gives none is not asked further, so that an answer ranks
    /// as one index of the repositories behind it would.
    #[tracing::instrument(skip_all, fields(terms = query.terms.len()))]
    pub(crate) async fn statistics(&self, plan: &mut Plan, query: &QueryParts) -> Statistics {
        let (n_terms, n_identifiers) = (query.terms.len(), query.identifiers.len());
        let mut sum = Statistics::zero(n_terms, n_identifiers);
        if n_terms + n_identifiers == 0 {
            return sum;
        }
        let mut unknown: Vec<Group> = Vec::new();
        for group in &plan.groups {
            match self.core.statistics.get(statistics::key(plan, group, query)) {
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
        let faults = replies::statistics_faults(n_terms, n_identifiers);
        let replies = self.ask(plan, &unknown, message, rpc, faults).await;
        for (group, reply) in replies {
            if group.positions.iter().all(|position| plan.shortfalls.get(*position).is_some()) {
                continue;
            }
            let part = statistics::from_wire(reply.statistics.unwrap_or_default());
            sum.add(&part);
            if group.positions.iter().all(|position| plan.shortfalls.get(*position).is_none()) {
                self.core.statistics.insert(statistics::key(plan, &group, query), part);
            }
        }
        sum
    }

    /// Returns what a query means.
    pub(crate) async fn meaning(&self, text: &str) -> Meaning {
        self.core.model.meaning(text, self.started).await
    }

    /// Asks every worker of the plan what may have been meant by words that stand nowhere.
    pub(crate) async fn suggest(&self, plan: &mut Plan, words: Vec<String>) -> Replies<v1::SuggestResponse> {
        let groups = plan.groups.clone();
        let faults = replies::suggest_faults(words.len());
        let message = |targets| v1::SuggestRequest { targets, words: words.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.suggest(request).await };
        self.ask(plan, &groups, message, rpc, faults).await
    }

    /// Asks every worker of the plan; `request` without its targets.
    pub(crate) async fn search(&self, plan: &mut Plan, request: &v1::SearchRequest) -> Replies<v1::SearchResponse> {
        let groups = plan.groups.clone();
        let faults = replies::search_faults(request.identifiers.len());
        let message = |targets| v1::SearchRequest { targets, ..request.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.search(request).await };
        self.ask(plan, &groups, message, rpc, faults).await
    }

    /// Asks every worker of the plan; `request` without its targets.
    pub(crate) async fn symbols(&self, plan: &mut Plan, request: &v1::SymbolsRequest) -> Replies<v1::SymbolsResponse> {
        let groups = plan.groups.clone();
        let message = |targets| v1::SymbolsRequest { targets, ..request.clone() };
        let rpc = |mut client: ShardClient, request| async move { client.symbols(request).await };
        self.ask(plan, &groups, message, rpc, replies::symbols_faults).await
    }

    /// Asks every worker of the plan for the files that `path` names, `limit` of each repository with their symbols.
    pub(crate) async fn outline(&self, plan: &mut Plan, path: &str, limit: u32) -> Replies<v1::OutlineResponse> {
        let groups = plan.groups.clone();
        let message = |targets| v1::OutlineRequest { targets, path: path.to_owned(), limit };
        let rpc = |mut client: ShardClient, request| async move { client.outline(request).await };
        self.ask(plan, &groups, message, rpc, replies::outline_faults).await
    }

    /// Asks every worker of the plan for its repositories as a whole, by position: `limit` items of each list.
    pub(crate) async fn overviews(&self, plan: &mut Plan, limit: u32) -> BTreeMap<usize, v1::RepositoryOverview> {
        let groups = plan.groups.clone();
        let message = |targets| v1::OverviewRequest { targets, limit };
        let rpc = |mut client: ShardClient, request| async move { client.overview(request).await };
        let replies = self.ask(plan, &groups, message, rpc, replies::overview_faults).await;
        let mut found = BTreeMap::new();
        for (group, reply) in replies {
            let positions = plan.by_id(&group);
            for overview in reply.overviews {
                let position = positions.get(overview.repository.as_str()).copied();
                found.extend(position.map(|position| (position, overview)));
            }
        }
        found
    }

    /// Returns when the call must have been answered.
    pub(crate) fn hard_deadline(&self) -> Instant {
        self.started + fan_out::HARD_DEADLINE
    }

    pub(crate) async fn ask<Q, A, F>(
        &self,
        plan: &mut Plan,
        groups: &[Group],
        message: impl Fn(Vec<v1::Target>) -> Q,
        rpc: impl Fn(ShardClient, tonic::Request<Q>) -> F,
        faults: impl Fn(&A) -> Vec<fan_out::Fault>,
    ) -> Replies<A>
    where
        Q: Targeted,
        A: Reply,
        F: Future<Output = Result<tonic::Response<A>, tonic::Status>>,
    {
        let message = |group: &Group| message(group.positions.iter().map(|position| plan.target(*position)).collect());
        let answered = fan_out(plan, groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        plan.fall_short(answered.shortfalls);
        answered.replies
    }
}
