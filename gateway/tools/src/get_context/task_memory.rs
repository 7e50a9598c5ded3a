//! Applies the memory of a task and an agent to a request that carries them.

use std::collections::BTreeMap;

use proto::v1;

use super::{
    feedback::{agent, owner},
    item::ContextItem,
    request::GetContextArguments,
};
use crate::{ToolCall, memory::boost};
use federation::{
    nodes::NodeRef,
    plan::Plan,
    refusal::{Refusal, echo},
    walk::rank::RankedNode,
};

/// The nodes of an answer, reordered by the memory of the task and the agent.
pub(super) struct RememberedRanking {
    pub(super) ranked: Vec<RankedNode>,
    /// Other agents that requested the same entity within the hour.
    pub(super) peers: Vec<String>,
}

/// Records the task, the agent and the feedback of a request, and reorders the nodes by them.
pub(super) fn apply_memory(
    call: &ToolCall<'_>,
    plan: &Plan,
    arguments: &GetContextArguments,
    cards: &BTreeMap<NodeRef, v1::NodeCard>,
    root: NodeRef,
    mut ranked: Vec<RankedNode>,
) -> Result<RememberedRanking, Refusal> {
    let (task, agent) = (owner(call, "task_id", arguments.task_id.as_deref())?, agent(call, arguments)?);
    let Some(card) = cards.get(&root).filter(|_| task.is_some() || agent.is_some()) else {
        return Ok(RememberedRanking { ranked, peers: Vec::new() });
    };
    let (memory, id) = (&call.toolbox.memory, ContextItem::of(plan, root, card).id);
    let task_entities = task.map(|task| memory.add_to_task(task, &id)).unwrap_or_default();
    if let (Some(agent), Some(is_helpful)) = (&agent, arguments.helpful) {
        memory.vote(agent.clone(), &id, is_helpful);
    }
    let votes = agent.as_ref().map(|agent| memory.votes(agent)).unwrap_or_default();
    for ranked in &mut ranked {
        if let Some(card) = cards.get(&ranked.at) {
            ranked.relevance *= boost(&ContextItem::of(plan, ranked.at, card).id, &task_entities, &votes);
        }
    }
    ranked.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.at.cmp(&b.at)));
    let peers = agent.map(|agent| memory.record_request(&agent, &id)).unwrap_or_default();
    Ok(RememberedRanking { ranked, peers: peers.iter().map(|peer| echo(peer)).collect() })
}
