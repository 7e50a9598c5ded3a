//! The file of the aliases of repositories, so that aliases outlive the process.

use std::{
    fs, io,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use source::AliasRegistry;

use super::atomic_file::replace;

/// The file of the aliases of a worker.
pub(crate) struct NamesFile {
    path: PathBuf,
    /// True after a failed write, which is logged once.
    has_failed: AtomicBool,
}

impl NamesFile {
    pub(crate) fn new(path: PathBuf) -> NamesFile {
        NamesFile { path, has_failed: AtomicBool::new(false) }
    }

    /// Reads the aliases; none if there is no file yet. A file that cannot be read is logged and counts as none.
    pub(crate) fn read(&self, worker: &str) -> AliasRegistry {
        match fs::read(&self.path) {
            Ok(json) => serde_json::from_slice(&json).unwrap_or_else(|error| {
                tracing::warn!(path = %self.path.display(), %error, "the file of aliases is damaged; all aliases are reassigned");
                AliasRegistry::new(worker)
            }),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %self.path.display(), %error, "cannot read the file of aliases");
                }
                AliasRegistry::new(worker)
            }
        }
    }

    /// Returns true if there is a file. It may have been removed since it was written.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Writes the aliases. A reader finds the old file or the new one.
    pub(crate) fn write(&self, names: &AliasRegistry) {
        let json = serde_json::to_vec(names).map_err(io::Error::from);
        let written = json.and_then(|json| replace(&self.path, &json));
        let had_failed = self.has_failed.swap(written.is_err(), Ordering::Relaxed);
        if let Err(error) = written
            && !had_failed
        {
            tracing::warn!(path = %self.path.display(), %error, "cannot write the file of aliases, and it is retried");
        }
    }
}
