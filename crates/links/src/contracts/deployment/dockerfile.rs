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

/// Returns true if an image of an owner has the name of a folder: `acme/cart:1.2 AS base` in `images/cart`. A Dockerfile that begins
/// with it adds something to what another repository builds.
fn is_image_of(base: &str, folder: &str) -> bool {
    let image = base.split_whitespace().find(|word| !word.starts_with("--")).unwrap_or_default();
    let Some((_, name)) = image.rsplit_once('/') else { return false };
    let name = name.split([':', '@']).next().unwrap_or(name);
    let last = folder.rsplit('/').next().unwrap_or(folder);
    !last.is_empty() && name.eq_ignore_ascii_case(last)
}

/// Returns the facts of a Dockerfile: it builds an image whose name is not written, sets variables of the own workload, and exposes
/// ports.
pub(super) fn facts(path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    if !is_dockerfile(path) {
        return Vec::new();
    }
    let bases = || root.children().filter(|entry| entry.key() == "FROM");
    let line = bases().last().map_or(1, TreeNode::line);
    let is_wrapper = bases().any(|base| is_image_of(base.value(), folder(path)));
    let image = (!is_wrapper).then(|| DeploymentFact::offer(ContractKind::Image, "", folder(path), line));
    let variables = root.children().filter_map(|entry| {
        let name = entry.key().strip_prefix("ENV ")?;
        DeploymentFact::setting("", name, entry.value(), entry.line())
    });
    let exposed = root.children().filter(|entry| entry.key() == "EXPOSE");
    let exposed = exposed.flat_map(|entry| ports::exposed(entry.value(), entry.line()));
    image.into_iter().chain(variables).chain(exposed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_of_the_name_of_its_folder_is_wrapped() {
        for (base, folder, expected) in [
            ("acme/cart:1.2 AS base", "images/cart", true),
            ("--platform=linux/amd64 ghcr.io/acme/cart", "cart", true),
            ("acme/cart-base:1.2", "images/cart", false),
            ("nginx:1.27", "nginx", false),
            ("acme/cart", "", false),
        ] {
            assert_eq!(is_image_of(base, folder), expected, "{base} {folder}");
        }
    }
}
