//! A file with its edges within the repository and its contracts with other repositories.

use graph::{Codebase, FileIdx, ResolvedFile};

use crate::{contract::FileContracts, contracts::contracts, manifests::RepositoryManifests};

/// The edges and contracts of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkedFile {
    /// Edges within the repository.
    pub resolved: ResolvedFile,
    /// Offers to other repositories, and uses of them.
    pub contracts: FileContracts,
}

/// Resolves one file and reads its contracts.
pub fn link_file(codebase: &Codebase<'_>, manifests: &RepositoryManifests, file: FileIdx) -> LinkedFile {
    let (resolved, contracts) = graph::resolve_with(codebase, file, |cx| contracts(cx, manifests, file));
    LinkedFile { resolved, contracts }
}
