//! A cheap check whether a checkout may have moved to another commit.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use crate::{
    Checkout, CheckoutKind, CheckoutView, StatCache, folder, head_ref::symbolic_chain, list_work_tree,
    reader::resolve_commit,
};

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
    if let CheckoutView::Reference(full_name) = &checkout.view {
        hash_stat(&checkout.dirs.common_dir.join(&**full_name), &mut hasher);
        hash_stat(&checkout.dirs.common_dir.join("packed-refs"), &mut hasher);
        return finish(&hasher);
    }
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
    if checkout.view == CheckoutView::WorkTree {
        // Files that git begins or ceases to track may be ignored ones.
        hash_stat(&checkout.dirs.git_dir.join("index"), &mut hasher);
    }
    finish(&hasher)
}

/// Computes the signature of a checkout with the files of its work tree, which costs the size and the times of each.
pub fn work_tree_signature(checkout: &Checkout, cache: &StatCache) -> HeadSignature {
    let HeadSignature::At(head) = head_signature(checkout) else { return HeadSignature::Gone };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head);
    let listed =
        resolve_commit(checkout).and_then(|head| list_work_tree(checkout, head.as_ref(), cache, &|_, _| Some(1)));
    match listed {
        Ok(work_tree) => {
            let contents = work_tree.and_then(|work_tree| Some(work_tree.changes?.contents));
            hasher.update(&contents.map_or([0; 20], |contents| contents.0));
        }
        // The run that reads it reports the error.
        Err(error) => _ = hasher.update(error.to_string().as_bytes()),
    }
    finish(&hasher)
}

fn finish(hasher: &blake3::Hasher) -> HeadSignature {
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
    fn a_signature_changes_when_a_file_of_a_folder_keeps_its_size_and_its_time() {
        let sandbox = Sandbox::new();
        sandbox.write("notes/a.md", "one");
        sandbox.write("other.md", "two");
        let checkout = sandbox.checkout("notes");
        for (lines, is_same) in [
            (&["cp -p a.md ../kept"][..], true),
            (&["cp ../other.md a.md", "touch -r ../kept a.md"], false),
            (&["cp -p ../kept ../next", "mv ../next a.md"], false),
        ] {
            let before = head_signature(&checkout);
            // The clock of a file system ticks every few milliseconds.
            std::thread::sleep(std::time::Duration::from_millis(20));
            lines.iter().for_each(|line| drop(sandbox.run("notes", line)));
            assert_eq!(head_signature(&checkout) == before, is_same, "{lines:?}");
        }
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
