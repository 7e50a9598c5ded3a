//! The entry point: runs a tool by name.

use std::time::Duration;

use federation::{principal::Principal, refusal::Refusal};
use model::ShardState;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    ToolCall, Toolbox, find, meta, on_partial::OnPartial, progress::Progress, queried_repos::QueriedRepos,
    render::RenderedAnswer,
};

/// Maximum delay between the publication of a generation and the inventory that announces it.
const PUBLICATION_LAG: Duration = Duration::from_millis(100);

/// A request for one call of a tool.
pub struct Invocation<'a> {
    /// The caller.
    pub principal: &'a Principal,
    /// The name of a tool, which need not exist.
    pub tool: &'a str,
    /// Arguments by name, and `on_partial`.
    pub arguments: Value,
    /// The id of the call's trace, for the metadata of the answer.
    pub trace_id: &'a str,
    /// When the request came in; deadlines count from here.
    pub started: Instant,
    /// Receives the number of characters written so far.
    pub progress: &'a Progress,
}

/// An answer, and the facts that operators record about it.
#[derive(Debug)]
pub struct InvocationOutcome {
    /// The answer, or the error that the caller prefers to an incomplete one.
    pub answer: Result<RenderedAnswer, Refusal>,
    pub is_complete: bool,
    /// The state of each repository that did not answer fully.
    pub shortfalls: Vec<ShardState>,
    pub queried: QueriedRepos,
}

/// Runs a tool. Refuses a request that cannot be answered.
pub async fn invoke(toolbox: &Toolbox, invocation: Invocation<'_>) -> Result<InvocationOutcome, Refusal> {
    let Invocation { principal, tool, mut arguments, trace_id, started, progress } = invocation;
    let tool = find(tool)?;
    let on_partial = OnPartial::take(&mut arguments)?;
    let call = ToolCall::new(toolbox, principal, started, progress.clone());
    let mut answered = (tool.run)(&call, arguments.clone()).await;
    // A generation may have replaced the requested one meanwhile; the second attempt reads the new one.
    let is_stale = answered.as_ref().is_ok_and(|rendered| rendered.shortfalls.contains(&ShardState::Stale));
    let directory = &call.context.visible.directory;
    if is_stale && toolbox.federation.workers.wait_for_change(directory, PUBLICATION_LAG).await {
        let call = ToolCall::new(toolbox, principal, started, progress.clone());
        answered = (tool.run)(&call, arguments).await;
    }
    let rendered = meta::stamp(answered?, started.elapsed(), trace_id);
    Ok(InvocationOutcome {
        is_complete: rendered.is_complete,
        shortfalls: rendered.shortfalls.clone(),
        queried: rendered.queried.clone(),
        answer: on_partial.apply(rendered),
    })
}
