//! The state of the files of git that a failed run may have read, so that it is tried again once they are repaired.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
};

use crate::{Checkout, CheckoutKind, HeadSignature, head_signature};

/// Maximum number of files and folders that count. A repository with more has packs for most objects.
const MAX_FILES: usize = 20_000;

/// The files of a repository that count without those of objects.
const FILES: [&str; 5] = ["HEAD", "config", "packed-refs", "shallow", "commondir"];

/// Computes a signature of the references, packs and other files of git of a checkout, by their names, sizes, times and permissions.
/// Of a plain folder, its files count.
pub fn git_files_signature(checkout: &Checkout) -> HeadSignature {
    signature_of(checkout, MAX_FILES)
}

/// Computes the signature from so many files in folders at most. Packs come first, since most repairs add some.
fn signature_of(checkout: &Checkout, max_files: usize) -> HeadSignature {
    let head = head_signature(checkout);
    let HeadSignature::At(head_state) = head else { return head };
    if checkout.kind == CheckoutKind::Folder {
        return head;
    }
    let mut state = FileStates { hasher: blake3::Hasher::new(), n_left: max_files };
    state.hasher.update(&head_state);
    let dirs = &checkout.dirs;
    for objects in dirs.object_folders().unwrap_or_default() {
        // The folders of single objects change when one is added.
        for byte in 0..=u8::MAX {
            state.add(&objects.join(format!("{byte:02x}")));
        }
        for folder in ["pack", "info"] {
            state.add_folder(&objects.join(folder), 1);
        }
    }
    let mut folders = vec![&dirs.git_dir, &dirs.common_dir];
    folders.dedup();
    for folder in folders {
        for name in FILES {
            state.add(&folder.join(name));
        }
        state.add_shared_indexes(folder);
        state.add_folder(&folder.join("refs"), usize::MAX);
    }
    let mut signature = [0; 16];
    state.hasher.finalize_xof().fill(&mut signature);
    HeadSignature::At(signature)
}

/// Returns true for a temporary file of git, and for a lock.
fn is_being_written(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("tmp_") || name.ends_with(".lock")
}

struct FileStates {
    hasher: blake3::Hasher,
    n_left: usize,
}

impl FileStates {
    /// Adds a file or a folder. Returns true for a folder.
    fn add(&mut self, path: &Path) -> bool {
        let Ok(found) = fs::symlink_metadata(path) else { return false };
        self.hasher.update(path.as_os_str().as_bytes()).update(&[0]);
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        for number in [found.len() as i64, found.ino() as i64, i64::from(found.mode())].into_iter().chain(times) {
            self.hasher.update(&number.to_le_bytes());
        }
        found.is_dir()
    }

    /// Adds the shared indexes, which some repositories have beside the index.
    fn add_shared_indexes(&mut self, folder: &Path) {
        let is_shared = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("sharedindex.") && !is_being_written(path)
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_shared).collect();
        paths.sort_unstable();
        for path in paths {
            self.add(&path);
        }
    }

    /// Adds what is in a folder, and so many levels below. Files that git is writing do not count.
    fn add_folder(&mut self, folder: &Path, n_levels: usize) {
        let mut folders = vec![(folder.to_owned(), n_levels)];
        while let Some((folder, n_levels)) = folders.pop() {
            let mut paths: Vec<_> =
                fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            paths.sort_unstable();
            for path in paths {
                if is_being_written(&path) {
                    continue;
                }
                let Some(n_left) = self.n_left.checked_sub(1) else { return };
                self.n_left = n_left;
                if self.add(&path) && n_levels > 0 {
                    folders.push((path, n_levels - 1));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sandbox;

    #[test]
    fn repairs_of_git_are_noticed() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "fn a() {}")]);
        let checkout = sandbox.checkout("app");
        for (line, is_noticed) in [
            ("git status", false),
            ("git log -1", false),
            ("touch .git/FETCH_HEAD", false),
            ("touch .git/objects/pack/tmp_pack_1", false),
            ("git hash-object -w a.rs", false),
            ("git repack -q -a -d", true),
            ("chmod 600 .git/config", true),
            ("git tag first", true),
            ("git pack-refs --all", true),
            ("git commit -q --allow-empty -m second", true),
            ("git update-index --split-index", true),
        ] {
            let before = git_files_signature(&checkout);
            std::thread::sleep(std::time::Duration::from_millis(20));
            sandbox.run("app", line);
            assert_eq!(git_files_signature(&checkout) != before, is_noticed, "{line}");
        }
    }

    #[test]
    fn packs_count_before_references_and_each_reference_once() {
        let sandbox = Sandbox::new();
        sandbox.repository("app", &[("a.rs", "fn a() {}")]);
        let checkout = sandbox.checkout("app");
        sandbox.run("app", "git repack -q -a -d");
        (10..30).for_each(|tag| _ = sandbox.run("app", &format!("git tag v{tag}")));
        let n_files = |folder: &str| fs::read_dir(sandbox.path("app/.git").join(folder)).unwrap().count();
        let n_packed = n_files("objects/pack") + n_files("objects/info");
        // The folders of branches and tags, a branch, and the tags.
        let n_references = 2 + 1 + n_files("refs/tags");
        for (max_files, path, is_noticed) in [
            (n_packed + 1, "objects/pack/pack-new.pack", true),
            (n_packed + n_references, "refs/tags/v29", true),
            (n_packed, "refs/tags/v29", false),
        ] {
            let before = signature_of(&checkout, max_files);
            let path = sandbox.path("app/.git").join(path);
            let (is_new, content) = (!path.exists(), fs::read(&path).unwrap_or_default());
            std::thread::sleep(std::time::Duration::from_millis(20));
            fs::write(&path, content).unwrap();
            assert_eq!(signature_of(&checkout, max_files) != before, is_noticed, "{max_files} {}", path.display());
            if is_new {
                fs::remove_file(&path).unwrap();
            }
        }
    }
}
