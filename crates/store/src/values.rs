//! The file of values of one generation. A value is appended once, while sled would rewrite it with every neighbour, and not
//! return its space.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crate::deadline::{WRITE_DEADLINE, run_within, timed_out};

/// The file next to the database. Only the locations in the database give it structure.
const VALUES_FILE: &str = "values";

/// A file of values.
pub(crate) struct Values {
    file: Arc<File>,
    /// Offset of the next value.
    end: Mutex<u64>,
}

/// The location of a value in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueLocation {
    pub(crate) offset: u64,
    pub(crate) n_bytes: u32,
}

impl Values {
    /// Opens or creates the file in the directory of a generation. An incomplete value at its end, after a crash, stays unused.
    pub(crate) fn open(generation: &Path) -> io::Result<Values> {
        let path = generation.join(VALUES_FILE);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let end = Mutex::new(file.metadata()?.len());
        Ok(Values { file: Arc::new(file), end })
    }

    /// Appends a value. After a failure, the next value overwrites it.
    pub(crate) fn append(&self, value: &[u8]) -> io::Result<ValueLocation> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        self.file.write_all_at(value, *end)?;
        let location = ValueLocation { offset: *end, n_bytes: value.len() as u32 };
        *end += value.len() as u64;
        Ok(location)
    }

    /// Reads the bytes at a location. The caller verifies their checksum.
    pub(crate) fn read(&self, location: ValueLocation) -> io::Result<Vec<u8>> {
        if location.offset.saturating_add(u64::from(location.n_bytes)) > self.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut value = vec![0; location.n_bytes as usize];
        self.file.read_exact_at(&mut value, location.offset)?;
        Ok(value)
    }

    /// Syncs the file, within the deadline of a flush.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let file = self.file.clone();
        run_within(WRITE_DEADLINE, move || file.sync_data()).unwrap_or_else(|| Err(timed_out()))
    }

    /// Returns the length of the file.
    pub(crate) fn len(&self) -> u64 {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
