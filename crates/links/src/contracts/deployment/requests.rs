//! Requests of commands: `curl` in Dockerfiles, makefiles and the steps of CI.

use super::{DeploymentFact, tree::TreeNode};
use crate::{
    contracts::{
        text_value::{TextPart, TextValue},
        url::RequestUrl,
    },
    services::AddressTemplate,
};

/// Returns the requests of the commands in a document.
pub(super) fn facts(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let requests = root.descendants().into_iter().filter(|node| node.key() == "request");
    requests.filter_map(fact).collect()
}

fn fact(node: TreeNode<'_>) -> Option<DeploymentFact> {
    let (method, url) = node.value().split_once(' ')?;
    let url = RequestUrl::of(&TextValue::of_parts(parts(url)))?;
    if is_of_own_machine(&url.address) {
        return None;
    }
    Some(DeploymentFact::request(format!("{method} {}", url.key_path()), &url.address.notation(), node.line()))
}

/// Returns the parts of a word of a shell: `$HOST` and `${HOST:-cart}` are variables.
fn parts(word: &str) -> Vec<TextPart> {
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        parts.extend((!before.is_empty()).then(|| TextPart::Text(before.to_owned())));
        let is_braced = after.starts_with('{');
        let inner = after.trim_start_matches('{');
        let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        parts.push(match end {
            0 => TextPart::Computed,
            end => TextPart::Variable(inner[..end].to_owned()),
        });
        rest = match is_braced {
            true => inner.split_once('}').map_or("", |(_, rest)| rest),
            false => &inner[end..],
        };
    }
    parts.extend((!rest.is_empty()).then(|| TextPart::Text(rest.to_owned())));
    parts
}

/// Returns true for a command that asks the container or machine on which it runs.
fn is_of_own_machine(address: &AddressTemplate) -> bool {
    let mut hosts = address.hosts().peekable();
    hosts.peek().is_some() && hosts.all(|host| matches!(host.as_str(), "localhost" | "127.0.0.1" | "0.0.0.0"))
}
