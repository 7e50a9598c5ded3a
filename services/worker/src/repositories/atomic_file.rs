//! Atomic replacement of a file.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Replaces a file atomically: a reader finds the old bytes or the new ones, also after a crash.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, bytes)?;
    File::open(&temporary)?.sync_all()?;
    fs::rename(&temporary, path)
}
