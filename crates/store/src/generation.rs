//! One generation of entries: a sled database and a file of values, in a directory of their own.

use std::{
    fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    StoreError,
    database::Database,
    entry::{Lying, lying, record_of},
    values::Values,
};

/// Bytes of pages that sled keeps in memory for both generations together; its own default is a gigabyte.
const PAGE_CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// How the directory of a generation is named. Those of another layout have another prefix.
const PREFIX: &str = "v2-";

/// How the directory of a generation was named when sled held all values; such ones are removed.
const OLDER_PREFIX: &str = "g-";

/// Marks a generation in which damage was met while it was in use, so that the next opening sets it aside.
const DAMAGE_MARK: &str = "damaged";

/// How long an opening waits for another owner to let go: sled keeps its lock for some milliseconds after the last
/// handle is dropped, and a process that is being replaced needs a moment to end.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// How often it looks meanwhile.
const LOCK_POLL: Duration = Duration::from_millis(5);

/// An open database. Once damage is met in it, it answers nothing any more.
pub(crate) struct Generation {
    pub(crate) number: u64,
    path: PathBuf,
    database: Database,
    values: Values,
    is_damaged: AtomicBool,
}

/// Why a generation could not be opened.
pub(crate) enum OpenFailure {
    /// It can never be read: set it aside.
    Damaged(String),
    /// Nothing is wrong with it: leave it as it is.
    Refused(StoreError),
}

impl Generation {
    /// Opens the generation with this number in `dir`, or begins it.
    pub(crate) fn open(dir: &Path, number: u64) -> Result<Generation, OpenFailure> {
        let deadline = Instant::now() + LOCK_PATIENCE;
        loop {
            match Generation::try_open(dir, number) {
                Err(OpenFailure::Refused(StoreError::Locked { .. })) if Instant::now() < deadline => {
                    thread::sleep(LOCK_POLL);
                }
                opened => return opened,
            }
        }
    }

    fn try_open(dir: &Path, number: u64) -> Result<Generation, OpenFailure> {
        let path = path_of(dir, number);
        if path.join(DAMAGE_MARK).exists() {
            return Err(OpenFailure::Damaged("damage was met while it was in use".to_owned()));
        }
        let config = sled::Config::new().path(&path).cache_capacity(PAGE_CACHE_BYTES / 2).flush_every_ms(None);
        match catch_unwind(AssertUnwindSafe(|| config.open())) {
            Ok(Ok(database)) => match Values::open(&path) {
                Ok(values) => {
                    let database = Database::new(database);
                    Ok(Generation { number, path, database, values, is_damaged: AtomicBool::new(false) })
                }
                Err(source) => Err(OpenFailure::Refused(StoreError::Io { path, source })),
            },
            Ok(Err(error)) => Err(classify(error, &path)),
            Err(_) => Err(OpenFailure::Damaged("sled panicked".to_owned())),
        }
    }

    /// Returns what is stored under a key; none as well if it cannot be read.
    pub(crate) fn get(&self, full_key: &[u8]) -> Option<Vec<u8>> {
        let record = self.guarded(|database| database.get(full_key)).ok().flatten()?;
        match lying(&record)? {
            Lying::Here(sealed) => Some(sealed.to_vec()),
            Lying::At(place) => self.values.read(place).ok(),
        }
    }

    pub(crate) fn insert(&self, full_key: &[u8], sealed: &[u8]) -> Result<(), StoreError> {
        let record = self.put_down(sealed)?;
        self.guarded(|database| database.insert(full_key, record)).map(|_| ())
    }

    /// Inserts an entry unless there is one, so that a copy never replaces something newer.
    pub(crate) fn insert_if_absent(&self, full_key: &[u8], sealed: &[u8]) -> Result<(), StoreError> {
        let record = self.put_down(sealed)?;
        self.guarded(|database| database.compare_and_swap(full_key, None::<&[u8]>, Some(record))).map(|_| ())
    }

    /// Writes a value where it belongs, and returns what the database keeps of it.
    fn put_down(&self, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        let io = |source| StoreError::Io { path: self.path.clone(), source };
        record_of(sealed, |sealed| self.values.append(sealed)).map_err(io)
    }

    /// Removes an entry; it does not matter if that fails, since its checksum keeps it from being read.
    pub(crate) fn remove(&self, full_key: &[u8]) {
        let _ = self.guarded(|database| database.remove(full_key));
    }

    /// Waits until all is on disk, values first: a place without its value would only be a miss, but a lasting one.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        self.values.sync().map_err(|source| StoreError::Io { path: self.path.clone(), source })?;
        self.guarded(|_| self.database.flush())
    }

    /// Counts the entries, by looking at each.
    pub(crate) fn len(&self) -> usize {
        self.guarded(|database| Ok(database.len())).unwrap_or(0)
    }

    pub(crate) fn size_on_disk(&self) -> u64 {
        self.guarded(|database| database.size_on_disk()).unwrap_or(0) + self.values.len()
    }

    /// Closes the database and deletes its files.
    pub(crate) fn delete(self) -> Result<(), StoreError> {
        let Generation { path, database, .. } = self;
        drop(database);
        fs::remove_dir_all(&path).map_err(|source| StoreError::Io { path, source })
    }

    /// Runs an operation of sled. A panic or a report of damage ends the use of this generation.
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
            OpenFailure::Refused(error) => {
                // Whoever asks again would wait again; the next opening finds what is on disk.
                let is_stuck =
                    matches!(&error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::TimedOut);
                self.is_damaged.fetch_or(is_stuck, Ordering::Relaxed);
                Err(error)
            }
            OpenFailure::Damaged(reason) => {
                if !self.is_damaged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(path = %self.path.display(), reason, "damage met in a store; begun anew when next opened");
                    let _ = fs::write(self.path.join(DAMAGE_MARK), reason);
                }
                Err(self.damaged())
            }
        }
    }

    fn damaged(&self) -> StoreError {
        StoreError::Damaged { path: self.path.clone() }
    }
}

/// Returns where the generation with this number lies.
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

/// Removes the generations of an older layout from `dir`.
pub(crate) fn remove_older_layouts(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(OLDER_PREFIX) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Tells damage from what is wrong around the files: another owner, no room, no permission.
fn classify(error: sled::Error, path: &Path) -> OpenFailure {
    use io::ErrorKind::*;
    let source = match error {
        sled::Error::Io(source) => source,
        other => return OpenFailure::Damaged(other.to_string()),
    };
    // sled reports a lock held by another process as an error without a kind of its own.
    if source.to_string().contains("could not acquire lock") {
        return OpenFailure::Refused(StoreError::Locked { path: path.to_owned() });
    }
    match source.kind() {
        UnexpectedEof | InvalidData | InvalidInput | NotFound | Other => OpenFailure::Damaged(source.to_string()),
        _ => OpenFailure::Refused(StoreError::Io { path: path.to_owned(), source }),
    }
}
