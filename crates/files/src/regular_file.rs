//! Reads regular files only, up to a limit. Opening a pipe would block forever, and reading a device would never end.

use std::{
    fs::{self, File, FileType, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::Path,
};

use rustix::fs::OFlags;

/// Opens a regular file; symbolic links are followed. Returns `InvalidInput` for anything else, without waiting.
pub fn open(path: &Path) -> io::Result<File> {
    check(fs::metadata(path)?.file_type())?;
    // The file may be replaced by a pipe in between.
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file of at most `limit` bytes. Returns `InvalidInput` for a longer one.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(open(path)?, limit)
}

/// Reads an open regular file of at most `limit` bytes. Returns `InvalidInput` for a longer one, without reading it unless it grows.
pub fn read_open(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let too_long = || refused(format!("it has more than {limit} bytes"));
    let n_bytes = file.metadata()?.len();
    if n_bytes > limit {
        return Err(too_long());
    }
    let mut content = Vec::with_capacity(usize::try_from(n_bytes).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut content)?;
    if content.len() as u64 > limit { Err(too_long()) } else { Ok(content) }
}

/// Reads a regular text file of at most `limit` bytes. Returns `InvalidInput` for anything else.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?).map_err(|_| refused("it is not UTF-8 text".to_owned()))
}

/// Returns an error unless the file is missing, or is a regular file of at most `limit` bytes.
pub fn check_if_present(path: &Path, limit: u64) -> io::Result<()> {
    let metadata = match fs::metadata(path) {
        Err(error) if is_missing(&error) => return Ok(()),
        metadata => metadata?,
    };
    check(metadata.file_type())?;
    if metadata.len() > limit {
        return Err(refused(format!("it has {} bytes, over the limit of {limit}", metadata.len())));
    }
    Ok(())
}

/// Returns true if the error means that there is no such file.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns `InvalidInput` for everything but a regular file.
pub fn check(kind: FileType) -> io::Result<()> {
    let name = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "a special file",
    };
    Err(refused(format!("it is {name}, not a regular file")))
}

/// Returns the error of a file that is not read, for this reason.
pub fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::{fs::symlink, net::UnixListener},
        process::Command,
    };

    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "12345").unwrap();
        assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for (link, target) in
            [("to-file", "file"), ("to-pipe", "pipe"), ("to-zero", "/dev/zero"), ("to-self", "to-self")]
        {
            symlink(target, path(link)).unwrap();
        }
        for (name, limit, expected) in [
            ("file", 5, Ok("12345")),
            ("to-file", 5, Ok("12345")),
            ("file", 4, Err("it has more than 4 bytes")),
            ("pipe", 5, Err("it is a pipe, not a regular file")),
            ("to-pipe", 5, Err("it is a pipe, not a regular file")),
            ("to-zero", 5, Err("it is a device, not a regular file")),
            ("socket", 5, Err("it is a socket, not a regular file")),
            (".", 5, Err("it is a folder, not a regular file")),
        ] {
            let read = read(&path(name), limit).map_err(|error| error.to_string());
            assert_eq!(read.as_deref(), expected.map(str::as_bytes).map_err(str::to_owned).as_deref(), "{name}");
        }
        assert!(read(&path("to-self"), 5).is_err());
        assert!(is_missing(&read(&path("none"), 5).unwrap_err()));
        assert!(check_if_present(&path("none"), 5).is_ok());
        assert!(check_if_present(&path("file"), 4).is_err());
        assert!(check_if_present(&path("to-zero"), 5).is_err());
        fs::write(path("bytes"), b"\xff").unwrap();
        assert_eq!(read_text(&path("bytes"), 5).unwrap_err().to_string(), "it is not UTF-8 text");
    }
}
