//! Routes of nginx.

use super::ProxyRoute;
use crate::contracts::deployment::{DeploymentFact, tree::TreeNode};

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
        let (scheme, rest) = pass.value().split_once("://")?;
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
    routes.flat_map(|route| route.facts()).collect()
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
