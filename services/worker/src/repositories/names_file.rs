//! The file of the aliases of repositories and of the roots where they were found, so that both outlive the process.

use std::{
    io,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use serde::{Deserialize, Serialize};
use source::{AliasRegistry, KnownRoots};

/// Maximum size of the file. An alias takes some two hundred bytes.
const MAX_NAMES_BYTES: u64 = 256 << 20;

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredNames {
    #[serde(flatten)]
    pub(crate) aliases: AliasRegistry,
    /// The roots of the last discovery.
    #[serde(default, skip_serializing_if = "KnownRoots::is_empty")]
    pub(crate) roots: KnownRoots,
}

impl StoredNames {
    /// Returns the names of a worker that has found nothing yet.
    fn new(worker: &str) -> StoredNames {
        StoredNames { aliases: AliasRegistry::new(worker), roots: KnownRoots::default() }
    }
}

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

    /// Reads the names; none if there is no file yet. A file that cannot be read is logged and counts as none.
    pub(crate) fn read(&self, worker: &str) -> StoredNames {
        match files::read(&self.path, MAX_NAMES_BYTES) {
            Ok(json) => serde_json::from_slice(&json).unwrap_or_else(|error| {
                tracing::warn!(path = %self.path.display(), %error, "the file of aliases is damaged; all aliases are reassigned");
                StoredNames::new(worker)
            }),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %self.path.display(), %error, "cannot read the file of aliases");
                }
                StoredNames::new(worker)
            }
        }
    }

    /// Returns true if there is a regular file. It may have been removed or replaced since it was written.
    pub(crate) fn exists(&self) -> bool {
        self.path.is_file()
    }

    /// Writes the names. A reader finds the old file or the new one.
    pub(crate) fn write(&self, names: &StoredNames) {
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
    use source::{Discoverer, OutsideLinks};

    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_the_file_counts_as_none_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.json");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let file = NamesFile::new(path);
        assert_eq!(file.read("worker-1"), StoredNames::new("worker-1"));
        assert!(!file.exists());
        file.write(&StoredNames::new("worker-2"));
        assert!(file.exists());
        assert_eq!(file.read("worker-1"), StoredNames::new("worker-2"));
    }

    #[test]
    fn roots_are_stored_beside_the_aliases() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("org");
        std::fs::create_dir_all(root.join("notes")).unwrap();
        std::fs::create_dir_all(root.join("app/.git")).unwrap();
        std::fs::write(root.join("notes/a.md"), "x").unwrap();
        let discoverer = Discoverer::new(vec![root.clone()], OutsideLinks::Refuse);
        let aliases = discoverer.discover(AliasRegistry::new("worker-1")).aliases;
        let names = StoredNames { aliases: aliases.clone(), roots: discoverer.known_roots() };
        assert!(names.roots.keeps(&root, true));
        let path = folder.path().join("names.json");
        let file = NamesFile::new(path.clone());
        file.write(&names);
        assert_eq!(file.read(""), names);
        // A file of an earlier version has aliases only.
        std::fs::write(path, serde_json::to_vec(&aliases).unwrap()).unwrap();
        assert_eq!(file.read(""), StoredNames { aliases, roots: KnownRoots::default() });
    }
}
