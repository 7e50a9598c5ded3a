//! Conversion of resources and prompts to the results of the MCP SDK.

use rmcp::{
    ErrorData,
    model::{
        CacheScope, GetPromptResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, Prompt,
        PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
    },
};

use super::LISTS_TTL_MS;
use crate::{
    prompts,
    resources::{MARKDOWN, OVERVIEW_TEMPLATE, ResourceContent, ResourceListing},
};
use federation::refusal::Refusal;

/// Cache lifetime of a resource and of their list in milliseconds. Repositories are added and reindexed within seconds.
const RESOURCES_TTL_MS: u64 = 10_000;

pub(super) fn resources((page, next): (Vec<ResourceListing>, Option<String>)) -> ListResourcesResult {
    let resource = |listed: ResourceListing| {
        Resource::new(listed.uri, listed.name)
            .with_title(listed.title)
            .with_description(listed.description)
            .with_mime_type(listed.mime_type)
    };
    let mut result = ListResourcesResult::with_all_items(page.into_iter().map(resource).collect());
    result.next_cursor = next;
    result.with_ttl_ms(RESOURCES_TTL_MS).with_cache_scope(CacheScope::Private)
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let overview = ResourceTemplate::new(OVERVIEW_TEMPLATE, "overview")
        .with_title("Overview of a repository")
        .with_description("Purpose and parts of the repository with this alias, and its links to other repositories.")
        .with_mime_type(MARKDOWN);
    let result = ListResourceTemplatesResult::with_all_items(vec![overview]);
    result.with_ttl_ms(LISTS_TTL_MS).with_cache_scope(CacheScope::Private)
}

/// Converts a resource. A missing resource and one that the caller cannot read give the same error.
pub(super) fn contents(uri: String, content: Option<ResourceContent>) -> Result<ReadResourceResult, ErrorData> {
    let Some(ResourceContent { text, mime_type }) = content else {
        let message = "no such resource; resources/list lists the available ones";
        return Err(ErrorData::resource_not_found(message, Some(serde_json::json!({"uri": uri}))));
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(mime_type);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(RESOURCES_TTL_MS).with_cache_scope(CacheScope::Private))
}

pub(super) fn prompts() -> ListPromptsResult {
    let prompt = |prompt: &prompts::PromptTemplate| {
        let argument = |argument: &prompts::TemplateArgument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.is_required)
        };
        let arguments = prompt.arguments.iter().map(argument).collect();
        Prompt::new(prompt.name, Some(prompt.description), Some(arguments)).with_title(prompt.title)
    };
    let result = ListPromptsResult::with_all_items(prompts::ALL.iter().map(prompt).collect());
    result.with_ttl_ms(LISTS_TTL_MS).with_cache_scope(CacheScope::Private)
}

pub(super) fn messages(prompt: &prompts::PromptTemplate, text: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(prompt.description)
}

/// Converts a refusal to a protocol error, for requests whose result cannot carry an error.
pub(super) fn invalid(refusal: Refusal) -> ErrorData {
    ErrorData::invalid_params(refusal.to_string(), None)
}
