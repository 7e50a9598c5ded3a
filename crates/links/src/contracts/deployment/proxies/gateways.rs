//! Routes of gateways that are applications: Spring Cloud Gateway, Zuul, YARP, Ocelot.

use super::ProxyRoute;
use crate::contracts::deployment::tree::TreeNode;

/// Reads `{uri: lb://cart, predicates: [Path=/cart/**], filters: [StripPrefix=1]}`. A gateway may have several paths.
pub(super) fn spring_routes(node: TreeNode<'_>) -> Vec<ProxyRoute> {
    let (Some(uri), Some(_)) = (node.get("uri"), node.get("predicates")) else { return Vec::new() };
    let argument = |list: &str, name: &str| {
        let items = node.get(list).into_iter().flat_map(TreeNode::children);
        items.into_iter().find_map(|item| item.value().strip_prefix(name)).map(str::to_owned)
    };
    let paths = argument("predicates", "Path=").unwrap_or_default();
    let n_stripped = argument("filters", "StripPrefix=").and_then(|n| n.trim().parse::<usize>().ok()).unwrap_or(0);
    let added = argument("filters", "PrefixPath=").unwrap_or_default();
    let rewriting = argument("filters", "RewritePath=");
    let routes = paths.split(',').map(|path| {
        let prefix = path.trim().split(['*', '{']).next().unwrap_or_default().trim_end_matches('/').to_owned();
        let rewritten = rewriting.as_deref().and_then(|rewriting| rewritten(rewriting, &prefix));
        let kept = prefix.split('/').filter(|part| !part.is_empty()).skip(n_stripped);
        let stripped = || kept.map(|part| format!("/{part}")).collect();
        let target: String = rewritten.unwrap_or_else(stripped);
        let upstream = uri.value().replacen("lb://", "http://", 1);
        ProxyRoute { prefix, target_prefix: format!("{added}{target}"), upstream, keeps_rest: true, line: uri.line() }
    });
    routes.collect()
}

/// Returns the prefix that `RewritePath` puts in the place of its own: of `/cart/(?<rest>.*), /v1/${rest}` it is `/v1/`.
fn rewritten(rewriting: &str, prefix: &str) -> Option<String> {
    let (pattern, replacement) = rewriting.split_once(',')?;
    let end = pattern.find(['(', '?', '[', '*', '.']).unwrap_or(pattern.len());
    let matched = pattern[..end].trim().trim_start_matches('^').trim_end_matches('/');
    let rest = prefix.strip_prefix(matched)?;
    let target = replacement.trim().split('$').next().unwrap_or_default();
    Some(format!("{}{rest}", target.trim_end_matches('/')))
}

/// Reads `zuul: {routes: {cart: {path: /cart/**, serviceId: cart, stripPrefix: false}}}`.
pub(super) fn zuul_route(node: TreeNode<'_>) -> Option<ProxyRoute> {
    let service = node.get("serviceId").or_else(|| node.get("service-id")).or_else(|| node.get("url"))?;
    let path = node.get("path")?;
    let is_of_zuul = std::iter::successors(node.parent(), |one| one.parent()).any(|one| one.key() == "zuul");
    let prefix = path.value().trim_end_matches(['*', '/']).to_owned();
    let is_stripped =
        !matches!(node.text_of("stripPrefix"), "false") && !matches!(node.text_of("strip-prefix"), "false");
    let target_prefix = if is_stripped { String::new() } else { prefix.clone() };
    let scheme = if service.value().contains("://") { "" } else { "http://" };
    let upstream = format!("{scheme}{}", service.value().trim_end_matches('/'));
    is_of_zuul.then_some(ProxyRoute { prefix, target_prefix, upstream, keeps_rest: true, line: path.line() })
}

/// Reads `{ClusterId: cart, Match: {Path: /cart/{**rest}}, Transforms: [{PathRemovePrefix: /cart}]}` and its cluster.
pub(super) fn yarp_route(nodes: &[TreeNode<'_>], node: TreeNode<'_>, cluster: TreeNode<'_>) -> Option<ProxyRoute> {
    let clusters = nodes.iter().find(|one| one.key() == "Clusters")?;
    let address = clusters.get(cluster.value())?.descendants().into_iter().find(|one| one.key() == "Address")?;
    let prefix = prefix_of_template(node.at(&["Match", "Path"]).map_or("", TreeNode::value));
    let transforms = node.get("Transforms").map_or_else(Vec::new, TreeNode::descendants);
    let transform = |key: &str| transforms.iter().find(|one| one.key() == key).map(|one| one.value());
    let removed = transform("PathRemovePrefix").unwrap_or_default();
    let pattern = transform("PathPattern");
    let target_prefix = match pattern {
        Some(pattern) => prefix_of_template(pattern),
        None => prefix.strip_prefix(removed).unwrap_or(&prefix).to_owned(),
    };
    let upstream = address.value().trim_end_matches('/').to_owned();
    let keeps_rest = pattern.is_none_or(|pattern| pattern.contains('*'));
    Some(ProxyRoute { prefix, target_prefix, upstream, keeps_rest, line: cluster.line() })
}

/// Returns the part of a template before the rest that it takes: `/api/{version}/cart` of `/api/{version:int}/cart/{**rest}`.
fn prefix_of_template(path: &str) -> String {
    let fixed = path.split('/').take_while(|segment| !segment.contains('*'));
    let named = |segment: &str| match segment.strip_prefix('{') {
        // A constraint or a default may follow the name.
        Some(variable) => format!("{{{}}}", variable.split([':', '=', '?', '}']).next().unwrap_or_default()),
        None => segment.to_owned(),
    };
    let prefix: Vec<String> = fixed.map(named).collect();
    prefix.join("/").trim_end_matches('/').to_owned()
}

/// Reads `{UpstreamPathTemplate: /cart/{rest}, DownstreamPathTemplate: /api/{rest}, DownstreamHostAndPorts: [{Host: cart}]}` of
/// Ocelot.
pub(super) fn ocelot_route(node: TreeNode<'_>) -> Option<ProxyRoute> {
    let upstream_path = node.get("UpstreamPathTemplate")?;
    let hosts = node.get("DownstreamHostAndPorts");
    let host = hosts.and_then(|hosts| hosts.descendants().into_iter().find(|one| one.key() == "Host"));
    let service = host.map_or(node.text_of("ServiceName"), TreeNode::value);
    let literal = |path: &str| path.split('{').next().unwrap_or_default().trim_end_matches('/').to_owned();
    let target = node.get("DownstreamPathTemplate").map_or(upstream_path.value(), TreeNode::value);
    (!service.is_empty()).then(|| ProxyRoute {
        prefix: literal(upstream_path.value()),
        target_prefix: literal(target),
        upstream: format!("http://{service}"),
        keeps_rest: target.contains('{'),
        line: upstream_path.line(),
    })
}
