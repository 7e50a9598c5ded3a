//! Routes of Traefik: labels of Compose services, and files of its dynamic configuration.

use super::ProxyRoute;
use crate::contracts::deployment::{DeploymentFact, tree::TreeNode};

/// Returns the route of a Compose service with labels for Traefik: ``traefik.http.routers.x.rule=PathPrefix(`/cart`)``.
pub(in super::super) fn labels(service: TreeNode<'_>, name: &str) -> Vec<DeploymentFact> {
    let labels: Vec<TreeNode<'_>> = service.get("labels").into_iter().flat_map(TreeNode::children).collect();
    let is_stripped = labels.iter().any(|label| format!("{}{}", label.key(), label.value()).contains("stripprefix"));
    let rules = labels.iter().filter(|label| label.key().ends_with(".rule") || label.value().contains(".rule="));
    let routes = rules.flat_map(|label| {
        let upstream = format!("http://{name}");
        routes_of_rule(label.value(), is_stripped, &upstream, label.line())
    });
    routes.flat_map(|route| route.facts()).collect()
}

/// Reads the router `{rule: PathPrefix(`/cart`), service: cart, middlewares: [strip]}` and its service
/// `{loadBalancer: {servers: [{url: http://cart:80}]}}`.
pub(super) fn router(nodes: &[TreeNode<'_>], node: TreeNode<'_>) -> Vec<ProxyRoute> {
    let (Some(rule), Some(service)) = (node.get("rule"), node.get("service")) else { return Vec::new() };
    let services = nodes.iter().find(|one| one.key() == "services" && one.get(service.value()).is_some());
    let definition = services.and_then(|services| services.get(service.value()));
    let url = definition.and_then(|one| one.descendants().into_iter().find(|one| one.key() == "url"));
    let Some(url) = url else { return Vec::new() };
    let used: Vec<&str> =
        node.get("middlewares").into_iter().flat_map(TreeNode::children).map(TreeNode::value).collect();
    let middlewares = nodes.iter().filter(|one| one.key() == "middlewares").flat_map(|one| one.children());
    let is_stripped = middlewares
        .filter(|one| used.contains(&one.key()))
        .any(|one| one.children().any(|kind| kind.key().to_ascii_lowercase().starts_with("stripprefix")));
    routes_of_rule(rule.value(), is_stripped, url.value().trim_end_matches('/'), rule.line())
}

fn routes_of_rule(rule: &str, is_stripped: bool, upstream: &str, line: u32) -> Vec<ProxyRoute> {
    let route = |prefix: String| {
        let target_prefix = if is_stripped { String::new() } else { prefix.clone() };
        ProxyRoute { prefix, target_prefix, upstream: upstream.to_owned(), keeps_rest: true, line }
    };
    prefixes(rule).into_iter().map(route).collect()
}

/// Returns the prefixes of a rule; an empty one for a rule of a host alone.
pub(super) fn prefixes(rule: &str) -> Vec<String> {
    let calls = rule.split("PathPrefix(").skip(1).chain(rule.split("Path(").skip(1));
    let arguments = calls.filter_map(|rest| rest.split(')').next()).flat_map(|arguments| arguments.split(','));
    let literal =
        |argument: &str| argument.trim().trim_matches(['`', '"', '\'']).split(['{', '*']).next().map(str::to_owned);
    let found: Vec<String> = arguments.filter_map(literal).filter(|prefix| prefix.starts_with('/')).collect();
    if found.is_empty() && rule.contains("Host(") { vec![String::new()] } else { found }
}
