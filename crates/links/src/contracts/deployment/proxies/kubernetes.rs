//! Routes of Kubernetes: Ingress, HTTPRoute, VirtualService, IngressRoute.

use super::{ProxyRoute, is_private_host};
use crate::{
    contract::ContractKind,
    contracts::deployment::{DeploymentFact, SERVER_OF_PROXY, tree::TreeNode},
};

/// Returns the routes of an Ingress, an HTTPRoute or a VirtualService.
pub(in super::super) fn kubernetes(object: TreeNode<'_>) -> Vec<DeploymentFact> {
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
            // A pattern that tells no path is withheld. Its route is not that of all paths.
            let is_one_of_several = node.parent().is_some_and(|of| of.key() == "paths" && of.children().count() > 1);
            if prefix.is_empty() && (node.get("pathType").is_some() || is_one_of_several) {
                continue;
            }
            let target =
                rewrite.map_or_else(|| prefix.clone(), |to| to.split('$').next().unwrap_or_default().to_owned());
            routes.extend(service.map(|service| route(prefix, target, service, port)));
        }
        // HTTPRoute: `rules: [{matches: [{path: {value}}], backendRefs: [{name, port}]}]`.
        let backends = node.get("backendRefs").into_iter().flat_map(TreeNode::children);
        let matches = node.get("matches").into_iter().flat_map(TreeNode::children);
        let matched = prefixes(matches.filter_map(|one| one.at(&["path", "value"])));
        let replaced =
            node.descendants().into_iter().find(|one| one.key() == "replacePrefixMatch").map(TreeNode::value);
        for backend in backends {
            let Some(name) = backend.get("name") else { continue };
            routes.extend(matched.iter().map(|prefix| {
                let target = replaced.unwrap_or(prefix).to_owned();
                route((*prefix).to_owned(), target, name, backend.get("port"))
            }));
        }
        // VirtualService: `http: [{match: [{uri: {prefix}}], rewrite: {uri}, route: [{destination: {host, port}}]}]`.
        let destinations = node.get("route").into_iter().flat_map(TreeNode::children);
        let matches = node.get("match").into_iter().flat_map(TreeNode::children);
        let matched = prefixes(matches.filter_map(|one| one.get("uri")?.children().next()));
        let rewritten = node.at(&["rewrite", "uri"]).map(TreeNode::value);
        for to in destinations {
            let Some(host) = to.at(&["destination", "host"]) else { continue };
            routes.extend(matched.iter().map(|prefix| {
                let target = rewritten.unwrap_or(prefix).to_owned();
                route((*prefix).to_owned(), target, host, to.at(&["destination", "port", "number"]))
            }));
        }
        // IngressRoute of Traefik: `routes: [{match: "PathPrefix(`/x`)", services: [{name, port}]}]`.
        let services = node.get("services").filter(|_| node.get("match").is_some());
        for service in services.into_iter().flat_map(TreeNode::children) {
            let Some(name) = service.get("name") else { continue };
            let prefixes = super::traefik::prefixes(node.text_of("match"));
            routes.extend(prefixes.into_iter().map(|prefix| route(prefix.clone(), prefix, name, service.get("port"))));
        }
    }
    routes.iter().flat_map(ProxyRoute::facts).chain(hosts(object)).collect()
}

/// Returns the hosts of an Ingress or an HTTPRoute in a private network. The cluster has services of names like these, too.
fn hosts(object: TreeNode<'_>) -> Vec<DeploymentFact> {
    let rules = object.at(&["spec", "rules"]).into_iter().flat_map(TreeNode::children);
    let of_rules = rules.filter(|rule| rule.get("http").is_some()).filter_map(|rule| rule.get("host"));
    let named = object.at(&["spec", "hostnames"]).into_iter().flat_map(TreeNode::children);
    let hosts = of_rules.chain(named).filter(|host| {
        !host.value().ends_with(".cluster.local") && !host.value().contains(".svc.") && is_private_host(host.value())
    });
    let offers = hosts.map(|host| {
        DeploymentFact::offer(ContractKind::Host, &host.value().to_ascii_lowercase(), SERVER_OF_PROXY, host.line())
    });
    offers.collect()
}

/// Returns the values of matches; one empty prefix if there are none.
fn prefixes<'t>(matches: impl Iterator<Item = TreeNode<'t>>) -> Vec<&'t str> {
    let found: Vec<&str> = matches.map(TreeNode::value).collect();
    if found.is_empty() { vec![""] } else { found }
}

fn route(prefix: String, target_prefix: String, service: TreeNode<'_>, port: Option<TreeNode<'_>>) -> ProxyRoute {
    let port = port.map_or_else(String::new, |port| format!(":{}", port.value()));
    ProxyRoute {
        prefix,
        target_prefix,
        upstream: format!("http://{}{port}", service.value()),
        keeps_rest: true,
        line: service.line(),
    }
}
