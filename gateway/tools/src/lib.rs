//! The MCP tools: name, description, arguments and answer of each.
//!
//! [`ALL`] lists the tools. A tool is one function from a call and its JSON arguments to a rendered answer, and
//! [`invoke()`] runs one by name. Each tool has a file or a folder. The other files are shared by the tools: arguments
//! and schemas, paging and packing, rendering, answer metadata, and the memory of agent feedback.
//!
//! The crate knows no transport: it takes JSON and returns JSON or text.
//!
//! ```
//! let tool = tools::find("get_impact")?;
//! assert!(tool.input["properties"].get("target").is_some());
//! assert!(tools::find("grep").is_err());
//! # Ok::<(), federation::refusal::Refusal>(())
//! ```

#![warn(missing_docs)]

use std::sync::LazyLock;

use futures::future::BoxFuture;
use serde_json::Value;

use federation::{
    directory::DraftReads,
    refusal::{Refusal, quoted},
};

pub mod tool_call;

pub mod arguments;
mod filters;
mod limits;
mod may_miss;
pub mod schema;

pub mod cursor;
pub mod memory;
mod mermaid;
mod meta;
mod on_partial;
mod pack;
pub mod progress;
pub mod queried_repos;
pub mod render;
mod seen;
mod single_flight;

mod get_answer;
mod get_context;
mod get_file_context;
mod get_impact;
pub mod get_overview;
mod get_ranked_context;
mod get_risk;
mod get_symbol;
mod list_repos;
mod search_codebase;
mod search_symbols;

mod invoke;

pub use invoke::{Invocation, invoke};
pub use tool_call::{ToolCall, Toolbox};

use render::RenderedAnswer;
use schema::JsonObject;

/// Every tool, in the order of names.
pub static ALL: LazyLock<Vec<Tool>> = LazyLock::new(|| {
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
pub struct Tool {
    /// The MCP name, unique among the tools.
    pub name: &'static str,
    /// The name that clients show to people.
    pub title: &'static str,
    /// Tells when to use the tool, in less than 2 KB: clients cut longer descriptions.
    pub description: &'static str,
    /// Schema of the arguments.
    pub input: JsonObject,
    /// Set only if every answer of the tool is JSON.
    pub output: Option<JsonObject>,
    /// Answers one call, given its JSON arguments.
    pub run: Run,
}

impl Tool {
    /// Returns what a call reads of drafts, if it can: text, names and vectors, and the uses of definitions before the edits. Pages and edges
    /// depend on the whole repository.
    fn reads_drafts(&self, arguments: &Value) -> Option<DraftReads> {
        // Arguments are found in any notation.
        let has = |argument: &str| {
            let mut fields = arguments.as_object().into_iter().flatten();
            fields.any(|(name, value)| arguments::fold(name) == arguments::fold(argument) && !value.is_null())
        };
        match self.name {
            search_symbols::NAME => Some(DraftReads::Texts),
            search_codebase::NAME if !has("page_type") => Some(DraftReads::Texts),
            get_file_context::NAME => Some(DraftReads::TextsAndUses),
            get_symbol::NAME if !has("depth") => Some(DraftReads::TextsAndUses),
            _ => None,
        }
    }
}

/// A function that answers a call, given its JSON arguments.
pub type Run = for<'a> fn(&'a ToolCall<'a>, Value) -> BoxFuture<'a, Result<RenderedAnswer, Refusal>>;

/// The result of a tool call, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// JSON, Markdown or plain text; for an error, its message.
    pub text: String,
    /// The same content as `text`, if it is JSON.
    pub structured: Option<Value>,
    /// True if the text is an error instead of an answer.
    pub is_error: bool,
}

impl ToolResult {
    /// Creates an error with this message.
    pub fn error(text: impl Into<String>) -> ToolResult {
        ToolResult { text: text.into(), structured: None, is_error: true }
    }
}

/// Returns the tool with this name, or an error that lists the known tools.
pub fn find(name: &str) -> Result<&'static Tool, Refusal> {
    ALL.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|tool| tool.name).collect();
        Refusal::new(format!("no tool {}; known tools: {}", quoted(name), known.join(", ")))
    })
}

/// Returns the schema of the arguments of the tool with this name.
pub fn schema_of(name: &str) -> &'static JsonObject {
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

    /// Every notation of an argument counts that the parser of arguments accepts.
    #[test]
    fn pages_and_edges_are_not_of_drafts_in_any_notation() {
        let cases: &[(&str, &str, bool)] = &[
            (search_codebase::NAME, "page_type", false),
            (search_codebase::NAME, "pageType", false),
            (search_codebase::NAME, "PageType", false),
            (search_codebase::NAME, "page-type", false),
            (search_codebase::NAME, "PAGE_TYPE", false),
            (search_codebase::NAME, "page", true),
            (search_codebase::NAME, "depth", true),
            (get_symbol::NAME, "depth", false),
            (get_symbol::NAME, "Depth", false),
            (get_symbol::NAME, "DEPTH", false),
            (get_symbol::NAME, "dep_th", false),
            (get_symbol::NAME, "depths", true),
            (get_symbol::NAME, "page_type", true),
        ];
        for &(tool, argument, reads_drafts) in cases {
            let found = find(tool).unwrap();
            let reads = |value: Value| found.reads_drafts(&serde_json::json!({ argument: value })).is_some();
            assert_eq!(reads(Value::from(1)), reads_drafts, "{tool}: {argument}");
            assert!(reads(Value::Null), "{tool}: {argument} that is null is not set");
        }
        // The parser of arguments takes the same notations for the argument.
        for &(tool, argument, reads_drafts) in cases.iter().filter(|case| !case.2) {
            let properties = schema_of(tool)["properties"].as_object().unwrap();
            let known = properties.keys().find(|known| arguments::fold(known) == arguments::fold(argument));
            assert!(known.is_some(), "{tool}: {argument} {reads_drafts}");
        }
        assert!(find("get_overview").unwrap().reads_drafts(&Value::Null).is_none());
    }

    #[test]
    fn the_error_for_an_unknown_tool_lists_the_known_ones() {
        let refusal = find("grep").map(|tool| tool.name).unwrap_err();
        assert!(refusal.to_string().contains("search_codebase, search_symbols"), "{refusal}");
    }
}
