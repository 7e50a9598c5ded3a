//! The mode of files and folders: private to the user of this process.

use std::{
    ffi::OsStr,
    fs::{self, Metadata, Permissions},
    io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

use rustix::{
    fs::Mode,
    process::{geteuid, umask},
};

/// The permissions of group and others.
const OF_OTHERS: u32 = 0o077;

/// Makes every file and folder that this process and its children create private: only their owner can access them. The mask is
/// that of the whole process. Therefore it must be set before a thread creates files.
pub fn create_private_files() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Removes the access of other users to a folder, and to those entries of it for whose names `is_own` is true, with all that is below
/// them. Symbolic links are not followed, and what belongs to another user stays as it is. Returns the first error after an attempt at
/// every file.
pub fn make_private(folder: &Path, is_own: &dyn Fn(&OsStr) -> bool) -> io::Result<()> {
    let metadata = fs::symlink_metadata(folder)?;
    narrow(folder, &metadata).and(narrow_entries(folder, is_own))
}

fn narrow_entries(folder: &Path, is_own: &dyn Fn(&OsStr) -> bool) -> io::Result<()> {
    let mut result = Ok(());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_own(&entry.file_name()) {
            result = result.and(entry.metadata().and_then(|metadata| narrow_tree(&entry.path(), &metadata)));
        }
    }
    result
}

fn narrow_tree(path: &Path, metadata: &Metadata) -> io::Result<()> {
    if metadata.is_symlink() || metadata.uid() != geteuid().as_raw() {
        return Ok(());
    }
    let narrowed = narrow(path, metadata);
    if metadata.is_dir() { narrowed.and(narrow_entries(path, &|_| true)) } else { narrowed }
}

fn narrow(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let mode = metadata.permissions().mode();
    let is_own = metadata.uid() == geteuid().as_raw();
    if !is_own || mode & OF_OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode & !OF_OTHERS))
}

#[cfg(test)]
mod tests {
    use std::{env, process::Command};

    use super::*;

    /// Set in the process that has the mask.
    const MASKED: &str = "CAUSEWAY_TEST_PRIVATE_FILES";

    #[test]
    fn new_files_are_private() {
        if env::var_os(MASKED).is_none() {
            // The mask applies to a whole process, so the test runs itself again in a separate process.
            let this = "file_mode::tests::new_files_are_private";
            let masked = Command::new(env::current_exe().unwrap()).args(["--exact", this]).env(MASKED, "1").output();
            let masked = masked.unwrap();
            assert!(masked.status.success(), "{masked:?}");
            return;
        }
        create_private_files();
        let folder = tempfile::tempdir().unwrap();
        let (folders, file, of_child) =
            (folder.path().join("a/b"), folder.path().join("a/b/c"), folder.path().join("d"));
        fs::create_dir_all(&folders).unwrap();
        fs::write(&file, "").unwrap();
        assert!(Command::new("touch").arg(&of_child).status().unwrap().success());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&folders), mode(&file), mode(&of_child)], [0o700, 0o600, 0o600]);
    }
}
