//! Which commit a checkout is at.

use model::CommitId;

use crate::{Checkout, CheckoutKind, SourceError, folder, git};

/// The commit that a checkout is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// For a plain folder, a hash of its paths and their contents.
    pub commit: CommitId,
    /// The branch that is checked out, without `refs/heads/`; none when `HEAD` is detached, and in a folder.
    pub branch: Option<String>,
    /// When the commit was made, in seconds since 1970; for a plain folder, when its newest file was written.
    pub committed_at: i64,
}

/// Resolves `HEAD`. For a plain folder this reads every file of it.
pub fn resolve(checkout: &Checkout) -> Result<Head, SourceError> {
    if !checkout.path.is_dir() {
        return Err(SourceError::Gone { alias: checkout.alias.clone() });
    }
    match checkout.kind {
        CheckoutKind::Folder => folder::resolve(checkout),
        _ => git::resolve(checkout),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Sandbox;

    const FILES: &[(&str, &str)] = &[("a.rs", "fn a() {}")];

    fn check(sandbox: &Sandbox, folder: &str, branch: Option<&str>) {
        let head = resolve(&sandbox.checkout(folder)).unwrap();
        assert_eq!(head.commit.to_string(), sandbox.run(folder, "git rev-parse HEAD"));
        assert_eq!((head.branch.as_deref(), head.committed_at), (branch, 1_700_000_000));
    }

    #[test]
    fn every_kind_of_head_resolves() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", FILES);
        check(&sandbox, "app", Some("main"));
        sandbox.run("app", "git checkout -q -b topic/ä");
        check(&sandbox, "app", Some("topic/ä"));
        sandbox.run("app", "git pack-refs --all");
        check(&sandbox, "app", Some("topic/ä"));
        sandbox.run("app", "git worktree add -q ../next");
        check(&sandbox, "next", Some("next"));
        sandbox.run("app", "git checkout -q --detach");
        check(&sandbox, "app", None);
        sandbox.run("", "git clone -q --bare app bare.git");
        check(&sandbox, "bare.git", Some("main"));
    }

    #[test]
    fn what_cannot_be_resolved_says_why() {
        let sandbox = Sandbox::new();
        for folder in ["new", "table", "long", "gone", "broken"] {
            fs::create_dir_all(sandbox.path(folder)).unwrap();
        }
        sandbox.run("new", "git init -q");
        sandbox.run("gone", "git init -q");
        sandbox.run("table", "git init -q --ref-format=reftable");
        sandbox.repository("broken", FILES);
        let broken = sandbox.checkout("broken");
        fs::remove_dir_all(sandbox.path("broken/.git/objects")).unwrap();
        fs::create_dir_all(sandbox.path("broken/.git/objects")).unwrap();
        let gone = sandbox.checkout("gone");
        fs::remove_dir_all(sandbox.path("gone")).unwrap();
        assert!(matches!(resolve(&sandbox.checkout("new")), Err(SourceError::NoCommits { .. })));
        assert!(matches!(resolve(&sandbox.checkout("table")), Err(SourceError::Unsupported { .. })));
        assert!(matches!(resolve(&gone), Err(SourceError::Gone { .. })));
        assert!(matches!(resolve(&broken), Err(SourceError::Unreadable { .. })));
    }

    #[test]
    fn a_folder_is_at_the_hash_of_its_files() {
        let sandbox = Sandbox::new();
        sandbox.write("notes/a.md", "one");
        sandbox.write("copy/a.md", "one");
        let head = resolve(&sandbox.checkout("notes")).unwrap();
        assert_eq!((&head.branch, head.committed_at > 1_700_000_000), (&None, true));
        assert_eq!(head.commit, resolve(&sandbox.checkout("copy")).unwrap().commit);
        sandbox.write("notes/a.md", "two");
        assert_ne!(head.commit, resolve(&sandbox.checkout("notes")).unwrap().commit);
    }
}
