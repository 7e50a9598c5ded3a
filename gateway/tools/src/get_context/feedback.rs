//! `feedback`: lists or clears the votes of an agent on entities.

use serde::Serialize;

use super::request::{Feedback, GetContextArguments};
use crate::{
    ToolCall,
    memory::Owner,
    meta::{AnswerExtent, Meta, Remarks},
    render::RenderedAnswer,
};
use federation::refusal::Refusal;

#[derive(Debug, Serialize)]
struct FeedbackAnswer {
    agent_id: String,
    feedback: Vec<Vote>,
    cleared: bool,
    /// True if the feedback survives a restart of the gateway.
    kept: &'static str,
    _meta: Meta,
}

#[derive(Debug, Serialize)]
struct Vote {
    entity: String,
    /// Helpful minus unhelpful votes, from -3 to 3.
    votes: i32,
}

pub(super) fn answer(
    call: &ToolCall<'_>,
    arguments: &GetContextArguments,
    feedback: Feedback,
    ignored_arguments: Vec<String>,
) -> Result<RenderedAnswer, Refusal> {
    let agent = agent(call, arguments)?
        .ok_or_else(|| Refusal::new("`agent_id` is missing: `feedback` lists or clears the feedback of one agent"))?;
    let memory = &call.toolbox.memory;
    if feedback == Feedback::Clear {
        memory.clear_votes(&agent);
    }
    let votes = memory.votes(&agent).into_iter().map(|(entity, votes)| Vote { entity, votes }).collect();
    let plan = call.context.visible.plan_for(Vec::new(), false);
    let remarks = Remarks {
        hint: None,
        extent: AnswerExtent::default(),
        ignored_arguments,
        notes: Vec::new(),
        ..Remarks::default()
    };
    let _meta = Meta::new(&plan, [], remarks);
    let agent_id = federation::refusal::echo(&agent.1);
    let kept = if memory.is_on_disk() { "on disk" } else { "in memory, until the gateway stops" };
    let cleared = feedback == Feedback::Clear;
    Ok(RenderedAnswer::json(&FeedbackAnswer { agent_id, feedback: votes, cleared, kept, _meta }, &plan))
}

/// Returns the agent of the request, if it names one.
pub(super) fn agent(call: &ToolCall<'_>, arguments: &GetContextArguments) -> Result<Option<Owner>, Refusal> {
    let agent = owner(call, "agent_id", arguments.agent_id.as_deref())?;
    if arguments.helpful.is_some() && agent.is_none() {
        return Err(Refusal::new("`agent_id` is missing: `helpful` is the feedback of one agent"));
    }
    Ok(agent)
}

/// Returns the name of a task or agent together with its principal.
pub(super) fn owner(call: &ToolCall<'_>, argument: &str, name: Option<&str>) -> Result<Option<Owner>, Refusal> {
    /// Maximum length of a name; longer ones are refused.
    const MAX_BYTES: usize = 200;
    let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(None) };
    if name.len() > MAX_BYTES {
        return Err(Refusal::new(format!("`{argument}` takes at most {MAX_BYTES} bytes")));
    }
    Ok(Some((call.context.principal.name().to_owned(), name.to_owned())))
}
