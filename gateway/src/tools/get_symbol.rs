//! `get_symbol`: the source of one definition, or of a range of lines.

mod callees;
mod find;
mod render;

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Tool;
use crate::{
    arguments,
    call::Call,
    limits::{clamp, token_budget},
    plan::Plan,
    refusal::Refusal,
    render::{Format, Rendered},
    schema,
};

use super::get_file_context::files;
use find::{Found, Spot, find, not_found};

const NAME: &str = "get_symbol";

const MAX_CONTEXT_LINES: usize = 50;

/// Calls further away than this say little of the definition itself.
const MAX_DEPTH: usize = 3;

/// Candidates of an ambiguous id that are listed.
const MAX_CANDIDATES: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// path::Name, path::Type.method, Type.method, a bare name, or path:10-60; `alias//` or `alias:` before it names a
    /// repository.
    symbol_id: String,
    /// Lines shown before and after, 0 to 50. Default 0.
    context_lines: Option<i64>,
    /// Bodies of what it calls too, up to 3 calls away. Default 0.
    depth: Option<i64>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
    /// Default: the one that has it.
    repo: Option<String>,
    /// Default json.
    format: Option<Format>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Read a definition",
        description: "Returns the source of one definition with line numbers, signature and documentation; or a \
                      range of lines (`path:10-60`). Takes the ids that other tools return; one that several \
                      definitions answer to lists them.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (understood.arguments, Vec::new());
    let options = Options {
        context_lines: clamp("context_lines", arguments.context_lines, 0, 0..=MAX_CONTEXT_LINES, &mut notes) as u32,
        depth: clamp("depth", arguments.depth, 0, 0..=MAX_DEPTH, &mut notes),
        token_budget: token_budget(arguments.token_budget, &mut notes)?,
        format: arguments.format.unwrap_or(Format::Json),
        ignored: understood.ignored,
        notes,
    };
    let (alias, id) = call.visible.split_prefix(arguments.symbol_id.trim())?;
    let mut plan = call.visible.plan(alias.or(arguments.repo.as_deref()))?;

    let found = find(call, &mut plan, id).await;
    match found {
        Found::One(spot) => {
            let fetched = call.fetch(&mut plan, &[spot.wanted(options.context_lines)]).await.pop().flatten();
            match fetched {
                Some(fetched) => {
                    let callees = callees::callees(call, &mut plan, &spot, &options).await;
                    Ok(render::render(call, &plan, &spot, &fetched, &callees, options))
                }
                None => Err(unreadable(call, &mut plan, &spot).await),
            }
        }
        Found::Several { candidates, total } => Ok(render::render_ambiguous(call, &plan, candidates, total, options)),
        Found::Nothing => Err(not_found(call, &mut plan, id).await),
    }
}

struct Options {
    depth: usize,
    context_lines: u32,
    token_budget: usize,
    format: Format,
    ignored: Vec<String>,
    notes: Vec<String>,
}

async fn unreadable(call: &Call<'_>, plan: &mut Plan, spot: &Spot) -> Refusal {
    let shown = format!("{}:{}", plan.alias(spot.position), text::sanitise_name(&spot.path));
    let reason = plan.shortfalls.iter().find(|(position, ..)| *position == spot.position);
    let outlines = match reason {
        Some((_, state, reason)) => {
            let advice = if state.is_retryable() { "try again" } else { "get_file_context shows its outline" };
            return Refusal::new(format!("{shown} could not be read: {}: {reason}; {advice}", state.name()));
        }
        None => call.outline(plan, &spot.path, 1).await,
    };
    let file = files(plan, outlines).into_iter().find(|file| file.position == spot.position && file.path == spot.path);
    let line = spot.lines.start;
    let why_not = file.map_or_else(|| format!("has no line {line}"), |file| file.why_not(line));
    Refusal::new(format!("{shown} {why_not}; get_file_context tells what is known of it"))
}
