//! Indices of repositories in a directory.

/// The index of a repository in one `Directory`, in the order of aliases. It has no meaning in another directory: data that
/// outlives a request names a repository by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoIdx(pub usize);
