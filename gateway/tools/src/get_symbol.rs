//! `get_symbol`: the source of one definition, or of a range of lines.

mod callees;
mod find;
mod render;

use std::collections::BTreeSet;

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Tool;
use crate::{
    arguments,
    get_context::used_by::UsedBy,
    limits::{clamp, token_budget},
    may_miss::MayMiss,
    render::{Format, RenderedAnswer},
    schema,
    seen::SeenCode,
};
use federation::{answer::Answer, call::CallContext, nodes::NodeRef, plan::Plan, refusal::Refusal};

use federation::outline::files;
use find::{SymbolLocation, SymbolResolution, find, not_found};

pub(crate) const NAME: &str = "get_symbol";

const MAX_CONTEXT_LINES: usize = 50;

/// Maximum call depth: more distant callees say little about the definition.
const MAX_DEPTH: usize = 3;

/// Maximum number of listed candidates for an ambiguous id.
const MAX_CANDIDATES: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
struct GetSymbolArguments {
    /// path::Name, path::Type.method, Type.method, a bare name, or path:10-60; the prefix `alias//` or `alias:` selects a
    /// repository.
    symbol_id: String,
    /// Lines shown before and after, 0 to 50. Default 0.
    context_lines: Option<i64>,
    /// Also returns its callees, up to 3 calls away. Default 0.
    depth: Option<i64>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
    /// Default all.
    repo: Option<String>,
    /// Default json.
    format: Option<Format>,
    seen: Option<Vec<String>>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Read a definition",
        description: "Returns the source of one definition with line numbers, signature and documentation; or a \
                      range of lines (`path:10-60`). For an ambiguous id, lists the candidates.",
        input: schema::of_arguments::<GetSymbolArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<GetSymbolArguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (parsed.arguments, Vec::new());
    let options = SymbolOptions {
        context_lines: clamp("context_lines", arguments.context_lines, 0, 0..=MAX_CONTEXT_LINES, &mut notes) as u32,
        depth: clamp("depth", arguments.depth, 0, 0..=MAX_DEPTH, &mut notes),
        token_budget: token_budget(arguments.token_budget, &mut notes)?,
        format: arguments.format.unwrap_or(Format::Json),
        seen: SeenCode::new(arguments.seen),
        ignored: parsed.ignored,
        notes,
    };
    let (alias, id) = call.visible.split_prefix(arguments.symbol_id.trim())?;
    let plan = call.visible.plan(alias.or(arguments.repo.as_deref()))?;

    let found = find(call, &plan, id).await;
    let remaining = plan.without(&found.shortfalls);
    let location = match found.value {
        SymbolResolution::One(location) => location,
        SymbolResolution::Several { candidates, total } => {
            return Ok(render::render_ambiguous(&remaining, candidates, total, options));
        }
        SymbolResolution::Nothing => return Err(not_found(call, &remaining, id).await),
    };
    let mut fetched =
        call.fetch(&remaining, &[location.source_request(options.context_lines)]).await.after(found.shortfalls);
    let remaining = plan.without(&fetched.shortfalls);
    let Some(source) = fetched.value.pop().flatten() else {
        return Err(read_refusal(call, &remaining, &location).await);
    };
    let alias = plan.alias(location.repo_idx);
    let source = options.seen.replace(alias, &location.path, location.symbol.as_ref(), source);
    let callees = callees::callees(call, &remaining, &location, &options).await.after(fetched.shortfalls);
    let remaining = plan.without(&callees.shortfalls);
    let users = users(call, &remaining, &location).await.after(callees.shortfalls);
    let answered = plan.without(&users.shortfalls);
    Ok(render::render(&answered, &location, &source, &callees.value, users.value, options))
}

/// Returns the usage counts of a definition, and the uses that they may miss.
async fn users(
    call: &CallContext<'_>,
    plan: &Plan,
    location: &SymbolLocation,
) -> Answer<Option<(UsedBy, Option<MayMiss>)>> {
    let Some(symbol) = &location.symbol else { return Answer::complete(None) };
    // A definition that is new in a draft has no node, so that its users are unknown.
    let plan = &call.visible.with_generations_of(plan);
    let at = NodeRef { repo_idx: location.repo_idx, node: symbol.node };
    let overlay = call.overlay().await;
    let described = call.describe(plan, &BTreeSet::from([at])).await;
    let users = described
        .value
        .get(&at)
        .map(|card| (UsedBy::of(call, &overlay, at, card), MayMiss::of(plan, &overlay, at, card)));
    let unlinked = overlay.shortfalls(|repo_idx| plan.asked.contains(&repo_idx));
    Answer { value: users, shortfalls: described.shortfalls.and(&unlinked) }
}

struct SymbolOptions {
    depth: usize,
    context_lines: u32,
    token_budget: usize,
    format: Format,
    seen: SeenCode,
    ignored: Vec<String>,
    notes: Vec<String>,
}

async fn read_refusal(call: &CallContext<'_>, plan: &Plan, location: &SymbolLocation) -> Refusal {
    let shown = format!("{}:{}", plan.alias(location.repo_idx), location.path);
    let shown = text::quote_name(&shown).into_owned();
    let reason = plan.shortfalls.iter().find(|(repo_idx, ..)| *repo_idx == location.repo_idx);
    let outlines = match reason {
        Some((_, state, reason)) => {
            let advice = if state.is_retryable() { "try again" } else { "try get_file_context for its outline" };
            let reason = text::quote(reason);
            return Refusal::new(format!("{shown} could not be read: {}: {reason}; {advice}", state.name()));
        }
        None => call.outline(plan, &location.path, 1).await.value,
    };
    let file =
        files(plan, outlines).into_iter().find(|file| file.repo_idx == location.repo_idx && file.path == location.path);
    let line = location.lines.start;
    let problem = file.map_or_else(|| format!("has no line {line}"), |file| file.missing_line_reason(line));
    Refusal::new(format!("{shown} {problem}; get_file_context shows its outline"))
}
