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
};

/// A node of one repository, at the generation that the directory of the call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRef {
    pub position: usize,
    pub node: u32,
}

/// A query for the edges at a frontier.
#[derive(Debug, Clone, Copy)]
pub struct NeighbourQuery<'a> {
    pub direction: v1::Direction,
    /// Empty for all.
    pub kinds: &'a [v1::EdgeKind],
    pub min_confidence: f32,
    /// Edges per node, direction and kind.
    pub limit: u32,
}

impl CallContext<'_> {
    /// Returns the edges at `frontier`, by the position of their repository: one call per worker.
    pub async fn neighbours(
        &self,
        plan: &Plan,
        frontier: &BTreeSet<NodeRef>,
        step: NeighbourQuery<'_>,
    ) -> Answer<BTreeMap<usize, v1::Neighbourhood>> {
        let by_position = by_position(frontier);
        let groups = groups(plan, by_position.keys().copied());
        let message = |group: &Group| v1::NeighboursRequest {
            frontier: node_sets(plan, group, &by_position),
            direction: step.direction.into(),
            kinds: step.kinds.iter().map(|kind| (*kind).into()).collect(),
            min_confidence: step.min_confidence,
            limit: step.limit,
        };
        let rpc = |mut client: ShardClient, request| async move { client.neighbours(request).await };
        let faults = reply_checks::neighbours_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        let mut found = BTreeMap::new();
        for (group, reply) in answered.value {
            let positions = plan.by_id(&group);
            for neighbourhood in reply.neighbourhoods {
                let position = positions.get(neighbourhood.repository.as_str()).copied();
                found.extend(position.map(|position| (position, neighbourhood)));
            }
        }
        Answer { value: found, shortfalls: answered.shortfalls }
    }

    /// Returns the cards of nodes. Unknown nodes, and those of repositories that did not answer, are absent.
    pub async fn describe(&self, plan: &Plan, nodes: &BTreeSet<NodeRef>) -> Answer<BTreeMap<NodeRef, v1::NodeCard>> {
        let by_position = by_position(nodes);
        let groups = groups(plan, by_position.keys().copied());
        let message = |group: &Group| v1::DescribeRequest { nodes: node_sets(plan, group, &by_position) };
        let rpc = |mut client: ShardClient, request| async move { client.describe(request).await };
        let faults = reply_checks::describe_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        let mut cards = BTreeMap::new();
        for (group, reply) in answered.value {
            let positions = plan.by_id(&group);
            for card in reply.cards {
                let position = positions.get(card.repository.as_str()).copied();
                let node = card.node.as_ref().map(|node| node.id);
                if let (Some(position), Some(node)) = (position, node) {
                    cards.insert(NodeRef { position, node }, card);
                }
            }
        }
        cards.retain(|at, _| nodes.contains(at));
        Answer { value: cards, shortfalls: answered.shortfalls }
    }

    /// Returns the history of files, by position and path. Files without a history are absent.
    pub async fn history(
        &self,
        plan: &Plan,
        files: &BTreeSet<(usize, String)>,
    ) -> Answer<BTreeMap<(usize, String), v1::FileHistory>> {
        let groups = groups(plan, files.iter().map(|(position, _)| *position));
        let of_group = |group: &Group| -> Vec<&(usize, String)> {
            files.iter().filter(|(position, _)| group.positions.contains(position)).collect()
        };
        let item = |(position, path): &(usize, String)| v1::HistoryItem {
            target: Some(plan.target(*position)),
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
                fan_out::fall_short(&mut shortfalls, plan, &group, ShardState::Failed, reason);
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
        shortfalls.iter().for_each(|(position, _, reason)| partial.note(position, ShardState::Partial, reason));
        Answer { value: found, shortfalls: partial }
    }
}

fn by_position(nodes: &BTreeSet<NodeRef>) -> BTreeMap<usize, Vec<u32>> {
    let mut by_position: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    nodes.iter().for_each(|at| by_position.entry(at.position).or_default().push(at.node));
    by_position
}

/// Groups repositories by the worker that serves them. Repositories with a shortfall are skipped, except for partial ones.
pub fn groups(plan: &Plan, positions: impl Iterator<Item = usize>) -> Vec<Group> {
    let mut by_worker: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let may_answer = |position: &usize| plan.shortfalls.get(*position).is_none_or(|state| state == ShardState::Partial);
    for position in positions.filter(may_answer) {
        by_worker.entry(plan.repository(position).worker_idx).or_default().insert(position);
    }
    let group = |(worker_idx, positions): (usize, BTreeSet<usize>)| Group {
        worker_idx,
        positions: positions.into_iter().collect(),
    };
    by_worker.into_iter().map(group).collect()
}

fn node_sets(plan: &Plan, group: &Group, by_position: &BTreeMap<usize, Vec<u32>>) -> Vec<v1::NodeSet> {
    let node_set =
        |position: &usize| v1::NodeSet { target: Some(plan.target(*position)), nodes: by_position[position].clone() };
    group.positions.iter().map(node_set).collect()
}
