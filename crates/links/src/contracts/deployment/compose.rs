//! Compose files: services, their hosts, images and variables.

use graph::Inference;
use model::DocumentFormat;

use super::{
    DeploymentFact, containers, folder,
    index::DeploymentIndex,
    joined,
    tree::{DocumentTree, TreeNode},
};
use crate::contract::ContractKind;

/// Returns true if a document is a Compose file: its services have keys that only Compose gives them.
pub(super) fn is_compose(path: &str, root: TreeNode<'_>) -> bool {
    let file_name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    // The host of an application of .NET is read as a Compose file.
    let is_named =
        ["compose", "docker-stack"].iter().any(|name| file_name.contains(name)) || file_name.ends_with(".cs");
    let has_services = root.get("services").is_some_and(|services| {
        services.children().any(|service| {
            let has = |key: &str| service.get(key).is_some();
            is_named || (has("image") || has("build")) && (has("ports") || has("environment") || has("depends_on"))
        })
    });
    has_services && root.get("apiVersion").is_none()
}

/// Returns the facts of a Compose file.
pub(super) fn facts(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    path: &str,
    root: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    if !is_compose(path, root) {
        return Vec::new();
    }
    let mut facts = Vec::new();
    for service in root.get("services").into_iter().flat_map(TreeNode::children) {
        let name = service.key();
        facts.extend(
            hosts(service).into_iter().map(|(host, line)| DeploymentFact::offer(ContractKind::Host, host, name, line)),
        );
        facts.extend(linked_hosts(service));
        facts.extend(
            published_ports(service).into_iter().map(|(port, line)| {
                DeploymentFact::offer(ContractKind::Host, &format!("localhost:{port}"), name, line)
            }),
        );
        facts.extend(images(path, name, service));
        facts.extend(containers::variables(service, name));
        facts.extend(passed_variables(cx, index, path, service));
        facts.extend(inherited(cx, index, path, root, service));
        facts.extend(super::proxies::traefik_labels(service, name));
    }
    facts
}

/// Returns the hosts of a service: its name, and the names that its container has besides.
fn hosts(service: TreeNode<'_>) -> Vec<(&str, u32)> {
    let mut hosts = vec![(service.key(), service.line())];
    for key in ["container_name", "hostname"] {
        hosts.extend(service.get(key).map(|other| (other.value(), other.line())));
    }
    let networks = service.get("networks").into_iter().flat_map(TreeNode::children);
    let aliases = networks.filter_map(|network| network.get("aliases")).flat_map(TreeNode::children);
    hosts.extend(aliases.map(|alias| (alias.value(), alias.line())));
    hosts.retain(|(host, _)| !host.is_empty() && !host.contains('{'));
    hosts
}

/// Returns the other names by which a service reaches its links: `links: [cart-db:db]`.
fn linked_hosts(service: TreeNode<'_>) -> Vec<DeploymentFact> {
    let links = service.get("links").into_iter().flat_map(TreeNode::children);
    let aliases = links.filter_map(|link| {
        let (target, alias) = link.value().split_once(':')?;
        (target != alias).then(|| DeploymentFact::offer(ContractKind::Host, alias, target, link.line()))
    });
    aliases.collect()
}

/// Returns the image and variables that a service has from the one that it extends, in the same file or another one, unless it sets them
/// itself.
fn inherited(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    path: &str,
    root: TreeNode<'_>,
    service: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    let Some(extends) = service.get("extends") else { return Vec::new() };
    let base = if extends.has_children() { extends.text_of("service") } else { extends.value() };
    let of_base = |root: TreeNode<'_>, path: &str| {
        let base = root.at(&["services", base])?;
        let has_image = service.get("image").is_some() || service.get("build").is_some();
        let mut facts = if has_image { Vec::new() } else { images(path, service.key(), base) };
        let own = containers::variables(service, service.key());
        let is_set = |fact: &DeploymentFact| own.iter().any(|set| set.key == fact.key);
        facts.extend(containers::variables(base, service.key()).into_iter().filter(|fact| !is_set(fact)));
        // The line is that of the reference, since the base may be in another file.
        facts.iter_mut().for_each(|fact| fact.line = extends.line());
        Some(facts)
    };
    let other = extends.text_of("file");
    if other.is_empty() {
        return of_base(root, path).unwrap_or_default();
    }
    let other = joined(folder(path), other).unwrap_or_default();
    let Some(file) = index.compose_file(&other) else { return Vec::new() };
    cx.consult(file);
    let documents = cx.program.facts(file).documents.iter().filter(|document| document.format == DocumentFormat::Yaml);
    let found = documents.filter_map(|document| {
        let tree = DocumentTree::new(&document.entries);
        of_base(tree.root(), &other)
    });
    found.flatten().collect()
}

/// Returns the ports of the developer's machine that lead to a service: `8080` of `8080:80` and of `127.0.0.1:8080:80`.
fn published_ports(service: TreeNode<'_>) -> Vec<(&str, u32)> {
    let ports = service.get("ports").into_iter().flat_map(TreeNode::children);
    let published = ports.filter_map(|port| {
        let written = match port.get("published") {
            Some(published) => published.value(),
            None => port.value().rsplit_once(':')?.0.rsplit(':').next()?,
        };
        let is_number = !written.is_empty() && written.chars().all(|c| c.is_ascii_digit());
        is_number.then_some((written, port.line()))
    });
    published.collect()
}

/// Returns the image of a service: the folder that it is built from, and the name of the image.
fn images(path: &str, name: &str, service: TreeNode<'_>) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    if let Some(build) = service.get("build") {
        let context = if build.has_children() { build.text_of("context") } else { build.value() };
        let file = build.text_of("dockerfile");
        let relative = match folder(file) {
            "" => context.to_owned(),
            below => format!("{context}/{below}"),
        };
        // A folder outside of the repository has at least its name.
        let built = joined(folder(path), &relative).unwrap_or_else(|| relative.replace("../", ""));
        let line = build.get("context").unwrap_or(build).line();
        facts.push(DeploymentFact::offer(ContractKind::Workload, name, &format!("build:{built}"), line));
    }
    if service.get("build").is_none()
        && let Some((folder, line)) = mounted_folder(path, service)
    {
        facts.push(DeploymentFact::offer(ContractKind::Workload, name, &format!("build:{folder}"), line));
    }
    if let Some(image) = service.get("image").filter(|image| !image.value().is_empty()) {
        facts.push(DeploymentFact::offer(ContractKind::Workload, name, image.value(), image.line()));
    }
    facts
}

/// Images of languages, in which a container runs code that it mounts.
const RUNTIMES: [&str; 14] = [
    "node",
    "python",
    "golang",
    "ruby",
    "php",
    "openjdk",
    "eclipse-temurin",
    "maven",
    "gradle",
    "sdk",
    "rust",
    "elixir",
    "bun",
    "deno",
];

/// Returns the folder of code that a service mounts to run it: `./cart` of `image: node:20` and `volumes: [./cart:/app]`. A service with
/// several folders runs the one at its `working_dir`.
fn mounted_folder(path: &str, service: TreeNode<'_>) -> Option<(String, u32)> {
    let image = service.text_of("image").rsplit('/').next()?.split([':', '@']).next()?;
    if !RUNTIMES.contains(&image) {
        return None;
    }
    let volumes = service.get("volumes").into_iter().flat_map(TreeNode::children);
    let mounts = volumes.filter_map(|volume| {
        let (source, target) = match volume.get("source").zip(volume.get("target")) {
            Some((source, target)) => (source.value(), target.value()),
            None => volume.value().split_once(':')?,
        };
        let is_folder = source.starts_with('.') && !source.rsplit('/').next()?.trim_start_matches('.').contains('.');
        is_folder.then_some((source, target.split(':').next()?, volume.line()))
    });
    let mounts: Vec<(&str, &str, u32)> = mounts.collect();
    let working = service.text_of("working_dir").trim_end_matches('/');
    let at_work = mounts.iter().find(|(_, target, _)| !working.is_empty() && target.trim_end_matches('/') == working);
    let (source, _, line) = at_work.or(mounts.first().filter(|_| mounts.len() == 1))?;
    let folder = joined(folder(path), source).unwrap_or_else(|| source.replace("../", ""));
    (!folder.is_empty()).then_some((folder, *line))
}

/// Returns the variables that a service gets from the `.env` beside the Compose file: `CART_ADDR` without a value, and
/// `A: ${CART_ADDR}`.
fn passed_variables(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    path: &str,
    service: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    let Some(environment) = service.get("environment") else { return Vec::new() };
    let Some(file) = index.env_file(&joined(folder(path), ".env").unwrap_or_default()) else { return Vec::new() };
    cx.consult(file);
    let documents = cx.program.facts(file).documents.iter();
    let entries =
        || documents.clone().filter(|one| one.format == DocumentFormat::Assignments).flat_map(|one| &one.entries);
    let value_of = |name: &str| entries().find(|entry| entry.key == name).map(|entry| entry.value.as_str());
    let passed = environment.children().filter_map(|item| {
        let (name, value) = match item.key() {
            "" => item.value().split_once('=').unwrap_or((item.value(), "")),
            key => (key, item.value()),
        };
        let passed = if value.is_empty() { name } else { value.strip_prefix("{env:")?.strip_suffix('}')? };
        DeploymentFact::setting(service.key(), name, value_of(passed)?, item.line())
    });
    passed.collect()
}
