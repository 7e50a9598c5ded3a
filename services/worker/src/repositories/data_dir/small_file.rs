//! Small text files: version, lock and id. Whatever is in their place is recognised without reading much of it.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::Path,
};

/// Maximum length of a small file. The longest one has a few dozen bytes.
const MAX_BYTES: u64 = 1_024;

/// The content of a small file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SmallFile {
    /// Its text, trimmed.
    Text(String),
    /// There is no such file.
    Missing,
    /// It is no small text file. The problem is a predicate, such as `is a folder`.
    Invalid(&'static str),
}

/// Reads a small file.
pub(super) fn read(path: &Path) -> io::Result<SmallFile> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(SmallFile::Missing),
        metadata => metadata?,
    };
    if metadata.is_dir() {
        return Ok(SmallFile::Invalid("is a folder"));
    }
    // Opening a named pipe would wait for a writer.
    if !metadata.is_file() {
        return Ok(SmallFile::Invalid("is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Ok(SmallFile::Invalid("is too long"));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => SmallFile::Text(text.trim().to_owned()),
        Err(_) => SmallFile::Invalid("is no text"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_in_the_place_of_a_file_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("VERSION");
        assert_eq!(read(&path).unwrap(), SmallFile::Missing);
        for (bytes, expected) in [
            (&b" 1\n"[..], SmallFile::Text("1".to_owned())),
            (b"", SmallFile::Text(String::new())),
            (b"\xff\xfe1", SmallFile::Invalid("is no text")),
            (&[b'1'; 5_000], SmallFile::Invalid("is too long")),
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(read(&path).unwrap(), expected);
        }
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(read(&path).unwrap(), SmallFile::Invalid("is no regular file"));
        assert_eq!(read(folder.path()).unwrap(), SmallFile::Invalid("is a folder"));
    }
}
