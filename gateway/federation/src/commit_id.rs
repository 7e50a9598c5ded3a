//! Short forms of commit ids.

/// Returns the first twelve digits of a commit.
pub fn short_commit(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}
