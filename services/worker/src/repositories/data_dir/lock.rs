//! The lock of a data folder: the folder itself, and a file with the id of the owner. The file may be removed while it is locked, and
//! another process would lock a new one. It is refused by the lock of the folder.

use std::{
    fs::{self, File, TryLockError},
    io::Write,
    os::unix::fs::MetadataExt,
    path::Path,
    thread,
    time::Duration,
};

use super::{
    error::{DataDirError, io_at},
    small_file,
};

pub(super) const LOCK_FILE: &str = "LOCK";

/// Number of attempts to lock, and the pause between them. Another process that looks for the owner has a shared lock for a moment.
const MAX_ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// The lock of a data folder.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: LockedFile,
    /// `None` if the file system has no locks of folders.
    folder: Option<LockedFile>,
}

/// A file that this process has locked. Closing it would not be enough to release it: a child process that was forked, and has not yet
/// replaced its program, still holds a copy of the file.
#[derive(Debug)]
struct LockedFile(File);

impl Drop for LockedFile {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "cannot unlock the data folder");
        }
    }
}

impl FolderLock {
    /// Locks a folder for this process.
    pub(super) fn acquire(folder: &Path) -> Result<FolderLock, DataDirError> {
        let locked_folder = lock_folder(folder)?;
        Ok(FolderLock { file: lock_file(folder)?, folder: locked_folder })
    }

    /// Locks the file of a folder again if it was removed or replaced and the folder was not. Returns true if it was.
    pub(super) fn renew_file(&mut self, folder: &Path) -> Result<bool, DataDirError> {
        let has_folder = self.folder.as_ref().is_some_and(|locked| is_same_file(&locked.0, folder));
        let is_due = has_folder && !self.is_in(folder);
        if is_due {
            self.file = lock_file(folder)?;
        }
        Ok(is_due)
    }

    /// Locks a folder that can only be read. Returns `None` if it has no lock file, or locks are not supported: this process writes
    /// nothing, so it needs none.
    pub(super) fn acquire_for_reading(folder: &Path) -> Result<Option<FolderLock>, DataDirError> {
        let locked_folder = lock_folder(folder)?;
        let Ok(file) = files::open(&folder.join(LOCK_FILE)) else { return Ok(None) };
        match lock(&file) {
            Ok(()) => Ok(Some(FolderLock { file: LockedFile(file), folder: locked_folder })),
            Err(TryLockError::WouldBlock) => Err(in_use(folder)),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }

    /// Returns true if the folder still has this lock file.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        is_same_file(&self.file.0, &folder.join(LOCK_FILE))
    }

    #[cfg(test)]
    pub(super) fn file(&self) -> &File {
        &self.file.0
    }
}

/// Returns true if an open file has a path now.
fn is_same_file(file: &File, path: &Path) -> bool {
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata().map(id), fs::metadata(path).map(id)), (Ok(own), Ok(found)) if own == found)
}

/// Locks the folder itself. Returns `None` if the file system has no locks of folders: the lock file is left.
fn lock_folder(folder: &Path) -> Result<Option<LockedFile>, DataDirError> {
    let Some(opened) = open_folder(folder) else { return Ok(None) };
    match lock(&opened) {
        Ok(()) => Ok(Some(LockedFile(opened))),
        Err(TryLockError::WouldBlock) => Err(in_use(folder)),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Locks a file or a folder, unless another process keeps it locked.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 1..MAX_ATTEMPTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            locked => return locked,
        }
    }
    file.try_lock()
}

/// Opens a folder; `None` for anything else, since opening a pipe would block.
fn open_folder(folder: &Path) -> Option<File> {
    folder.is_dir().then(|| File::open(folder).ok()).flatten()
}

/// Locks the file of a folder, and writes the id of this process into it.
fn lock_file(folder: &Path) -> Result<LockedFile, DataDirError> {
    let path = folder.join(LOCK_FILE);
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let is_regular = |file: File| files::check(file.metadata()?.file_type()).map(|()| file);
    let file = file.and_then(is_regular).map_err(io_at("cannot open", &path))?;
    lock(&file).map_err(|error| match error {
        TryLockError::WouldBlock => in_use(folder),
        TryLockError::Error(error) => io_at("cannot lock", &path)(error),
    })?;
    let mut locked = LockedFile(file);
    // The file is shortened last: on a full disk, the block that it has can be written, and no other.
    let id = format!("{}\n", std::process::id());
    let written = locked.0.write_all(id.as_bytes()).and_then(|()| locked.0.set_len(id.len() as u64));
    written.map_err(io_at("cannot write", &path))?;
    Ok(locked)
}

/// Returns the process that has locked a folder, if one has.
pub(super) fn owner(folder: &Path) -> Option<String> {
    let is_locked = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let has_owner =
        files::open(&folder.join(LOCK_FILE)).is_ok_and(is_locked) || open_folder(folder).is_some_and(is_locked);
    has_owner.then(|| owner_id(folder))
}

fn in_use(folder: &Path) -> DataDirError {
    DataDirError::InUse { path: folder.display().to_string(), owner: owner_id(folder) }
}

/// Returns the id in the lock file. A file that is not locked was put there by something else than the owner.
fn owner_id(folder: &Path) -> String {
    let path = folder.join(LOCK_FILE);
    let is_of_owner =
        || files::open(&path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
    let id = small_file::read(&path).ok().filter(|id| !id.is_empty() && is_of_owner());
    id.unwrap_or_else(|| "with an unknown id".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_looks_for_the_owner_refuses_no_claim() {
        for name in [".", LOCK_FILE] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(LOCK_FILE), "").unwrap();
            let looking = File::open(folder.path().join(name)).unwrap();
            looking.try_lock_shared().unwrap();
            let ended = thread::spawn(move || {
                thread::sleep(PAUSE / 2);
                drop(looking);
            });
            let claimed = FolderLock::acquire(folder.path());
            assert!(claimed.is_ok(), "{name}: {claimed:?}");
            assert!(FolderLock::acquire(folder.path()).is_err(), "{name}: it has an owner");
            ended.join().unwrap();
        }
    }
}
