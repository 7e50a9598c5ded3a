//! Writing whole files of a generation, and linking those of the previous one.

use std::{fs, path::Path};

use rkyv::{
    Serialize,
    api::high::{HighSerializer, to_bytes_with_alloc},
    rancor,
    ser::allocator::{Arena, ArenaHandle},
    util::AlignedVec,
};

use crate::error::{IndexError, damaged, io_error};

/// Serialises an archive into a file.
pub(super) fn write_archive<T>(dir: &Path, name: &str, tables: &T) -> Result<(), IndexError>
where
    T: for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>>,
{
    // An own arena: that of the thread would keep its memory.
    let mut arena = Arena::new();
    let archive = to_bytes_with_alloc::<_, rancor::Error>(tables, arena.acquire())
        .map_err(|error| damaged(&dir.join(name), error.to_string()))?;
    write_file(dir, name, &archive)
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
