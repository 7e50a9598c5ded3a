//! Nodes of the code graphs of all repositories, and what workers say of them.

use std::collections::{BTreeMap, BTreeSet};

use model::ShardState;
use proto::v1;

use crate::{
    call::Call,
    connection::ShardClient,
    fan_out::{self, fan_out},
    plan::{Group, Plan, Shortfalls},
    replies,
};

/// A node of one repository, at the generation that the directory of the call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At {
    pub(crate) position: usize,
    pub(crate) node: u32,
}

/// What is asked of the edges at a frontier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) direction: v1::Direction,
    /// Empty for all.
    pub(crate) kinds: &'a [v1::EdgeKind],
    pub(crate) min_confidence: f32,
    /// Edges per node, direction and kind.
    pub(crate) limit: u32,
}

impl Call<'_> {
    /// Returns the edges at `frontier`, by the position of their repository: one call per worker.
    pub(crate) async fn neighbours(
        &self,
        plan: &mut Plan,
        frontier: &BTreeSet<At>,
        step: Step<'_>,
    ) -> BTreeMap<usize, v1::Neighbourhood> {
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
        let faults = replies::neighbours_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        plan.fall_short(answered.shortfalls);
        let mut found = BTreeMap::new();
        for (group, reply) in answered.replies {
            let positions = plan.by_id(&group);
            for neighbourhood in reply.neighbourhoods {
                let position = positions.get(neighbourhood.repository.as_str()).copied();
                found.extend(position.map(|position| (position, neighbourhood)));
            }
        }
        found
    }

    /// Returns what is known of nodes; nothing of those that do not exist or could not be asked for.
    pub(crate) async fn describe(&self, plan: &mut Plan, nodes: &BTreeSet<At>) -> BTreeMap<At, v1::NodeCard> {
        let by_position = by_position(nodes);
        let groups = groups(plan, by_position.keys().copied());
        let message = |group: &Group| v1::DescribeRequest { nodes: node_sets(plan, group, &by_position) };
        let rpc = |mut client: ShardClient, request| async move { client.describe(request).await };
        let faults = replies::describe_faults;
        let answered = fan_out(plan, &groups, &self.connections, self.hard_deadline(), message, rpc, faults).await;
        plan.fall_short(answered.shortfalls);
        let mut cards = BTreeMap::new();
        for (group, reply) in answered.replies {
            let positions = plan.by_id(&group);
            for card in reply.cards {
                let position = positions.get(card.repository.as_str()).copied();
                let node = card.node.as_ref().map(|node| node.id);
                if let (Some(position), Some(node)) = (position, node) {
                    cards.insert(At { position, node }, card);
                }
            }
        }
        cards.retain(|at, _| nodes.contains(at));
        cards
    }

    /// Returns the past of files, by position and path. What has none, or cannot be asked for it, is left out.
    pub(crate) async fn history(
        &self,
        plan: &mut Plan,
        files: &BTreeSet<(usize, String)>,
    ) -> BTreeMap<(usize, String), v1::FileHistory> {
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
        let (answered, mut shortfalls) =
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
        // The past is an extra: who cannot tell it has still answered the rest.
        let mut partial = Shortfalls::default();
        shortfalls.iter().for_each(|(position, _, reason)| partial.note(position, ShardState::Partial, reason));
        plan.fall_short(partial);
        found
    }
}

fn by_position(nodes: &BTreeSet<At>) -> BTreeMap<usize, Vec<u32>> {
    let mut by_position: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    nodes.iter().for_each(|at| by_position.entry(at.position).or_default().push(at.node));
    by_position
}

/// Groups repositories by the worker that serves them; those that have fallen short are asked nothing more.
pub(crate) fn groups(plan: &Plan, positions: impl Iterator<Item = usize>) -> Vec<Group> {
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
