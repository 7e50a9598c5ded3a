//! Reads of repositories on threads of their own: a read that panics or blocks affects its repository alone.
//!
//! Several repositories are read in parallel. The caller waits for each read for a while only. A read that takes longer goes on
//! without it, and a later call takes the result.

mod readers;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use readers::Readers;

/// Time after which a read counts as blocked. The longest history takes a few seconds.
const SLOW_READ: Duration = Duration::from_secs(15);

/// Why a read has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IsolatedReadError {
    /// The read panicked: its files are damaged in a way that no check knows.
    #[error("reading it panicked: {0}")]
    Panicked(String),
    /// The read has not ended yet, or has not begun.
    #[error("it is still being read")]
    Unfinished,
    /// The read has not ended for long; its thread waits until the system answers.
    #[error("reading it did not end within {} s; is its file system reachable?", SLOW_READ.as_secs())]
    TooSlow,
    /// The system refused another thread.
    #[error("no thread can be started to read it: {0}")]
    NoThread(String),
}

/// The result of a read.
pub type IsolatedResult<T> = Result<T, IsolatedReadError>;

/// Reads of one kind on threads of their own, and those that have not ended. Such a path is not read again until its read ends,
/// so it costs one thread at most.
pub struct IsolatedReads<T> {
    unfinished: Arc<Mutex<BTreeMap<PathBuf, UnfinishedRead<T>>>>,
}

/// A read for which its caller does not wait any more.
struct UnfinishedRead<T> {
    since: Instant,
    /// Set when the read has ended, until a caller takes it.
    result: Option<IsolatedResult<T>>,
}

impl<T: Send + 'static> IsolatedReads<T> {
    /// Reads something of the repository at `path`, and waits for it for the time of `patience`.
    pub fn read(
        &self,
        path: &Path,
        patience: Duration,
        read: impl Fn(&Path) -> T + Send + Sync + 'static,
    ) -> IsolatedResult<T> {
        let mut results = self.read_all(&[path.to_owned()], patience, read);
        results.pop().expect("there is a result for each path")
    }

    /// Reads something of each repository, some of them in parallel. Returns the results in the order of the paths.
    ///
    /// It waits for a read for the time of `patience`, and for all of them for a small multiple of it. A path whose earlier read has
    /// ended meanwhile has its result.
    pub fn read_all(
        &self,
        paths: &[PathBuf],
        patience: Duration,
        read: impl Fn(&Path) -> T + Send + Sync + 'static,
    ) -> Vec<IsolatedResult<T>> {
        let earlier = paths.iter().map(|path| self.take_earlier(path)).collect();
        Readers::new(self.clone(), paths, earlier, Arc::new(read), patience).run()
    }

    /// Returns true if a read of the repository has not ended.
    pub fn is_blocked(&self, path: &Path) -> bool {
        self.unfinished().get(path).is_some_and(|read| read.result.is_none())
    }

    /// Pretends that a read of the path has not ended, until the returned function is called.
    #[cfg(test)]
    pub(crate) fn block(&self, path: &Path) -> impl FnOnce() + use<T> {
        let (reads, path) = (self.clone(), path.to_owned());
        self.unfinished().insert(path.clone(), UnfinishedRead { since: Instant::now(), result: None });
        move || _ = reads.unfinished().remove(&path)
    }

    /// Returns the state of an earlier read, and takes its result if it has ended.
    fn take_earlier(&self, path: &Path) -> Option<IsolatedResult<T>> {
        let mut unfinished = self.unfinished();
        let read = unfinished.get_mut(path)?;
        match read.result.take() {
            Some(result) => {
                unfinished.remove(path);
                Some(result)
            }
            None => Some(Err(unfinished_error(read.since.elapsed()))),
        }
    }

    fn unfinished(&self) -> MutexGuard<'_, BTreeMap<PathBuf, UnfinishedRead<T>>> {
        self.unfinished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for IsolatedReads<T> {
    fn clone(&self) -> Self {
        IsolatedReads { unfinished: self.unfinished.clone() }
    }
}

impl<T> Default for IsolatedReads<T> {
    fn default() -> Self {
        IsolatedReads { unfinished: Arc::default() }
    }
}

impl<T> fmt::Debug for IsolatedReads<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IsolatedReads").finish_non_exhaustive()
    }
}

/// Returns the error of a read that has taken this long so far.
fn unfinished_error(taken: Duration) -> IsolatedReadError {
    if taken < SLOW_READ { IsolatedReadError::Unfinished } else { IsolatedReadError::TooSlow }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        thread,
    };

    use super::*;

    const SHORT: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_panic_is_an_error_of_its_read_alone() {
        let reads = IsolatedReads::default();
        let panicked = reads.read(Path::new("a"), LONG, |_| panic!("odd file"));
        assert_eq!(panicked, Err::<i32, _>(IsolatedReadError::Panicked("odd file".to_owned())));
        assert_eq!(reads.read(Path::new("a"), LONG, |_| 1), Ok(1));
    }

    #[test]
    fn a_blocked_path_is_read_again_when_its_read_has_ended() {
        let reads = IsolatedReads::default();
        let (release, released) = mpsc::channel::<()>();
        let (begin, begun) = mpsc::channel::<()>();
        let released = Mutex::new(released);
        let waiting = Arc::new(move |_: &Path| {
            begin.send(()).unwrap();
            _ = released.lock().unwrap().recv();
            1
        });
        let path = Path::new("a");
        // A read that has not begun when the time is over begins with the next call.
        while begun.try_recv().is_err() {
            let waiting = waiting.clone();
            assert_eq!(reads.read(path, SHORT, move |path| waiting(path)), Err(IsolatedReadError::Unfinished));
        }
        assert_eq!(reads.read(path, LONG, |_| 2), Err(IsolatedReadError::Unfinished));
        assert!(reads.is_blocked(path));
        assert_eq!(reads.read(Path::new("b"), LONG, |_| 3), Ok(3));
        release.send(()).unwrap();
        while reads.is_blocked(path) {
            thread::yield_now();
        }
        assert_eq!(reads.read(path, LONG, |_| 2), Ok(1), "the late result is taken");
        assert_eq!(reads.read(path, LONG, |_| 2), Ok(2));
    }

    #[test]
    fn a_blocked_read_is_too_slow_after_a_while() {
        assert_eq!(unfinished_error(SLOW_READ - SHORT), IsolatedReadError::Unfinished);
        let error = unfinished_error(SLOW_READ).to_string();
        assert_eq!(error, "reading it did not end within 15 s; is its file system reachable?");
    }

    #[test]
    fn blocked_reads_do_not_delay_others() {
        let reads = IsolatedReads::default();
        let paths: Vec<PathBuf> = (0..60).map(|idx| PathBuf::from(idx.to_string())).collect();
        let (release, released) = mpsc::channel::<()>();
        let released = Mutex::new(released);
        let n_reads = Arc::new(AtomicUsize::new(0));
        let counted = n_reads.clone();
        // The first forty reads block until the end of the test.
        let read = Arc::new(move |path: &Path| {
            let idx: usize = path.to_str().unwrap().parse().unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            if idx < 40 {
                _ = released.lock().unwrap().recv();
            }
            idx
        });
        let read_all = |patience| {
            let read = read.clone();
            reads.read_all(&paths, patience, move |path| read(path))
        };
        let began = Instant::now();
        let mut results = read_all(Duration::from_millis(200));
        while results[40..].iter().any(Result::is_err) {
            results = read_all(Duration::from_millis(200));
            assert!(began.elapsed() < LONG, "{results:?}");
        }
        assert!(results[..40].iter().all(|result| *result == Err(IsolatedReadError::Unfinished)), "{results:?}");
        assert!((40..60).all(|idx| results[idx] == Ok(idx)), "{results:?}");
        let before = n_reads.load(Ordering::SeqCst);
        let again = read_all(Duration::from_millis(200));
        assert!((40..60).all(|idx| again[idx] == Ok(idx)), "{again:?}");
        assert_eq!(n_reads.load(Ordering::SeqCst) - before, 20, "blocked paths cost no further thread");
        drop(release);
    }
}
