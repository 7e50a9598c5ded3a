//! Changes of files: planned, shown, then made with a backup beside the file, and undone from it.
//!
//! A backup is named `FILE.causeway-backup-HASH`, with the hash of the text that `setup` wrote. While the file still has that text, undo
//! restores the backup byte for byte. After another change of the file, undo replaces the content of Causeway by that of the backup, which may be
//! an entry of the user. A file that `setup` created has an empty `FILE.causeway-created-HASH` instead. A backup is deleted only if it has
//! nothing left to restore.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::Value;

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
    #[error(
        "`{}` no longer has the content that set-up wrote; the original is in `{}`: copy its content by hand, or delete it",
        path.display(), backup.display()
    )]
    Unrestored { path: PathBuf, backup: PathBuf },
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
    if !edit.needs_backup() {
        return Ok(Some(PlannedChange { before, after: Some(after), new_backup: None, old_backups: Vec::new(), path }));
    }
    let backups = Backup::all_of(&path);
    // Without a backup, content of Causeway in the file is the user's own.
    let is_own = backups.is_empty() || !edit.is_present(&text).map_err(failed)?;
    let (original, source) = if is_own { (before.clone(), None) } else { before_setup(&path, &text, edit, &backups)? };
    let old_backups = spent_backups(&backups, edit, original.as_deref(), source)?;
    let new_backup = (Backup::of(&path, &after, original.is_some()).path, original.unwrap_or_default());
    Ok(Some(PlannedChange { before, after: Some(after), new_backup: Some(new_backup), old_backups, path }))
}

/// Plans the removal of an edit and of its backups; `None` if there is nothing to undo.
pub(crate) fn plan_undo(path: &Path, edit: &FileEdit) -> Result<Option<PlannedChange>, FileChangeError> {
    let path = file_behind(path);
    let failed = |source| FileChangeError::Edit { path: path.clone(), source };
    let before = read(&path)?;
    let is_present = before.as_deref().map_or(Ok(false), |text| edit.is_present(text)).map_err(failed)?;
    let text = before.as_deref().unwrap_or_default();
    if !edit.needs_backup() {
        let after = if is_present { edit.revert(text).map_err(failed)? } else { return Ok(None) };
        return Ok(Some(PlannedChange { before, after, new_backup: None, old_backups: Vec::new(), path }));
    }
    let backups = Backup::all_of(&path);
    let Some(newest) = backups.last() else {
        // Set-up stores a backup with everything that it writes. Content without one is the user's own.
        return Ok(None);
    };
    let (after, source) = if is_present { before_setup(&path, text, edit, &backups)? } else { (before.clone(), None) };
    let old_backups = spent_backups(&backups, edit, after.as_deref(), source)?;
    if after == before && old_backups.is_empty() {
        return Err(FileChangeError::Unrestored { path, backup: newest.path.clone() });
    }
    Ok(Some(PlannedChange { before, after, new_backup: None, old_backups, path }))
}

/// Returns a text as it was before set-up, `None` if there was no file, and the backup that the content comes from.
fn before_setup<'a>(
    path: &Path,
    text: &str,
    edit: &FileEdit,
    backups: &'a [Backup],
) -> Result<(Option<String>, Option<&'a Backup>), FileChangeError> {
    let exact = [true, false].map(|existed| Backup::of(path, text, existed).path);
    if let Some(backup) = backups.iter().find(|backup| exact.contains(&backup.path)) {
        return Ok((backup.original()?, Some(backup)));
    }
    // Another program changed the file since.
    let newest = backups.last();
    let original = newest.map_or(Ok(None), Backup::original)?.unwrap_or_default();
    let restored = edit.restore(text, &original);
    let restored = restored.map_err(|source| FileChangeError::Edit { path: path.to_owned(), source })?;
    Ok((restored, newest))
}

/// Returns the backups that are not needed after a text was restored from `source`: the source, and those without content that the
/// restored text does not have.
fn spent_backups(
    backups: &[Backup],
    edit: &FileEdit,
    restored: Option<&str>,
    source: Option<&Backup>,
) -> Result<Vec<PathBuf>, FileChangeError> {
    let content = |text: &str| edit.content(text).ok();
    let mut spent = Vec::new();
    for backup in backups {
        let is_source = source.is_some_and(|source| source.path == backup.path);
        let is_spent = match (backup.original()?, restored) {
            (None, _) => true,
            (Some(original), Some(restored)) => match content(&original) {
                Some(Value::Null) => true,
                own => own.is_some() && own == content(restored),
            },
            (Some(_), None) => false,
        };
        if is_source || is_spent {
            spent.push(backup.path.clone());
        }
    }
    Ok(spent)
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

    /// Returns the backups that earlier set-ups left of a file, the newest last.
    fn all_of(path: &Path) -> Vec<Backup> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let prefixes = [(BACKUP_MARK, true), (CREATED_MARK, false)];
        let prefixes = prefixes.map(|(mark, existed)| (format!("{name}{mark}"), existed));
        let Some(entries) = path.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return Vec::new() };
        let backup = |entry: fs::DirEntry| {
            let name = entry.file_name();
            let (_, existed) = prefixes.iter().find(|(prefix, _)| name.to_string_lossy().starts_with(prefix))?;
            let written = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            Some((written, Backup { path: entry.path(), existed: *existed }))
        };
        let mut found: Vec<_> = entries.filter_map(Result::ok).filter_map(backup).collect();
        found.sort_by(|left, right| (left.0, &left.1.path).cmp(&(right.0, &right.1.path)));
        found.into_iter().map(|(_, backup)| backup).collect()
    }

    /// Returns the original text; `None` if there was no file.
    fn original(&self) -> Result<Option<String>, FileChangeError> {
        if self.existed { read(&self.path) } else { Ok(None) }
    }
}

const BACKUP_MARK: &str = ".causeway-backup-";
const CREATED_MARK: &str = ".causeway-created-";

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
