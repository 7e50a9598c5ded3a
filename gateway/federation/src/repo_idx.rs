//! Indices of repositories in a directory.

use std::ops::Index;

use crate::directory::{Directory, RepositoryEntry};

/// The index of a repository in one [`Directory`], in the order of aliases. It has no meaning in another directory: what
/// outlives a request names a repository by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoIdx(pub usize);

impl Index<RepoIdx> for Directory {
    type Output = RepositoryEntry;

    fn index(&self, repo_idx: RepoIdx) -> &RepositoryEntry {
        &self.repositories[repo_idx.0]
    }
}
