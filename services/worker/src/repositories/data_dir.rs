//! The data folder of a worker: one process owns it at a time, and its layout has a version.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Version of the layout of the folder. The format of a generation has a separate version.
pub const DATA_VERSION: u32 = 1;

const VERSION_FILE: &str = "VERSION";
const LOCK_FILE: &str = "LOCK";
const ID_FILE: &str = "WORKER_ID";

/// Why a folder cannot be used as a data folder.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process owns it.
    #[error(
        "the data folder `{path}` is in use by process {owner}; stop that one, or choose another folder with --data"
    )]
    InUse {
        /// The folder.
        path: String,
        /// The id of the process that owns it.
        owner: String,
    },
    /// Another version of the program wrote it.
    #[error(
        "the data folder `{path}` has version {found}, this causeway writes version {DATA_VERSION}; choose another \
         folder with --data, or remove it (it is rebuilt from the repositories)"
    )]
    Version {
        /// The folder.
        path: String,
        /// The version in the folder.
        found: String,
    },
    /// It holds other files.
    #[error("the folder `{path}` is not empty and holds no causeway data; choose another one with --data")]
    Foreign {
        /// The folder.
        path: String,
    },
    /// An operation on it failed.
    #[error("{action} `{path}`: {source}")]
    Io {
        /// The operation, such as `cannot open`.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The cause.
        source: io::Error,
    },
}

/// The state of a data folder, read without locking it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataDirState {
    /// The version of its layout; `None` if it has not been used yet.
    pub version: Option<String>,
    /// The process that owns it now, if one does.
    pub owner: Option<String>,
}

impl DataDirState {
    /// Reads the state of a folder. A process that locks the folder in the same instant sees it as in use.
    pub fn read(path: &Path) -> DataDirState {
        let read_file = |name: &str| fs::read_to_string(path.join(name)).ok().map(|text| text.trim().to_owned());
        let lock = File::open(path.join(LOCK_FILE));
        let is_owned = lock.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
        DataDirState { version: read_file(VERSION_FILE), owner: read_file(LOCK_FILE).filter(|_| is_owned) }
    }
}

/// A data folder that this process owns until the value is dropped.
#[derive(Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    worker: String,
    _lock: FolderLock,
}

/// The lock of a data folder. Closing the file would not be enough to release it: a child process that was forked, and has
/// not yet replaced its program, still holds a copy of the file.
#[derive(Debug)]
struct FolderLock(File);

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "cannot unlock the data folder");
        }
    }
}

impl DataDir {
    /// Locks the folder, and creates it if necessary.
    pub(crate) fn open(path: &Path) -> Result<DataDir, DataDirError> {
        fs::create_dir_all(path).map_err(io_at("cannot create", path))?;
        refuse_foreign(path)?;
        let lock = lock(path)?;
        check_version(path)?;
        let worker = worker_id(path)?;
        Ok(DataDir { path: path.to_owned(), worker, _lock: lock })
    }

    /// Returns the folder of the generations.
    pub(crate) fn generations(&self) -> PathBuf {
        generations_dir(&self.path)
    }

    /// Returns the folder of the cached facts.
    pub(crate) fn facts(&self) -> PathBuf {
        self.path.join("facts")
    }

    /// Returns the folder of the vectors that an embedding service made.
    pub(crate) fn vectors(&self) -> PathBuf {
        self.path.join("vectors")
    }

    /// Returns the folder of the repositories by URL.
    pub(crate) fn mirrors(&self) -> PathBuf {
        self.path.join("mirrors")
    }

    /// Returns the file of the aliases of repositories.
    pub(crate) fn names(&self) -> PathBuf {
        names_path(&self.path)
    }

    /// Returns the name of the worker, which stays with the folder.
    pub(crate) fn worker(&self) -> &str {
        &self.worker
    }
}

/// Returns the folder of the generations in a data folder.
pub(crate) fn generations_dir(data: &Path) -> PathBuf {
    data.join("repositories")
}

/// Returns the file of the aliases in a data folder.
pub(crate) fn names_path(data: &Path) -> PathBuf {
    data.join("names.json")
}

fn refuse_foreign(path: &Path) -> Result<(), DataDirError> {
    let is_ours = path.join(VERSION_FILE).exists() || path.join(LOCK_FILE).exists();
    let is_empty = fs::read_dir(path).map_err(io_at("cannot list", path))?.next().is_none();
    if is_ours || is_empty { Ok(()) } else { Err(DataDirError::Foreign { path: path.display().to_string() }) }
}

fn lock(path: &Path) -> Result<FolderLock, DataDirError> {
    let lock_path = path.join(LOCK_FILE);
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock_path)
        .map_err(io_at("cannot open", &lock_path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let owner = fs::read_to_string(&lock_path).unwrap_or_default().trim().to_owned();
            return Err(DataDirError::InUse { path: path.display().to_string(), owner });
        }
        Err(TryLockError::Error(error)) => return Err(io_at("cannot lock", &lock_path)(error)),
    }
    file.set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(io_at("cannot write", &lock_path))?;
    Ok(FolderLock(file))
}

fn check_version(path: &Path) -> Result<(), DataDirError> {
    let version_path = path.join(VERSION_FILE);
    match fs::read_to_string(&version_path) {
        Ok(found) if found.trim() == DATA_VERSION.to_string() => Ok(()),
        Ok(found) => Err(DataDirError::Version {
            path: path.display().to_string(),
            found: found.trim().chars().take(20).collect(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::write(&version_path, format!("{DATA_VERSION}\n")).map_err(io_at("cannot write", &version_path))
        }
        Err(error) => Err(io_at("cannot read", &version_path)(error)),
    }
}

/// Returns the id of the worker in the folder, or makes one. It only has to differ between folders.
fn worker_id(path: &Path) -> Result<String, DataDirError> {
    let id_path = path.join(ID_FILE);
    if let Ok(id) = fs::read_to_string(&id_path)
        && !id.trim().is_empty()
    {
        return Ok(id.trim().to_owned());
    }
    let seed = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), path);
    let id = format!("worker-{:08x}", seed as u32);
    fs::write(&id_path, format!("{id}\n")).map_err(io_at("cannot write", &id_path))?;
    Ok(id)
}

fn io_at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DataDirError {
    let path = path.display().to_string();
    move |source| DataDirError::Io { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_and_keeps_its_worker() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("data");
        let first = DataDir::open(&path).unwrap();
        let second = DataDir::open(&path).unwrap_err();
        assert!(matches!(&second, DataDirError::InUse { owner, .. } if *owner == std::process::id().to_string()));
        let worker = first.worker().to_owned();
        let state = DataDirState::read(&path);
        assert_eq!(state.owner, Some(std::process::id().to_string()));
        assert_eq!(state.version, Some(DATA_VERSION.to_string()));
        drop(first);
        assert_eq!(DataDirState::read(&path).owner, None);
        assert_eq!(DataDir::open(&path).unwrap().worker(), worker);
    }

    #[test]
    fn a_copy_of_the_lock_in_a_forked_process_does_not_hold_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let data = DataDir::open(root.path()).unwrap();
        let _inherited = data._lock.0.try_clone().unwrap();
        drop(data);
        DataDir::open(root.path()).unwrap();
    }

    #[test]
    fn other_folders_are_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("thesis.txt"), "keep me").unwrap();
        assert!(matches!(DataDir::open(root.path()), Err(DataDirError::Foreign { .. })));
        let older = root.path().join("older");
        drop(DataDir::open(&older).unwrap());
        fs::write(older.join(VERSION_FILE), "0\n").unwrap();
        assert!(DataDir::open(&older).unwrap_err().to_string().contains("version 0"));
    }
}
