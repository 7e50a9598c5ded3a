//! Access to the generations of a data folder without a worker.

use std::{fs, path::Path};

use index::{RepositoryDir, Snapshot};
use model::RepoId;

/// Opens and verifies the current generation of every repository in a data folder without an owner.
pub fn open_all(data: &Path) -> Vec<Snapshot> {
    let generations = data.join("repositories");
    let Ok(folders) = fs::read_dir(&generations) else { return Vec::new() };
    let open = |name: String| {
        let repo: RepoId = name.parse().expect("the folders of repositories have their ids as names");
        let repository = RepositoryDir::new(&generations, repo);
        repository.current().unwrap_or_else(|error| panic!("the generation of {name} is sound: {error}"))
    };
    let mut names: Vec<String> = folders
        .map(|folder| folder.expect("an entry can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.into_iter().filter_map(open).collect()
}
