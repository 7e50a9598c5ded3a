//! The workloads, Dockerfiles and shared settings of a repository: deployments refer to them across files.

use std::collections::BTreeMap;

use graph::{FileIdx, Program};
use model::DocumentFormat;
use rustc_hash::FxHashMap;

use super::{chart::Chart, cloud, compose, dockerfile, folder, joined, kubernetes, tree::DocumentTree};
use crate::contracts::visibility::is_test_or_example;

/// Everything of a repository that its documents refer to in each other.
#[derive(Debug, Default)]
pub(crate) struct DeploymentIndex {
    workloads: Vec<IndexedWorkload>,
    /// By label and value: the workloads.
    by_label: FxHashMap<(String, String), Vec<u32>>,
    /// By name of a `ConfigMap`: the workloads that read it.
    config_map_users: BTreeMap<String, Vec<String>>,
    /// By path of a file of assignments: the workloads that read it.
    env_file_users: BTreeMap<String, Vec<String>>,
    env_files: BTreeMap<String, FileIdx>,
    /// By name of a `ConfigMap`: its files.
    config_maps: BTreeMap<String, Vec<FileIdx>>,
    dockerfile_folders: Vec<String>,
    /// Folders with a build of Maven or Gradle, which makes an image without a Dockerfile.
    jvm_folders: Vec<String>,
    /// By folder and identifier: the names of topics and queues of Terraform.
    cloud_names: BTreeMap<(String, String), (FileIdx, String)>,
    /// The images that Kustomize replaces.
    replaced_images: Vec<ReplacedImage>,
    compose_files: BTreeMap<String, FileIdx>,
}

/// An image that Kustomize replaces by another one.
#[derive(Debug)]
pub(super) struct ReplacedImage {
    pub(super) name: String,
    pub(super) new_name: String,
    pub(super) file: FileIdx,
}

/// A workload of Kubernetes.
#[derive(Debug)]
pub(super) struct IndexedWorkload {
    pub(super) name: String,
    pub(super) file: FileIdx,
    folder: String,
    labels: Vec<(String, String)>,
}

impl DeploymentIndex {
    /// Indexes the documents of a repository.
    pub(crate) fn new(program: &Program<'_>) -> DeploymentIndex {
        let mut index = DeploymentIndex::default();
        let files = program
            .file_indices()
            .filter(|file| !program.facts(*file).documents.is_empty() && !is_test_or_example(program.path(*file)));
        for file in files {
            let path = program.path(file);
            let chart = Chart::new(program, path);
            for document in &program.facts(file).documents {
                let tree = DocumentTree::new(&document.entries);
                match document.format {
                    DocumentFormat::Yaml => {
                        index.add_compose(file, path, &tree);
                        for object in kubernetes::objects(tree.root()) {
                            index.add_object(&chart, file, path, object);
                        }
                    }
                    DocumentFormat::Terraform => {
                        for (id, name) in cloud::terraform_names(tree.root()) {
                            index.cloud_names.insert((folder(path).to_owned(), id), (file, name.to_owned()));
                        }
                    }
                    DocumentFormat::Assignments => {
                        index.env_files.insert(path.to_owned(), file);
                    }
                    DocumentFormat::Dockerfile if dockerfile::is_dockerfile(path) => {
                        index.dockerfile_folders.push(folder(path).to_owned());
                    }
                    _ => {}
                }
            }
        }
        let builds = program
            .file_indices()
            .map(|file| program.path(file))
            .filter(|path| matches!(path.rsplit('/').next(), Some("pom.xml" | "build.gradle" | "build.gradle.kts")));
        index.jvm_folders = builds.map(|path| folder(path).to_owned()).collect();
        index.dockerfile_folders.sort();
        index.dockerfile_folders.dedup();
        index
    }

    fn add_object(&mut self, chart: &Chart<'_>, file: FileIdx, path: &str, object: super::tree::TreeNode<'_>) {
        let name = kubernetes::name(chart, object);
        match object.text_of("kind") {
            "ConfigMap" => return self.config_maps.entry(name).or_default().push(file),
            "Kustomization" => return self.add_replaced_images(file, object),
            _ => {}
        }
        let Some(pod) = kubernetes::pod(object) else { return };
        for config_map in kubernetes::config_maps(pod) {
            self.config_map_users.entry(chart.text(config_map)).or_default().push(name.clone());
        }
        let labels = kubernetes::pod_labels(chart, object);
        let idx = self.workloads.len() as u32;
        for label in &labels {
            self.by_label.entry(label.clone()).or_default().push(idx);
        }
        self.workloads.push(IndexedWorkload { name, file, folder: folder(path).to_owned(), labels });
    }

    fn add_replaced_images(&mut self, file: FileIdx, object: super::tree::TreeNode<'_>) {
        let images = object.get("images").into_iter().flat_map(|images| images.children());
        self.replaced_images.extend(images.filter_map(|image| {
            let (name, new_name) = (image.text_of("name").to_owned(), image.text_of("newName").to_owned());
            (!name.is_empty() && !new_name.is_empty()).then_some(ReplacedImage { name, new_name, file })
        }));
    }

    fn add_compose(&mut self, file: FileIdx, path: &str, tree: &DocumentTree<'_>) {
        if !compose::is_compose(path, tree.root()) {
            return;
        }
        self.compose_files.insert(path.to_owned(), file);
        for service in tree.root().get("services").into_iter().flat_map(|services| services.children()) {
            let Some(files) = service.get("env_file") else { continue };
            let paths = files.children().map(|item| match item.get("path") {
                Some(path) => path.value(),
                None => item.value(),
            });
            for relative in paths.chain(Some(files.value())).filter(|relative| !relative.is_empty()) {
                let Some(target) = joined(folder(path), relative) else { continue };
                self.env_file_users.entry(target).or_default().push(service.key().to_owned());
            }
        }
    }

    /// Returns the workload that a selector of Kubernetes selects: in the same folder, else anywhere in the repository.
    pub(super) fn selected(&self, path: &str, selector: &[(String, String)]) -> Option<&IndexedWorkload> {
        let candidates = self.by_label.get(selector.first()?)?;
        let matching = || {
            let all = candidates.iter().take(500).map(|idx| &self.workloads[*idx as usize]);
            all.filter(|workload| selector.iter().all(|label| workload.labels.contains(label)))
        };
        matching().find(|workload| workload.folder == folder(path)).or_else(|| matching().next())
    }

    /// Returns the only workload of a folder.
    pub(super) fn only_workload(&self, path: &str) -> Option<&IndexedWorkload> {
        let mut here = self.workloads.iter().filter(|workload| workload.folder == folder(path));
        here.next().filter(|first| here.all(|other| other.name == first.name))
    }

    /// Returns the workloads that read a `ConfigMap` as a whole.
    pub(super) fn users_of_config_map(&self, name: &str) -> Vec<&str> {
        distinct(self.config_map_users.get(name))
    }

    /// Returns the workloads that read a file of assignments.
    pub(super) fn users_of_env_file(&self, path: &str) -> Vec<&str> {
        distinct(self.env_file_users.get(path))
    }

    /// Returns the file of assignments at a path.
    pub(super) fn env_file(&self, path: &str) -> Option<FileIdx> {
        self.env_files.get(path).copied()
    }

    /// Returns the name of a topic or queue of Terraform by its identifier, and the file that states it. A folder is a module.
    pub(super) fn cloud_name(&self, path: &str, id: &str) -> Option<(FileIdx, &str)> {
        let (file, name) = self.cloud_names.get(&(folder(path).to_owned(), id.to_owned()))?;
        Some((*file, name))
    }

    /// Returns the images that replace an image without its tag.
    pub(super) fn replacements(&self, image: &str) -> impl Iterator<Item = &ReplacedImage> {
        self.replaced_images.iter().filter(move |one| one.name == image)
    }

    /// Returns the Compose file at a path.
    pub(super) fn compose_file(&self, path: &str) -> Option<FileIdx> {
        self.compose_files.get(path).copied()
    }

    /// Returns the files that define a `ConfigMap`.
    pub(super) fn config_map(&self, name: &str) -> &[FileIdx] {
        self.config_maps.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a folder has a build of Maven or Gradle.
    pub(super) fn has_jvm_build(&self, folder: &str) -> bool {
        self.jvm_folders.iter().any(|one| one == folder)
    }

    /// Returns the folder of the Dockerfile that a build means: the folder itself or its only one below; without a folder the only
    /// one of the repository.
    pub(super) fn dockerfile_folder(&self, wanted: Option<&str>) -> Option<String> {
        let only = || match self.dockerfile_folders.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        match wanted {
            Some(wanted) if self.dockerfile_folders.iter().any(|folder| folder == wanted) => Some(wanted.to_owned()),
            Some("") | None => only(),
            Some(_) => None,
        }
    }
}

fn distinct(names: Option<&Vec<String>>) -> Vec<&str> {
    let mut names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}
