//! Reads of repositories on threads of their own: a read that panics or blocks affects its repository alone.

use std::{
    any::Any,
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

/// Why a read has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IsolatedReadError {
    /// The read panicked: its files are damaged in a way that no check knows.
    #[error("reading it panicked: {0}")]
    Panicked(String),
    /// The read did not end by its deadline; its thread waits until the system answers.
    #[error("reading it did not end within {} s; is its file system reachable?", .0.as_secs())]
    TooSlow(Duration),
    /// An earlier read of the same repository has not ended.
    #[error("an earlier read of it has not ended; is its file system reachable?")]
    Blocked,
    /// The system refused another thread.
    #[error("no thread can be started to read it: {0}")]
    NoThread(String),
}

/// Reads on threads of their own, and the paths whose reads have not ended. A blocked path is not read again until its read
/// ends, so it costs one thread at most.
#[derive(Debug, Clone, Default)]
pub struct IsolatedReads {
    blocked: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl IsolatedReads {
    /// Reads something of the repository at `path`, and waits for it until the deadline.
    pub fn read<T: Send + 'static>(
        &self,
        path: &Path,
        deadline: Duration,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, IsolatedReadError> {
        if self.blocked().contains(path) {
            return Err(IsolatedReadError::Blocked);
        }
        let (sender, receiver) = sync_channel(1);
        let (reads, own_path) = (self.clone(), path.to_owned());
        let reading = move || {
            let result = catch_unwind(AssertUnwindSafe(read)).map_err(|panic| message(&*panic));
            let mut blocked = reads.blocked();
            blocked.remove(&own_path);
            // The caller may have given up.
            let _ = sender.send(result);
        };
        let builder = thread::Builder::new().name("read-repository".to_owned());
        builder.spawn(reading).map_err(|error| IsolatedReadError::NoThread(error.to_string()))?;
        let result = match receiver.recv_timeout(deadline) {
            Ok(result) => result,
            Err(RecvTimeoutError::Disconnected) => Err("its thread ended".to_owned()),
            Err(RecvTimeoutError::Timeout) => {
                let mut blocked = self.blocked();
                // The thread sends while it holds the lock: either the result is here, or the path is blocked.
                match receiver.try_recv() {
                    Ok(result) => result,
                    Err(_) => {
                        blocked.insert(path.to_owned());
                        return Err(IsolatedReadError::TooSlow(deadline));
                    }
                }
            }
        };
        result.map_err(IsolatedReadError::Panicked)
    }

    /// Returns true if a read of the repository has not ended.
    pub fn is_blocked(&self, path: &Path) -> bool {
        self.blocked().contains(path)
    }

    fn blocked(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.blocked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_panic_is_an_error_of_its_read_alone() {
        let reads = IsolatedReads::default();
        let panicked = reads.read(Path::new("a"), LONG, || panic!("odd file"));
        assert_eq!(panicked, Err::<(), _>(IsolatedReadError::Panicked("odd file".to_owned())));
        assert_eq!(reads.read(Path::new("a"), LONG, || 1), Ok(1));
    }

    #[test]
    fn a_blocked_path_is_read_again_when_its_read_has_ended() {
        let reads = IsolatedReads::default();
        let (release, released) = mpsc::channel::<()>();
        let (ended, has_ended) = mpsc::channel::<()>();
        let waiting = move || {
            let _ended = ended;
            released.recv()
        };
        let path = Path::new("a");
        assert_eq!(
            reads.read(path, Duration::ZERO, waiting).map_err(|error| error.to_string()),
            Err("reading it did not end within 0 s; is its file system reachable?".to_owned())
        );
        assert_eq!(reads.read(path, LONG, || 1), Err(IsolatedReadError::Blocked));
        assert_eq!(reads.read(Path::new("b"), LONG, || 2), Ok(2));
        release.send(()).unwrap();
        assert!(has_ended.recv().is_err(), "the read has ended");
        while reads.is_blocked(path) {
            thread::yield_now();
        }
        assert_eq!(reads.read(path, LONG, || 3), Ok(3));
    }
}
