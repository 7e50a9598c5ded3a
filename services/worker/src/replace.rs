//! Files that are replaced as a whole.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Replaces a file, whatever happens meanwhile: a reader finds the old bytes or the new ones.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("tmp");
    fs::write(&beside, bytes)?;
    File::open(&beside)?.sync_all()?;
    fs::rename(&beside, path)
}
