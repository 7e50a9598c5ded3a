//! `feedback`: what an agent said of entities, listed or cleared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::Arguments;
use crate::{
    call::Call,
    memory::Owner,
    meta::{Extent, Meta, Remarks},
    refusal::Refusal,
    render::Rendered,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Feedback {
    List,
    Clear,
}

#[derive(Debug, Serialize)]
struct Answer {
    agent_id: String,
    feedback: Vec<Vote>,
    cleared: bool,
    /// Whether it outlives the gateway.
    kept: &'static str,
    _meta: Meta,
}

#[derive(Debug, Serialize)]
struct Vote {
    entity: String,
    /// Helpful minus unhelpful, from -3 to 3.
    votes: i32,
}

pub(super) fn answer(
    call: &Call<'_>,
    arguments: &Arguments,
    feedback: Feedback,
    ignored_arguments: Vec<String>,
) -> Result<Rendered, Refusal> {
    let agent =
        agent(call, arguments)?.ok_or_else(|| Refusal::new("`feedback` is that of an agent: give its `agent_id`"))?;
    let memory = &call.core.memory;
    if feedback == Feedback::Clear {
        memory.clear_votes(&agent);
    }
    let votes = memory.votes(&agent).into_iter().map(|(entity, votes)| Vote { entity, votes }).collect();
    let plan = call.visible.plan_for(Vec::new(), false);
    let remarks = Remarks { hint: None, extent: Extent::default(), ignored_arguments, notes: Vec::new() };
    let _meta = Meta::new(call, &plan, [], remarks);
    let agent_id = crate::refusal::quoted(&agent.1);
    let kept = if memory.is_on_disk() { "on disk" } else { "in memory, until the gateway stops" };
    let cleared = feedback == Feedback::Clear;
    Ok(Rendered::json(&Answer { agent_id, feedback: votes, cleared, kept, _meta }, &plan))
}

/// Returns the agent that asks, if it says who it is.
pub(super) fn agent(call: &Call<'_>, arguments: &Arguments) -> Result<Option<Owner>, Refusal> {
    let agent = owner(call, "agent_id", arguments.agent_id.as_deref())?;
    if arguments.helpful.is_some() && agent.is_none() {
        return Err(Refusal::new("`helpful` is the feedback of an agent: give its `agent_id` too"));
    }
    Ok(agent)
}

/// Returns the name of a task or agent together with whose it is.
pub(super) fn owner(call: &Call<'_>, argument: &str, name: Option<&str>) -> Result<Option<Owner>, Refusal> {
    /// Longer names are not remembered.
    const MAX_BYTES: usize = 200;
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
    if name.len() > MAX_BYTES {
        return Err(Refusal::new(format!("`{argument}` takes at most {MAX_BYTES} bytes")));
    }
    Ok(Some((call.principal.name().to_owned(), name.to_owned())))
}
