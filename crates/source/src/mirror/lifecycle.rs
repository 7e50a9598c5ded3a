//! The life cycle of mirror folders: incomplete clones, stale locks, marks of use and of release, removal.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Suffix of the folder into which a clone is written until it is complete.
const INCOMPLETE_SUFFIX: &str = ".incoming";

/// The file in a mirror whose modification time is the last use.
const USED_FILE: &str = "causeway-used";

/// The file in a mirror that marks it as served by other workers.
const RELEASED_FILE: &str = "causeway-released";

/// Maximum depth of folders within `refs`. Branch names are not deeper.
const MAX_DEPTH: usize = 32;

/// Returns the folder into which a mirror is cloned.
pub(super) fn incomplete_clone(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(INCOMPLETE_SUFFIX);
    name.into()
}

/// Removes incomplete clones. No clone may be in progress.
pub fn remove_incomplete_clones(mirrors: &Path) {
    for path in folders(mirrors).filter(|path| path.to_string_lossy().ends_with(INCOMPLETE_SUFFIX)) {
        let _ = remove(&path);
    }
}

/// Returns the folders of all mirrors.
pub fn mirrors_in(mirrors: &Path) -> Vec<PathBuf> {
    folders(mirrors).filter(|path| path.extension().is_some_and(|extension| extension == "git")).collect()
}

fn folders(mirrors: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(mirrors).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Records that a mirror is in use now.
pub fn mark_used(folder: &Path) {
    if folder.is_dir() {
        // An error costs one more clone later, nothing else.
        let _ = File::create(folder.join(USED_FILE)).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// Marks a mirror as served by other workers. It is kept for a while, since its repository may return.
pub fn release(folder: &Path) {
    // After an error, the mirror is used again at the next start, and released again.
    let _ = files::create(&folder.join(RELEASED_FILE));
}

/// Returns true if a mirror is marked as served by other workers.
pub fn is_released(folder: &Path) -> bool {
    folder.join(RELEASED_FILE).exists()
}

/// Removes the mark that a mirror is served by other workers.
pub fn reclaim(folder: &Path) {
    let _ = fs::remove_file(folder.join(RELEASED_FILE));
}

/// Removes a mirror that was unused for at least `unused`. Returns true if it did.
pub fn remove_unused(folder: &Path, unused: Duration) -> bool {
    let used = fs::metadata(folder.join(USED_FILE)).and_then(|file| file.modified());
    let is_unused = used.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= unused));
    is_unused && remove(folder).is_ok()
}

/// Removes a folder if it exists.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes locks and temporary files of a killed `git`. No `git` may be running in the mirror.
pub(super) fn remove_locks(folder: &Path) -> io::Result<()> {
    let is_lock = |name: &str| name.ends_with(".lock") || name == "gc.pid";
    remove_files(folder, &is_lock, 0)?;
    remove_files(&folder.join("refs"), &is_lock, MAX_DEPTH)?;
    remove_files(&folder.join("objects"), &|name| name.starts_with("tmp_"), 0)?;
    remove_files(&folder.join("objects/pack"), &|name| name.starts_with("tmp_") || name.starts_with(".tmp-"), 0)
}

fn remove_files(folder: &Path, is_stale: &dyn Fn(&str) -> bool, depth: usize) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        if is_folder && depth > 0 {
            remove_files(&entry.path(), is_stale, depth - 1)?;
        } else if !is_folder && is_stale(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
