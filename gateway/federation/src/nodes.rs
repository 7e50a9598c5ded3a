//! Graph queries over all repositories: neighbours, node cards and file history.

use std::collections::{BTreeMap, BTreeSet};

use model::ShardState;
use proto::v1;

use crate::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    connection::ShardClient,
    fan_out::{self, fan_out},
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// A node of one repository, at the generation that the directory of the call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRef {
    /// The repository whose code graph has the node.
    pub repo_idx: RepoIdx,
    /// The number of the node, valid for one generation only.
    pub node: u32,
}

/// A query for the edges at a frontier.
#[derive(Debug, Clone, Copy)]
pub struct NeighbourQuery<'a> {
    /// `Out` leads to used nodes, `In` to users.
    pub direction: v1::Direction,
    /// Empty for all.
    pub kinds: &'a [v1::EdgeKind],
    /// The minimum confidence of an edge; 0 for all.
    pub min_confidence: f32,
    /// Edges per node, direction and kind.
    pub limit: u32,
    /// Instead of the limit: the number of edges before a page, and its size in edges and further lines.
    pub page: Option<(u64, u32)>,
}

impl CallContext<'_> {
    /// Returns the edges at `frontier`, by repository: one call per worker.
    pub async fn neighbours(
        &self,
        plan: &Plan,
        frontier: &BTreeSet<NodeRef>,
        step: NeighbourQuery<'_>,
    ) -> Answer<BTreeMap<RepoIdx, v1::Neighbourhood>> {
        let by_repo_idx = by_repo_idx(frontier);
        let groups = groups(plan, by_repo_idx.keys().copied());
        let message = |group: &Group| v1::NeighboursRequest {
            frontier: node_sets(plan, group, &by_repo_idx),
            direction: step.direction.into(),
            kinds: step.kinds.iter().map(|kind| (*kind).into()).collect(),
            min_confidence: step.min_confidence,
            limit: step.limit,
            page_size: step.page.map_or(0, |(_, size)| size),
            offset: step.page.map_or(0, |(offset, _)| offset),
        };
        let rpc = |mut client: ShardClient, request| async move { client.neighbours(request).await };
        let faults = reply_checks::neighbours_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        let mut found = BTreeMap::new();
        for (group, reply) in answered.value {
            let repo_idxs = plan.by_id(&group);
            for neighbourhood in reply.neighbourhoods {
                let repo_idx = repo_idxs.get(neighbourhood.repository.as_str()).copied();
                found.extend(repo_idx.map(|repo_idx| (repo_idx, neighbourhood)));
            }
        }
        Answer { value: found, shortfalls: answered.shortfalls }
    }

    /// Returns the cards of nodes. Unknown nodes, and those of repositories that did not answer, are absent.
    pub async fn describe(&self, plan: &Plan, nodes: &BTreeSet<NodeRef>) -> Answer<BTreeMap<NodeRef, v1::NodeCard>> {
        let by_repo_idx = by_repo_idx(nodes);
        let groups = groups(plan, by_repo_idx.keys().copied());
        let message = |group: &Group| v1::DescribeRequest { nodes: node_sets(plan, group, &by_repo_idx) };
        let rpc = |mut client: ShardClient, request| async move { client.describe(request).await };
        let faults = reply_checks::describe_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        let mut cards = BTreeMap::new();
        for (group, reply) in answered.value {
            let repo_idxs = plan.by_id(&group);
            for card in reply.cards {
                let repo_idx = repo_idxs.get(card.repository.as_str()).copied();
                let node = card.node.as_ref().map(|node| node.id);
                if let (Some(repo_idx), Some(node)) = (repo_idx, node) {
                    cards.insert(NodeRef { repo_idx, node }, card);
                }
            }
        }
        cards.retain(|at, _| nodes.contains(at));
        Answer { value: cards, shortfalls: answered.shortfalls }
    }

    /// Returns the history of files, by repository and path. Files without a history are absent.
    pub async fn history(
        &self,
        plan: &Plan,
        files: &BTreeSet<(RepoIdx, String)>,
    ) -> Answer<BTreeMap<(RepoIdx, String), v1::FileHistory>> {
        let groups = groups(plan, files.iter().map(|(repo_idx, _)| *repo_idx));
        let of_group = |group: &Group| -> Vec<&(RepoIdx, String)> {
            files.iter().filter(|(repo_idx, _)| group.repo_idxs.contains(repo_idx)).collect()
        };
        let item = |(repo_idx, path): &(RepoIdx, String)| v1::HistoryItem {
            target: Some(plan.target(*repo_idx)),
            path: path.clone(),
        };
        let message = |group: &Group| v1::HistoryRequest { items: of_group(group).into_iter().map(item).collect() };
        let rpc = |mut client: ShardClient, request| async move { client.history(request).await };
        let Answer { value: answered, mut shortfalls } =
            fan_out::ask(plan, &groups, &self.connections, self.hard_deadline(), message, rpc).await;
        let mut found = BTreeMap::new();
        for (group, reply) in answered {
            let wanted = of_group(&group);
            if reply.histories.len() != wanted.len() {
                let reason = "bad reply: not one history for each file";
                fan_out::record_group_shortfall(&mut shortfalls, plan, &group, ShardState::Failed, reason);
                continue;
            }
            for (file, history) in wanted.into_iter().zip(reply.histories) {
                let is_sound = history.outcome.as_ref().is_some_and(|outcome| outcome.shortfall().is_none());
                if is_sound && history.commits > 0 {
                    found.insert(file.clone(), history);
                }
            }
        }
        // History is optional: a repository without it still counts as partial.
        let mut partial = Shortfalls::default();
        shortfalls.iter().for_each(|(repo_idx, _, reason)| partial.note(repo_idx, ShardState::Partial, reason));
        Answer { value: found, shortfalls: partial }
    }
}

/// Returns the wire form of a kind of edge.
pub(crate) fn edge_kind(kind: graph::EdgeKind) -> v1::EdgeKind {
    v1::EdgeKind::try_from(kind as i32 + 1).unwrap_or_default()
}

fn by_repo_idx(nodes: &BTreeSet<NodeRef>) -> BTreeMap<RepoIdx, Vec<u32>> {
    let mut by_repo_idx: BTreeMap<RepoIdx, Vec<u32>> = BTreeMap::new();
    nodes.iter().for_each(|at| by_repo_idx.entry(at.repo_idx).or_default().push(at.node));
    by_repo_idx
}

/// Groups repositories by the worker that serves them. Repositories with a shortfall are skipped, except for partial ones.
pub fn groups(plan: &Plan, repo_idxs: impl Iterator<Item = RepoIdx>) -> Vec<Group> {
    let mut by_worker: BTreeMap<usize, BTreeSet<RepoIdx>> = BTreeMap::new();
    let may_answer =
        |repo_idx: &RepoIdx| plan.shortfalls.get(*repo_idx).is_none_or(|state| state == ShardState::Partial);
    for repo_idx in repo_idxs.filter(may_answer) {
        by_worker.entry(plan.repository(repo_idx).worker_idx).or_default().insert(repo_idx);
    }
    let group = |(worker_idx, repo_idxs): (usize, BTreeSet<RepoIdx>)| Group {
        worker_idx,
        repo_idxs: repo_idxs.into_iter().collect(),
    };
    by_worker.into_iter().map(group).collect()
}

fn node_sets(plan: &Plan, group: &Group, by_repo_idx: &BTreeMap<RepoIdx, Vec<u32>>) -> Vec<v1::NodeSet> {
    let node_set =
        |repo_idx: &RepoIdx| v1::NodeSet { target: Some(plan.target(*repo_idx)), nodes: by_repo_idx[repo_idx].clone() };
    group.repo_idxs.iter().map(node_set).collect()
}
