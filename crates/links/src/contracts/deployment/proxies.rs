//! Proxies: nginx, Ingress, Traefik, Spring Cloud Gateway, YARP. Each route is an offer at the proxy, and a request of it to the
//! service behind it.

use super::{DeploymentFact, tree::TreeNode};
use crate::contract::ContractKind;

/// A route of a proxy.
struct ProxyRoute {
    /// The prefix of the paths that it takes; empty for all.
    prefix: String,
    /// The prefix that the service sees instead.
    target_prefix: String,
    /// The address of the service.
    upstream: String,
    line: u32,
}

impl ProxyRoute {
    /// Returns the offer of the route and its request, in this order.
    fn facts(&self) -> Vec<DeploymentFact> {
        let path = |prefix: &str| format!("* {}/{{}}", prefix.trim_end_matches('/'));
        let prefix = self.prefix.trim_end_matches(['*', '/']);
        let mut facts = vec![DeploymentFact::request(path(&self.target_prefix), &self.upstream, self.line)];
        // A route of every path is no contract of its own.
        facts.extend(
            (!prefix.is_empty()).then(|| DeploymentFact::offer(ContractKind::Http, &path(prefix), "", self.line)),
        );
        facts
    }
}

/// Returns the routes of nginx: each `location` with its `proxy_pass`, through `upstream` blocks.
pub(super) fn directives(root: TreeNode<'_>) -> Vec<DeploymentFact> {
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
        let target_prefix = target.map_or_else(|| prefix.clone(), |target| format!("/{target}"));
        Some(ProxyRoute { prefix, target_prefix, upstream: format!("{scheme}://{host}"), line: pass.line() })
    });
    routes.flat_map(|route| route.facts()).collect()
}

/// Returns the part of a regular expression before its first operator.
fn literal_prefix(expression: &str) -> String {
    let text = expression.trim_start_matches('^');
    let end = text.find(|c: char| "([.*?+|$\\".contains(c)).unwrap_or(text.len());
    text[..end].to_owned()
}

/// Returns the routes of an Ingress, an HTTPRoute or a VirtualService.
pub(super) fn kubernetes(object: TreeNode<'_>) -> Vec<DeploymentFact> {
    let rewrite = ["nginx.ingress.kubernetes.io/rewrite-target", "ingress.kubernetes.io/rewrite-target"];
    let annotations = object.at(&["metadata", "annotations"]);
    let rewrite = annotations.and_then(|all| rewrite.iter().find_map(|key| all.get(key))).map(TreeNode::value);
    let mut routes: Vec<ProxyRoute> = Vec::new();
    for node in object.descendants() {
        // Ingress: `paths: [{path, backend: {service: {name, port}}}]`.
        if let Some(backend) = node.get("backend") {
            let service = backend.at(&["service", "name"]).or_else(|| backend.get("serviceName"));
            let port = backend.at(&["service", "port", "number"]).or_else(|| backend.get("servicePort"));
            let prefix = node.text_of("path").split('(').next().unwrap_or_default().to_owned();
            let target =
                rewrite.map_or_else(|| prefix.clone(), |to| to.split('$').next().unwrap_or_default().to_owned());
            routes.extend(service.map(|service| route(prefix, target, service, port)));
        }
        // HTTPRoute: `rules: [{matches: [{path: {value}}], backendRefs: [{name, port}]}]`.
        let backends = node.get("backendRefs").into_iter().flat_map(TreeNode::children);
        let matched = node.get("matches").and_then(|all| all.children().next()?.at(&["path", "value"]));
        routes.extend(backends.filter_map(|backend| {
            let prefix = matched.map_or("", TreeNode::value).to_owned();
            Some(route(prefix.clone(), prefix, backend.get("name")?, backend.get("port")))
        }));
        // VirtualService: `http: [{match: [{uri: {prefix}}], rewrite: {uri}, route: [{destination: {host, port}}]}]`.
        let destinations = node.get("route").into_iter().flat_map(TreeNode::children);
        let matched = node.get("match").and_then(|all| all.children().next()?.get("uri")?.children().next());
        let rewritten = node.at(&["rewrite", "uri"]);
        routes.extend(destinations.filter_map(|to| {
            let prefix = matched.map_or("", TreeNode::value).to_owned();
            let target = rewritten.map_or_else(|| prefix.clone(), |uri| uri.value().to_owned());
            let host = to.at(&["destination", "host"])?;
            Some(route(prefix, target, host, to.at(&["destination", "port", "number"])))
        }));
    }
    routes.iter().flat_map(ProxyRoute::facts).collect()
}

fn route(prefix: String, target_prefix: String, service: TreeNode<'_>, port: Option<TreeNode<'_>>) -> ProxyRoute {
    let port = port.map_or_else(String::new, |port| format!(":{}", port.value()));
    ProxyRoute { prefix, target_prefix, upstream: format!("http://{}{port}", service.value()), line: service.line() }
}

/// Returns the routes of Spring Cloud Gateway, YARP and Envoy.
pub(super) fn facts(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let nodes = root.descendants();
    let routes = nodes.iter().flat_map(|node| {
        let spring = node.get("uri").filter(|_| node.get("predicates").is_some()).map(|uri| spring_route(*node, uri));
        let yarp = node.get("ClusterId").and_then(|cluster| yarp_route(&nodes, *node, cluster));
        let envoy = node.at(&["route", "cluster"]).and_then(|cluster| envoy_route(&nodes, *node, cluster));
        spring.into_iter().chain(yarp).chain(envoy)
    });
    routes.flat_map(|route| route.facts()).collect()
}

/// Reads `{uri: lb://cart, predicates: [Path=/cart/**], filters: [StripPrefix=1]}`.
fn spring_route(node: TreeNode<'_>, uri: TreeNode<'_>) -> ProxyRoute {
    let argument = |list: &str, name: &str| {
        let items = node.get(list).into_iter().flat_map(TreeNode::children);
        items.into_iter().find_map(|item| item.value().strip_prefix(name)).map(str::to_owned)
    };
    let path = argument("predicates", "Path=").unwrap_or_default();
    let prefix = path.split(['*', '{', ',']).next().unwrap_or_default().trim_end_matches('/').to_owned();
    let n_stripped = argument("filters", "StripPrefix=").and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
    let kept = prefix.split('/').filter(|part| !part.is_empty()).skip(n_stripped);
    let target_prefix = kept.map(|part| format!("/{part}")).collect();
    let upstream = uri.value().replacen("lb://", "http://", 1);
    ProxyRoute { prefix, target_prefix, upstream, line: uri.line() }
}

/// Reads `{ClusterId: cart, Match: {Path: /cart/{**rest}}, Transforms: [{PathRemovePrefix: /cart}]}` and its cluster.
fn yarp_route(nodes: &[TreeNode<'_>], node: TreeNode<'_>, cluster: TreeNode<'_>) -> Option<ProxyRoute> {
    let clusters = nodes.iter().find(|one| one.key() == "Clusters")?;
    let address = clusters.get(cluster.value())?.descendants().into_iter().find(|one| one.key() == "Address")?;
    let path = node.at(&["Match", "Path"]).map_or("", TreeNode::value);
    let prefix = path.split('{').next().unwrap_or_default().trim_end_matches('/').to_owned();
    let transforms = node.get("Transforms").map_or_else(Vec::new, TreeNode::descendants);
    let removed = transforms.iter().find(|one| one.key() == "PathRemovePrefix").map_or("", |one| one.value());
    let target_prefix = prefix.strip_prefix(removed).unwrap_or(&prefix).to_owned();
    let upstream = address.value().trim_end_matches('/').to_owned();
    Some(ProxyRoute { prefix, target_prefix, upstream, line: cluster.line() })
}

/// Reads `{match: {prefix: /cart}, route: {cluster: cart, prefix_rewrite: /}}` and its cluster.
fn envoy_route(nodes: &[TreeNode<'_>], node: TreeNode<'_>, cluster: TreeNode<'_>) -> Option<ProxyRoute> {
    let clusters = nodes.iter().find(|one| one.key() == "clusters")?;
    let definition = clusters.children().find(|one| one.text_of("name") == cluster.value())?;
    let below = definition.descendants();
    let address = below.iter().find(|one| one.key() == "address" && !one.value().is_empty())?;
    let port = below.iter().find(|one| one.key() == "port_value").map_or("", |port| port.value());
    let prefix = node.at(&["match", "prefix"]).map_or("", TreeNode::value).to_owned();
    let rewritten = node.at(&["route", "prefix_rewrite"]).map(|one| one.value().to_owned());
    Some(ProxyRoute {
        target_prefix: rewritten.unwrap_or_else(|| prefix.clone()),
        prefix,
        upstream: format!("http://{}:{port}", address.value()),
        line: cluster.line(),
    })
}

/// Returns the route of a Compose service with labels for Traefik: ``traefik.http.routers.x.rule=PathPrefix(`/cart`)``.
pub(super) fn traefik_labels(service: TreeNode<'_>, name: &str) -> Vec<DeploymentFact> {
    let labels: Vec<TreeNode<'_>> = service.get("labels").into_iter().flat_map(TreeNode::children).collect();
    let is_stripped = labels.iter().any(|label| format!("{}{}", label.key(), label.value()).contains("stripprefix"));
    let routes = labels.iter().filter_map(|label| {
        let rule = label.value();
        let is_rule = label.key().ends_with(".rule") || rule.contains(".rule=");
        let prefix = rule.split("PathPrefix(").nth(1)?.trim_start_matches(['`', '"', '\'']);
        let prefix = prefix.split(['`', '"', '\'', ')']).next()?.to_owned();
        let target_prefix = if is_stripped { String::new() } else { prefix.clone() };
        let upstream = format!("http://{name}");
        is_rule.then_some(ProxyRoute { prefix, target_prefix, upstream, line: label.line() })
    });
    routes.flat_map(|route| route.facts()).collect()
}
