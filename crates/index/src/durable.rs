//! Writes that are on disk when they return.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

use crate::{IndexError, error::at};

/// Writes a file and waits until it is on disk.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let mut file = File::create(path).map_err(at("cannot create", path))?;
    file.write_all(bytes).map_err(at("cannot write", path))?;
    file.sync_all().map_err(at("cannot write", path))
}

/// Replaces a file as a whole: a reader sees the old bytes or the new ones.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let beside = path.with_extension("tmp");
    write_file(&beside, bytes)?;
    fs::rename(&beside, path).map_err(at("cannot replace", path))?;
    sync_dir(path.parent().unwrap_or(path))
}

/// Waits until the names in a folder are on disk.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), IndexError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(at("cannot sync", dir))
}

/// Waits until every file below a folder is on disk, and the names of all.
pub(crate) fn sync_tree(dir: &Path) -> Result<(), IndexError> {
    for entry in fs::read_dir(dir).map_err(at("cannot list", dir))? {
        let path = entry.map_err(at("cannot list", dir))?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            File::open(&path).and_then(|file| file.sync_all()).map_err(at("cannot sync", &path))?;
        }
    }
    sync_dir(dir)
}
