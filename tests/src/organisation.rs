//! The example organisation, committed to git repositories.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::repository::Repository;

/// Aliases of its repositories, in order.
pub const REPOSITORIES: [&str; 4] = ["customer-portal", "notify-worker", "parcel-kit", "tracking-service"];

/// Returns the folder of its sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/organisation")
}

/// Creates its repositories below `root`, each with one commit, and returns them in alias order.
pub fn materialise(root: &Path) -> Vec<Repository> {
    let materialise = |name: &&str| {
        let path = root.join(name);
        copy(&sources().join(name), &path);
        let repository = Repository::init(path);
        repository.commit("The state of the art");
        repository
    };
    REPOSITORIES.iter().map(materialise).collect()
}

/// Copies a folder recursively.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder that is copied can be listed") {
        let entry = entry.expect("an entry can be read");
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).expect("a file can be copied");
        }
    }
}
