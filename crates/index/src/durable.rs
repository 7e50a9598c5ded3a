//! File writes that have reached the disk when they return.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

use crate::error::{IndexError, io_error};

/// Writes a file and syncs it.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let mut file = files::create(path).map_err(io_error("cannot create", path))?;
    file.write_all(bytes).map_err(io_error("cannot write", path))?;
    file.sync_all().map_err(io_error("cannot write", path))
}

/// Replaces a file atomically: a reader sees either the old bytes or the new ones.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let temporary = path.with_extension("tmp");
    write_file(&temporary, bytes)?;
    fs::rename(&temporary, path).map_err(io_error("cannot replace", path))?;
    sync_dir(path.parent().unwrap_or(path))
}

/// Replaces a file without a sync: after a crash it may have the old bytes, the new ones, or none.
pub(crate) fn replace_unsynced(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let temporary = path.with_extension("tmp");
    let mut file = files::create(&temporary).map_err(io_error("cannot create", &temporary))?;
    file.write_all(bytes).map_err(io_error("cannot write", &temporary))?;
    fs::rename(&temporary, path).map_err(io_error("cannot replace", path))
}

/// Syncs the directory entries of a folder.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), IndexError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io_error("cannot sync", dir))
}

/// Syncs every file below a folder, and all directory entries.
pub(crate) fn sync_tree(dir: &Path) -> Result<(), IndexError> {
    for entry in fs::read_dir(dir).map_err(io_error("cannot list", dir))? {
        let path = entry.map_err(io_error("cannot list", dir))?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            File::open(&path).and_then(|file| file.sync_all()).map_err(io_error("cannot sync", &path))?;
        }
    }
    sync_dir(dir)
}
