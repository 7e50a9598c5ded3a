//! The names of repositories on disk, so that they outlive the process.

use std::{fs, io, path::PathBuf};

use source::Names;

use crate::replace::replace;

/// Where the names of a worker lie.
pub(crate) struct NamesFile(PathBuf);

impl NamesFile {
    pub(crate) fn new(path: PathBuf) -> NamesFile {
        NamesFile(path)
    }

    /// Returns the names that were kept; none where there are none yet, or where they cannot be read, which is told.
    pub(crate) fn read(&self, worker: &str) -> Names {
        match fs::read(&self.0) {
            Ok(json) => serde_json::from_slice(&json).unwrap_or_else(|error| {
                tracing::warn!(path = %self.0.display(), %error, "the names of repositories are damaged, and given anew");
                Names::new(worker)
            }),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %self.0.display(), %error, "the names of repositories cannot be read");
                }
                Names::new(worker)
            }
        }
    }

    /// Keeps the names: a reader finds the old file or the new one.
    pub(crate) fn write(&self, names: &Names) {
        let json = serde_json::to_vec(names).map_err(io::Error::from);
        if let Err(error) = json.and_then(|json| replace(&self.0, &json)) {
            tracing::warn!(path = %self.0.display(), %error, "the names of repositories are not kept");
        }
    }
}
