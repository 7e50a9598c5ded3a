//! `get_overview`: the overview of one repository, or the system map of several.

mod dangling;
mod entry;
mod layout;
mod links;
mod map_chart;
mod repository;
mod sections;
mod system_map;
mod versions;

use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Tool;
use crate::{
    arguments,
    limits::token_budget,
    render::{Format, RenderedAnswer},
    schema,
};
use federation::{call::CallContext, refusal::Refusal};

/// The MCP name, by which resources are rendered, too.
pub const NAME: &str = "get_overview";

#[derive(Debug, Deserialize, JsonSchema)]
struct GetOverviewArguments {
    /// Aliases, or all (default).
    repo: Option<String>,
    /// Default json.
    format: Option<OverviewFormat>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
}

/// The output format of an overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OverviewFormat {
    Json,
    Compact,
    Mermaid,
}

/// The options of all kinds of overview.
struct OverviewOptions {
    /// The format of an overview that is no chart.
    format: Format,
    token_budget: usize,
    ignored: Vec<String>,
    notes: Vec<String>,
}

/// Returns the definition of the tool.
pub fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Describe a repository, or the whole system",
        description: "One repository: purpose, languages, modules with owners, entry points, hotspots, communities, \
                      dependencies, people. Several or all: the system map, with the links between repositories and \
                      their evidence. Use it before working on unfamiliar code.",
        input: schema::of_arguments::<GetOverviewArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<GetOverviewArguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (parsed.arguments, Vec::new());
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let format = arguments.format.unwrap_or(OverviewFormat::Json);
    let plan = call.visible.plan(arguments.repo.as_deref())?;
    let text_format = if format == OverviewFormat::Compact { Format::Compact } else { Format::Json };
    let options = OverviewOptions { format: text_format, token_budget, ignored: parsed.ignored, notes };
    let overlay = call.overlay().await;
    // A request for `all` gets the map, even if it has one repository.
    let is_single = arguments.repo.as_deref().is_none_or(|repo| call.visible.repo_idx(repo.trim()).is_ok());
    match plan.asked.as_slice() {
        _ if format == OverviewFormat::Mermaid => Ok(map_chart::answer(call, &plan, &overlay, is_single, options)),
        [repo_idx] if is_single => {
            let repo_idx = *repo_idx;
            repository::answer(call, &plan, &overlay, repo_idx, options).await
        }
        _ => system_map::answer(call, &plan, &overlay, options).await,
    }
}
