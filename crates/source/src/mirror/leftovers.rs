//! What is left in a folder of mirrors: by a `git` that was killed, and by repositories that nobody lists any more.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The end of the name of a folder into which a clone goes before it is one.
const INCOMING: &str = ".incoming";

/// The file in a mirror whose time says when it was last followed.
const USED_FILE: &str = "causeway-used";

/// The file in a mirror that says that others serve what it was for.
const RELEASED_FILE: &str = "causeway-released";

/// Folders within `refs` that are entered; names of branches go no deeper.
const MAX_DEPTH: usize = 32;

/// Returns the folder into which a mirror is cloned.
pub(super) fn incoming(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(INCOMING);
    name.into()
}

/// Removes clones that did not come to their end. None may be going on.
pub fn remove_incoming(mirrors: &Path) {
    for path in folders(mirrors).filter(|path| path.to_string_lossy().ends_with(INCOMING)) {
        let _ = remove(&path);
    }
}

/// Returns the mirrors that there are.
pub fn mirrors_in(mirrors: &Path) -> Vec<PathBuf> {
    folders(mirrors).filter(|path| path.extension().is_some_and(|extension| extension == "git")).collect()
}

fn folders(mirrors: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(mirrors).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Notes that a mirror is in use.
pub fn mark_used(folder: &Path) {
    if folder.is_dir() {
        // An error costs a clone one day, nothing else.
        let _ = File::create(folder.join(USED_FILE)).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// Notes that others serve what a mirror was for. It stays for a while, since it may come back.
pub fn release(folder: &Path) {
    // An error has it taken up again at the next start, and then let go.
    let _ = fs::write(folder.join(RELEASED_FILE), "");
}

/// Says whether others serve what a mirror was for.
pub fn is_released(folder: &Path) -> bool {
    folder.join(RELEASED_FILE).exists()
}

/// Notes that a mirror is for what is served here, again.
pub fn take_back(folder: &Path) {
    let _ = fs::remove_file(folder.join(RELEASED_FILE));
}

/// Removes a mirror that has not been in use for so long; says whether it did.
pub fn remove_unused(folder: &Path, unused: Duration) -> bool {
    let used = fs::metadata(folder.join(USED_FILE)).and_then(|file| file.modified());
    let is_unused = used.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= unused));
    is_unused && remove(folder).is_ok()
}

/// Removes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the locks and half files of a `git` that was killed. None may be running.
pub(super) fn remove_locks(folder: &Path) -> io::Result<()> {
    let is_lock = |name: &str| name.ends_with(".lock") || name == "gc.pid";
    remove_files(folder, &is_lock, 0)?;
    remove_files(&folder.join("refs"), &is_lock, MAX_DEPTH)?;
    remove_files(&folder.join("objects"), &|name| name.starts_with("tmp_"), 0)?;
    remove_files(&folder.join("objects/pack"), &|name| name.starts_with("tmp_") || name.starts_with(".tmp-"), 0)
}

fn remove_files(folder: &Path, is_left: &dyn Fn(&str) -> bool, depth: usize) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        if is_folder && depth > 0 {
            remove_files(&entry.path(), is_left, depth - 1)?;
        } else if !is_folder && is_left(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
