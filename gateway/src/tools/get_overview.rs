//! `get_overview`: what a repository is, or how several hang together.

mod entry;
mod layout;
mod links;
mod map;
mod one;
mod sections;

use futures::FutureExt as _;
use model::ShardState;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Tool;
use crate::{
    arguments,
    call::Call,
    limits::token_budget,
    overlay::Overlay,
    plan::{Plan, Shortfalls},
    refusal::Refusal,
    render::{Format, Rendered},
    schema,
};

pub(crate) const NAME: &str = "get_overview";

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// Aliases, or all (default).
    repo: Option<String>,
    /// Default json.
    format: Option<Format>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
}

/// What both kinds of overview are asked with.
struct Options {
    format: Format,
    token_budget: usize,
    ignored: Vec<String>,
    notes: Vec<String>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Explain a repository, or how all hang together",
        description: "One repository: purpose, languages, modules with owners, entry points, hotspots, communities, \
                      dependencies, people. Several or all: the system map, with the links between repositories and \
                      their evidence. Use it before working in what you do not know.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (understood.arguments, Vec::new());
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let format = arguments.format.unwrap_or(Format::Json);
    let mut plan = call.visible.plan(arguments.repo.as_deref())?;
    let options = Options { format, token_budget, ignored: understood.ignored, notes };
    let overlay = call.overlay().await;
    // Whoever says `all` wants the map, however little there is on it.
    let names_one = arguments.repo.as_deref().is_none_or(|repo| call.visible.position(repo.trim()).is_ok());
    match plan.asked.as_slice() {
        [position] if names_one => {
            let position = *position;
            one::answer(call, &mut plan, &overlay, position, options).await
        }
        _ => map::answer(call, &mut plan, &overlay, options).await,
    }
}

/// Takes note of the repositories asked whose links are not known.
fn note_missing_links(plan: &mut Plan, overlay: &Overlay) {
    let mut partial = Shortfalls::default();
    for (position, (_, reason)) in overlay.missing.iter().filter(|(position, _)| plan.asked.contains(position)) {
        partial.note(*position, ShardState::Partial, format!("its links to others are not known: {reason}"));
    }
    plan.fall_short(partial);
}
