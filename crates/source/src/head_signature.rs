//! A cheap check whether a checkout may have moved to another commit.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use crate::{Checkout, CheckoutKind, folder, head_ref::symbolic_chain};

/// The state of a checkout, for comparison only. If two signatures are equal, the checkout is at the same commit.
///
/// The reverse does not hold: two signatures may differ although the commit is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeadSignature {
    /// The checkout or its repository does not exist.
    Gone,
    /// A hash of the state.
    At([u8; 16]),
}

/// Computes the signature of a checkout from a few small files of git, or from the names, sizes and times of a folder's files.
pub fn head_signature(checkout: &Checkout) -> HeadSignature {
    if !checkout.path.is_dir() {
        return HeadSignature::Gone;
    }
    if checkout.kind == CheckoutKind::Folder {
        return HeadSignature::At(folder::fingerprint(&checkout.path));
    }
    if fs::symlink_metadata(checkout.dirs.git_dir.join("HEAD")).is_err() {
        return HeadSignature::Gone;
    }
    let mut hasher = blake3::Hasher::new();
    match symbolic_chain(&checkout.dirs) {
        Ok(chain) => chain.iter().for_each(|link| {
            hasher.update(link.content.as_bytes()).update(&[0]);
        }),
        // The run that reads it reports the error.
        Err(error) => _ = hasher.update(error.to_string().as_bytes()),
    }
    for name in ["packed-refs", "reftable/tables.list"] {
        hash_stat(&checkout.dirs.common_dir.join(name), &mut hasher);
    }
    let mut signature = [0; 16];
    hasher.finalize_xof().fill(&mut signature);
    HeadSignature::At(signature)
}

fn hash_stat(path: &Path, hasher: &mut blake3::Hasher) {
    let stat = fs::metadata(path).map(|m| [m.len() as i64, m.mtime(), m.mtime_nsec(), m.ino() as i64]);
    for number in stat.unwrap_or_default() {
        hasher.update(&number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sandbox;

    const FILES: &[(&str, &str)] = &[("a.rs", "fn a() {}")];

    #[test]
    fn a_signature_changes_when_the_head_moves() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", FILES);
        sandbox.run("app", "git worktree add -q ../next");
        let checkouts = [sandbox.checkout("app"), sandbox.checkout("next")];
        for line in
            ["git checkout -q -b topic", "git pack-refs --all", "git checkout -q --detach", "git checkout -q topic"]
        {
            check_moves(&sandbox, &checkouts, "app", line, [true, line.contains("pack")]);
        }
        sandbox.write("next/b.rs", "fn b() {}");
        sandbox.run("next", "git add -A");
        check_moves(&sandbox, &checkouts, "next", "git commit -q -m two", [false, true]);
        check_moves(&sandbox, &checkouts, "app", "git reset -q --hard next", [true, false]);
        check_moves(&sandbox, &checkouts, "app", "git status", [false, false]);
    }

    /// Runs a command, and compares for each of two checkouts whether its signature changed.
    fn check_moves(sandbox: &Sandbox, checkouts: &[Checkout; 2], folder: &str, line: &str, expected: [bool; 2]) {
        let before = checkouts.each_ref().map(head_signature);
        sandbox.run(folder, line);
        let after = checkouts.each_ref().map(head_signature);
        assert_eq!([before[0] != after[0], before[1] != after[1]], expected, "{line}");
    }

    #[test]
    fn a_signature_changes_when_a_folder_is_written() {
        let sandbox = Sandbox::new();
        sandbox.write("notes/a.md", "one");
        let checkout = sandbox.checkout("notes");
        let before = head_signature(&checkout);
        assert_eq!(head_signature(&checkout), before);
        sandbox.write("notes/b.md", "two");
        assert_ne!(head_signature(&checkout), before);
    }

    #[test]
    fn a_missing_checkout_is_gone() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", FILES);
        sandbox.write("notes/a.md", "one");
        for folder in ["app", "notes"] {
            let checkout = sandbox.checkout(folder);
            fs::remove_dir_all(sandbox.path(folder)).unwrap();
            assert_eq!(head_signature(&checkout), HeadSignature::Gone);
        }
    }
}
