//! Tasks, agents and their feedback, where a request carries them.

use std::collections::BTreeMap;

use proto::v1;

use super::{
    feedback::{agent, owner},
    item::Item,
    request::Arguments,
};
use crate::{
    call::Call,
    memory::boost,
    nodes::At,
    plan::Plan,
    refusal::{Refusal, quoted},
    walk::rank::Ranked,
};

/// Takes note of task, agent and feedback where the request carries them, and lets the order follow; returns the other
/// agents that asked for the same.
pub(super) fn remember(
    call: &Call<'_>,
    plan: &Plan,
    arguments: &Arguments,
    cards: &BTreeMap<At, v1::NodeCard>,
    root: At,
    ranked: &mut [Ranked],
) -> Result<Vec<String>, Refusal> {
    let (task, agent) = (owner(call, "task_id", arguments.task_id.as_deref())?, agent(call, arguments)?);
    let Some(card) = cards.get(&root).filter(|_| task.is_some() || agent.is_some()) else { return Ok(Vec::new()) };
    let (memory, id) = (&call.core.memory, Item::of(plan, root, card).id);
    let of_task = task.map(|task| memory.work_on(task, &id)).unwrap_or_default();
    if let (Some(agent), Some(is_helpful)) = (&agent, arguments.helpful) {
        memory.vote(agent.clone(), &id, is_helpful);
    }
    let votes = agent.as_ref().map(|agent| memory.votes(agent)).unwrap_or_default();
    for ranked in ranked.iter_mut() {
        if let Some(card) = cards.get(&ranked.at) {
            ranked.relevance *= boost(&Item::of(plan, ranked.at, card).id, &of_task, &votes);
        }
    }
    ranked.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.at.cmp(&b.at)));
    let peers = agent.map(|agent| memory.ask(&agent, &id)).unwrap_or_default();
    Ok(peers.iter().map(|peer| quoted(peer)).collect())
}
