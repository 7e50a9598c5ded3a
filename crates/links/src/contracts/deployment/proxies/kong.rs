//! Routes of Kong in its declarative configuration.

use super::ProxyRoute;
use crate::contracts::deployment::tree::TreeNode;

/// Reads `services: [{name: cart, url: http://cart, routes: [{paths: [/cart], strip_path: false}]}]`, and routes that name their service:
/// `routes: [{service: cart, paths: [/cart]}]`.
pub(super) fn routes(root: TreeNode<'_>) -> Vec<ProxyRoute> {
    let (Some(services), Some(_)) = (root.get("services"), root.get("_format_version")) else { return Vec::new() };
    let mut found = Vec::new();
    for service in services.children() {
        let Some((upstream, base)) = upstream(service) else { continue };
        let nested = service.get("routes").into_iter().flat_map(TreeNode::children);
        let name = service.text_of("name");
        let named = root.get("routes").into_iter().flat_map(TreeNode::children).filter(|route| {
            let of = route.get("service");
            let of_name = of.map_or("", |of| if of.has_children() { of.text_of("name") } else { of.value() });
            !name.is_empty() && of_name == name
        });
        for route in nested.chain(named) {
            let is_kept = route.text_of("strip_path") == "false";
            let paths = route.get("paths").into_iter().flat_map(TreeNode::children);
            found.extend(paths.filter(|path| path.value().starts_with('/')).map(|path| {
                let prefix = path.value().trim_end_matches('/').to_owned();
                let kept = if is_kept { prefix.as_str() } else { "" };
                let (target_prefix, upstream) = (format!("{base}{kept}"), upstream.clone());
                ProxyRoute { prefix, target_prefix, upstream, keeps_rest: true, line: path.line() }
            }));
        }
    }
    found
}

/// Returns the address of a service, and the path behind it.
fn upstream(service: TreeNode<'_>) -> Option<(String, String)> {
    let url = service.text_of("url");
    if let Some((scheme, rest)) = url.split_once("://") {
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let base = path.trim_end_matches('/');
        let base = if base.is_empty() { String::new() } else { format!("/{base}") };
        return Some((format!("{scheme}://{host}"), base));
    }
    let host = service.text_of("host");
    let port = service.get("port").map_or(String::new(), |port| format!(":{}", port.value()));
    (!host.is_empty())
        .then(|| (format!("http://{host}{port}"), service.text_of("path").trim_end_matches('/').to_owned()))
}
