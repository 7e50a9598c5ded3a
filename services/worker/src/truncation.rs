//! Notices files of git that are truncated while a repository is read: objects seem to be missing then, and nothing that was read may be
//! used.

use runtime::truncated_files;
use source::{Checkout, ObjectFiles};

/// A file of git was truncated while its repository was read.
#[derive(Debug, thiserror::Error)]
#[error("a file of git was truncated while the repository was read; try again")]
pub(crate) struct TruncatedError;

/// Watches the files of one repository from its beginning on.
pub(crate) struct TruncationGuard {
    /// `None` if they cannot be listed.
    files: Option<ObjectFiles>,
    n_replaced: u64,
}

impl TruncationGuard {
    pub(crate) fn begin(checkout: &Checkout) -> TruncationGuard {
        let files = ObjectFiles::list(checkout).ok();
        TruncationGuard { n_replaced: count(files.as_ref()), files }
    }

    /// Returns an error if a file of the repository was truncated since the beginning.
    pub(crate) fn check(&self) -> Result<(), TruncatedError> {
        let has_shrunk = self.files.as_ref().is_some_and(ObjectFiles::has_shrunk);
        let is_truncated = has_shrunk || count(self.files.as_ref()) != self.n_replaced;
        if is_truncated { Err(TruncatedError) } else { Ok(()) }
    }
}

/// Returns the number of truncated mappings below the folders of a repository; of all repositories if its folders are not known.
fn count(files: Option<&ObjectFiles>) -> u64 {
    match files.and_then(ObjectFiles::folders) {
        Some(folders) => truncated_files::count_below(folders),
        None => truncated_files::count(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use super::*;

    fn git(folder: &Path, line: &str) {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        assert!(git.args(line.split(' ')).status().unwrap().success(), "{line}");
    }

    fn checkout(root: &Path, name: &str) -> Checkout {
        let folder = root.join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.rs"), "fn a() {}\n").unwrap();
        for line in ["init -q .", "add .", "commit -q -m first", "gc -q"] {
            git(&folder, line);
        }
        source::discover(&[folder], source::AliasRegistry::default()).checkouts.remove(0)
    }

    #[test]
    fn a_truncated_pack_concerns_its_repository_alone() {
        let root = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| checkout(root.path(), name));
        let guards = [&first, &second].map(TruncationGuard::begin);
        for entry in fs::read_dir(first.path.join(".git/objects/pack")).unwrap() {
            let path = entry.unwrap().path();
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_len(file.metadata().unwrap().len() - 1).unwrap();
        }
        assert!(guards[0].check().is_err() && guards[1].check().is_ok());
        assert!(TruncationGuard::begin(&first).check().is_ok(), "a later read has its own errors");
    }
}
