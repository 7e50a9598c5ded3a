//! The tools: what each is called, what it takes, and how it answers.

use std::sync::LazyLock;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    call::Call,
    refusal::{Refusal, quoted},
    render::Rendered,
    schema::JsonObject,
};

pub(crate) mod filters;
pub(crate) mod get_answer;
pub(crate) mod get_context;
pub(crate) mod get_file_context;
pub(crate) mod get_impact;
pub(crate) mod get_overview;
pub(crate) mod get_ranked_context;
pub(crate) mod get_risk;
pub(crate) mod get_symbol;
pub(crate) mod list_repos;
pub(crate) mod search_codebase;
pub(crate) mod search_symbols;

/// Every tool, in the order of names.
pub(crate) static ALL: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        get_answer::tool(),
        get_context::tool(),
        get_file_context::tool(),
        get_impact::tool(),
        get_overview::tool(),
        get_ranked_context::tool(),
        get_risk::tool(),
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

/// Returns the tool with this name, or the error that lists those there are.
pub(crate) fn find(name: &str) -> Result<&'static Tool, Refusal> {
    ALL.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|tool| tool.name).collect();
        Refusal::new(format!("no tool `{}`; known are: {}", quoted(name), known.join(", ")))
    })
}

/// Returns the schema of the arguments of the tool with this name.
pub(crate) fn schema_of(name: &str) -> &'static JsonObject {
    &ALL.iter().find(|tool| tool.name == name).expect("tools ask for their own schema").input
}

#[cfg(test)]
mod tests {
    use super::*;

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
