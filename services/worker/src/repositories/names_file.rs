//! The file of the aliases of repositories, so that aliases outlive the process.

use std::{fs, io, path::PathBuf};

use source::AliasRegistry;

use super::atomic_file::replace;

/// The file of the aliases of a worker.
pub(crate) struct NamesFile(PathBuf);

impl NamesFile {
    pub(crate) fn new(path: PathBuf) -> NamesFile {
        NamesFile(path)
    }

    /// Reads the aliases; none if there is no file yet. A file that cannot be read is logged and counts as none.
    pub(crate) fn read(&self, worker: &str) -> AliasRegistry {
        match fs::read(&self.0) {
            Ok(json) => serde_json::from_slice(&json).unwrap_or_else(|error| {
                tracing::warn!(path = %self.0.display(), %error, "the file of aliases is damaged; all aliases are reassigned");
                AliasRegistry::new(worker)
            }),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %self.0.display(), %error, "cannot read the file of aliases");
                }
                AliasRegistry::new(worker)
            }
        }
    }

    /// Writes the aliases. A reader finds the old file or the new one.
    pub(crate) fn write(&self, names: &AliasRegistry) {
        let json = serde_json::to_vec(names).map_err(io::Error::from);
        if let Err(error) = json.and_then(|json| replace(&self.0, &json)) {
            tracing::warn!(path = %self.0.display(), %error, "cannot write the file of aliases");
        }
    }
}
