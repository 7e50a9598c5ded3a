//! Builds of images by name: commands in scripts and makefiles, steps of CI, artifacts of Skaffold.

use super::{DeploymentFact, folder, index::DeploymentIndex, joined, tree::TreeNode};
use crate::contract::ContractKind;

/// Names of projects that many services have.
const GENERIC_PROJECTS: [&str; 10] =
    ["web", "api", "webapi", "app", "webapp", "server", "service", "worker", "host", "client"];

/// Returns an offer for each image that a document builds from a Dockerfile of this repository.
pub(super) fn facts(index: &DeploymentIndex, path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    let is_skaffold = root.text_of("apiVersion").starts_with("skaffold");
    let nodes = root.descendants().into_iter();
    let built = nodes.flat_map(|node| {
        let artifact = (is_skaffold && node.get("image").is_some()).then(|| skaffold_artifact(path, node));
        let artifact = artifact.filter(|_| !has_own_builder(node));
        let action = node.get("with").filter(|_| node.text_of("uses").contains("build-push-action")).map(action);
        artifact.into_iter().chain(action.into_iter().flatten()).chain(command(path, node)).collect::<Vec<_>>()
    });
    let built = built.filter_map(|build| build.offer(index));
    let own = root.descendants().into_iter().filter(|node| is_skaffold && has_own_builder(*node));
    let own = own.filter_map(|node| {
        let artifact = skaffold_artifact(path, node);
        Some(DeploymentFact::offer(ContractKind::Image, artifact.name, artifact.folder.as_deref()?, artifact.line))
    });
    built.chain(own).collect()
}

/// Returns an offer for each image that a rule of a build tool, or a project of .NET, makes without a Dockerfile.
pub(super) fn named_images(path: &str, root: TreeNode<'_>) -> Vec<DeploymentFact> {
    root.children().filter_map(|node| named_image(path, node)).collect()
}

/// Returns true for an artifact of Skaffold that needs no Dockerfile.
fn has_own_builder(artifact: TreeNode<'_>) -> bool {
    let has_builder = ["jib", "buildpacks", "ko", "bazel"].iter().any(|builder| artifact.get(builder).is_some());
    has_builder && artifact.get("image").is_some()
}

fn named_image(path: &str, node: TreeNode<'_>) -> Option<DeploymentFact> {
    if node.key() == "project" {
        let name = path.rsplit('/').next().and_then(|file| file.rsplit_once('.'))?.0;
        let is_generic = GENERIC_PROJECTS.iter().any(|generic| name.eq_ignore_ascii_case(generic));
        return (!is_generic).then(|| DeploymentFact::offer(ContractKind::Image, name, folder(path), node.line()));
    }
    let last = node.value().rsplit('/').next().unwrap_or_default();
    let is_written = node.key() == "image" && !last.is_empty() && !last.contains(['$', '{']);
    is_written.then(|| DeploymentFact::offer(ContractKind::Image, node.value(), folder(path), node.line()))
}

/// A build of an image.
struct ImageBuild<'t> {
    name: &'t str,
    /// The folder of its Dockerfile; `None` if it depends on a variable.
    folder: Option<String>,
    /// The folder that may have a build without a Dockerfile (Jib, buildpacks).
    jvm_folder: Option<&'t str>,
    line: u32,
}

impl ImageBuild<'_> {
    /// Returns the offer; `None` if the Dockerfile is not in this repository, or the name is computed.
    fn offer(&self, index: &DeploymentIndex) -> Option<DeploymentFact> {
        let image = self.name.rsplit('/').next().unwrap_or(self.name);
        let image = image.split([':', '@']).next().unwrap_or(image);
        let is_written = !image.is_empty() && !image.contains(['$', '{', '(']);
        let jvm_folder = || self.jvm_folder.filter(|folder| index.has_jvm_build(folder)).map(str::to_owned);
        let folder = index.dockerfile_folder(self.folder.as_deref()).or_else(jvm_folder)?;
        is_written.then(|| DeploymentFact::offer(ContractKind::Image, self.name, &folder, self.line))
    }
}

fn skaffold_artifact<'t>(path: &'t str, artifact: TreeNode<'t>) -> ImageBuild<'t> {
    let image = artifact.get("image");
    let context = artifact.text_of("context");
    let file = artifact.at(&["docker", "dockerfile"]).map_or("", TreeNode::value);
    let relative = format!("{context}/{}", folder(file));
    ImageBuild {
        name: image.map_or("", TreeNode::value),
        folder: joined(folder(path), &relative),
        jvm_folder: Some(folder(path)),
        line: image.unwrap_or(artifact).line(),
    }
}

/// Returns the images of a step with `docker/build-push-action`.
fn action(with: TreeNode<'_>) -> Vec<ImageBuild<'_>> {
    let file = with.text_of("file");
    let relative = if file.is_empty() { with.text_of("context") } else { folder(file) };
    let folder = (!relative.contains(['$', '{'])).then(|| joined("", relative)).flatten();
    let tags = with.get("tags").into_iter().flat_map(|tags| tags.children().chain(Some(tags)));
    let tags = tags.flat_map(|tags| tags.value().split(',').map(move |tag| (tag.trim(), tags.line())));
    tags.filter(|(tag, _)| !tag.is_empty())
        .map(|(name, line)| ImageBuild { name, folder: folder.clone(), jvm_folder: None, line })
        .collect()
}

/// Returns the build of a command: `NAME FOLDER`.
fn command<'t>(path: &str, node: TreeNode<'t>) -> Option<ImageBuild<'t>> {
    let is_command = matches!(node.key(), "build" | "run" | "script" | "");
    let (name, relative) = node.value().split_once(' ').filter(|_| is_command)?;
    // CI runs its steps at the root.
    let from = if path.starts_with('.') { "" } else { folder(path) };
    let folder = (!relative.contains(['$', '{'])).then(|| joined(from, relative)).flatten();
    Some(ImageBuild { name, folder, jvm_folder: None, line: node.line() })
}
