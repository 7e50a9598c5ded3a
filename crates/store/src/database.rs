//! A database of sled that is waited for only so long: after a write that failed, as on a full disk, sled may wait for
//! ever for one of its own threads.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

/// How long a flush and a close are waited for. They write some megabytes; what they do not write is made again.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);

/// A database that is open until it is dropped.
pub(crate) struct Database(Option<sled::Db>);

impl Database {
    pub(crate) fn new(database: sled::Db) -> Database {
        Database(Some(database))
    }

    pub(crate) fn get(&self) -> &sled::Db {
        self.0.as_ref().expect("it is there until it is dropped")
    }

    /// Waits until all is on disk; an error of the kind `TimedOut` says that it never may be.
    pub(crate) fn flush(&self) -> sled::Result<()> {
        let database = self.get().clone();
        let flushed = within(WRITE_PATIENCE, move || database.flush().map(drop));
        flushed.unwrap_or_else(|| Err(sled::Error::Io(io::ErrorKind::TimedOut.into())))
    }
}

impl Drop for Database {
    /// Closes the database, or leaves it to the end of the process.
    fn drop(&mut self) {
        let database = self.0.take();
        let close = move || catch_unwind(AssertUnwindSafe(|| drop(database))).is_ok();
        if within(WRITE_PATIENCE, close) != Some(true) {
            tracing::warn!("a store was not closed in order; what it had not written is made again");
        }
    }
}

/// Returns what comes of `work` on a thread of its own; nothing if that takes too long, or there is no thread to be had.
fn within<T: Send + 'static>(patience: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, ended) = mpsc::sync_channel(1);
    let worker = thread::Builder::new().name("store".to_owned()).spawn(move || _ = done.send(work())).ok()?;
    match ended.recv_timeout(patience) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => resume_unwind(worker.join().err()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_left_alone() {
        let (never, wait) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_millis(1), move || wait.recv().is_ok()), None);
        drop(never);
        assert_eq!(within(WRITE_PATIENCE, || 7), Some(7));
        assert!(catch_unwind(|| within(WRITE_PATIENCE, || panic!("as sled does"))).is_err());
    }
}
