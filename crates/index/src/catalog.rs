//! The generations of one repository in its folder: which is current, and how a new one becomes it.
//!
//! The folder holds `CURRENT`, a file with the name of one generation, and generations beside it. A new one is written
//! into a staging folder, verified, synced, renamed, and made current by one atomic rename of `CURRENT`. Whatever a crash
//! leaves behind is either current or swept.

use std::{
    fs,
    path::{Path, PathBuf},
};

use model::RepoId;

use crate::{IndexError, Manifest, Snapshot, durable, error::at};

const CURRENT_FILE: &str = "CURRENT";
const STAGING_DIR: &str = "staging";

/// The folder of one repository's generations.
#[derive(Debug, Clone)]
pub struct RepositoryDir(PathBuf);

impl RepositoryDir {
    /// Returns the folder of this repository below `root`, making it if need be, and sweeps what a crash left there.
    pub fn open(root: &Path, repo: RepoId) -> Result<RepositoryDir, IndexError> {
        let dir = root.join(repo.to_string());
        fs::create_dir_all(&dir).map_err(at("cannot create", &dir))?;
        let repository = RepositoryDir(dir);
        repository.sweep()?;
        Ok(repository)
    }

    /// Opens the current generation; nothing where there is none yet.
    pub fn current(&self) -> Result<Option<Snapshot>, IndexError> {
        let Some(name) = self.current_name()? else { return Ok(None) };
        Snapshot::open(&self.0.join(name)).map(Some)
    }

    /// Returns an empty folder to write a generation into.
    pub fn staging(&self) -> Result<PathBuf, IndexError> {
        let staging = self.0.join(STAGING_DIR);
        remove(&staging)?;
        fs::create_dir_all(&staging).map_err(at("cannot create", &staging))?;
        Ok(staging)
    }

    /// Removes every generation but the current one.
    ///
    /// Snapshots of the removed ones stay readable, since their files are mapped.
    fn sweep(&self) -> Result<(), IndexError> {
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
