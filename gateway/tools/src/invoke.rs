//! The entry point: runs a tool by name.

use std::time::Duration;

use federation::{client_views::ClientViews, principal::Principal, refusal::Refusal};
use model::ShardState;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    ToolCall, Toolbox, find, meta, on_partial::OnPartial, progress::Progress, queried_repos::QueriedRepos,
    render::RenderedAnswer,
};

/// Maximum delay between the publication of a generation and the inventory that announces it.
const PUBLICATION_LAG: Duration = Duration::from_millis(100);

/// Maximum time that a call waits for files that were just saved. Then it is answered from the generation before, with a warning.
const EDIT_WAIT: Duration = Duration::from_millis(250);

/// A request for one call of a tool.
pub struct Invocation<'a> {
    /// The caller.
    pub principal: &'a Principal,
    /// The name of a tool, which need not exist.
    pub tool: &'a str,
    /// Arguments by name, and `on_partial`.
    pub arguments: Value,
    /// The views that the client works in. A view that an argument names takes precedence.
    pub views: &'a ClientViews,
    /// The id of the call's trace, for the metadata of the answer.
    pub trace_id: &'a str,
    /// When the request came in; deadlines count from here.
    pub started: Instant,
    /// Receives the number of characters written so far.
    pub progress: &'a Progress,
    /// Maximum wait for links that are being resolved.
    pub link_patience: Duration,
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
    let Invocation { principal, tool, mut arguments, views, trace_id, started, progress, link_patience } = invocation;
    let tool = find(tool)?;
    let on_partial = OnPartial::take(&mut arguments)?;
    ensure_views(toolbox, &arguments, views, principal, started, progress).await?;
    let reads_drafts = tool.reads_drafts(&arguments);
    let begin = || {
        let mut call = begin(toolbox, &arguments, views, principal, started, progress)?;
        if let Some(reads) = reads_drafts {
            call.context.visible = call.context.visible.with_drafts(reads);
        }
        call.context.link_patience = link_patience;
        Ok::<ToolCall<'_>, Refusal>(call)
    };
    let call = after_edits(toolbox, &arguments, begin).await?;
    let mut answered = (tool.run)(&call, arguments.clone()).await;
    // A generation may have replaced the requested one meanwhile; the second attempt reads the new one.
    let is_stale = answered.as_ref().is_ok_and(|rendered| rendered.shortfalls.contains(&ShardState::Stale));
    let directory = &call.context.visible.announced;
    if is_stale && toolbox.federation.workers.wait_for_change(directory, PUBLICATION_LAG).await {
        let call = begin()?;
        answered = (tool.run)(&call, arguments.clone()).await;
    }
    // A replica has the generation, though not the draft of the edit.
    if answered.as_ref().is_ok_and(|rendered| rendered.has_lost_draft) {
        let mut call = begin()?;
        call.context.visible = call.context.visible.without_drafts();
        let again = (tool.run)(&call, arguments.clone()).await;
        let n_shortfalls = |rendered: &RenderedAnswer| rendered.shortfalls.len();
        let is_better = match (&again, &answered) {
            (Ok(again), Ok(first)) => n_shortfalls(again) < n_shortfalls(first),
            _ => false,
        };
        if is_better {
            answered = again;
        }
    }
    let rendered = meta::fill_placeholders(answered?, started.elapsed(), trace_id);
    Ok(InvocationOutcome {
        is_complete: rendered.is_complete,
        shortfalls: rendered.shortfalls.clone(),
        queried: rendered.queried.clone(),
        answer: on_partial.apply(rendered),
    })
}

/// Has workers make the views at branches, tags and commits that the arguments name.
async fn ensure_views(
    toolbox: &Toolbox,
    arguments: &Value,
    views: &ClientViews,
    principal: &Principal,
    started: Instant,
    progress: &Progress,
) -> Result<(), Refusal> {
    let call = ToolCall::new(toolbox, principal, started, progress.clone());
    let texts: Vec<&str> = texts_in(arguments).into_iter().chain([views.names.as_str()]).collect();
    for view in call.context.requested_views(&texts) {
        call.context.ensure_view(&view).await?;
    }
    Ok(())
}

/// Begins a call, with each repository in the view that the arguments name.
fn begin<'a>(
    toolbox: &'a Toolbox,
    arguments: &Value,
    views: &ClientViews,
    principal: &'a Principal,
    started: Instant,
    progress: &Progress,
) -> Result<ToolCall<'a>, Refusal> {
    let mut call = ToolCall::new(toolbox, principal, started, progress.clone());
    let visible = call.context.visible.clone();
    call.context.visible = visible.with_named_views(&texts_in(arguments), views)?;
    Ok(call)
}

/// Begins a call once the generations of its repositories have the files that were saved before, or after a while.
async fn after_edits<'a>(
    toolbox: &Toolbox,
    arguments: &Value,
    begin: impl Fn() -> Result<ToolCall<'a>, Refusal>,
) -> Result<ToolCall<'a>, Refusal> {
    let repo = arguments.get("repo").and_then(Value::as_str);
    let latest = Instant::now() + EDIT_WAIT;
    loop {
        let call = begin()?;
        let remaining = latest.saturating_duration_since(Instant::now());
        let visible = &call.context.visible;
        if remaining.is_zero()
            || !visible.is_being_edited(repo)
            || !toolbox.federation.workers.wait_for_change(&visible.announced, remaining).await
        {
            return Ok(call);
        }
    }
}

/// Arguments of free text or of commits, which name no view.
const FREE_TEXTS: &[&str] = &["changes", "query", "question"];

/// Returns the texts among arguments that may name a view, with those in lists and objects.
fn texts_in(arguments: &Value) -> Vec<&str> {
    match arguments {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => {
            let named = fields.iter().filter(|(name, _)| !FREE_TEXTS.contains(&name.as_str()));
            named.flat_map(|(_, value)| texts_in(value)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
