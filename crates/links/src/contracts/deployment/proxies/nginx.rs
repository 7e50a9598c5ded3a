//! Routes of nginx.

use super::{ProxyRoute, is_private_host};
use crate::{
    contract::ContractKind,
    contracts::deployment::{DeploymentFact, SERVER_OF_PROXY, tree::TreeNode},
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
    facts.into_iter().chain(server_names(&nodes)).collect()
}

/// Returns the hosts that a proxy answers for in a private network: `server_name api.shop.local` of a block that forwards requests. Other
/// names are those of public sites, which the proxy may only mirror, or have no domain that tells the system.
fn server_names(nodes: &[TreeNode<'_>]) -> Vec<DeploymentFact> {
    let is_forwarding = |server: &&TreeNode<'_>| {
        server.descendants().iter().any(|node| matches!(node.key(), "proxy_pass" | "grpc_pass"))
    };
    let servers = nodes.iter().filter(|node| node.key() == "server" && node.has_children());
    let named = servers.filter(is_forwarding).flat_map(|server| server.children());
    let hosts = named.filter(|node| node.key() == "server_name").flat_map(|node| {
        let names = node.value().split(' ').filter(|name| is_private_host(name));
        names.map(move |name| {
            DeploymentFact::offer(ContractKind::Host, &name.to_ascii_lowercase(), SERVER_OF_PROXY, node.line())
        })
    });
    hosts.collect()
}

/// Returns the address of a directive with the variables that its block or one around it sets: `http://cart` of `http://$backend` behind
/// `set $backend cart`. A proxy names the host in this way to look it up for each request.
fn with_variables(pass: TreeNode<'_>) -> String {
    let blocks = std::iter::successors(pass.parent(), |node| node.parent());
    // The last assignment counts, and that of an inner block before that of an outer one.
    let set = blocks.flat_map(|block| {
        let set = block.children().filter(|node| node.key() == "set");
        let set: Vec<(&str, &str)> = set.filter_map(|node| node.value().split_once(' ')).collect();
        set.into_iter().rev()
    });
    set.fold(pass.value().to_owned(), |value, (name, assigned)| {
        // `$host` is the start of `$hostname`.
        let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let mut places = value.match_indices(name).map(|(at, _)| at);
        let place = places.find(|at| is_end(&value[at + name.len()..]));
        match place {
            Some(at) => format!("{}{assigned}{}", &value[..at], &value[at + name.len()..]),
            None => value,
        }
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
