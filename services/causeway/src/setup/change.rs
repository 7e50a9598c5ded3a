//! Changes of files: planned, shown, then made with a backup beside the file, and undone from it.
//!
//! A backup is named `FILE.causeway-backup-HASH`, with the hash of the text that `setup` wrote. While the file still has that text, undo
//! restores the backup byte for byte. After another change of the file, undo removes only the content of Causeway. A file that `setup`
//! created has an empty `FILE.causeway-created-HASH` instead.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::file_edit::{EditError, FileEdit};

/// Maximum size of an edited file. Claude Code keeps its history in the same file.
const MAX_BYTES: u64 = 64 << 20;

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
    /// The backup of the text before.
    old_backup: Option<PathBuf>,
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
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = read(&path)?;
    let failed = |source| FileChangeError::Edit { path: path.clone(), source };
    let text = before.clone().unwrap_or_default();
    let after = edit.apply(&text).map_err(failed)?;
    if before.as_ref() == Some(&after) {
        return Ok(None);
    }
    let old_backup = before.as_ref().and_then(|before| Backup::find(&path, before));
    let original = match &old_backup {
        // The text before the first set-up.
        Some(backup) => backup.original()?,
        None if has_backups(&path) && edit.is_present(&text).map_err(failed)? => edit.revert(&text).map_err(failed)?,
        None => before.clone(),
    };
    let new_backup =
        edit.needs_backup().then(|| (Backup::of(&path, &after, original.is_some()).path, original.unwrap_or_default()));
    let old_backup = old_backup.map(|backup| backup.path);
    Ok(Some(PlannedChange { before, after: Some(after), new_backup, old_backup, path }))
}

/// Plans the removal of an edit; `None` if the file does not have the content.
pub(crate) fn plan_undo(path: &Path, edit: &FileEdit) -> Result<Option<PlannedChange>, FileChangeError> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(before) = read(&path)? else { return Ok(None) };
    let failed = |source| FileChangeError::Edit { path: path.clone(), source };
    if !edit.is_present(&before).map_err(failed)? {
        return Ok(None);
    }
    let backup = Backup::find(&path, &before);
    let after = match &backup {
        Some(backup) => backup.original()?,
        None => edit.revert(&before).map_err(failed)?,
    };
    let backup = backup.map(|backup| backup.path);
    Ok(Some(PlannedChange { before: Some(before), after, new_backup: None, old_backup: backup, path }))
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
            Some(after) => write(&self.path, after, &self.path).map_err(failed("write", &self.path))?,
            None => fs::remove_file(&self.path).map_err(failed("remove", &self.path))?,
        }
        let is_replaced = |backup: &&PathBuf| self.new_backup.as_ref().is_none_or(|(path, _)| path != *backup);
        if let Some(backup) = self.old_backup.as_ref().filter(is_replaced) {
            fs::remove_file(backup).map_err(failed("remove", backup))?;
        }
        Ok(())
    }

    /// Returns the removed lines with `-`, and the new ones with `+`.
    pub(crate) fn diff(&self) -> String {
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
        self.after.is_none()
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

/// Returns true if an earlier set-up left a backup of the file.
fn has_backups(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefixes = [BACKUP_MARK, CREATED_MARK].map(|mark| format!("{name}{mark}"));
    let Some(entries) = path.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return false };
    let is_backup = |entry: fs::DirEntry| {
        let name = entry.file_name();
        prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix))
    };
    entries.filter_map(Result::ok).any(is_backup)
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
