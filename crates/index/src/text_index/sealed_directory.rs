//! The folder of a sealed text index, as tantivy reads it.

use std::{
    io::{self, ErrorKind},
    path::Path,
    sync::Arc,
};

use tantivy::{
    Directory,
    directory::{
        DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
        error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError},
    },
};

/// A folder that is only read. tantivy would create a lock file while it opens an index, which fails in a read-only data folder. A
/// sealed index never changes, and needs no lock.
#[derive(Debug, Clone)]
pub(super) struct SealedDirectory(MmapDirectory);

impl SealedDirectory {
    pub(super) fn open(dir: &Path) -> Result<SealedDirectory, OpenDirectoryError> {
        MmapDirectory::open(dir).map(SealedDirectory)
    }
}

impl Directory for SealedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn acquire_lock(&self, _: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(sealed()), filepath: path.to_owned() })
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(sealed(), path.to_owned()))
    }

    fn atomic_write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(sealed())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Err(sealed())
    }
}

fn sealed() -> io::Error {
    io::Error::new(ErrorKind::ReadOnlyFilesystem, "a sealed text index is never written")
}
