//! MCP resources, which clients attach to a conversation: the list of repositories, and an overview of each repository.

use std::borrow::Cow;

use runtime::trace::TraceContext;
use serde_json::{Value, json};

use crate::Core;
use federation::{call::CallContext, client_views::ClientViews, plan::Visible, principal::Principal, refusal::Refusal};
use tools::{cursor::CursorBinding, get_overview, progress::Progress};

/// URI of the list of repositories.
const REPOSITORIES: &str = "causeway://repos";

/// URI template of an overview; `{alias}` is percent-encoded.
pub(crate) const OVERVIEW_TEMPLATE: &str = "causeway://repos/{alias}/overview";

pub(crate) const JSON: &str = "application/json";
pub(crate) const MARKDOWN: &str = "text/markdown";

/// Number of resources on one page of the list.
const PAGE_SIZE: usize = 100;

/// Maximum number of repositories in the list, which is the limit of `list_repos`.
const MAX_REPOSITORIES: usize = 1_000;

/// An entry of the list of resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceListing {
    pub(crate) uri: String,
    /// Consists of letters, digits, `_`, `.` and `-`.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) mime_type: &'static str,
}

/// Content of a resource.
#[derive(Debug)]
pub(crate) struct ResourceContent {
    pub(crate) text: String,
    pub(crate) mime_type: &'static str,
}

/// Returns a page of the caller's resources, and the cursor of the next page.
pub(crate) fn page(
    call: &CallContext<'_>,
    cursor: Option<&str>,
) -> Result<(Vec<ResourceListing>, Option<String>), Refusal> {
    let plan = call.visible.plan(None)?;
    let binding = CursorBinding::new(call.principal, "resources/list", &Value::Null, &plan);
    let first = cursor.map_or(Ok(0), |cursor| binding.offset(cursor))?;
    let aliases = plan.asked.iter().map(|repo_idx| plan.alias(*repo_idx));
    let all = std::iter::once(repositories()).chain(aliases.map(overview));
    let page: Vec<ResourceListing> = all.skip(first).take(PAGE_SIZE).collect();
    let end = first + page.len();
    let next = (end <= plan.asked.len()).then(|| binding.cursor(end));
    Ok((page, next))
}

/// Reads a resource. `None` if it does not exist or the caller cannot read it.
pub(crate) async fn read(
    core: &Core,
    principal: &Principal,
    uri: &str,
    parent: Option<TraceContext>,
) -> Option<ResourceContent> {
    let (tool, arguments, mime_type) = match uri.strip_prefix(REPOSITORIES)? {
        "" => ("list_repos", json!({"limit": MAX_REPOSITORIES}), JSON),
        rest => {
            let alias = percent_decode(rest.strip_prefix('/')?.strip_suffix("/overview")?)?;
            Visible::new(core.workers().directory(), principal).known_repo_idx(&alias)?;
            (get_overview::NAME, json!({"repo": alias, "format": "compact"}), MARKDOWN)
        }
    };
    let result = core.call(principal, tool, arguments, &ClientViews::default(), parent, Progress::default()).await;
    (!result.is_error).then_some(ResourceContent { text: result.text, mime_type })
}

fn repositories() -> ResourceListing {
    ResourceListing {
        uri: REPOSITORIES.to_owned(),
        name: "repos".to_owned(),
        title: "Repositories".to_owned(),
        description: "The available repositories with their states.".to_owned(),
        mime_type: JSON,
    }
}

fn overview(alias: &str) -> ResourceListing {
    let portable = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '-' };
    let shown = text::quote_name(alias);
    ResourceListing {
        uri: OVERVIEW_TEMPLATE.replace("{alias}", &percent_encode(alias)),
        name: format!("overview-{}", alias.chars().map(portable).collect::<String>()),
        title: format!("Overview of {shown}"),
        description: format!("Purpose and parts of {shown}, and its links to other repositories."),
        mime_type: MARKDOWN,
    }
}

/// Percent-encodes text for one segment of a URI (RFC 3986).
fn percent_encode(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Decodes percent-encoded text. `None` if the encoding is invalid.
fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                (high * 16 + low) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_round_trip_through_uris() {
        for (alias, expected) in
            [("api", "api"), ("acme/api@w2", "acme%2Fapi%40w2"), ("größe, 100 %", "gr%C3%B6%C3%9Fe%2C%20100%20%25")]
        {
            assert_eq!(percent_encode(alias), expected);
            assert_eq!(percent_decode(expected).as_deref(), Some(alias));
        }
        for invalid in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(percent_decode(invalid), None, "{invalid}");
        }
        assert_eq!(overview("a/b c").name, "overview-a-b-c");
    }
}
