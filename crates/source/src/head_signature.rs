//! A cheap check whether a checkout may have moved to another commit.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use std::os::unix::fs::MetadataExt;

use crate::{Checkout, CheckoutKind, folder};

/// Maximum bytes read of `HEAD` and of a reference. The longest name that git allows fits.
const MAX_REFERENCE_BYTES: u64 = 4_096;

/// Maximum number of symbolic references followed from `HEAD`; the limit of git is five as well.
const MAX_SYMBOLIC_DEPTH: usize = 5;

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
    let Some(head) = read_prefix(&checkout.git_dir.join("HEAD")) else { return HeadSignature::Gone };
    let mut hasher = blake3::Hasher::new();
    hash_reference(checkout, head, &mut hasher);
    for name in ["packed-refs", "reftable/tables.list"] {
        hash_stat(&checkout.common_dir.join(name), &mut hasher);
    }
    let mut signature = [0; 16];
    hasher.finalize_xof().fill(&mut signature);
    HeadSignature::At(signature)
}

fn hash_reference(checkout: &Checkout, head: Vec<u8>, hasher: &mut blake3::Hasher) {
    let mut content = head;
    for _ in 0..MAX_SYMBOLIC_DEPTH {
        hasher.update(&content);
        hasher.update(&[0]);
        let text = String::from_utf8_lossy(&content);
        let Some(name) = text.strip_prefix("ref:").map(str::trim) else { return };
        if !name.starts_with("refs/") || name.contains("..") {
            return;
        }
        let own = || read_prefix(&checkout.git_dir.join(name));
        let Some(next) = read_prefix(&checkout.common_dir.join(name)).or_else(own) else { return };
        content = next;
    }
}

fn hash_stat(path: &Path, hasher: &mut blake3::Hasher) {
    let stat = fs::metadata(path).map(|m| [m.len() as i64, m.mtime(), m.mtime_nsec(), m.ino() as i64]);
    for number in stat.unwrap_or_default() {
        hasher.update(&number.to_le_bytes());
    }
}

fn read_prefix(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut content = Vec::new();
    File::open(path).ok()?.take(MAX_REFERENCE_BYTES).read_to_end(&mut content).ok()?;
    Some(content)
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
