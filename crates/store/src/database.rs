//! A sled database with deadlines for flushing and closing. After a failed write, as on a full disk, sled may wait forever for
//! one of its own threads.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

/// Deadline of flushing and closing, which write some megabytes. Unwritten values are recomputed later.
const WRITE_DEADLINE: Duration = Duration::from_secs(5);

/// An open database. It is `Some` until it is dropped.
pub(crate) struct Database(Option<sled::Db>);

impl Database {
    pub(crate) fn new(database: sled::Db) -> Database {
        Database(Some(database))
    }

    pub(crate) fn get(&self) -> &sled::Db {
        self.0.as_ref().expect("it is `Some` until it is dropped")
    }

    /// Writes everything to disk. The error kind `TimedOut` means that this may never succeed.
    pub(crate) fn flush(&self) -> sled::Result<()> {
        let database = self.get().clone();
        let flushed = run_within(WRITE_DEADLINE, move || database.flush().map(drop));
        flushed.unwrap_or_else(|| Err(sled::Error::Io(io::ErrorKind::TimedOut.into())))
    }
}

impl Drop for Database {
    /// Closes the database. After the deadline, it stays open until the process ends.
    fn drop(&mut self) {
        let database = self.0.take();
        let close = move || catch_unwind(AssertUnwindSafe(|| drop(database))).is_ok();
        if run_within(WRITE_DEADLINE, close) != Some(true) {
            tracing::warn!("a store could not be closed; its unwritten values will be recomputed");
        }
    }
}

/// Runs `work` on its own thread; `None` if it exceeds the deadline, or no thread could be started.
fn run_within<T: Send + 'static>(deadline: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let worker = thread::Builder::new().name("store".to_owned()).spawn(move || _ = sender.send(work())).ok()?;
    match receiver.recv_timeout(deadline) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => resume_unwind(worker.join().err()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_abandoned_after_its_deadline() {
        let (never, wait) = mpsc::channel::<()>();
        assert_eq!(run_within(Duration::from_millis(1), move || wait.recv().is_ok()), None);
        drop(never);
        assert_eq!(run_within(WRITE_DEADLINE, || 7), Some(7));
        assert!(catch_unwind(|| run_within(WRITE_DEADLINE, || panic!("as sled does"))).is_err());
    }
}
