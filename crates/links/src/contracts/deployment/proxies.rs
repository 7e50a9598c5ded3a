//! Proxies: nginx, Ingress, Traefik, Envoy, Spring Cloud Gateway, YARP, Ocelot. Each route is an offer at the proxy, and a request of it
//! to the service behind it.

mod envoy;
mod gateways;
mod kong;
mod kubernetes;
mod nginx;
mod traefik;

use super::{DeploymentFact, tree::TreeNode};
use crate::{contract::ContractKind, contracts::invoked_service, services::END_OF_PATH};

pub(super) use kubernetes::kubernetes;
pub(super) use nginx::directives;
pub(super) use traefik::labels as traefik_labels;

/// A route of a proxy.
struct ProxyRoute {
    /// The prefix of the paths that it takes; empty for all.
    prefix: String,
    /// The prefix that the service sees instead.
    target_prefix: String,
    /// True if the rest of the path follows the prefix; false if the service sees the same path for every request.
    keeps_rest: bool,
    /// The address of the service.
    upstream: String,
    line: u32,
}

impl ProxyRoute {
    /// Returns the request of the route, and its offer.
    fn facts(&self) -> [DeploymentFact; 2] {
        let path = |prefix: &str| format!("* {}/{{*}}", prefix.trim_end_matches(['*', '/']));
        let target = self.target_prefix.split('$').next().unwrap_or_default().trim_end_matches('/');
        // A sidecar of Dapr passes a request on to the service that its path names.
        let (upstream, target) = match invoked_service(target) {
            Some((service, target)) => (format!("http://{service}"), target.trim_end_matches('/')),
            None => (self.upstream.clone(), target),
        };
        let end = if self.keeps_rest { "" } else { END_OF_PATH };
        let forwarding = format!("{upstream} {}{end}", if target.is_empty() { "/" } else { target });
        [
            DeploymentFact::request(path(target), &upstream, self.line),
            DeploymentFact::offer(ContractKind::Http, &path(&self.prefix), &forwarding, self.line),
        ]
    }
}

/// Returns true for a host of a private network. Other names are those of public sites, which a proxy may only mirror, or have no domain
/// that tells the system.
fn is_private_host(name: &str) -> bool {
    const PRIVATE: [&str; 8] = [".local", ".internal", ".lan", ".intranet", ".corp", ".private", ".home", ".test"];
    // Names of documentation.
    const PLACEHOLDERS: [&str; 3] = ["example", "domain", "yourdomain"];
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let is_private = PRIVATE.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    is_plain && is_private && !name.split(['.', '-']).any(|word| PLACEHOLDERS.contains(&word))
}

/// Returns the routes of gateways, Envoy and Traefik in a document of settings.
pub(super) fn facts(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let nodes = root.descendants();
    let routes = nodes.iter().flat_map(|node| {
        let mut routes = gateways::spring_routes(*node);
        routes.extend(traefik::router(&nodes, *node));
        routes.extend(gateways::zuul_route(*node));
        routes.extend(gateways::ocelot_route(*node));
        routes.extend(node.get("ClusterId").and_then(|cluster| gateways::yarp_route(&nodes, *node, cluster)));
        routes.extend(node.at(&["route", "cluster"]).and_then(|cluster| envoy::envoy_route(&nodes, *node, cluster)));
        routes
    });
    routes.chain(kong::routes(root)).flat_map(|route| route.facts()).collect()
}
