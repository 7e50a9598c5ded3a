//! The generations of one repository on disk: opening the current one, publishing a new one, and sweeping the others.
//!
//! The folder of a repository contains its generations, and the file `CURRENT` with the name of one of them. A new generation
//! is written into a staging folder, verified, synced and renamed; then an atomic rename of `CURRENT` publishes it. After a
//! crash, every folder that is not current is swept.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use model::RepoId;

use crate::{
    durable,
    error::{IndexError, io_error},
    manifest::{GenerationLoss, GenerationManifest},
    snapshot::Snapshot,
};

const CURRENT_FILE: &str = "CURRENT";
const STAGING_DIR: &str = "staging";
const DRAFT_DIR: &str = "draft";

/// Maximum length of the name in `CURRENT`. A longer one is no name of a generation.
const MAX_NAME_BYTES: u64 = 255;

/// The folder of one repository's generations.
#[derive(Debug, Clone)]
pub struct RepositoryDir(PathBuf);

impl RepositoryDir {
    /// Returns the folder of a repository below `root`. It is created when a generation is written.
    pub fn new(root: &Path, repo: RepoId) -> RepositoryDir {
        RepositoryDir(root.join(repo.to_string()))
    }

    /// Returns the folder. Files in it that are not of a generation stay.
    pub fn path(&self) -> &Path {
        &self.0
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

    /// Returns the folder to write a draft into, after removing one that a crash has left behind. A repository has one draft at a time.
    pub fn draft_dir(&self) -> Result<PathBuf, IndexError> {
        let draft = self.0.join(DRAFT_DIR);
        remove(&draft)?;
        Ok(draft)
    }

    /// Removes an unfinished generation.
    pub fn discard_staging(&self) {
        if let Err(error) = remove(&self.0.join(STAGING_DIR)) {
            tracing::warn!(%error, "cannot remove an unfinished generation; the next start will");
        }
    }

    /// Removes every generation but the current one, with unfinished ones and drafts. No writer may be active.
    ///
    /// Open snapshots of removed generations stay readable, since their files are mapped.
    pub fn sweep(&self) -> Result<(), IndexError> {
        self.sweep_except(None)
    }

    /// Removes every generation but the current one, and the folder of this name.
    fn sweep_except(&self, spared: Option<&str>) -> Result<(), IndexError> {
        let current = self.current_name()?;
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(io_error("cannot list", &self.0))?,
        };
        for entry in entries {
            let path = entry.map_err(io_error("cannot list", &self.0))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let is_spared = spared.is_some() && name.as_deref() == spared;
            if path.is_dir() && name != current && !is_spared {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Compares an open generation with its files on disk: `CURRENT` must name it, and every file must have its length. Returns the
    /// first difference.
    ///
    /// An open generation stays readable after its files were removed, but no later run can build on it, and no process can open it
    /// again.
    pub fn find_loss(&self, snapshot: &Snapshot) -> Option<GenerationLoss> {
        let removed = |reason: String| Some(GenerationLoss { reason, is_readable: true });
        match self.current_name() {
            Ok(Some(name)) if snapshot.dir().ends_with(&name) => snapshot.manifest().find_loss(snapshot.dir()),
            Ok(Some(name)) => removed(format!("`{CURRENT_FILE}` names another generation, `{name}`")),
            Ok(None) => removed(format!("`{CURRENT_FILE}` is missing")),
            Err(error) => removed(error.to_string()),
        }
    }

    fn current_name(&self) -> Result<Option<String>, IndexError> {
        let path = self.0.join(CURRENT_FILE);
        match files::read_text(&path, MAX_NAME_BYTES) {
            Ok(name) => Ok(Some(name.trim().to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
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
/// Opening verifies it, before `CURRENT` refers to it. The generation of a changed work tree is neither synced nor verified: it is
/// replaced after the next edit, and one that a crash has damaged is found when it is opened, and made again.
pub fn publish(repository: &RepositoryDir, manifest: &GenerationManifest) -> Result<Snapshot, IndexError> {
    let staging = repository.0.join(STAGING_DIR);
    let is_lasting = manifest.changes.is_none();
    let snapshot = if is_lasting {
        durable::sync_tree(&staging)?;
        Snapshot::open(&staging)?
    } else {
        Snapshot::open_sealed(&staging)?
    };
    let name = unused_name(repository, manifest);
    let sealed = repository.0.join(&name);
    fs::rename(&staging, &sealed).map_err(io_error("cannot rename", &staging))?;
    let current = repository.0.join(CURRENT_FILE);
    if is_lasting {
        durable::sync_dir(&repository.0)?;
        durable::replace_file(&current, name.as_bytes())?;
    } else {
        durable::replace_unsynced(&current, name.as_bytes())?;
    }
    // A draft may be being written.
    if let Err(error) = repository.sweep_except(Some(DRAFT_DIR)) {
        tracing::warn!(%error, "cannot remove an old generation; the next run or start will");
    }
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

/// Removes a folder with its content, or a file that is in its place.
fn remove(path: &Path) -> Result<(), IndexError> {
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::NotADirectory => fs::remove_file(path),
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io_error("cannot remove", path)(error)),
        _ => Ok(()),
    }
}
