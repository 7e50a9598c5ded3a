//! Contracts that the manifests and API documents of a repository declare.

mod openapi;
mod packages;

use std::collections::BTreeMap;

use graph::{ManifestFile, is_openapi_document};

pub(crate) use openapi::OpenApiOperation;
pub(crate) use packages::{DeclaredPackages, PackageDeclaration, normal_python_name};

/// The packages and HTTP operations that a repository declares outside of its code.
#[derive(Debug, Default)]
pub struct RepositoryManifests {
    pub(crate) packages: DeclaredPackages,
    /// By path of the OpenAPI document.
    operations: BTreeMap<String, Vec<OpenApiOperation>>,
}

impl RepositoryManifests {
    /// Reads manifests and OpenAPI documents. An unreadable manifest declares nothing.
    pub fn read(manifests: &[ManifestFile<'_>]) -> RepositoryManifests {
        let documents = manifests.iter().filter(|manifest| is_openapi_document(manifest.path));
        RepositoryManifests {
            packages: DeclaredPackages::new(manifests),
            operations: documents
                .map(|document| (document.path.to_owned(), openapi::operations(document.text)))
                .collect(),
        }
    }

    /// Returns the operations of the OpenAPI document at a path.
    pub(crate) fn operations(&self, path: &str) -> &[OpenApiOperation] {
        self.operations.get(path).map_or(&[], Vec::as_slice)
    }
}
