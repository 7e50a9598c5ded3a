//! The threads of one call, which take paths from a queue. A thread that does not come back is left behind and replaced.

use std::{
    any::Any,
    collections::{BTreeMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::{IsolatedReadError, IsolatedReads, IsolatedResult, UnfinishedRead, unfinished_error};

/// Maximum number of reads that a call waits for at a time.
const MAX_READERS: usize = 16;

/// The time for a whole call, as a multiple of the time for one read. The rest of a longer queue is left to the next call.
const PATIENCE_FOR_ALL: u32 = 4;

type ReadQueue = Arc<Mutex<VecDeque<(usize, PathBuf)>>>;

pub(super) struct Readers<'a, T> {
    paths: &'a [PathBuf],
    /// The results in the order of the paths.
    results: Vec<Option<IsolatedResult<T>>>,
    /// Number of paths without a result.
    n_open: usize,
    reads: IsolatedReads<T>,
    queue: ReadQueue,
    read: Arc<dyn Fn(&Path) -> T + Send + Sync>,
    patience: Duration,
    sender: Sender<ReadEvent<T>>,
    receiver: Receiver<ReadEvent<T>>,
    /// The reads in progress, with their begin.
    running: BTreeMap<usize, Instant>,
    /// Threads that may still take a path from the queue.
    n_threads: usize,
}

enum ReadEvent<T> {
    Begun(usize),
    Ended(usize, IsolatedResult<T>),
}

impl<T: Send + 'static> Readers<'_, T> {
    /// `results` has the results that are known already.
    pub(super) fn new(
        reads: IsolatedReads<T>,
        paths: &[PathBuf],
        results: Vec<Option<IsolatedResult<T>>>,
        read: Arc<dyn Fn(&Path) -> T + Send + Sync>,
        patience: Duration,
    ) -> Readers<'_, T> {
        let (sender, receiver) = channel();
        let is_open = |idx: &usize| results[*idx].is_none();
        let queue: VecDeque<(usize, PathBuf)> =
            (0..paths.len()).filter(is_open).map(|idx| (idx, paths[idx].clone())).collect();
        let (n_open, queue, running) = (queue.len(), Arc::new(Mutex::new(queue)), BTreeMap::new());
        Readers { paths, results, n_open, reads, queue, read, patience, sender, receiver, running, n_threads: 0 }
    }

    /// Reads the paths without a result, and returns all results.
    pub(super) fn run(mut self) -> Vec<IsolatedResult<T>> {
        let end = Instant::now() + self.patience * PATIENCE_FOR_ALL;
        for _ in 0..self.n_open.min(MAX_READERS) {
            self.start_thread();
        }
        while self.n_open > 0 {
            let overdue = self.running.values().min().map_or(end, |begun| *begun + self.patience).min(end);
            let event = self.receiver.recv_timeout(overdue.saturating_duration_since(Instant::now()));
            match event {
                Ok(event) => self.note(event),
                Err(_) if Instant::now() >= end => self.stop(),
                Err(_) => self.replace_overdue(),
            }
        }
        self.results.into_iter().map(|result| result.unwrap_or(Err(IsolatedReadError::Unfinished))).collect()
    }

    /// Starts a thread. If there is none then, the queued paths get the error.
    fn start_thread(&mut self) {
        let (reads, queue, read) = (self.reads.clone(), self.queue.clone(), self.read.clone());
        let sender = self.sender.clone();
        let reading = move || read_queue(&reads, &queue, &*read, &sender);
        match thread::Builder::new().name("read-repository".to_owned()).spawn(reading) {
            Ok(_) => self.n_threads += 1,
            Err(error) if self.n_threads == 0 => {
                for (idx, _) in self.take_queue() {
                    self.set(idx, Err(IsolatedReadError::NoThread(error.to_string())));
                }
            }
            Err(_) => {}
        }
    }

    fn note(&mut self, event: ReadEvent<T>) {
        match event {
            ReadEvent::Begun(idx) => _ = self.running.insert(idx, Instant::now()),
            ReadEvent::Ended(idx, result) => {
                self.running.remove(&idx);
                self.set(idx, result);
            }
        }
    }

    fn set(&mut self, idx: usize, result: IsolatedResult<T>) {
        if self.results[idx].replace(result).is_none() {
            self.n_open -= 1;
        }
    }

    /// Leaves the reads behind for which the time is over, and starts other threads for the queue.
    fn replace_overdue(&mut self) {
        let is_overdue = |begun: &Instant| begun.elapsed() >= self.patience;
        let overdue: Vec<usize> =
            self.running.iter().filter(|(_, begun)| is_overdue(begun)).map(|(idx, _)| *idx).collect();
        for idx in overdue {
            if self.leave_behind(idx) && self.has_queued() {
                self.start_thread();
            }
        }
    }

    /// Leaves all reads behind. Paths that are still queued are not read by this call.
    fn stop(&mut self) {
        for (idx, _) in self.take_queue() {
            self.set(idx, Err(IsolatedReadError::Unfinished));
        }
        let open: Vec<usize> = (0..self.results.len()).filter(|idx| self.results[*idx].is_none()).collect();
        for idx in open {
            self.leave_behind(idx);
        }
    }

    /// Leaves a read behind, unless it has ended. Returns true if it was left.
    fn leave_behind(&mut self, idx: usize) -> bool {
        let reads = self.reads.clone();
        // A thread sends its result while it holds the lock: either the result is here, or the thread finds the entry.
        let mut unfinished = reads.unfinished();
        while let Ok(event) = self.receiver.try_recv() {
            self.note(event);
        }
        if self.results[idx].is_some() {
            return false;
        }
        let since = self.running.remove(&idx).unwrap_or_else(Instant::now);
        unfinished.entry(self.paths[idx].clone()).or_insert(UnfinishedRead { since, result: None });
        self.set(idx, Err(unfinished_error(since.elapsed())));
        self.n_threads = self.n_threads.saturating_sub(1);
        true
    }

    fn has_queued(&self) -> bool {
        !self.queue.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn take_queue(&self) -> VecDeque<(usize, PathBuf)> {
        std::mem::take(&mut *self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads paths until the queue is empty, or the caller has left the read of this thread behind.
fn read_queue<T>(
    reads: &IsolatedReads<T>,
    queue: &ReadQueue,
    read: &(dyn Fn(&Path) -> T + Send + Sync),
    sender: &Sender<ReadEvent<T>>,
) where
    T: Send + 'static,
{
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((idx, path)) = next else { return };
        // The caller may have given up.
        let _ = sender.send(ReadEvent::Begun(idx));
        let result = catch_unwind(AssertUnwindSafe(|| read(&path)));
        let result = result.map_err(|panic| IsolatedReadError::Panicked(message(&*panic)));
        let mut unfinished = reads.unfinished();
        match unfinished.get_mut(&path) {
            Some(left) => {
                left.result = Some(result);
                return;
            }
            None => _ = sender.send(ReadEvent::Ended(idx, result)),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
