//! Writing whole files of a generation, and linking those of the previous one.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

use rkyv::{
    Serialize,
    api::high::{HighSerializer, to_bytes_in_with_alloc},
    rancor,
    ser::{
        allocator::{Arena, ArenaHandle},
        writer::IoWriter,
    },
};

use crate::error::{IndexError, damaged, io_error};

/// Buffer size of an archive. It stays in the caches of a core.
const BUFFER_BYTES: usize = 1 << 18;

/// Writes an archive, and keeps the reason of a failure, which the serialiser forgets.
pub(super) struct ArchiveWriter {
    file: BufWriter<File>,
    error: Option<io::Error>,
}

impl Write for ArchiveWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| self.keep(error))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).map_err(|error| self.keep(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl ArchiveWriter {
    fn keep(&mut self, error: io::Error) -> io::Error {
        let shown = io::Error::from(error.kind());
        self.error.get_or_insert(error);
        shown
    }
}

/// Serialises an archive into a file, without holding it in memory.
pub(super) fn write_archive<T>(dir: &Path, name: &str, tables: &T) -> Result<(), IndexError>
where
    T: for<'a, 'w> Serialize<HighSerializer<IoWriter<&'w mut ArchiveWriter>, ArenaHandle<'a>, rancor::Error>>,
{
    let path = dir.join(name);
    let file = File::create(&path).map_err(io_error("cannot create", &path))?;
    let mut writer = ArchiveWriter { file: BufWriter::with_capacity(BUFFER_BYTES, file), error: None };
    // An own arena: that of the thread would keep its memory.
    let mut arena = Arena::new();
    let written = to_bytes_in_with_alloc::<_, _, rancor::Error>(tables, IoWriter::new(&mut writer), arena.acquire());
    let failure = written.map(drop).err();
    if let Some(error) = writer.error.take() {
        return Err(io_error("cannot write", &path)(error));
    }
    if let Some(failure) = failure {
        return Err(damaged(&path, failure.to_string()));
    }
    writer.file.flush().map_err(io_error("cannot write", &path))
}

/// Writes a file. It is synced when the generation is published.
pub(super) fn write_file(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), IndexError> {
    let path = dir.join(name);
    fs::write(&path, bytes).map_err(io_error("cannot write", &path))
}

/// Links a file of another generation instead of copying it: a written file never changes. A file system without links gets a copy.
pub(crate) fn link_file(from: &Path, to: &Path) -> Result<(), IndexError> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop)).map_err(io_error("cannot link", to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::tables::{SymbolRecord, Tables};

    #[test]
    fn an_archive_has_the_bytes_of_one_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let symbol =
            |nth: u32| SymbolRecord { name: format!("symbol number {nth}"), ordinal: nth, ..SymbolRecord::default() };
        let tables = Tables { symbols: (0..20_000).map(symbol).collect(), ..Tables::default() };
        write_archive(folder.path(), "tables", &tables).expect("it is written");
        let expected = rkyv::to_bytes::<rancor::Error>(&tables).expect("it is serialised");
        assert!(fs::read(folder.path().join("tables")).expect("it is read") == expected[..]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_no_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("/dev/full", folder.path().join("full")).expect("a link");
        let tables = Tables { symbols: vec![SymbolRecord::default(); 100_000], ..Tables::default() };
        let error = write_archive(folder.path(), "full", &tables).expect_err("the disk is full");
        assert!(!error.is_of_reading(), "{error}");
    }
}
