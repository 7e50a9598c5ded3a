//! Contracts that the manifests and API documents of a repository declare.

mod asyncapi;
mod openapi;
mod packages;

use std::{collections::BTreeMap, sync::OnceLock};

use graph::{Family, ManifestFile, Program, is_asyncapi_document, is_openapi_document};
use model::Language;

use crate::contracts::DeploymentIndex;
pub(crate) use asyncapi::DeclaredMessage;
pub(crate) use openapi::OpenApiOperation;

pub(crate) use packages::{DeclaredPackages, PackageDeclaration, normal_python_name};

/// The packages and HTTP operations that a repository declares outside of its code.
#[derive(Debug, Default)]
pub struct RepositoryManifests {
    pub(crate) packages: DeclaredPackages,
    /// By path of the OpenAPI document.
    operations: BTreeMap<String, Vec<OpenApiOperation>>,
    /// By the name of the function in their identifiers.
    identified: BTreeMap<String, Vec<OpenApiOperation>>,
    /// By path of the AsyncAPI document.
    messages: BTreeMap<String, Vec<DeclaredMessage>>,
    /// Made for the first file with documents of deployments.
    deployments: OnceLock<DeploymentIndex>,
}

impl RepositoryManifests {
    /// Reads manifests and API documents. An unreadable manifest declares nothing.
    pub fn read(manifests: &[ManifestFile<'_>]) -> RepositoryManifests {
        let documents = manifests.iter().filter(|manifest| is_openapi_document(manifest.path));
        let operations: BTreeMap<String, Vec<OpenApiOperation>> =
            documents.map(|document| (document.path.to_owned(), openapi::operations(document.text))).collect();
        let mut identified: BTreeMap<String, Vec<OpenApiOperation>> = BTreeMap::new();
        for operation in operations.values().flatten().filter(|operation| !operation.id.is_empty()) {
            let function = operation.id.rsplit('.').next().unwrap_or(&operation.id);
            identified.entry(normal_identifier(function)).or_default().push(operation.clone());
        }
        let documents = manifests.iter().filter(|manifest| is_asyncapi_document(manifest.path));
        let messages =
            documents.map(|document| (document.path.to_owned(), asyncapi::messages(document.text))).collect();
        RepositoryManifests {
            packages: DeclaredPackages::new(manifests),
            operations,
            identified,
            messages,
            deployments: OnceLock::new(),
        }
    }

    /// Returns the key of the package that a file in a language belongs to.
    pub fn package_of(&self, path: &str, language: Language) -> Option<&str> {
        let ecosystem = match Family::of(language) {
            Family::Ecmascript => "npm",
            Family::Python => "pypi",
            Family::Go => "go",
            Family::Java => "maven",
            Family::Rust => "cargo",
            Family::C | Family::Other => return None,
        };
        self.packages.containing(path, ecosystem).map(|(_, package)| package.key.as_str())
    }

    /// Returns the index of the deployments of the repository, whose program this is.
    pub(crate) fn deployments(&self, program: &Program<'_>) -> &DeploymentIndex {
        self.deployments.get_or_init(|| DeploymentIndex::new(program))
    }

    /// Returns true if a document gives its operations identifiers.
    pub(crate) fn has_identifiers(&self) -> bool {
        !self.identified.is_empty()
    }

    /// Returns the operations whose identifier ends with the name of a function.
    pub(crate) fn operations_named(&self, function: &str) -> &[OpenApiOperation] {
        self.identified.get(&normal_identifier(function)).map_or(&[], Vec::as_slice)
    }

    /// Returns the messages of the AsyncAPI document at a path.
    pub(crate) fn messages(&self, path: &str) -> &[DeclaredMessage] {
        self.messages.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns the operations of the OpenAPI document at a path.
    pub(crate) fn operations(&self, path: &str) -> &[OpenApiOperation] {
        self.operations.get(path).map_or(&[], Vec::as_slice)
    }
}

/// Returns a name without case and separators, since generators write it as their language does.
fn normal_identifier(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}
