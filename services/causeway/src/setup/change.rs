//! Changes of files: planned, shown, then made with a backup beside the file, and undone from it.
//!
//! A backup is named `FILE.causeway-backup-HASH`, with the hash of the text that `setup` wrote. While the file still has that text, undo
//! restores the backup byte for byte. After another change of the file, undo removes the content of Causeway and the backup. A file that `setup`
//! created has an empty `FILE.causeway-created-HASH` instead.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::file_edit::{EditError, FileEdit};

/// Maximum size of an edited file. Claude Code keeps its history in the same file.
const MAX_BYTES: u64 = 64 << 20;

/// Maximum number of links from one path to its file, as in the kernel.
const MAX_LINKS: usize = 40;

/// Error of a file that is not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileChangeError {
    #[error("`{}` is not changed: {source}", path.display())]
    Edit { path: PathBuf, source: EditError },
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("`{}` was changed by another program in the meantime: repeat the command", path.display())]
    Raced { path: PathBuf },
}

/// A planned change of one file.
#[derive(Debug)]
pub(crate) struct PlannedChange {
    /// The file itself, if the user's path is a link.
    pub(crate) path: PathBuf,
    before: Option<String>,
    /// The new text; `None` removes the file.
    after: Option<String>,
    /// A backup to write, with its text.
    new_backup: Option<(PathBuf, String)>,
    /// Backups of earlier changes to remove. They may have tokens of other servers.
    old_backups: Vec<PathBuf>,
}

/// Returns the text of a file; `None` if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, FileChangeError> {
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if files::is_missing(&error) => Ok(None),
        Err(source) => Err(FileChangeError::Io { action: "read", path: path.to_owned(), source }),
    }
}

/// Plans an edit; `None` if the file already has the content.
pub(crate) fn plan(path: &Path, edit: &FileEdit) -> Result<Option<PlannedChange>, FileChangeError> {
    let path = file_behind(path);
    let before = read(&path)?;
    let failed = |source| FileChangeError::Edit { path: path.clone(), source };
    let text = before.clone().unwrap_or_default();
    let after = edit.apply(&text).map_err(failed)?;
    if before.as_ref() == Some(&after) {
        return Ok(None);
    }
    let backup = before.as_ref().and_then(|before| Backup::find(&path, before));
    let old_backups = if edit.needs_backup() { backups(&path) } else { Vec::new() };
    let original = match &backup {
        // The text before the first set-up.
        Some(backup) => backup.original()?,
        None if !old_backups.is_empty() && edit.is_present(&text).map_err(failed)? => {
            edit.revert(&text).map_err(failed)?
        }
        None => before.clone(),
    };
    let new_backup =
        edit.needs_backup().then(|| (Backup::of(&path, &after, original.is_some()).path, original.unwrap_or_default()));
    Ok(Some(PlannedChange { before, after: Some(after), new_backup, old_backups, path }))
}

/// Plans the removal of an edit and of its backups; `None` if there are neither.
pub(crate) fn plan_undo(path: &Path, edit: &FileEdit) -> Result<Option<PlannedChange>, FileChangeError> {
    let path = file_behind(path);
    let failed = |source| FileChangeError::Edit { path: path.clone(), source };
    let before = read(&path)?;
    let old_backups = if edit.needs_backup() { backups(&path) } else { Vec::new() };
    let after = match &before {
        Some(text) if edit.is_present(text).map_err(failed)? => match Backup::find(&path, text) {
            Some(backup) => backup.original()?,
            // Another program changed the file since.
            None => edit.revert(text).map_err(failed)?,
        },
        _ if old_backups.is_empty() => return Ok(None),
        _ => before.clone(),
    };
    Ok(Some(PlannedChange { before, after, new_backup: None, old_backups, path }))
}

impl PlannedChange {
    /// Makes the change.
    pub(crate) fn execute(&self) -> Result<(), FileChangeError> {
        if read(&self.path)? != self.before {
            return Err(FileChangeError::Raced { path: self.path.clone() });
        }
        let failed = |action, path: &Path| {
            let path = path.to_owned();
            move |source| FileChangeError::Io { action, path, source }
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed("create", folder))?;
        }
        if let Some((backup, text)) = &self.new_backup {
            write(backup, text, &self.path).map_err(failed("write", backup))?;
        }
        match &self.after {
            after if *after == self.before => {}
            Some(after) => write(&self.path, after, &self.path).map_err(failed("write", &self.path))?,
            None => fs::remove_file(&self.path).map_err(failed("remove", &self.path))?,
        }
        let is_new = |backup: &PathBuf| self.new_backup.as_ref().is_some_and(|(path, _)| path == backup);
        for backup in self.old_backups.iter().filter(|backup| !is_new(backup)) {
            fs::remove_file(backup).map_err(failed("remove", backup))?;
        }
        Ok(())
    }

    /// Returns the removed lines with `-`, and the new ones with `+`. Without either, backups are removed only.
    pub(crate) fn diff(&self) -> String {
        if self.before == self.after {
            let lines = self.old_backups.iter().map(|backup| format!("- the backup {}", backup.display()));
            return lines.collect::<Vec<_>>().join("\n");
        }
        let lines =
            |text: &Option<String>| text.as_deref().unwrap_or("").lines().map(str::to_owned).collect::<Vec<_>>();
        let (before, after) = (lines(&self.before), lines(&self.after));
        let n_same = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
        let (before, after) = (&before[n_same..], &after[n_same..]);
        let n_end = before.iter().rev().zip(after.iter().rev()).take_while(|(old, new)| old == new).count();
        let removed = before[..before.len() - n_end].iter().map(|line| format!("- {line}"));
        let added = after[..after.len() - n_end].iter().map(|line| format!("+ {line}"));
        removed.chain(added).collect::<Vec<_>>().join("\n")
    }

    /// Returns true if the change removes the file.
    pub(crate) fn removes_file(&self) -> bool {
        self.after.is_none() && self.before.is_some()
    }
}

/// The state of a file before the first set-up.
struct Backup {
    path: PathBuf,
    existed: bool,
}

impl Backup {
    /// Returns the backup that belongs to a written text.
    fn of(path: &Path, written: &str, existed: bool) -> Backup {
        let hash = blake3::hash(written.as_bytes()).to_hex();
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(if existed { BACKUP_MARK } else { CREATED_MARK });
        name.push(&hash.as_str()[..16]);
        Backup { path: path.with_file_name(name), existed }
    }

    /// Returns the backup of a file with its present text, if there is one.
    fn find(path: &Path, text: &str) -> Option<Backup> {
        [true, false].map(|existed| Backup::of(path, text, existed)).into_iter().find(|backup| backup.path.exists())
    }

    /// Returns the original text; `None` if there was no file.
    fn original(&self) -> Result<Option<String>, FileChangeError> {
        if self.existed { read(&self.path) } else { Ok(None) }
    }
}

const BACKUP_MARK: &str = ".causeway-backup-";
const CREATED_MARK: &str = ".causeway-created-";

/// Returns the backups that earlier set-ups left of a file.
fn backups(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefixes = [BACKUP_MARK, CREATED_MARK].map(|mark| format!("{name}{mark}"));
    let Some(entries) = path.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return Vec::new() };
    let is_backup = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix))
    };
    let mut found: Vec<PathBuf> = entries.filter_map(Result::ok).filter(is_backup).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Returns the file that a path leads to. A link to a file that does not exist yet is kept, and the file made.
fn file_behind(path: &Path) -> PathBuf {
    if let Ok(file) = fs::canonicalize(path) {
        return file;
    }
    let mut file = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&file) else { break };
        file = file.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    file
}

/// Replaces a file atomically, with the permissions of `model` if that exists.
fn write(path: &Path, text: &str, model: &Path) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".causeway-new");
    let temporary = path.with_file_name(name);
    let mut file = files::create(&temporary)?;
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = fs::metadata(model) {
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()?;
    fs::rename(&temporary, path)
}
