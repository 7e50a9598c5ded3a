//! A file with its edges within the repository and its contracts with other repositories.

use graph::{Codebase, CompilerUses, FileIdx, ResolvedFile};

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
    link_file_with_compiler(codebase, manifests, file, None)
}

/// Resolves one file and reads its contracts. The uses that a compiler found take precedence.
pub fn link_file_with_compiler(
    codebase: &Codebase<'_>,
    manifests: &RepositoryManifests,
    file: FileIdx,
    compiler: Option<&CompilerUses>,
) -> LinkedFile {
    let (resolved, contracts) = graph::resolve_with(codebase, file, compiler, |cx| contracts(cx, manifests, file));
    LinkedFile { resolved, contracts }
}
