//! The lock of a data folder: a file that its owner keeps locked, with the id of the owner.

use std::{
    fs::{self, File, TryLockError},
    io::Write,
    os::unix::fs::MetadataExt,
    path::Path,
};

use super::{
    error::{DataDirError, io_at},
    small_file,
};

pub(super) const LOCK_FILE: &str = "LOCK";

/// The lock of a data folder. Closing the file would not be enough to release it: a child process that was forked, and has
/// not yet replaced its program, still holds a copy of the file.
#[derive(Debug)]
pub(super) struct FolderLock(File);

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "cannot unlock the data folder");
        }
    }
}

impl FolderLock {
    /// Locks a folder for this process.
    pub(super) fn acquire(folder: &Path) -> Result<FolderLock, DataDirError> {
        let path = folder.join(LOCK_FILE);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let is_regular = |file: File| files::check(file.metadata()?.file_type()).map(|()| file);
        let file = file.and_then(is_regular).map_err(io_at("cannot open", &path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => in_use(folder),
            TryLockError::Error(error) => io_at("cannot lock", &path)(error),
        })?;
        let mut lock = FolderLock(file);
        // The file is shortened last: on a full disk, the block that it has can be written, and no other.
        let id = format!("{}\n", std::process::id());
        let written = lock.0.write_all(id.as_bytes()).and_then(|()| lock.0.set_len(id.len() as u64));
        written.map_err(io_at("cannot write", &path))?;
        Ok(lock)
    }

    /// Locks a folder that can only be read. Returns `None` if it has no lock file, or locks are not supported: this process writes
    /// nothing, so it needs none.
    pub(super) fn acquire_for_reading(folder: &Path) -> Result<Option<FolderLock>, DataDirError> {
        let Ok(file) = files::open(&folder.join(LOCK_FILE)) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => Ok(Some(FolderLock(file))),
            Err(TryLockError::WouldBlock) => Err(in_use(folder)),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }

    /// Returns true if the folder still has this lock file.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let own = self.0.metadata().map(id);
        let found = fs::metadata(folder.join(LOCK_FILE)).map(id);
        matches!((own, found), (Ok(own), Ok(found)) if own == found)
    }

    #[cfg(test)]
    pub(super) fn file(&self) -> &File {
        &self.0
    }
}

/// Returns the process that has locked a folder, if one has.
pub(super) fn owner(folder: &Path) -> Option<String> {
    let file = files::open(&folder.join(LOCK_FILE)).ok()?;
    let is_locked = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    is_locked.then(|| owner_id(folder))
}

fn in_use(folder: &Path) -> DataDirError {
    DataDirError::InUse { path: folder.display().to_string(), owner: owner_id(folder) }
}

fn owner_id(folder: &Path) -> String {
    let id = small_file::read(&folder.join(LOCK_FILE)).ok().filter(|id| !id.is_empty());
    id.unwrap_or_else(|| "with an unknown id".to_owned())
}
