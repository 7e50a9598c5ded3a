//! Small text files of a data folder: version, lock and id.

use std::{io, path::Path};

/// Maximum length of a small file. The longest one has a few dozen bytes.
const MAX_BYTES: u64 = 1_024;

/// Reads a small file, without white space around its text.
pub(super) fn read(path: &Path) -> io::Result<String> {
    files::read_text(path, MAX_BYTES).map(|text| text.trim().to_owned())
}

/// Writes a small file with one line. Whatever has its name is replaced.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    files::replace(path, format!("{text}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use std::{fs, io::ErrorKind};

    use super::*;

    #[test]
    fn anything_in_the_place_of_a_file_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("VERSION");
        let read_kind = |path: &Path| read(path).map_err(|error| error.kind());
        assert_eq!(read_kind(&path), Err(ErrorKind::NotFound));
        for (bytes, expected) in [
            (&b" 1\n"[..], Ok("1".to_owned())),
            (b"", Ok(String::new())),
            (b"\xff\xfe1", Err(ErrorKind::InvalidInput)),
            (&[b'1'; 5_000], Err(ErrorKind::InvalidInput)),
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(read_kind(&path), expected);
        }
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(read_kind(&path), Err(ErrorKind::InvalidInput));
        assert_eq!(read_kind(folder.path()), Err(ErrorKind::InvalidInput));
        write(&path, "2").unwrap();
        assert_eq!(read_kind(&path), Ok("2".to_owned()), "the pipe is replaced");
    }
}
