//! Deadlines for work that may block forever.

use std::{
    io,
    panic::resume_unwind,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

/// Deadline of flushing and closing, which write some megabytes. Unwritten values are recomputed later.
pub(crate) const WRITE_DEADLINE: Duration = Duration::from_secs(5);

/// Runs `work` on its own thread; `None` if it exceeds the deadline, or no thread could be started.
pub(crate) fn run_within<T: Send + 'static>(
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let worker = thread::Builder::new().name("store".to_owned()).spawn(move || _ = sender.send(work())).ok()?;
    match receiver.recv_timeout(deadline) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => resume_unwind(worker.join().err()?),
    }
}

/// Returns the error of work that has exceeded its deadline.
pub(crate) fn timed_out() -> io::Error {
    io::ErrorKind::TimedOut.into()
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

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
