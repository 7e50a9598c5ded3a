//! Objects of Kubernetes: workloads, services, config maps, and patches of Kustomize.

use graph::Inference;
use model::DocumentFormat;

use super::{
    DeploymentFact,
    chart::Chart,
    containers,
    index::DeploymentIndex,
    proxies,
    tree::{DocumentTree, TreeNode},
};
use crate::contract::ContractKind;

/// Maximum number of objects of one list.
const MAX_OBJECTS: usize = 2_000;

/// Images that are added to every pod; the workload is another container.
const SIDECARS: [&str; 5] = ["istio-proxy", "envoy", "linkerd-proxy", "cloud-sql-proxy", "daprd"];

/// Returns the facts of a document.
pub(super) fn facts(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    chart: &Chart<'_>,
    path: &str,
    root: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    for object in objects(root) {
        let name = name(chart, object);
        let line = object.at(&["metadata", "name"]).map_or(1, TreeNode::line);
        if let Some(pod) = pod(object) {
            facts.extend(workload(&name, pod));
            facts.extend(replaced_images(cx, index, &name, pod));
            facts.extend(dapr_host(object, &name));
            facts.extend(referenced(cx, index, chart, &name, pod));
            continue;
        }
        match object.text_of("kind") {
            "Service" => facts.push(service(cx, index, chart, path, object, &name, line)),
            "ConfigMap" => {
                let users = index.users_of_config_map(&name);
                let users = if users.is_empty() { vec![""] } else { users };
                facts.extend(users.into_iter().flat_map(|workload| config_map(object, workload)));
            }
            "Ingress" | "HTTPRoute" | "GRPCRoute" | "VirtualService" | "IngressRoute" => {
                facts.extend(proxies::kubernetes(object));
            }
            "Subscription" => facts.extend(dapr_subscription(object)),
            "Kustomization" => facts.extend(generated_config_maps(index, object)),
            _ => {}
        }
    }
    facts
}

/// Returns the objects of a document: itself, those of a list, or those of a template of OpenShift.
pub(super) fn objects(root: TreeNode<'_>) -> Vec<TreeNode<'_>> {
    let kind = root.text_of("kind");
    let key = match kind {
        "Template" => "objects",
        kind if kind.ends_with("List") => "items",
        _ => return Some(root).filter(|_| !kind.is_empty()).into_iter().collect(),
    };
    root.get(key).into_iter().flat_map(TreeNode::children).take(MAX_OBJECTS).collect()
}

/// Returns the name of an object. One that depends on the release alone is that of the chart.
pub(super) fn name(chart: &Chart<'_>, object: TreeNode<'_>) -> String {
    chart.text(object.at(&["metadata", "name"]).map_or("", TreeNode::value))
}

/// Returns the specification of the pods that an object runs.
pub(super) fn pod(object: TreeNode<'_>) -> Option<TreeNode<'_>> {
    const PATHS: [&[&str]; 3] =
        [&["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"], &["spec"]];
    PATHS.iter().find_map(|path| object.at(path).filter(|pod| pod.get("containers").is_some()))
}

/// Returns the labels of the pods of an object.
pub(super) fn pod_labels(chart: &Chart<'_>, object: TreeNode<'_>) -> Vec<(String, String)> {
    const PATHS: [&[&str]; 3] = [
        &["spec", "template", "metadata", "labels"],
        &["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
        &["metadata", "labels"],
    ];
    let labels = PATHS.iter().find_map(|path| object.at(path));
    labels.map_or_else(Vec::new, |labels| pairs(chart, labels))
}

fn pairs(chart: &Chart<'_>, labels: TreeNode<'_>) -> Vec<(String, String)> {
    labels.children().map(|label| (chart.text(label.key()), chart.text(label.value()))).collect()
}

/// Returns the names of the config maps that a pod reads as a whole.
pub(super) fn config_maps(pod: TreeNode<'_>) -> Vec<&str> {
    let containers = pod.get("containers").into_iter().flat_map(TreeNode::children);
    let sources = containers.filter_map(|container| container.get("envFrom")).flat_map(TreeNode::children);
    let of_variables = sources.filter_map(|source| source.at(&["configMapRef", "name"]));
    let volumes = pod.get("volumes").into_iter().flat_map(TreeNode::children);
    let of_files = volumes.filter_map(|volume| volume.at(&["configMap", "name"]));
    of_variables.chain(of_files).map(TreeNode::value).collect()
}

/// Returns the images and variables of a workload.
fn workload(name: &str, pod: TreeNode<'_>) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    for container in pod.get("containers").into_iter().flat_map(TreeNode::children) {
        let is_sidecar = SIDECARS.contains(&container.text_of("name"));
        if let Some(image) = container.get("image").filter(|image| !is_sidecar && !image.value().is_empty()) {
            facts.push(DeploymentFact::offer(ContractKind::Workload, name, image.value(), image.line()));
        }
    }
    for container in all_containers(pod) {
        facts.extend(containers::variables(container, name));
    }
    facts
}

/// Returns the images by which Kustomize replaces those of a workload.
fn replaced_images(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    name: &str,
    pod: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    let images = pod.get("containers").into_iter().flat_map(TreeNode::children).filter_map(|one| one.get("image"));
    let mut facts = Vec::new();
    for image in images {
        let (folder, last) =
            image.value().rsplit_once('/').map_or(("", image.value()), |(folder, last)| (folder, last));
        let last = last.split([':', '@']).next().unwrap_or(last);
        let whole = if folder.is_empty() { last.to_owned() } else { format!("{folder}/{last}") };
        for replaced in index.replacements(&whole) {
            cx.consult(replaced.file);
            facts.push(DeploymentFact::offer(ContractKind::Workload, name, &replaced.new_name, image.line()));
        }
    }
    facts
}

/// Returns the name by which sidecars of Dapr reach a workload.
fn dapr_host(object: TreeNode<'_>, name: &str) -> Option<DeploymentFact> {
    let id = object.at(&["spec", "template", "metadata", "annotations", "dapr.io/app-id"])?;
    Some(DeploymentFact::offer(ContractKind::Host, id.value(), name, id.line())).filter(|_| !id.value().is_empty())
}

/// Returns the topic that a subscription of Dapr consumes for the application beside it. One with scopes is of other applications.
fn dapr_subscription(object: TreeNode<'_>) -> Option<DeploymentFact> {
    let topic = object.at(&["spec", "topic"]).filter(|topic| !topic.value().is_empty())?;
    let is_of_dapr = object.text_of("apiVersion").starts_with("dapr.io/") && object.get("scopes").is_none();
    is_of_dapr.then(|| DeploymentFact {
        kind: ContractKind::Topic,
        key: format!("dapr:{}", topic.value()),
        member: String::new(),
        line: topic.line(),
        is_offer: false,
        serves: true,
    })
}

fn all_containers(pod: TreeNode<'_>) -> impl Iterator<Item = TreeNode<'_>> {
    ["containers", "initContainers"].into_iter().filter_map(move |key| pod.get(key)).flat_map(TreeNode::children)
}

/// Returns the variables whose value is in a config map: `valueFrom: {configMapKeyRef: {name, key}}`.
fn referenced(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    chart: &Chart<'_>,
    workload: &str,
    pod: TreeNode<'_>,
) -> Vec<DeploymentFact> {
    let mut facts = Vec::new();
    let variables = all_containers(pod).filter_map(|container| container.get("env")).flat_map(TreeNode::children);
    for variable in variables {
        let Some(reference) = variable.at(&["valueFrom", "configMapKeyRef"]) else { continue };
        let (map, key) = (chart.text(reference.text_of("name")), reference.text_of("key"));
        for file in index.config_map(&map) {
            cx.consult(*file);
            let documents = cx.program.facts(*file).documents.iter();
            for document in documents.filter(|document| document.format == DocumentFormat::Yaml) {
                let tree = DocumentTree::new(&document.entries);
                let values = objects(tree.root()).into_iter().filter(|object| name(chart, *object) == map);
                let values = values.filter_map(|object| object.at(&["data", key]));
                facts.extend(values.filter_map(|value| {
                    DeploymentFact::setting(workload, variable.text_of("name"), value.value(), variable.line())
                }));
            }
        }
    }
    facts
}

/// Returns the host of a service, and the workload that its selector selects.
fn service(
    cx: &mut Inference<'_>,
    index: &DeploymentIndex,
    chart: &Chart<'_>,
    path: &str,
    object: TreeNode<'_>,
    name: &str,
    line: u32,
) -> DeploymentFact {
    // Another name of a service, often in another namespace.
    if let Some(other) = object.at(&["spec", "externalName"]).filter(|other| !other.value().is_empty()) {
        let first = other.value().split('.').next().unwrap_or_default();
        return DeploymentFact::offer(ContractKind::Host, name, first, line);
    }
    let selector = object.at(&["spec", "selector"]).map_or_else(Vec::new, |selector| pairs(chart, selector));
    let selected = index.selected(path, &selector);
    // The labels of many templates are in an included one.
    let is_template = path.contains("templates/");
    let selected = selected.or_else(|| index.only_workload(path).filter(|_| is_template && selector.is_empty()));
    if let Some(selected) = selected {
        cx.consult(selected.file);
        return DeploymentFact::offer(ContractKind::Host, name, &selected.name, line);
    }
    const NAMES: [&str; 5] = ["app", "app.kubernetes.io/name", "name", "k8s-app", "component"];
    let named = NAMES.iter().find_map(|key| selector.iter().find(|(label, _)| label == key));
    let workload = named.map_or(name, |(_, value)| value.as_str());
    DeploymentFact::offer(ContractKind::Host, name, workload, line)
}

/// Returns the settings in a config map, and in the files that it holds.
fn config_map(object: TreeNode<'_>, workload: &str) -> Vec<DeploymentFact> {
    let Some(data) = object.get("data") else { return Vec::new() };
    let leaves = data.descendants().into_iter().filter(|leaf| !leaf.value().is_empty());
    leaves.filter_map(|leaf| DeploymentFact::setting(workload, &data_name(leaf), leaf.value(), leaf.line())).collect()
}

/// Returns the name of a setting: its key, or in a file of the config map its keys in the file.
fn data_name(leaf: TreeNode<'_>) -> String {
    let around = std::iter::successors(Some(leaf), |node| node.parent());
    let mut keys: Vec<&str> = around.map(TreeNode::key).take_while(|key| *key != "data").collect();
    keys.reverse();
    let keys = if keys.len() > 1 { &keys[1..] } else { &keys[..] };
    keys.iter().copied().filter(|key| !key.is_empty()).collect::<Vec<_>>().join(".")
}

/// Returns the settings of the config maps that Kustomize generates from literals.
fn generated_config_maps(index: &DeploymentIndex, object: TreeNode<'_>) -> Vec<DeploymentFact> {
    let generators = object.get("configMapGenerator").into_iter().flat_map(TreeNode::children);
    let facts = generators.flat_map(|generator| {
        let users = index.users_of_config_map(generator.text_of("name"));
        let users: Vec<&str> = if users.is_empty() { vec![""] } else { users };
        let literals: Vec<TreeNode<'_>> = generator.get("literals").into_iter().flat_map(TreeNode::children).collect();
        users.into_iter().flat_map(move |workload| {
            literals.clone().into_iter().filter_map(move |literal| {
                let (name, value) = literal.value().split_once('=')?;
                DeploymentFact::setting(workload, name, value, literal.line())
            })
        })
    });
    facts.collect()
}
