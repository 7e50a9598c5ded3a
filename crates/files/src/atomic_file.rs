//! Atomic replacement of a file.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Replaces a file atomically: a reader finds the old bytes or the new ones, also after a crash. A pipe or a link in its place is
/// replaced as well.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

/// Creates an empty file. Whatever has its name is removed before: opening a pipe would wait for a reader.
pub fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_pipe_is_replaced_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ID");
        for pipe in [path.clone(), path.with_extension("tmp")] {
            assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }
        replace(&path, b"first").unwrap();
        replace(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::create_dir(path.with_extension("tmp")).unwrap();
        assert!(replace(&path, b"third").is_err());
    }
}
