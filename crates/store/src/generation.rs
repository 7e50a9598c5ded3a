//! One generation of entries: a directory with a sled database and a file of values.

use std::{
    fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    database::Database,
    entry::{ValueRecord, decode_record, encode_record},
    error::StoreError,
    values::Values,
};

/// Size of the page cache of sled for both generations together. The default of sled is a gigabyte. Values are in a separate file,
/// so the pages hold only their places.
const PAGE_CACHE_BYTES: u64 = 16 << 20;

/// Prefix of the directories of generations. Another layout has another prefix.
const PREFIX: &str = "v2-";

/// Prefix of the directories of the first layout, in which sled had all values. They are deleted.
const OBSOLETE_PREFIX: &str = "g-";

/// File that marks a generation as damaged, if the damage was found in use. The next opening quarantines it.
const DAMAGE_MARKER: &str = "damaged";

/// Maximum time that opening waits for the lock. sled releases it some milliseconds after the last handle is dropped, and a
/// replaced process needs a moment to exit.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval between attempts to get the lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// An open generation. Once damage is found, every operation fails.
pub(crate) struct Generation {
    pub(crate) number: u64,
    path: PathBuf,
    database: Database,
    values: Values,
    is_damaged: AtomicBool,
    /// Number of entries that were written since the database was opened.
    n_written: AtomicU64,
}

/// Why a generation could not be opened.
pub(crate) enum OpenFailure {
    /// It is unreadable and must be quarantined.
    Damaged(String),
    /// It is intact, but cannot be opened now.
    Refused(StoreError),
}

impl Generation {
    /// Opens or creates the generation with this number in `dir`.
    pub(crate) fn open(dir: &Path, number: u64) -> Result<Generation, OpenFailure> {
        let path = path_of(dir, number);
        if path.join(DAMAGE_MARKER).exists() {
            return Err(OpenFailure::Damaged("damage was found in use".to_owned()));
        }
        let database = open_database(&path)?;
        match Values::open(&path) {
            Ok(values) => {
                let (is_damaged, n_written) = (AtomicBool::new(false), AtomicU64::new(0));
                Ok(Generation { number, path, database, values, is_damaged, n_written })
            }
            Err(source) => Err(OpenFailure::Refused(StoreError::Io { path, source })),
        }
    }

    /// Returns the number of entries that were written since the database was opened.
    pub(crate) fn n_written(&self) -> u64 {
        self.n_written.load(Ordering::Relaxed)
    }

    /// Closes the database and opens it again, which gives back the memory of what was written. If it cannot be opened, every further
    /// operation fails, and the next start reads what is on disk.
    pub(crate) fn reopen(&mut self) -> Result<(), StoreError> {
        self.flush()?;
        self.database.close();
        match open_database(&self.path) {
            Ok(database) => {
                self.database = database;
                self.n_written.store(0, Ordering::Relaxed);
                Ok(())
            }
            Err(failure) => {
                self.is_damaged.store(true, Ordering::Relaxed);
                Err(match failure {
                    OpenFailure::Refused(error) => error,
                    OpenFailure::Damaged(_) => self.damaged(),
                })
            }
        }
    }

    /// Returns the sealed value of a key; `None` if there is none, or if it cannot be read.
    pub(crate) fn get(&self, full_key: &[u8]) -> Option<Vec<u8>> {
        let record = self.guarded(|database| database.get(full_key)).ok().flatten()?;
        match decode_record(&record)? {
            ValueRecord::Inline(sealed) => Some(sealed.to_vec()),
            ValueRecord::External(location) => self.values.read(location).ok(),
        }
    }

    /// Inserts or replaces an entry.
    pub(crate) fn insert(&self, full_key: &[u8], sealed: &[u8]) -> Result<(), StoreError> {
        let record = self.write_value(sealed)?;
        self.n_written.fetch_add(1, Ordering::Relaxed);
        self.guarded(|database| database.insert(full_key, record)).map(|_| ())
    }

    /// Inserts an entry unless the key exists, so that a copy never replaces a newer value.
    pub(crate) fn insert_if_absent(&self, full_key: &[u8], sealed: &[u8]) -> Result<(), StoreError> {
        let record = self.write_value(sealed)?;
        self.n_written.fetch_add(1, Ordering::Relaxed);
        self.guarded(|database| database.compare_and_swap(full_key, None::<&[u8]>, Some(record))).map(|_| ())
    }

    /// Writes a value to the file of values unless it is small, and returns its database record.
    fn write_value(&self, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        let io_error = |source| StoreError::Io { path: self.path.clone(), source };
        encode_record(sealed, |sealed| self.values.append(sealed)).map_err(io_error)
    }

    /// Removes an entry. A failure is harmless, since the checksum of a damaged entry fails again.
    pub(crate) fn remove(&self, full_key: &[u8]) {
        let _ = self.guarded(|database| database.remove(full_key));
    }

    /// Writes everything to disk, values first. Otherwise a crash could leave locations without values, which are permanent
    /// misses.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let synced = self.values.sync().map_err(|source| StoreError::Io { path: self.path.clone(), source });
        synced.map_err(|error| self.note_stuck(error))?;
        self.guarded(|_| self.database.flush())
    }

    /// Returns true unless its directory was removed.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.path.is_dir()
    }

    /// Counts the entries with a full scan.
    pub(crate) fn len(&self) -> usize {
        self.guarded(|database| Ok(database.len())).unwrap_or(0)
    }

    /// Returns the bytes on disk.
    pub(crate) fn size_on_disk(&self) -> u64 {
        self.guarded(|database| database.size_on_disk()).unwrap_or(0) + self.values.len()
    }

    /// Closes the database and deletes its files.
    pub(crate) fn delete(self) -> Result<(), StoreError> {
        let Generation { path, database, .. } = self;
        drop(database);
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::Io { path, source }),
            _ => Ok(()),
        }
    }

    /// Runs an operation of sled. A panic or an error that indicates damage disables this generation.
    fn guarded<T>(&self, operation: impl FnOnce(&sled::Db) -> sled::Result<T>) -> Result<T, StoreError> {
        if self.is_damaged.load(Ordering::Relaxed) {
            return Err(self.damaged());
        }
        let failure = match catch_unwind(AssertUnwindSafe(|| operation(self.database.get()))) {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => classify(error, &self.path),
            Err(_) => OpenFailure::Damaged("sled panicked".to_owned()),
        };
        match failure {
            OpenFailure::Refused(error) => Err(self.note_stuck(error)),
            OpenFailure::Damaged(reason) => {
                if !self.is_damaged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(path = %self.path.display(), reason, "found damage in a store; the next start replaces it by an empty one");
                    let _ = fs::write(self.path.join(DAMAGE_MARKER), reason);
                }
                Err(self.damaged())
            }
        }
    }

    /// Disables this generation after a timeout: every further operation would time out as well. The next opening reads the state on
    /// disk.
    fn note_stuck(&self, error: StoreError) -> StoreError {
        let is_stuck = matches!(&error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::TimedOut);
        self.is_damaged.fetch_or(is_stuck, Ordering::Relaxed);
        error
    }

    fn damaged(&self) -> StoreError {
        StoreError::Damaged { path: self.path.clone() }
    }
}

/// Opens or creates a database. It waits a moment for a process or a handle that still has it.
fn open_database(path: &Path) -> Result<Database, OpenFailure> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        let config = sled::Config::new().path(path).cache_capacity(PAGE_CACHE_BYTES / 2).flush_every_ms(None);
        let failure = match catch_unwind(AssertUnwindSafe(|| config.open())) {
            Ok(Ok(database)) => return Ok(Database::new(database)),
            Ok(Err(error)) => classify(error, path),
            Err(_) => OpenFailure::Damaged("sled panicked".to_owned()),
        };
        match failure {
            OpenFailure::Refused(StoreError::Locked { .. }) if Instant::now() < deadline => {
                thread::sleep(LOCK_POLL_INTERVAL);
            }
            failure => return Err(failure),
        }
    }
}

/// Returns the directory of the generation with this number.
pub(crate) fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{PREFIX}{number:08}"))
}

/// Returns the numbers of the generations in `dir`, in ascending order.
pub(crate) fn numbers_in(dir: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        numbers.extend(
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|number| number.parse::<u64>().ok()),
        );
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Deletes the generations of an obsolete layout from `dir`.
pub(crate) fn remove_obsolete_layouts(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(OBSOLETE_PREFIX) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Distinguishes damage from external problems: a lock, a full disk, missing permissions.
fn classify(error: sled::Error, path: &Path) -> OpenFailure {
    use io::ErrorKind::*;
    let source = match error {
        sled::Error::Io(source) => source,
        other => return OpenFailure::Damaged(other.to_string()),
    };
    // sled has no error kind for a lock that another process holds.
    if source.to_string().contains("could not acquire lock") {
        return OpenFailure::Refused(StoreError::Locked { path: path.to_owned() });
    }
    match source.kind() {
        UnexpectedEof | InvalidData | InvalidInput | NotFound | Other => OpenFailure::Damaged(source.to_string()),
        _ => OpenFailure::Refused(StoreError::Io { path: path.to_owned(), source }),
    }
}
