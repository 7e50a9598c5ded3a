//! The tools: what each is called, what it takes, and how it answers.

use std::sync::LazyLock;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{call::Call, render::Rendered, schema::JsonObject};

pub(crate) mod filters;
pub(crate) mod get_file_context;
pub(crate) mod get_symbol;
pub(crate) mod list_repos;
pub(crate) mod search_codebase;
pub(crate) mod search_symbols;

/// Every tool, in the order of names.
pub(crate) static ALL: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        get_file_context::tool(),
        get_symbol::tool(),
        list_repos::tool(),
        search_codebase::tool(),
        search_symbols::tool(),
    ]
});

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// When to use it, in less than 2 KB: longer descriptions are cut by clients.
    pub(crate) description: &'static str,
    pub(crate) input: JsonObject,
    /// Only where every answer is JSON.
    pub(crate) output: Option<JsonObject>,
    pub(crate) run: Run,
}

pub(crate) type Run = for<'a> fn(&'a Call<'a>, Value) -> BoxFuture<'a, Result<Rendered, Refusal>>;

/// What a tool answered, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    pub text: String,
    /// The same as `text`, if that is JSON.
    pub structured: Option<Value>,
    pub is_error: bool,
}

impl ToolResult {
    pub(crate) fn error(text: impl Into<String>) -> ToolResult {
        ToolResult { text: text.into(), structured: None, is_error: true }
    }
}

/// Why a request cannot be answered as it is, and what to ask instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }
}

/// Returns the tool with this name, or the error that lists those there are.
pub(crate) fn find(name: &str) -> Result<&'static Tool, Refusal> {
    ALL.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|tool| tool.name).collect();
        Refusal::new(format!("no tool `{}`; known are: {}", text::sanitise_name(name), known.join(", ")))
    })
}

/// Returns the schema of the arguments of the tool with this name.
pub(crate) fn schema_of(name: &str) -> &'static JsonObject {
    &ALL.iter().find(|tool| tool.name == name).expect("tools ask for their own schema").input
}

/// Returns a number within bounds, and a note if it was not.
pub(crate) fn clamp(
    name: &str,
    given: Option<i64>,
    default: usize,
    bounds: std::ops::RangeInclusive<usize>,
    notes: &mut Vec<String>,
) -> usize {
    let Some(given) = given else { return default };
    let (least, most) = (*bounds.start(), *bounds.end());
    let clamped = usize::try_from(given).unwrap_or(least).clamp(least, most);
    if i64::try_from(clamped) != Ok(given) {
        notes.push(format!("`{name}` is from {least} to {most}: {clamped} was used, not {given}"));
    }
    clamped
}

/// The least token budget that an answer with its footing fits in.
pub(crate) const MIN_TOKEN_BUDGET: usize = 100;

/// The default token budget: enough for a long function, a sixth of what clients let through.
pub(crate) const DEFAULT_TOKEN_BUDGET: usize = 4_000;

/// The largest token budget that makes sense: what common clients let through.
pub(crate) const MAX_TOKEN_BUDGET: usize = 25_000;

/// Returns a token budget, which is refused where it holds nothing.
pub(crate) fn token_budget(given: Option<i64>, notes: &mut Vec<String>) -> Result<usize, Refusal> {
    if given.is_some_and(|given| given < MIN_TOKEN_BUDGET as i64) {
        return Err(Refusal::new(format!(
            "`token_budget` is at least {MIN_TOKEN_BUDGET}: less holds no answer; leave it out for {DEFAULT_TOKEN_BUDGET}"
        )));
    }
    Ok(clamp("token_budget", given, DEFAULT_TOKEN_BUDGET, MIN_TOKEN_BUDGET..=MAX_TOKEN_BUDGET, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_clamped_with_a_note() {
        for (given, expected, n_notes) in
            [(None, 5, 0), (Some(7), 7, 0), (Some(0), 1, 1), (Some(-3), 1, 1), (Some(10_000), 100, 1)]
        {
            let mut notes = Vec::new();
            assert_eq!(clamp("limit", given, 5, 1..=100, &mut notes), expected);
            assert_eq!(notes.len(), n_notes, "{given:?} {notes:?}");
        }
    }

    #[test]
    fn descriptions_fit_and_tools_are_in_order() {
        assert!(ALL.is_sorted_by_key(|tool| tool.name));
        for tool in ALL.iter() {
            assert!(tool.description.len() < 2_048, "{}", tool.name);
        }
    }

    #[test]
    fn an_unknown_tool_is_told_the_known_ones() {
        let refusal = find("grep").map(|tool| tool.name).unwrap_err();
        assert!(refusal.to_string().contains("search_codebase, search_symbols"), "{refusal}");
    }
}
