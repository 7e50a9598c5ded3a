//! Hashes of the states of repositories and workers. Event streams compare them to see changes.

use std::sync::{Arc, Mutex, PoisonError};

use federation::directory::Directory;

/// The hashes of the latest directory. All event streams share them, so that each directory is formatted once.
#[derive(Default)]
pub(crate) struct StateHashes(Mutex<Option<(Arc<Directory>, Arc<DirectoryHashes>)>>);

/// The hashes of the states in one directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DirectoryHashes {
    /// Indexed by `RepoIdx`.
    pub(crate) repositories: Vec<blake3::Hash>,
    /// The hash of the reachability of all workers.
    pub(crate) workers: blake3::Hash,
}

impl StateHashes {
    /// Returns the hashes of a directory.
    pub(crate) fn of(&self, directory: &Arc<Directory>) -> Arc<DirectoryHashes> {
        // The others wait here for the first stream that sees a new directory.
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, hashes)) = latest.as_ref().filter(|(known, _)| Arc::ptr_eq(known, directory)) {
            return Arc::clone(hashes);
        }
        let hashes = Arc::new(DirectoryHashes::new(directory));
        *latest = Some((Arc::clone(directory), Arc::clone(&hashes)));
        hashes
    }
}

impl DirectoryHashes {
    fn new(directory: &Directory) -> DirectoryHashes {
        let states = directory.repositories.iter();
        let states = states.map(|repository| format!("{:?}{:?}", repository.availability, repository.advertised));
        let workers: Vec<_> = directory.workers.iter().map(|worker| (&worker.name, &worker.reach)).collect();
        DirectoryHashes {
            repositories: states.map(|state| blake3::hash(state.as_bytes())).collect(),
            workers: blake3::hash(format!("{workers:?}").as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use federation::directory::{Reachability, WorkerView};
    use model::RepoId;
    use proto::v1;

    use super::*;

    /// Returns a directory of two repositories, of which the second is at a commit.
    fn directory(commit: &str, reach: Reachability) -> Arc<Directory> {
        let repository = |id: u8, alias: &str, commit: &str| v1::Repository {
            id: RepoId([id; 16]).to_string(),
            alias: alias.to_owned(),
            commit: commit.to_owned(),
            ..Default::default()
        };
        let repositories = vec![repository(1, "api", "1"), repository(2, "web", commit)];
        let inventory = Some(v1::InventoryResponse { repositories, ..Default::default() });
        Arc::new(Directory::build(&[WorkerView { name: "w".to_owned(), reach, inventory }]))
    }

    #[test]
    fn a_directory_is_formatted_once() {
        let (hashes, known) = (StateHashes::default(), directory("1", Reachability::Reachable));
        let first = hashes.of(&known);
        assert!(Arc::ptr_eq(&first, &hashes.of(&known)));
        let same_content = hashes.of(&directory("1", Reachability::Reachable));
        assert!(!Arc::ptr_eq(&first, &same_content) && first == same_content);
    }

    #[test]
    fn a_change_of_one_repository_changes_its_hash_alone() {
        let of = |commit: &str, reach: Reachability| StateHashes::default().of(&directory(commit, reach));
        let (before, after) = (of("1", Reachability::Reachable), of("2", Reachability::Reachable));
        assert_eq!(before.repositories[0], after.repositories[0]);
        assert_ne!(before.repositories[1], after.repositories[1]);
        assert_eq!(before.workers, after.workers);
        assert_ne!(before.workers, of("1", Reachability::Draining).workers);
    }
}
