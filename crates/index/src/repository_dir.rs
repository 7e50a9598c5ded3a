//! The generations of one repository on disk: opening the current one, publishing a new one, and sweeping the others.
//!
//! The folder of a repository contains its generations, and the file `CURRENT` with the name of one of them. A new generation
//! is written into a staging folder, verified, synced and renamed; then an atomic rename of `CURRENT` publishes it. After a
//! crash, every folder that is not current is swept.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use model::RepoId;

use crate::{
    durable,
    error::{IndexError, io_error},
    manifest::GenerationManifest,
    snapshot::Snapshot,
};

const CURRENT_FILE: &str = "CURRENT";
const STAGING_DIR: &str = "staging";

/// The folder of one repository's generations.
#[derive(Debug, Clone)]
pub struct RepositoryDir(PathBuf);

impl RepositoryDir {
    /// Opens the folder of a repository below `root`, and creates it if necessary.
    pub fn open(root: &Path, repo: RepoId) -> Result<RepositoryDir, IndexError> {
        let dir = root.join(repo.to_string());
        fs::create_dir_all(&dir).map_err(io_error("cannot create", &dir))?;
        Ok(RepositoryDir(dir))
    }

    /// Opens the current generation; `None` if nothing was published yet.
    pub fn current(&self) -> Result<Option<Snapshot>, IndexError> {
        let Some(name) = self.current_name()? else { return Ok(None) };
        // The modification time records when the repository was last served; see `sweep_unknown`.
        let _ = File::options()
            .append(true)
            .open(self.0.join(CURRENT_FILE))
            .and_then(|file| file.set_modified(SystemTime::now()));
        Snapshot::open(&self.0.join(name)).map(Some)
    }

    /// Creates an empty folder to write a generation into.
    pub fn create_staging(&self) -> Result<PathBuf, IndexError> {
        let staging = self.0.join(STAGING_DIR);
        remove(&staging)?;
        fs::create_dir_all(&staging).map_err(io_error("cannot create", &staging))?;
        Ok(staging)
    }

    /// Removes an unfinished generation.
    pub fn discard_staging(&self) {
        if let Err(error) = remove(&self.0.join(STAGING_DIR)) {
            tracing::warn!(%error, "cannot remove an unfinished generation; the next start will");
        }
    }

    /// Removes every generation but the current one, unfinished ones included. No writer may be active.
    ///
    /// Open snapshots of removed generations stay readable, since their files are mapped.
    pub fn sweep(&self) -> Result<(), IndexError> {
        let current = self.current_name()?;
        for entry in fs::read_dir(&self.0).map_err(io_error("cannot list", &self.0))? {
            let path = entry.map_err(io_error("cannot list", &self.0))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            if path.is_dir() && name != current {
                remove(&path)?;
            }
        }
        Ok(())
    }

    fn current_name(&self) -> Result<Option<String>, IndexError> {
        let path = self.0.join(CURRENT_FILE);
        match fs::read_to_string(&path) {
            Ok(name) => Ok(Some(name.trim().to_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_error("cannot read", &path)(error)),
        }
    }
}

/// Removes the folders below `root` of repositories that are not in `known` and were not opened for the time `unused`.
pub fn sweep_unknown(root: &Path, known: &BTreeSet<RepoId>, unused: Duration) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(repo) = name.to_str().and_then(|name| name.parse::<RepoId>().ok()) else { continue };
        let opened_at = fs::metadata(entry.path().join(CURRENT_FILE)).and_then(|current| current.modified());
        let is_unused = opened_at.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > unused));
        if !known.contains(&repo) && is_unused {
            tracing::info!(%repo, "removing the index of an unknown repository");
            let _ = remove(&entry.path());
        }
    }
}

/// Publishes the sealed generation in the staging folder, and returns it opened.
///
/// Opening verifies it, before `CURRENT` refers to it.
pub fn publish(repository: &RepositoryDir, manifest: &GenerationManifest) -> Result<Snapshot, IndexError> {
    let staging = repository.0.join(STAGING_DIR);
    durable::sync_tree(&staging)?;
    let snapshot = Snapshot::open(&staging)?;
    let name = unused_name(repository, manifest);
    let sealed = repository.0.join(&name);
    fs::rename(&staging, &sealed).map_err(io_error("cannot rename", &staging))?;
    durable::sync_dir(&repository.0)?;
    durable::replace_file(&repository.0.join(CURRENT_FILE), name.as_bytes())?;
    repository.sweep()?;
    Ok(snapshot.moved_to(sealed))
}

/// Returns the name of a generation, with a number appended if the folder exists.
fn unused_name(repository: &RepositoryDir, manifest: &GenerationManifest) -> String {
    let plain = manifest.generation.to_string();
    (1_u32..)
        .map(|copy| if copy == 1 { plain.clone() } else { format!("{plain}-{copy}") })
        .find(|name| !repository.0.join(name).exists())
        .unwrap_or(plain)
}

fn remove(path: &Path) -> Result<(), IndexError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error("cannot remove", path)(error)),
        _ => Ok(()),
    }
}
