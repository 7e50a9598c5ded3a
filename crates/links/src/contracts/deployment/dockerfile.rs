//! Dockerfiles: the image of their folder, and variables of its process.

use super::{DeploymentFact, folder, ports, tree::TreeNode};
use crate::contract::ContractKind;

/// Returns true if a path is that of a Dockerfile.
pub(super) fn is_dockerfile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ["dockerfile", "containerfile"].iter().any(|stem| {
        name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
            || name.strip_suffix(stem).is_some_and(|rest| rest.ends_with('.'))
    })
}

/// Returns the facts of a Dockerfile: it builds an image whose name is not written, sets variables of the own workload, and exposes
/// ports.
pub(super) fn facts(path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    if !is_dockerfile(path) {
        return Vec::new();
    }
    let from = root.children().filter(|entry| entry.key() == "FROM").last();
    let line = from.map_or(1, TreeNode::line);
    let image = DeploymentFact::offer(ContractKind::Image, "", folder(path), line);
    let variables = root.children().filter_map(|entry| {
        let name = entry.key().strip_prefix("ENV ")?;
        DeploymentFact::setting("", name, entry.value(), entry.line())
    });
    let exposed = root.children().filter(|entry| entry.key() == "EXPOSE");
    let exposed = exposed.flat_map(|entry| ports::exposed(entry.value(), entry.line()));
    std::iter::once(image).chain(variables).chain(exposed).collect()
}
