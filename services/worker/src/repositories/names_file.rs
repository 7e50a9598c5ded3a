//! The file of the aliases of repositories, so that aliases outlive the process.

use std::{
    io,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use source::AliasRegistry;

/// Maximum size of the file. An alias takes some two hundred bytes.
const MAX_NAMES_BYTES: u64 = 256 << 20;

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
        match files::read(&self.path, MAX_NAMES_BYTES) {
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

    /// Returns true if there is a regular file. It may have been removed or replaced since it was written.
    pub(crate) fn exists(&self) -> bool {
        self.path.is_file()
    }

    /// Writes the aliases. A reader finds the old file or the new one.
    pub(crate) fn write(&self, names: &AliasRegistry) {
        let json = serde_json::to_vec(names).map_err(io::Error::from);
        let written = json.and_then(|json| files::replace(&self.path, &json));
        let had_failed = self.has_failed.swap(written.is_err(), Ordering::Relaxed);
        if let Err(error) = written
            && !had_failed
        {
            tracing::warn!(path = %self.path.display(), %error, "cannot write the file of aliases, and it is retried");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_the_file_counts_as_none_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.json");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let file = NamesFile::new(path);
        assert_eq!(file.read("worker-1"), AliasRegistry::new("worker-1"));
        assert!(!file.exists());
        file.write(&AliasRegistry::new("worker-2"));
        assert!(file.exists());
        assert_eq!(file.read("worker-1"), AliasRegistry::new("worker-2"));
    }
}
