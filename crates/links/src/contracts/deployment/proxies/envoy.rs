//! Routes of Envoy.

use super::ProxyRoute;
use crate::contracts::deployment::tree::TreeNode;

/// Reads `{match: {prefix: /cart}, route: {cluster: cart, prefix_rewrite: /}}` and its cluster.
pub(super) fn envoy_route(nodes: &[TreeNode<'_>], node: TreeNode<'_>, cluster: TreeNode<'_>) -> Option<ProxyRoute> {
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
        keeps_rest: true,
        line: cluster.line(),
    })
}
