//! Routes of nginx.

use super::ProxyRoute;
use crate::{
    contract::ContractKind,
    contracts::deployment::{DeploymentFact, tree::TreeNode},
};

/// Returns the routes of nginx: each `location` with its `proxy_pass`, through `upstream` blocks.
pub(in super::super) fn directives(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let nodes = root.descendants();
    let server_of = |name: &str| {
        let upstream = nodes.iter().find(|node| node.key() == "upstream" && node.value() == name)?;
        Some(upstream.get("server")?.value().split(' ').next()?.to_owned())
    };
    let passes = nodes.iter().filter(|node| matches!(node.key(), "proxy_pass" | "grpc_pass"));
    let routes = passes.filter_map(|pass| {
        let location =
            std::iter::successors(pass.parent(), |node| node.parent()).find(|node| node.key() == "location")?;
        let value = with_variables(*pass);
        let (scheme, rest) = value.split_once("://")?;
        let (host, target) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
        let host = server_of(host).unwrap_or_else(|| host.to_owned());
        let is_expression = location.value().starts_with('~');
        let mut words = location.value().trim_start_matches(['~', '*', '=', '^', ' ']).split(' ');
        let prefix = words.next_back().unwrap_or_default().to_owned();
        let prefix = if is_expression { literal_prefix(&prefix) } else { prefix };
        // A path after the host replaces the prefix, and a bare slash strips it.
        let replaced = target.map(|target| format!("/{target}")).or_else(|| rewritten(location, &prefix));
        let target_prefix = replaced.unwrap_or_else(|| prefix.clone());
        Some(ProxyRoute {
            prefix,
            target_prefix,
            upstream: format!("{scheme}://{host}"),
            keeps_rest: true,
            line: pass.line(),
        })
    });
    let facts: Vec<DeploymentFact> = routes.flat_map(|route| route.facts()).collect();
    let hosts = if facts.is_empty() { Vec::new() } else { server_names(&nodes) };
    facts.into_iter().chain(hosts).collect()
}

/// Returns the hosts that the servers of a proxy answer for: `server_name api.shop.local`.
fn server_names(nodes: &[TreeNode<'_>]) -> Vec<DeploymentFact> {
    // Names of documentation, and those that stand for any host.
    const PLACEHOLDERS: [&str; 5] = ["localhost", "example", "domain", "yourdomain", "default"];
    let is_host = |name: &&str| {
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
        let is_number = name.chars().all(|c| c.is_ascii_digit() || c == '.');
        is_plain && !is_number && !name.split(['.', '-']).any(|word| PLACEHOLDERS.contains(&word))
    };
    let named = nodes.iter().filter(|node| node.key() == "server_name");
    let hosts = named.flat_map(|node| {
        let names = node.value().split(' ').filter(|name| !name.is_empty()).filter(is_host);
        names.map(|name| DeploymentFact::offer(ContractKind::Host, &name.to_ascii_lowercase(), "", node.line()))
    });
    hosts.collect()
}

/// Returns the address of a directive with the variables that its block or one around it sets: `http://cart` of `http://$backend` behind
/// `set $backend cart`. A proxy names the host in this way to look it up for each request.
fn with_variables(pass: TreeNode<'_>) -> String {
    let blocks = std::iter::successors(pass.parent(), |node| node.parent());
    let set = blocks.flat_map(|block| block.children()).filter(|node| node.key() == "set");
    let set = set.filter_map(|node| node.value().split_once(' '));
    set.fold(pass.value().to_owned(), |value, (name, assigned)| {
        let Some(at) = value.find(name) else { return value };
        let rest = &value[at + name.len()..];
        // `$host` is the start of `$hostname`.
        let is_whole = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if is_whole { format!("{}{assigned}{rest}", &value[..at]) } else { value }
    })
}

/// Returns the prefix that a `rewrite` of a location puts in the place of its own: of `rewrite ^/cart/(.*)$ /v1/$1` it is `/v1/`.
fn rewritten(location: TreeNode<'_>, prefix: &str) -> Option<String> {
    let rewrites = location.children().filter(|node| node.key() == "rewrite");
    rewrites.into_iter().find_map(|rewrite| {
        let (pattern, replacement) = rewrite.value().split_once(' ')?;
        let replacement = replacement.split(' ').next()?;
        let is_of_rest = pattern.contains('(') && replacement.contains("$1");
        let matched = literal_prefix(pattern);
        let is_of_prefix = matched.trim_end_matches('/') == prefix.trim_end_matches('/');
        (is_of_rest && is_of_prefix).then(|| replacement.split('$').next().unwrap_or_default().to_owned())
    })
}

/// Returns the part of a regular expression before its first operator.
fn literal_prefix(expression: &str) -> String {
    let text = expression.trim_start_matches('^');
    let end = text.find(|c: char| "([.*?+|$\\".contains(c)).unwrap_or(text.len());
    text[..end].to_owned()
}
