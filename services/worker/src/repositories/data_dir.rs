//! The data folder of a worker: one process owns it at a time, and its layout has a version.
//!
//! A folder that cannot be written is opened for reading. Nothing is written into it then, until the process is restarted. A folder
//! that is removed or replaced while it is in use is claimed again by [`DataDir::restore`].

mod error;
mod lock;
mod small_file;

use std::{
    ffi::OsStr,
    fs::{self, DirBuilder},
    io::{self, ErrorKind, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

pub use error::DataDirError;

use error::io_at;
use lock::{FolderLock, LOCK_FILE};

/// Version of the layout of the folder. The format of a generation has a separate version.
pub const DATA_VERSION: u32 = 1;

const VERSION_FILE: &str = "VERSION";
const ID_FILE: &str = "WORKER_ID";

/// The file that marks the folder as a cache (bford.info/cachedir): a work tree that contains the folder is listed without it, and
/// backups leave it out.
const CACHE_TAG_FILE: &str = "CACHEDIR.TAG";

/// The first line of that file, by which tools recognise it.
const CACHE_TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55";

/// A file that is written and removed, to see whether the disk has room.
const PROBE_FILE: &str = "PROBE";

/// Length of the probe. The smallest generation is longer.
const PROBE_BYTES: usize = 64 << 10;

/// The files and folders in a data folder, also those of the gateway in laptop mode. Everything else belongs to somebody else.
const OWN_NAMES: [&str; 18] = [
    VERSION_FILE,
    "VERSION.tmp",
    LOCK_FILE,
    ID_FILE,
    "WORKER_ID.tmp",
    CACHE_TAG_FILE,
    "CACHEDIR.tmp",
    PROBE_FILE,
    "names.json",
    "names.tmp",
    "repositories",
    "facts",
    "vectors",
    "mirrors",
    "gateway",
    "server.json",
    "server.json.new",
    "server.tmp",
];

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
        let version = match small_file::read(&path.join(VERSION_FILE)) {
            Ok(version) => Some(version).filter(|version| !version.is_empty()),
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                Some(format!("unknown (`{VERSION_FILE}`: {error})"))
            }
            Err(_) => None,
        };
        DataDirState { version, owner: lock::owner(path) }
    }
}

/// A data folder that this process owns until the value is dropped or released, or may read.
#[derive(Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    worker: String,
    claim: Mutex<Claim>,
    /// The disk had no room when that was tried last.
    lacked_room: AtomicBool,
}

/// The right of this process to a data folder.
#[derive(Debug)]
enum Claim {
    /// It owns the folder.
    Owned(FolderLock),
    /// It may only read the folder.
    ReadOnly { cause: String, _lock: Option<FolderLock> },
    /// It has lost the folder, and tries to claim it again. Nothing may be written.
    Lost { reason: String, lock: Option<FolderLock> },
    /// It does not need the folder any more.
    Released,
}

impl DataDir {
    /// Claims the folder, and creates it if necessary. A folder that cannot be written is opened for reading.
    pub(crate) fn open(path: &Path) -> Result<DataDir, DataDirError> {
        let (claim, worker) = match claim(path, None) {
            Ok((lock, worker)) => {
                make_private(path);
                (Claim::Owned(lock), worker)
            }
            Err(error) if error.is_of_writing() => {
                let (lock, worker) = claim_for_reading(path, &error)?;
                (Claim::ReadOnly { cause: error.cause(), _lock: lock }, worker)
            }
            Err(error) => return Err(error),
        };
        Ok(DataDir { path: path.to_owned(), worker, claim: Mutex::new(claim), lacked_room: AtomicBool::new(false) })
    }

    /// Returns why the folder could not be written when it was opened; `None` if it could.
    pub(crate) fn read_only_reason(&self) -> Option<String> {
        match &*self.claim() {
            Claim::ReadOnly { cause, .. } => Some(unwritable(&self.path, cause)),
            Claim::Owned(_) | Claim::Lost { .. } | Claim::Released => None,
        }
    }

    /// Returns why nothing may be written into the folder now, for callers; `None` if it may.
    pub(crate) fn write_refusal(&self) -> Option<String> {
        match &*self.claim() {
            Claim::ReadOnly { cause, .. } => Some(format!(
                "the data folder of its worker is read-only ({cause}); free some space or make it writable, and restart the worker"
            )),
            Claim::Lost { reason, .. } => Some(format!("the data folder of its worker cannot be used: {reason}")),
            Claim::Owned(_) | Claim::Released => None,
        }
    }

    /// Writes a small file to try whether the disk has room. Returns true if it has, and had none at the last call.
    pub(crate) fn has_room_again(&self) -> bool {
        if self.write_refusal().is_some() {
            return false;
        }
        let lacks_room = probe_room(&self.path).is_err();
        self.lacked_room.swap(lacks_room, Ordering::Relaxed) && !lacks_room
    }

    /// Claims the folder again if it was removed or replaced, or its lock file was, and writes its other small files again. Returns
    /// true if it was claimed again.
    pub(crate) fn restore(&self) -> bool {
        let mut current = self.claim();
        let is_renewed = match current.lock_mut().map(|lock| lock.renew_file(&self.path)) {
            Some(Err(error)) => {
                current.mark_lost(error.to_string());
                return false;
            }
            renewed => matches!(renewed, Some(Ok(true))),
        };
        let lock = match &mut *current {
            Claim::Owned(lock) if lock.is_in(&self.path) => {
                self.restore_small_files();
                if is_renewed {
                    tracing::warn!(path = %self.path.display(), "the lock file of the data folder was removed, and is created again");
                }
                return is_renewed;
            }
            Claim::ReadOnly { .. } | Claim::Released => return false,
            Claim::Owned(_) => None,
            Claim::Lost { lock, .. } => lock.take_if(|lock| lock.is_in(&self.path)),
        };
        if let Some(lock) = lock {
            tracing::info!(path = %self.path.display(), "the data folder can be used again");
            *current = Claim::Owned(lock);
            return true;
        }
        match claim(&self.path, Some(&self.worker)) {
            Ok((lock, _)) => {
                tracing::warn!(path = %self.path.display(), "the data folder was removed or replaced, and is created again");
                *current = Claim::Owned(lock);
                true
            }
            Err(error) => {
                current.mark_lost(error.to_string());
                false
            }
        }
    }

    /// Writes the version and the id of the worker again if they were removed. A failure is retried at the next poll.
    fn restore_small_files(&self) {
        for (name, text) in [
            (VERSION_FILE, DATA_VERSION.to_string()),
            (ID_FILE, self.worker.clone()),
            (CACHE_TAG_FILE, CACHE_TAG.to_owned()),
        ] {
            let path = self.path.join(name);
            if path.symlink_metadata().is_err()
                && let Err(error) = small_file::write(&path, &text)
            {
                tracing::warn!(path = %path.display(), %error, "a removed file cannot be written again");
            }
        }
    }

    /// Unlocks the folder for other processes. Nothing may be written afterwards.
    pub(crate) fn release(&self) {
        *self.claim() = Claim::Released;
    }

    /// Returns the error of a folder that can only be read, and has nothing to serve.
    pub(crate) fn nothing_to_serve(&self) -> Option<DataDirError> {
        self.read_only_reason().map(|reason| DataDirError::NothingToServe { reason })
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

    fn claim(&self) -> MutexGuard<'_, Claim> {
        self.claim.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim {
    /// Returns the lock of a folder that this process owns or has lost.
    fn lock_mut(&mut self) -> Option<&mut FolderLock> {
        match self {
            Claim::Owned(lock) | Claim::Lost { lock: Some(lock), .. } => Some(lock),
            Claim::Lost { lock: None, .. } | Claim::ReadOnly { .. } | Claim::Released => None,
        }
    }

    /// Notes that the folder is lost. The lock is kept, since the folder may come back.
    fn mark_lost(&mut self, reason: String) {
        let lock = match std::mem::replace(self, Claim::Released) {
            Claim::Owned(lock) => Some(lock),
            Claim::Lost { lock, reason: known } if known == reason => {
                *self = Claim::Lost { reason, lock };
                return;
            }
            Claim::Lost { lock, .. } | Claim::ReadOnly { _lock: lock, .. } => lock,
            Claim::Released => None,
        };
        tracing::warn!(reason, "the data folder cannot be used any more: nothing is indexed until it can");
        *self = Claim::Lost { reason, lock };
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

/// Creates and locks a folder, and checks that it can be used. Returns the lock and the id of the worker.
fn claim(path: &Path, known_id: Option<&str>) -> Result<(FolderLock, String), DataDirError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io_at("cannot create", path))?;
    // A removed folder may have been made again in part: by a run that still wrote, or by the gateway in the same process.
    let own_names = if known_id.is_some() { &OWN_NAMES[..] } else { &[] };
    refuse_foreign(path, own_names)?;
    let lock = FolderLock::acquire(path)?;
    if !path.join(CACHE_TAG_FILE).exists() {
        write_text(&path.join(CACHE_TAG_FILE), CACHE_TAG)?;
    }
    if !has_version(path)? {
        write_text(&path.join(VERSION_FILE), &DATA_VERSION.to_string())?;
    }
    let worker = match stored_id(path) {
        Some(id) => id,
        None => {
            let id = known_id.map_or_else(|| new_id(path), str::to_owned);
            write_text(&path.join(ID_FILE), &id)?;
            id
        }
    };
    probe_room(path)?;
    Ok((lock, worker))
}

/// Locks a folder that cannot be written, if locks are supported. Returns the lock and the id of the worker.
fn claim_for_reading(path: &Path, cause: &DataDirError) -> Result<(Option<FolderLock>, String), DataDirError> {
    let lock = FolderLock::acquire_for_reading(path)?;
    match has_version(path) {
        Ok(true) => Ok((lock, stored_id(path).unwrap_or_else(|| new_id(path)))),
        Ok(false) | Err(DataDirError::Io { .. }) => {
            Err(DataDirError::NothingToServe { reason: unwritable(path, &cause.cause()) })
        }
        Err(error) => Err(error),
    }
}

fn unwritable(path: &Path, cause: &str) -> String {
    format!("the data folder `{}` is read-only ({cause})", path.display())
}

/// Refuses a folder that is not one of this program and holds anything else than `own_names`.
fn refuse_foreign(path: &Path, own_names: &[&str]) -> Result<(), DataDirError> {
    let is_ours = path.join(VERSION_FILE).exists() || path.join(LOCK_FILE).exists();
    let mut entries = fs::read_dir(path).map_err(io_at("cannot list", path))?;
    let is_own = |entry: &io::Result<fs::DirEntry>| {
        entry.as_ref().is_ok_and(|entry| own_names.iter().any(|own| entry.file_name() == *own))
    };
    if is_ours || entries.all(|entry| is_own(&entry)) {
        return Ok(());
    }
    Err(DataDirError::Foreign { path: path.display().to_string() })
}

/// Returns true if the folder has the version of this program, and false if it has none. An empty file counts as none: the
/// process that wrote it was killed, or the disk was full. Every part of the folder is verified before it is used.
fn has_version(path: &Path) -> Result<bool, DataDirError> {
    let version_path = path.join(VERSION_FILE);
    let folder = path.display().to_string();
    match small_file::read(&version_path) {
        Ok(found) if found.is_empty() => Ok(false),
        Ok(found) if found == DATA_VERSION.to_string() => Ok(true),
        Ok(found) => Err(DataDirError::Version { path: folder, found: found.chars().take(20).collect::<String>() }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            Err(DataDirError::UnknownVersion { path: folder, reason: error.to_string() })
        }
        Err(error) => Err(io_at("cannot read", &version_path)(error)),
    }
}

/// Returns the id of the worker in a folder, if there is a readable one.
fn stored_id(path: &Path) -> Option<String> {
    small_file::read(&path.join(ID_FILE)).ok().filter(|id| !id.is_empty())
}

/// Makes an id of a worker. It only has to differ between folders.
fn new_id(path: &Path) -> String {
    let seed = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), path);
    format!("worker-{:08x}", seed as u32)
}

fn write_text(path: &Path, text: &str) -> Result<(), DataDirError> {
    small_file::write(path, text).map_err(io_at("cannot write", path))
}

/// Checks that the disk has room, by a file that is removed again.
fn probe_room(path: &Path) -> Result<(), DataDirError> {
    let probe = path.join(PROBE_FILE);
    let written = files::create(&probe)
        .and_then(|mut file| file.write_all(&vec![0; PROBE_BYTES]).and_then(|()| file.sync_all()))
        .map_err(io_at("cannot write", &probe));
    let removed = fs::remove_file(&probe).map_err(io_at("cannot remove", &probe));
    written.and(removed)
}

/// Removes the access of other users to a data folder and to the files of this program in it.
fn make_private(path: &Path) {
    let is_own = |name: &OsStr| {
        let name = name.to_string_lossy();
        OWN_NAMES.contains(&&*name) || name.contains(".damaged-")
    };
    if let Err(error) = runtime::file_mode::make_private(path, &is_own) {
        tracing::warn!(path = %path.display(), %error, "other users may be able to read the data folder");
    }
}

#[cfg(test)]
mod tests;
