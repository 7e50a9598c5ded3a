//! A sled database with deadlines for flushing and closing. After a failed write, as on a full disk, sled may wait forever for
//! one of its own threads.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::deadline::{WRITE_DEADLINE, run_within, timed_out};

/// An open database. It is `Some` until it is closed.
pub(crate) struct Database(Option<sled::Db>);

impl Database {
    pub(crate) fn new(database: sled::Db) -> Database {
        Database(Some(database))
    }

    pub(crate) fn get(&self) -> &sled::Db {
        self.0.as_ref().expect("it is `Some` until it is closed")
    }

    /// Writes everything to disk. The error kind `TimedOut` means that this may never succeed.
    pub(crate) fn flush(&self) -> sled::Result<()> {
        let database = self.get().clone();
        let flushed = run_within(WRITE_DEADLINE, move || database.flush().map(drop));
        flushed.unwrap_or_else(|| Err(sled::Error::Io(timed_out())))
    }

    /// Closes the database. After the deadline, it stays open until the process ends.
    pub(crate) fn close(&mut self) {
        let Some(database) = self.0.take() else { return };
        let close = move || catch_unwind(AssertUnwindSafe(|| drop(database))).is_ok();
        if run_within(WRITE_DEADLINE, close) != Some(true) {
            tracing::warn!("a store could not be closed; its unwritten values will be recomputed");
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.close();
    }
}
