//! The generations of one repository in its folder: which is current, and how a new one becomes it.
//!
//! The folder holds `CURRENT`, a file with the name of one generation, and generations beside it. A new one is written
//! into a staging folder, verified, synced, renamed, and made current by one atomic rename of `CURRENT`. Whatever a crash
//! leaves behind is either current or swept.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use model::RepoId;

use crate::{IndexError, Manifest, Snapshot, durable, error::at};

const CURRENT_FILE: &str = "CURRENT";
const STAGING_DIR: &str = "staging";

/// The folder of one repository's generations.
#[derive(Debug, Clone)]
pub struct RepositoryDir(PathBuf);

impl RepositoryDir {
    /// Returns the folder of this repository below `root`, making it if need be.
    pub fn open(root: &Path, repo: RepoId) -> Result<RepositoryDir, IndexError> {
        let dir = root.join(repo.to_string());
        fs::create_dir_all(&dir).map_err(at("cannot create", &dir))?;
        Ok(RepositoryDir(dir))
    }

    /// Opens the current generation; nothing where there is none yet.
    pub fn current(&self) -> Result<Option<Snapshot>, IndexError> {
        let Some(name) = self.current_name()? else { return Ok(None) };
        // The time of the file tells when the repository was last served; see `sweep_unknown`.
        let _ = File::options()
            .append(true)
            .open(self.0.join(CURRENT_FILE))
            .and_then(|file| file.set_modified(SystemTime::now()));
        Snapshot::open(&self.0.join(name)).map(Some)
    }

    /// Returns an empty folder to write a generation into.
    pub fn staging(&self) -> Result<PathBuf, IndexError> {
        let staging = self.0.join(STAGING_DIR);
        remove(&staging)?;
        fs::create_dir_all(&staging).map_err(at("cannot create", &staging))?;
        Ok(staging)
    }

    /// Removes what was written of a generation that will not be finished.
    pub fn discard_staging(&self) {
        if let Err(error) = remove(&self.0.join(STAGING_DIR)) {
            tracing::warn!(%error, "an unfinished generation is left until the next start");
        }
    }

    /// Removes every generation but the current one, and what a crash left of one. Nobody may be writing one.
    ///
    /// Snapshots of the removed ones stay readable, since their files are mapped.
    pub fn sweep(&self) -> Result<(), IndexError> {
        let current = self.current_name()?;
        for entry in fs::read_dir(&self.0).map_err(at("cannot list", &self.0))? {
            let path = entry.map_err(at("cannot list", &self.0))?.path();
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
            Err(error) => Err(at("cannot read", &path)(error)),
        }
    }
}

/// Removes the folders below `root` of repositories that are not known and have not been opened for `unused`: a folder
/// that is served every other week is worth its disk, one that nobody has asked for in a season is not.
pub fn sweep_unknown(root: &Path, known: &BTreeSet<RepoId>, unused: Duration) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(repo) = name.to_str().and_then(|name| name.parse::<RepoId>().ok()) else { continue };
        let opened = fs::metadata(entry.path().join(CURRENT_FILE)).and_then(|current| current.modified());
        let is_unused = opened.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > unused));
        if !known.contains(&repo) && is_unused {
            tracing::info!(%repo, "the index of a repository that is long gone is removed");
            let _ = remove(&entry.path());
        }
    }
}

/// Makes the sealed generation in the staging folder the current one, and returns it open.
///
/// It is opened, and so verified, before anything points to it.
pub fn publish(repository: &RepositoryDir, manifest: &Manifest) -> Result<Snapshot, IndexError> {
    let staging = repository.0.join(STAGING_DIR);
    durable::sync_tree(&staging)?;
    let snapshot = Snapshot::open(&staging)?;
    let name = free_name(repository, manifest);
    let sealed = repository.0.join(&name);
    fs::rename(&staging, &sealed).map_err(at("cannot rename", &staging))?;
    durable::sync_dir(&repository.0)?;
    durable::replace_file(&repository.0.join(CURRENT_FILE), name.as_bytes())?;
    repository.sweep()?;
    Ok(snapshot.moved_to(sealed))
}

/// Returns the name of the generation, with a number behind it where an equal one is there already.
fn free_name(repository: &RepositoryDir, manifest: &Manifest) -> String {
    let plain = manifest.generation.to_string();
    (1_u32..)
        .map(|copy| if copy == 1 { plain.clone() } else { format!("{plain}-{copy}") })
        .find(|name| !repository.0.join(name).exists())
        .unwrap_or(plain)
}

fn remove(path: &Path) -> Result<(), IndexError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at("cannot remove", path)(error)),
        _ => Ok(()),
    }
}
