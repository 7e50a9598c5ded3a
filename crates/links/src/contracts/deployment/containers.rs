//! Containers in any notation: a name, an image, variables and arguments.

use super::{DeploymentFact, tree::TreeNode};
use crate::contract::ContractKind;

/// Keys of variables of a container.
pub(super) const VARIABLES: [&str; 10] = [
    "env",
    "environment",
    "Environment",
    "envs",
    "envVars",
    "extraEnv",
    "extraEnvVars",
    "environmentVariables",
    "envOverrides",
    "variables",
];

/// Keys of the command line of a container.
const ARGUMENTS: [&str; 3] = ["command", "args", "entrypoint"];

/// Returns the settings that a container states: variables in each of their notations, and addresses among its arguments.
pub(super) fn variables(container: TreeNode<'_>, workload: &str) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    for list in container.children().filter(|child| VARIABLES.contains(&child.key())) {
        facts.extend(list.children().filter_map(|item| variable(item, workload)));
        // `environment { variables = { … } }`.
        let nested = list.get("variables").or_else(|| list.get("Variables")).into_iter().flat_map(TreeNode::children);
        facts.extend(nested.filter_map(|item| variable(item, workload)));
        // `env { name = … value = … }` of Terraform is one variable.
        facts.extend(variable(list, workload).filter(|_| list.get("name").is_some()));
    }
    for list in container.children().filter(|child| ARGUMENTS.contains(&child.key())) {
        // `--cart-url http://cart` are two arguments.
        let pairs = list.children().zip(list.children().skip(1));
        facts.extend(pairs.filter_map(|(flag, value)| {
            let name = flag.value().strip_prefix('-').filter(|name| !name.contains('='))?;
            let is_flag = value.value().starts_with('-');
            DeploymentFact::setting(workload, name.trim_start_matches('-'), value.value(), value.line())
                .filter(|_| !is_flag)
        }));
        let words = list.children().chain(Some(list));
        facts.extend(words.filter_map(|word| {
            let (name, value) = word.value().split_once('=')?;
            DeploymentFact::setting(workload, name, value, word.line())
        }));
    }
    facts
}

/// Returns the setting of `{name: A, value: b}`, `A: b` or `A=b`. Its line is that of the name.
fn variable(item: TreeNode<'_>, workload: &str) -> Option<DeploymentFact> {
    if let Some(value) = item.get("value").or_else(|| item.get("Value")) {
        let name =
            [item.text_of("name"), item.text_of("Name"), item.key()].into_iter().find(|name| !name.is_empty())?;
        return DeploymentFact::setting(workload, name, value.value(), item.get("name").unwrap_or(value).line());
    }
    let (name, value) = match item.key() {
        "" => item.value().split_once('=')?,
        key => (key, item.value()),
    };
    DeploymentFact::setting(workload, name, value, item.line())
}

/// Returns the workloads of Terraform and of task definitions: every block with a name and an image.
pub(super) fn facts(root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    for node in std::iter::once(root).chain(root.descendants()) {
        let image = ["image", "Image", "image_uri", "ImageUri"].iter().find_map(|key| node.get(key));
        let has_variables = ["environment", "Environment", "env"].iter().any(|key| node.get(key).is_some());
        if image.is_none() && !has_variables {
            continue;
        }
        let around = std::iter::successors(Some(node), |node| node.parent());
        let written =
            around.clone().map(|node| [node.text_of("name"), node.text_of("Name")]).map(|names| names[0].max(names[1]));
        let names = written.chain(around.map(label));
        let Some(name) = names.into_iter().find(|name| !name.is_empty() && !name.contains('{')) else { continue };
        if let Some(image) = image.filter(|image| !image.value().is_empty()) {
            facts.push(DeploymentFact::offer(ContractKind::Workload, name, image.value(), image.line()));
        }
        facts.extend(variables(node, name));
        facts.extend(service_host(node, name));
    }
    facts.extend(root.children().filter_map(discovered_host));
    facts
}

/// Returns the host under which a task of Nomad registers itself: `service { name = "cart" }`.
fn service_host(node: TreeNode<'_>, workload: &str) -> Option<DeploymentFact> {
    let around = std::iter::successors(Some(node), |node| node.parent());
    let service = around
        .filter(|one| matches!(one.key().split(' ').next(), Some("task" | "group")))
        .find_map(|one| one.get("service"))?;
    let name = service.get("name")?;
    let is_name = !name.value().is_empty() && !name.value().contains('{');
    is_name.then(|| DeploymentFact::offer(ContractKind::Host, name.value(), workload, name.line()))
}

/// Returns the host that a resource of Terraform names: a service of Kubernetes, or of the discovery of a cloud.
fn discovered_host(block: TreeNode<'_>) -> Option<DeploymentFact> {
    let kind = block.key().strip_prefix("resource ")?.split(' ').next()?;
    let (name, workload) = match kind {
        "kubernetes_service" | "kubernetes_service_v1" => {
            let name = block.at(&["metadata", "name"])?;
            let selected = block.at(&["spec", "selector"]).and_then(|labels| labels.children().next());
            (name, selected.map_or(name.value(), TreeNode::value))
        }
        "aws_service_discovery_service" => block.get("name").map(|name| (name, name.value()))?,
        _ => return None,
    };
    (!name.value().is_empty()).then(|| DeploymentFact::offer(ContractKind::Host, name.value(), workload, name.line()))
}

/// Returns the name in the labels of a block of Terraform: `cart` of `resource aws_ecs_service cart`.
fn label<'t>(node: TreeNode<'t>) -> &'t str {
    let mut labels = node.key().split(' ');
    match labels.next() {
        Some("resource") => labels.nth(1).unwrap_or_default(),
        Some("module" | "task") => labels.next().unwrap_or_default(),
        _ => "",
    }
}
