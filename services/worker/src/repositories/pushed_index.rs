//! SCIP indexes that were pushed to a worker: one for each repository, in the folder of its generations.
//!
//! The name of the file has the hash of its content, so that a worker notices a new one by its name, and the commit that it describes.

use std::{
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use index::RepositoryDir;
use model::CommitId;

const PREFIX: &str = "index-";
const SUFFIX: &str = ".scip";

/// The part of a name that stands for an unknown commit.
const ANY_COMMIT: &str = "any";

/// Length of the hash in a name.
const HASH_DIGITS: usize = 32;

/// Length of a buffer for copying.
const BUFFER_BYTES: usize = 64 << 10;

/// A SCIP index that was pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PushedIndex {
    pub(crate) path: PathBuf,
    /// The hash of its content, and the commit. Another id makes another generation.
    pub(crate) id: String,
    /// The commit that it describes; `None` if it is not known.
    pub(crate) commit: Option<CommitId>,
}

impl PushedIndex {
    /// Finds the index of a repository. If several were left behind, the last in the order of names counts.
    pub(crate) fn find(directory: &RepositoryDir) -> Option<PushedIndex> {
        indexes_in(directory.path()).into_iter().max_by(|a, b| a.path.cmp(&b.path))
    }

    /// Stores an index of at most `limit` bytes in the place of the one before.
    pub(crate) fn store(
        directory: &RepositoryDir,
        input: &mut dyn Read,
        limit: u64,
        commit: Option<CommitId>,
    ) -> io::Result<PushedIndex> {
        let folder = directory.path();
        fs::create_dir_all(folder)?;
        let temporary = folder.join(format!("{PREFIX}new"));
        let copied = copy(input, &temporary, limit);
        if copied.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        let commit_text = commit.map_or(ANY_COMMIT.to_owned(), |commit| commit.to_string());
        let id = format!("{}-{commit_text}", copied?);
        let path = folder.join(format!("{PREFIX}{id}{SUFFIX}"));
        let older = indexes_in(folder);
        fs::rename(&temporary, &path)?;
        for old in older.iter().filter(|old| old.path != path) {
            fs::remove_file(&old.path)?;
        }
        Ok(PushedIndex { path, id, commit })
    }

    fn of_path(path: PathBuf) -> Option<PushedIndex> {
        let name = path.file_name()?.to_str()?;
        let id = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let (hash, commit) = id.split_once('-')?;
        let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let commit = if commit == ANY_COMMIT { None } else { Some(commit.parse().ok()?) };
        is_hash.then(|| PushedIndex { id: id.to_owned(), commit, path: path.clone() })
    }
}

fn indexes_in(folder: &Path) -> Vec<PushedIndex> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| PushedIndex::of_path(entry.path())).collect()
}

/// Copies an index to a file, and returns its hash.
fn copy(input: &mut dyn Read, path: &Path, limit: u64) -> io::Result<String> {
    let mut file = files::create(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut n_copied = 0;
    loop {
        let n_read = input.read(&mut buffer)?;
        if n_read == 0 {
            break;
        }
        n_copied += n_read as u64;
        if n_copied > limit {
            return Err(files::refused(format!("it has more than {limit} bytes")));
        }
        hasher.update(&buffer[..n_read]);
        file.write_all(&buffer[..n_read])?;
    }
    file.sync_all()?;
    Ok(hasher.finalize().to_hex()[..HASH_DIGITS].to_owned())
}

#[cfg(test)]
mod tests {
    use model::RepoId;

    use super::*;

    #[test]
    fn a_pushed_index_replaces_the_one_before() {
        let root = tempfile::tempdir().unwrap();
        let directory = RepositoryDir::new(root.path(), RepoId([1; 16]));
        assert_eq!(PushedIndex::find(&directory), None);
        let first = PushedIndex::store(&directory, &mut &b"one"[..], 3, None).unwrap();
        assert_eq!(PushedIndex::find(&directory), Some(first.clone()));
        let commit = Some(CommitId([7; 20]));
        let second = PushedIndex::store(&directory, &mut &b"two"[..], 3, commit).unwrap();
        assert_eq!((PushedIndex::find(&directory), second.commit), (Some(second.clone()), commit));
        assert_ne!(first.id, second.id);
        let refused = PushedIndex::store(&directory, &mut &b"three"[..], 3, None).unwrap_err();
        assert_eq!(refused.to_string(), "it has more than 3 bytes");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        // A sweep of old generations leaves it.
        directory.sweep().unwrap();
        assert_eq!(PushedIndex::find(&directory), Some(second));
    }
}
