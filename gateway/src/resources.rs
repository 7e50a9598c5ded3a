//! Resources: what clients attach to a conversation by themselves: the list of repositories, and an overview of each.

use std::borrow::Cow;

use runtime::trace::TraceContext;
use serde_json::{Value, json};

use crate::progress::Progress;
use crate::{
    Core, access::Principal, call::Call, cursor::Binding, plan::Visible, refusal::Refusal, tools::get_overview,
};

/// The list of repositories.
const REPOSITORIES: &str = "causeway://repos";

/// The overview of one; `{alias}` as URIs write it.
pub(crate) const OVERVIEW_TEMPLATE: &str = "causeway://repos/{alias}/overview";

pub(crate) const JSON: &str = "application/json";
pub(crate) const MARKDOWN: &str = "text/markdown";

/// Resources on one page of the list.
const PAGE: usize = 100;

/// Repositories in the list at most, which is what `list_repos` gives at most.
const MAX_REPOSITORIES: usize = 1_000;

/// A resource as clients list it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) uri: String,
    /// Of letters, digits, `_`, `.` and `-`.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) mime_type: &'static str,
}

/// What a resource says.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) text: String,
    pub(crate) mime_type: &'static str,
}

/// Returns a page of the resources that exist for a caller, and the cursor of the next one.
pub(crate) fn page(call: &Call<'_>, cursor: Option<&str>) -> Result<(Vec<Listed>, Option<String>), Refusal> {
    let plan = call.visible.plan(None)?;
    let binding = Binding::new(call.principal, "resources/list", &Value::Null, &plan);
    let first = cursor.map_or(Ok(0), |cursor| binding.offset(cursor))?;
    let aliases = plan.asked.iter().map(|position| plan.alias(*position));
    let all = std::iter::once(repositories()).chain(aliases.map(overview));
    let page: Vec<Listed> = all.skip(first).take(PAGE).collect();
    let end = first + page.len();
    let next = (end <= plan.asked.len()).then(|| binding.cursor(end));
    Ok((page, next))
}

/// Reads a resource; nothing where there is none for this caller, for whatever reason.
pub(crate) async fn read(
    core: &Core,
    principal: &Principal,
    uri: &str,
    parent: Option<TraceContext>,
) -> Option<Content> {
    let (tool, arguments, mime_type) = match uri.strip_prefix(REPOSITORIES)? {
        "" => ("list_repos", json!({"limit": MAX_REPOSITORIES}), JSON),
        rest => {
            let alias = decoded(rest.strip_prefix('/')?.strip_suffix("/overview")?)?;
            Visible::new(core.federation.directory(), principal).known_position(&alias)?;
            (get_overview::NAME, json!({"repo": alias, "format": "compact"}), MARKDOWN)
        }
    };
    let result = core.call(principal, tool, arguments, parent, Progress::default()).await;
    (!result.is_error).then_some(Content { text: result.text, mime_type })
}

fn repositories() -> Listed {
    Listed {
        uri: REPOSITORIES.to_owned(),
        name: "repos".to_owned(),
        title: "Repositories".to_owned(),
        description: "Every repository that can be asked, and how it stands.".to_owned(),
        mime_type: JSON,
    }
}

fn overview(alias: &str) -> Listed {
    let portable = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '-' };
    let shown = text::sanitise_name(alias);
    Listed {
        uri: OVERVIEW_TEMPLATE.replace("{alias}", &encoded(alias)),
        name: format!("overview-{}", alias.chars().map(portable).collect::<String>()),
        title: format!("Overview of {shown}"),
        description: format!("What {shown} is for, its parts, and what it has to do with others."),
        mime_type: MARKDOWN,
    }
}

/// Returns text as it stands in one part of a URI (RFC 3986).
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Returns what was encoded; nothing of what cannot have been.
fn decoded(text: &str) -> Option<Cow<'_, str>> {
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
    fn aliases_survive_uris() {
        for (alias, expected) in
            [("api", "api"), ("acme/api@w2", "acme%2Fapi%40w2"), ("größe, 100 %", "gr%C3%B6%C3%9Fe%2C%20100%20%25")]
        {
            assert_eq!(encoded(alias), expected);
            assert_eq!(decoded(expected).as_deref(), Some(alias));
        }
        for nonsense in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(decoded(nonsense), None, "{nonsense}");
        }
        assert_eq!(overview("a/b c").name, "overview-a-b-c");
    }
}
