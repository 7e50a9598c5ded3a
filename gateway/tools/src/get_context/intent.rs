//! mode=intent: the context that a task needs of a target, in one answer.

use serde_json::json;

use super::{
    assembly::Assembly,
    context::assemble,
    request::{ContextOptions, GetContextArguments, required_argument},
};
use crate::{ToolCall, render::RenderedAnswer, search_codebase};
use federation::{call::CallContext, refusal::Refusal};

pub(super) async fn answer(
    tool_call: &ToolCall<'_>,
    arguments: GetContextArguments,
    ignored: Vec<String>,
) -> Result<RenderedAnswer, Refusal> {
    let call = &tool_call.context;
    let mut options = ContextOptions::new(tool_call, &arguments, ignored)?;
    let Some(intent) = options.intent else {
        return Err(Refusal::new(
            "`intent` is missing: mode=intent needs one of modify, understand, review, debug, add, plan",
        ));
    };
    let target = required_argument("intent", "target", &arguments.target)?;
    let assembly = Assembly::of(intent, arguments.detail_level);
    if !is_description(target) {
        return assemble(tool_call, &arguments, options, assembly, ("intent", "target", target)).await;
    }
    let Some(found) = best_hit(call, target, arguments.repo.as_deref()).await? else {
        return Err(Refusal::new(
            "`target`: no code matches these words; give a name or a path, or call search_codebase",
        ));
    };
    let shown = text::quote_name(&found);
    options
        .notes
        .push(format!("`target` was searched as words; {shown} is the best hit, search_codebase lists others"));
    assemble(tool_call, &arguments, options, assembly, ("intent", "target", &found)).await
}

/// Returns true if a target is a description rather than a name, a path or a route.
fn is_description(target: &str) -> bool {
    let mut words = target.split_whitespace();
    let is_route = words.nth(1).is_some_and(|second| second.starts_with('/'));
    target.split_whitespace().count() > 1 && !is_route
}

/// Returns the id of the first search result.
async fn best_hit(call: &CallContext<'_>, words: &str, repo: Option<&str>) -> Result<Option<String>, Refusal> {
    let arguments = json!({"query": words, "limit": 1, "repo": repo, "format": "json"});
    let found = search_codebase::answer(call, arguments).await?;
    let first = found.structured.as_ref().and_then(|answer| answer["results"].get(0));
    Ok(first.and_then(|hit| hit["page_id"].as_str()).map(str::to_owned).filter(|id: &String| !id.is_empty()))
}
