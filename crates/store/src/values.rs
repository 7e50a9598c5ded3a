//! The values of one generation, one after the other in a file: each is written once, where sled would write it again with
//! every neighbour that comes, and keep the room.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The file beside the database. Nothing in it is known but by the places that the database keeps.
const VALUES_FILE: &str = "values";

/// A file of values.
pub(crate) struct Values {
    file: File,
    /// Where the next value goes.
    end: Mutex<u64>,
}

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) n_bytes: u32,
}

impl Values {
    /// Opens the file in the directory of a generation, or begins it. What a crash left at its end stays there unused.
    pub(crate) fn open(generation: &Path) -> io::Result<Values> {
        let path = generation.join(VALUES_FILE);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = Mutex::new(file.metadata()?.len());
        Ok(Values { file, end })
    }

    /// Writes a value behind the others. After a failure, the next one takes its place.
    pub(crate) fn append(&self, value: &[u8]) -> io::Result<Place> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        self.file.write_all_at(value, *end)?;
        let place = Place { offset: *end, n_bytes: value.len() as u32 };
        *end += value.len() as u64;
        Ok(place)
    }

    /// Reads what lies at a place, which is a value only if its checksum says so.
    pub(crate) fn read(&self, place: Place) -> io::Result<Vec<u8>> {
        if place.offset.saturating_add(u64::from(place.n_bytes)) > self.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut value = vec![0; place.n_bytes as usize];
        self.file.read_exact_at(&mut value, place.offset)?;
        Ok(value)
    }

    /// Waits until what was written is on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Returns the bytes that the values take.
    pub(crate) fn len(&self) -> u64 {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
