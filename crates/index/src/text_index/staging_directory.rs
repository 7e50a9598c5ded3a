//! The folder of a text index that is being written, as tantivy writes it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use tantivy::{
    Directory,
    directory::{
        AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
        WritePtr,
        error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError},
    },
};

/// A folder whose files are not synced one by one. A generation that has to outlast a crash is synced as a whole when it is published, and a
/// text index that was not finished is swept.
#[derive(Debug, Clone)]
pub(super) struct StagingDirectory {
    mapped: MmapDirectory,
    dir: PathBuf,
}

impl StagingDirectory {
    pub(super) fn open(dir: &Path) -> Result<StagingDirectory, OpenDirectoryError> {
        Ok(StagingDirectory { mapped: MmapDirectory::open(dir)?, dir: dir.to_owned() })
    }
}

/// A file that is not synced when it is complete.
struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for StagingDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.dir.join(path));
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        Ok(BufWriter::new(Box::new(UnsyncedFile(file))))
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let target = self.dir.join(path);
        let temporary = target.with_extension("tmp");
        // Links to files of another generation are replaced, never written.
        fs::write(&temporary, bytes)?;
        fs::rename(temporary, target)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }
}
