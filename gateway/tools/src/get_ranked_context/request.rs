//! The validated request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::NAME;
use crate::{arguments, limits::named_token_budget, render::Format, schema_of, seen::SeenCode};
use federation::refusal::Refusal;

/// Maximum number of characters to read of a query: far more than its terms need.
const MAX_QUERY_CHARS: usize = 16_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetRankedContextArguments {
    /// A question or words.
    query: String,
    /// At least 100. Default 4000.
    #[serde(rename = "tokenBudget")]
    token_budget: Option<i64>,
    strategy: Option<Strategy>,
    /// Corrects typos. Default true.
    fuzzy: Option<bool>,
    #[serde(rename = "searchMode")]
    search_mode: Option<SearchMode>,
    /// Default all.
    repo: Option<String>,
    /// Default json.
    format: Option<Format>,
    seen: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Strategy {
    Combined,
    Dependency,
    Importance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SearchMode {
    Fts,
    Legacy,
}

/// A validated request.
pub(super) struct RankedContextRequest {
    /// Cut to its maximum length.
    pub(super) query: String,
    pub(super) token_budget: usize,
    pub(super) strategy: Strategy,
    pub(super) fuzzy: bool,
    pub(super) mode: SearchMode,
    pub(super) repo: Option<String>,
    pub(super) format: Format,
    pub(super) seen: SeenCode,
    pub(super) ignored: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl RankedContextRequest {
    pub(super) fn read(arguments: Value) -> Result<RankedContextRequest, Refusal> {
        let parsed = arguments::read::<GetRankedContextArguments>(schema_of(NAME), arguments)?;
        let (arguments, mut notes) = (parsed.arguments, Vec::new());
        let query: String = arguments.query.chars().take(MAX_QUERY_CHARS).collect();
        if !query.chars().any(char::is_alphanumeric) {
            return Err(Refusal::new(
                "`query` has nothing to search for: ask a question, such as {\"query\": \"how are requests retried\"}; \
                 list_repos lists the repositories",
            ));
        }
        if query.len() < arguments.query.len() {
            notes.push("the query is very long: only its beginning was used".to_owned());
        }
        let strategy = arguments.strategy.unwrap_or(Strategy::Combined);
        let asked_mode = arguments.search_mode.unwrap_or(SearchMode::Fts);
        let mode = if strategy == Strategy::Importance { SearchMode::Legacy } else { asked_mode };
        if arguments.search_mode.is_some_and(|asked| asked != mode) {
            notes.push("`searchMode` was ignored: strategy importance always matches parts of names".to_owned());
        }
        Ok(RankedContextRequest {
            query,
            token_budget: named_token_budget("tokenBudget", arguments.token_budget, &mut notes)?,
            strategy,
            fuzzy: arguments.fuzzy.unwrap_or(true),
            mode,
            repo: arguments.repo,
            format: arguments.format.unwrap_or(Format::Json),
            seen: SeenCode::new(arguments.seen),
            ignored: parsed.ignored,
            notes,
        })
    }
}
